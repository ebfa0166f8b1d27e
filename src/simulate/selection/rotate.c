/* rotate.c - the candidate whose port comes first, cyclically, after the port that the queue was granted last; for one
 * port the first in the method's order. */
#include "ripstop/plugin/selection.h"

#include "base/no_heap.h"

static uint32_t choose(const void *config, const ripstop_choosing *c) {
  uint32_t after = c->last_port == RIPSTOP_NONE ? 0 : c->last_port + 1, nearest = UINT32_MAX, best = 0;
  (void)config;
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t distance = (c->candidate[c->open[i]].port + c->ports - after) % c->ports;
    if (distance >= nearest) continue;
    nearest = distance;
    best = i;
  }
  return best;
}

static const ripstop_option options[] = {{0}};
const ripstop_selection ripstop_selection_rotate = {.abi = RIPSTOP_SELECTION_ABI,
                                                    .name = "rotate",
                                                    .summary = "the ports in turn",
                                                    .options = options,
                                                    .choose = choose};
