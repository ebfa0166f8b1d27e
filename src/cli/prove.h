/* prove.h - the command line of `ripstop prove`, checked. */
#ifndef CLI_PROVE_H
#define CLI_PROVE_H

#include "cli/cli.h"
#include "ripstop/kit/campaign.h"
#include "ripstop/kit/proofs.h"

enum { PROVE_PARTS_MAX = 10000 };

typedef struct prove_words { /* NULL and 0: not given */
  const char *fabric, *method, *faults, *set, *scope, *witness, *before, *subfunction, *graph;
  uint64_t count, samples, vcs, seed, budget, destinations, random_headers, rare, orders;
  ripstop_cli_values switch_; /* --switch: keys of `switch:` */
  double confidence, width;
  unsigned of, interval, workers;
  ripstop_shard shard; /* zero: not given */
  bool counted;        /* --count, which may be 0 */
  bool all, json, paths, no_symmetry, smallest_defeat, tolerance, merge;
  bool transients, in_order, for_ever, two_writes, repaired;
} prove_words;

typedef struct prove_request {
  prove_words words;
  const char *method;    /* with --vcs worked in */
  const char *selection; /* given by --switch */
  ripstop_many many;
  ripstop_mixed mixed; /* with --transients, which `many` then points to */
  ripstop_faults before;
  ripstop_fabric *fabric;
  ripstop_ranks *ranks; /* NULL: this process alone */
  ripstop_arena *arena;
} prove_request;

typedef struct prove_arguments {
  const char *list[1 + PROVE_PARTS_MAX]; /* the fabric, then the files of parts */
  unsigned count;
} prove_arguments;

/* Reads the command line; RIPSTOP_CLI_GO_ON, or the exit code with which to leave. */
int prove_read_words(int argc, char **argv, prove_words *w, prove_arguments *a);
/* From the words: opens the fabric, tries the method, reads the sets. What was opened stays to be freed on error too.
 */
int prove_read(prove_request *r, ripstop_error *err);
/* All that the answer depends on, as one line. */
void prove_describe(const prove_request *r, ripstop_text *out);

#endif
