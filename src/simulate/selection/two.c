/* two.c - the less loaded of two random candidates, which balances nearly as well as the least loaded of all
 * (Mitzenmacher 2001). The load is that of the output port. Equal loads: the first of the two. */
#include "ripstop/plugin/selection.h"
#include "simulate/selection/shared_options.h"

#include "base/no_heap.h"

typedef struct config {
  bool binds;
} config;

static unsigned traits(const void *config_) { return traits_of(COUNTS_PORT, ((const config *)config_)->binds); }

/* Two different candidates, each pair with the same probability. */
static uint32_t choose(const void *config_, const ripstop_choosing *c) {
  uint32_t word[4];
  (void)config_;
  ripstop_choosing_random(c, word);
  const uint32_t one = (uint32_t)((uint64_t)word[0] * c->count >> 32);
  uint32_t two = (uint32_t)((uint64_t)word[1] * (c->count - 1) >> 32);
  two += two >= one;
  return c->load[two] < c->load[one] ? two : one;
}

static const ripstop_option options[] = {BINDS_OPTION, {0}};
const ripstop_selection ripstop_selection_two = {.abi = RIPSTOP_SELECTION_ABI,
                                                 .name = "two",
                                                 .summary = "the less loaded of two random ones",
                                                 .options = options,
                                                 .config_size = sizeof(config),
                                                 .traits = traits,
                                                 .choose = choose};
