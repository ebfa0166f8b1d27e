/* proof_parts.h - a proof over many fault sets in parts: what each part found, as bytes, and their sum (docs/prove.md).
 *
 * One process decides a part (ripstop_many.part) and writes: parts_begin, parts_add_text for its sets, parts_end. Any
 * process reads all of them: parts_read or parts_gather, and then has what one process would have found. */
#ifndef CAMPAIGN_PROOF_PARTS_H
#define CAMPAIGN_PROOF_PARTS_H

#include "ripstop/kit/campaign.h"
#include "ripstop/kit/proofs.h"

/* Everything that the results depend on, as one line: parts of other questions are refused by it. `form`: of the texts;
 * empty: the usual one. */
void parts_describe(const ripstop_many *many, const char *form, ripstop_text *out);
/* Fault sets of the question; UINT64_MAX: too many to count. */
uint64_t parts_sets(const ripstop_many *many);

void parts_begin(ripstop_text *out, const char *question, uint32_t part, uint32_t parts);
/* A set's text. `kind`: "set", or "lost" or "deadlock" for the part's first set of that kind. */
void parts_add_text(ripstop_text *out, const char *kind, uint64_t number, const char *text);
void parts_end(ripstop_text *out, const ripstop_tally *tally);

typedef struct parts_line {
  uint64_t number;
  const char *text;
} parts_line;

/* All parts. Zero-initialise except `arena`, `listed` and `question`; free it by parts_free. */
typedef struct parts_whole {
  ripstop_arena *arena;
  const char *question;
  bool listed; /* parts have a line for each proof */
  ripstop_tally tally;
  size_t sets, capacity;
  parts_line *set;           /* [sets] in the order of their numbers */
  parts_line lost, deadlock; /* the first; text NULL: none */
  uint32_t parts;            /* 0: none was added */
  const char **seen;         /* [parts] name of each part; NULL: it is missing */
  uint64_t *proofs;          /* [parts] of each */
} parts_whole;

/* Adds the bytes of one part; `name` stands for it in messages. -1: they are damaged, of another question, or the part
 * was added before. */
int parts_add(parts_whole *whole, const char *name, const char *bytes, size_t length, ripstop_error *err);
/* After the last part. -1: a part is missing, or they have not `sets` sets together, each once. */
int parts_check(parts_whole *whole, uint64_t sets, ripstop_error *err);
void parts_free(parts_whole *whole);

/* Adds and checks the parts in the files. */
int parts_read(parts_whole *whole, const char *const *file, unsigned files, uint64_t sets, ripstop_error *err);
/* Adds and checks the parts of all ranks on rank 0; on the others it sends `own`. 1: `stop` was set before all came. */
int parts_gather(parts_whole *whole, ripstop_ranks *ranks, const ripstop_text *own, const atomic_int *stop,
                 uint64_t sets, ripstop_error *err);

#endif
