/* proof_parts.h - `ripstop prove` in parts: what one part found, as bytes, and all parts together (docs/prove.md). */
#ifndef CLI_PROOF_PARTS_H
#define CLI_PROOF_PARTS_H

#include "ripstop/kit/proofs.h"

/* What is told of a part: lines of JSON. First comes what was asked, so that parts of other questions are not taken. */
void part_begin(ripstop_text *out, const char *asked, uint32_t part, uint32_t parts);
/* A set's text; `kind`: "set", or that of the first of the part that is "lost" or has a "deadlock". */
void part_add(ripstop_text *out, const char *kind, uint64_t number, const char *text);
void part_end(ripstop_text *out, const ripstop_tally *tally);

typedef struct parts_line {
  uint64_t number;
  const char *text;
} parts_line;

/* All parts. Zero-initialise but for `arena` and `listed`. */
typedef struct parts_whole {
  ripstop_tally tally;
  size_t sets, capacity;
  parts_line *set;           /* [sets] in the order of their numbers after parts_check */
  parts_line lost, deadlock; /* the first; text NULL: none */
  uint32_t parts;            /* 0: none was added */
  const char **seen;         /* [parts] name of each part; NULL: it is missing */
  uint64_t *proofs;          /* [parts] of each */
  bool listed;               /* to be set before: parts have a line for each proof */
  ripstop_arena *arena;
} parts_whole;

/* Adds one part; `name` stands for it in messages. -1: it is no part, damaged, of another question, or there already.
 */
int parts_add(parts_whole *whole, const char *name, const char *bytes, size_t length, const char *asked,
              ripstop_error *err);
/* -1: one is missing, or together they are not `sets` sets, each once. UINT64_MAX: so many that it is not known. */
int parts_check(parts_whole *whole, uint64_t sets, ripstop_error *err);
void parts_free(parts_whole *whole);

#endif
