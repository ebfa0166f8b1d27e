/* fault_syntax.h - the tokens of fault files: blank-separated; a '#' at the start of a token opens a comment that ends
 * with the line (inside a token it belongs to the name: parallel links of a graph are "A--B#2"). Between quotes, blanks
 * belong to the token, and '@' and '~' to the name. */
#ifndef RIPSTOP_FAULTS_WORDS_H
#define RIPSTOP_FAULTS_WORDS_H

#include "ripstop/plugin/faults.h"

enum {
  RIPSTOP_FAULTS_FILE_LIMIT = 256 << 20, /* bytes of a fault or schedule file */
  RIPSTOP_WORD_SHOWN = 100               /* bytes of a word that a message quotes */
};

#define RIPSTOP_GROUP_PREFIX "group:"

/* Forms of the argument of --faults. */
typedef enum ripstop_faults_kind {
  RIPSTOP_FAULTS_KIND_COUNT,   /* "3": a number of random links */
  RIPSTOP_FAULTS_KIND_CHANGES, /* parts that fail during the run: a schedule, or a rule for random ones */
  RIPSTOP_FAULTS_KIND_PARTS    /* parts that have failed from the start, by name */
} ripstop_faults_kind;
/* A word before a colon that is nearly the name of a process counts as one: no part has such a name. */
ripstop_faults_kind ripstop_faults_kind_of(const char *text);

typedef struct ripstop_words {
  const char *at, *end;
  uint32_t line; /* line of the last word; 1 at the start */
} ripstop_words;

/* The next word; false at the end of the text. */
bool ripstop_words_next(ripstop_words *words, const char **text, size_t *length);

static inline int ripstop_word_shown(size_t length) {
  return length > RIPSTOP_WORD_SHOWN ? RIPSTOP_WORD_SHOWN : (int)length;
}

/* The link or "switch:NAME" with this name: a link's number or a switch's node. The error names the nearest name. */
int ripstop_part_find(const ripstop_names *names, const char *text, size_t length, uint32_t *id, bool *is_switch,
                      ripstop_error *err);
/* The same for a word that may end in "~0.25": *rate is 0 without it. Only links have a rate. */
int ripstop_part_find_rate(const ripstop_names *names, const char *text, size_t length, uint32_t *id, bool *is_switch,
                           uint16_t *rate, ripstop_error *err);
/* The first mark, '@' or '~', after the last quote of a name; NULL: there is none. */
const char *ripstop_word_mark(const char *text, size_t length, char mark);
/* The same for a word that may be a pattern, with '*' for any text and '?' for any one byte: every part with a
 * matching name or other name, switches if there are any, else links; with a rate links. A literal name takes
 * precedence. "group:NAME" is all links and switches of a group of the fabric's file or family; with a rate all
 * links. */
typedef void ripstop_part_found(void *to, uint32_t id, bool is_switch);
int ripstop_part_find_all(const ripstop_names *names, const char *text, size_t length, ripstop_part_found *found,
                          void *to, uint16_t *rate, ripstop_error *err);
/* "~0.25"; empty for 0 and RIPSTOP_RATE_FULL. */
void ripstop_part_add_rate(ripstop_text *out, uint16_t rate);
/* "NAME" or "switch:NAME". */
void ripstop_part_add_name(ripstop_text *out, const ripstop_fabric *fabric, uint32_t id, bool is_switch);

#endif
