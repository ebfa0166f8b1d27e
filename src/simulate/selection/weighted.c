/* weighted.c - the candidate with the least product of load and remaining links, which UGAL decides by (Singh 2005).
 * Among equal products the fewer links win, so that a packet takes the shorter route through an empty network; then the
 * tie rule decides. The load is what is taken in the candidate's next queue, or with counts=port the load of its output
 * port. A candidate with more links than the fewest counts for `threshold` more: UGAL's rule for the minimal path is
 * q_m h_m <= q_n h_n + T. */
#include "ripstop/plugin/selection.h"
#include "simulate/selection/shared_options.h"

#include "base/no_heap.h"

typedef struct config {
  int64_t threshold;
  int32_t counts;
  bool binds;
} config;

typedef struct burden {
  uint64_t wait; /* units x links, and the threshold */
  uint32_t links;
} burden;

static uint32_t links_of(const ripstop_choosing *c, uint32_t i) {
  const uint16_t weight = c->candidate[c->open[i]].weight;
  return weight ? weight : 1;
}

static uint64_t units_of(const config *own, const ripstop_choosing *c, uint32_t i) {
  if (own->counts == COUNTS_PORT) return (uint64_t)c->load[i];
  return c->space[i] < c->capacity ? (uint64_t)(c->capacity - c->space[i]) : 0;
}

static burden burden_of(const config *own, const ripstop_choosing *c, uint32_t i, uint32_t fewest) {
  const uint32_t links = links_of(c, i);
  return (burden){.wait = units_of(own, c, i) * links + (links > fewest ? (uint64_t)own->threshold : 0),
                  .links = links};
}

static int compare(const burden *a, const burden *b) {
  if (a->wait != b->wait) return a->wait < b->wait ? -1 : 1;
  return (a->links > b->links) - (a->links < b->links);
}

static uint32_t choose(const void *config_, const ripstop_choosing *c) {
  const config *own = config_;
  uint8_t tied[UINT8_MAX] = {0};
  uint32_t ties = 1, fewest = UINT32_MAX;
  for (uint32_t i = 0; i < c->count; i++)
    if (links_of(c, i) < fewest) fewest = links_of(c, i);
  burden least = burden_of(own, c, 0, fewest);
  for (uint32_t i = 1; i < c->count; i++) {
    burden b = burden_of(own, c, i, fewest);
    int order = compare(&b, &least);
    if (order > 0) continue;
    if (order < 0) ties = 0;
    least = b;
    tied[ties++] = (uint8_t)i;
  }
  return tied[ties > 1 ? ripstop_choosing_tie(c, ties) : 0];
}

static unsigned traits(const void *config_) {
  const config *own = config_;
  return traits_of(own->counts, own->binds);
}

static const ripstop_option options[] = {
    {.name = "threshold",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, threshold),
     .min = 0,
     .max = 1000000000,
     .fallback = "0",
     .later = true,
     .help = "units x links by which a candidate with more links than the fewest must be better"},
    COUNTS_OPTION,
    BINDS_OPTION,
    {0}};
const ripstop_selection ripstop_selection_weighted = {.abi = RIPSTOP_SELECTION_ABI,
                                                      .name = "weighted",
                                                      .summary =
                                                          "least taken space in the next queue, times the links left",
                                                      .options = options,
                                                      .config_size = sizeof(config),
                                                      .traits = traits,
                                                      .choose = choose};
