/* prove.h - what `ripstop prove` is asked: its command line, checked. */
#ifndef CLI_PROVE_H
#define CLI_PROVE_H

#include "ripstop/kit/campaign.h"
#include "ripstop/prove.h"

typedef struct prove_words { /* as written; NULL: not given */
  const char *fabric, *method, *faults, *set, *count, *samples, *scope, *vcs, *of, *confidence, *width, *interval,
      *seed, *workers, *witness, *budget, *destinations, *draws, *rare, *before, *orders;
  const char *shard, *subfunction, *graph;
  bool all, json, paths, no_symmetry, smallest_defeat, tolerance, merge;
  bool mixtures, in_order, for_ever, two_writes, repaired;
} prove_words;

typedef struct prove_request {
  prove_words words;
  const char *method; /* with --vcs worked in */
  uint64_t vcs;       /* 0: not given */
  uint64_t budget;
  uint64_t rare; /* 0: not given */
  ripstop_many many;
  ripstop_mixed mixed; /* with --mixtures, which `many` then points to */
  ripstop_faults before;
  ripstop_fabric *fabric;
  ripstop_ranks *ranks; /* NULL: this process alone */
  ripstop_arena *arena;
} prove_request;

/* From the words: opens the fabric, tries the method, reads the sets. What was opened stays to be freed on error too.
 */
int prove_read(prove_request *r, ripstop_error *err);
/* All that the answer depends on, as one line. */
void prove_describe(const prove_request *r, ripstop_text *out);

#endif
