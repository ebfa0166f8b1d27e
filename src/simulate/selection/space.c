/* space.c - the candidate whose queue has the most free units; or, with counts=port, the one whose output port has the
 * least load on all of its channels, waiting packets included. Ties by the tie rule. */
#include "ripstop/plugin/selection.h"
#include "simulate/selection/shared_options.h"

#include "base/no_heap.h"

typedef struct config {
  int32_t counts;
  bool binds;
} config;

static unsigned traits(const void *config_) {
  const config *own = config_;
  return traits_of(own->counts, own->binds);
}

/* For counts=port; else the engine does it (`roomiest`). */
static uint32_t choose(const void *config_, const ripstop_choosing *c) {
  uint8_t tied[UINT8_MAX] = {0};
  uint32_t ties = 1;
  (void)config_;
  for (uint32_t i = 1; i < c->count; i++) {
    if (c->load[i] > c->load[tied[0]]) continue;
    if (c->load[i] < c->load[tied[0]]) ties = 0;
    tied[ties++] = (uint8_t)i;
  }
  return tied[ties > 1 ? ripstop_choosing_tie(c, ties) : 0];
}

static const ripstop_option options[] = {COUNTS_OPTION, BINDS_OPTION, {0}};
const ripstop_selection ripstop_selection_space = {.abi = RIPSTOP_SELECTION_ABI,
                                                   .name = "space",
                                                   .summary = "most free space in the next queue",
                                                   .options = options,
                                                   .config_size = sizeof(config),
                                                   .roomiest = true,
                                                   .traits = traits,
                                                   .choose = choose};
