/* words.h - the words of fault files: blank-separated, a '#' at the start of a word opens a comment that ends with the
 * line (inside a word it belongs to the name: parallel links of a graph are "A--B#2"). */
#ifndef RS_FAULTS_WORDS_H
#define RS_FAULTS_WORDS_H

#include "ripstop/faults.h"

enum {
  RS_FAULTS_FILE_LIMIT = 256 << 20, /* bytes of a fault or schedule file */
  RS_WORD_SHOWN = 100               /* bytes of a word that a message shows */
};

typedef struct rs_words {
  const char *at, *end;
  uint32_t line; /* of the word that was read last; 1 at the start */
} rs_words;

/* The next word; false at the end of the text. */
bool rs_words_next(rs_words *words, const char **text, size_t *length);

static inline int rs_word_shown(size_t length) { return length > RS_WORD_SHOWN ? RS_WORD_SHOWN : (int)length; }

/* The link or "switch:NAME" with this name: a link's number or a switch's node. The message of an error names the
 * nearest name there is. */
int rs_part_find(const rs_names *names, const char *text, size_t length, uint32_t *id, bool *is_switch, rs_error *err);
/* "NAME" or "switch:NAME". */
void rs_part_add_name(rs_text *out, const rs_fabric *fabric, uint32_t id, bool is_switch);

#endif
