/* ecmp.c - equal-cost multi-path: the hash of a flow picks its candidate at each switch (RFC 2992; rendezvous hashing:
 * Thaler and Ravishankar 1998). All packets of a flow take one path, whatever waits there; flows that share a candidate
 * share its rate. The candidate with the highest score of (flow, candidate) wins, so a failed candidate moves its own
 * flows alone.
 *
 * With `seed=same` all switches have one hash. Then a switch of the second tier sees only flows that have chosen the
 * same candidate below it, and uses one of its own: polarisation. */
#include "ripstop/plugin/selection.h"

#include "base/no_heap.h"

enum { EACH, SAME };
enum { PAIR, MESSAGE };
static const char *const seeds[] = {[EACH] = "each", [SAME] = "same", NULL};
static const char *const fields[] = {[PAIR] = "pair", [MESSAGE] = "message", NULL};

typedef struct config {
  int32_t seed, fields;
} config;

static unsigned traits(const void *config_) {
  return ((const config *)config_)->fields == MESSAGE ? RIPSTOP_SELECTION_BINDS | RIPSTOP_SELECTION_MESSAGE
                                                      : RIPSTOP_SELECTION_BINDS;
}

static uint32_t choose(const void *config_, const ripstop_choosing *c) {
  const config *own = config_;
  const uint64_t seed = own->seed == EACH ? ripstop_ecmp_seed(c->seed, c->node) : c->seed;
  const uint64_t flow = ripstop_ecmp_flow(seed, c->source, c->destination, c->message);
  uint64_t highest = 0;
  uint32_t best = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    const ripstop_candidate *candidate = &c->candidate[c->open[i]];
    const uint64_t score = ripstop_ecmp_score(flow, ripstop_ecmp_number(c->ports, candidate->port, candidate->channel));
    if (score <= highest) continue;
    highest = score;
    best = i;
  }
  return best;
}

static const ripstop_option options[] = {
    RIPSTOP_WORD(config, seed, seeds, "each", "hash of each switch: its own, or the same everywhere (polarises)"),
    RIPSTOP_WORD(config, fields, fields, "pair", "what is a flow: all packets of a pair of end nodes, or each message"),
    {0}};
const ripstop_selection ripstop_selection_ecmp = {.abi = RIPSTOP_SELECTION_ABI,
                                                  .name = "ecmp",
                                                  .summary = "by the hash of the flow: each flow has one path",
                                                  .options = options,
                                                  .config_size = sizeof(config),
                                                  .traits = traits,
                                                  .choose = choose};
