/* weighted.c - the candidate with the least product of occupied units and remaining links, which UGAL decides by (Singh
 * 2005). Among equal products the fewer links win, so that a packet takes the shorter route through an empty network;
 * then the tie rule decides. */
#include "ripstop/plugin/selection.h"

#include "base/no_heap.h"

typedef struct burden {
  uint64_t wait; /* occupied units x links */
  uint32_t links;
} burden;

static burden burden_of(const ripstop_choosing *c, uint32_t i) {
  uint16_t weight = c->candidate[c->open[i]].weight;
  uint32_t links = weight ? weight : 1;
  uint32_t taken = c->space[i] < c->capacity ? (uint32_t)(c->capacity - c->space[i]) : 0;
  return (burden){.wait = (uint64_t)taken * links, .links = links};
}

static int compare(const burden *a, const burden *b) {
  if (a->wait != b->wait) return a->wait < b->wait ? -1 : 1;
  return (a->links > b->links) - (a->links < b->links);
}

static uint32_t choose(const void *config, const ripstop_choosing *c) {
  uint8_t tied[UINT8_MAX] = {0};
  uint32_t ties = 1;
  burden least = burden_of(c, 0);
  (void)config;
  for (uint32_t i = 1; i < c->count; i++) {
    burden b = burden_of(c, i);
    int order = compare(&b, &least);
    if (order > 0) continue;
    if (order < 0) ties = 0;
    least = b;
    tied[ties++] = (uint8_t)i;
  }
  return tied[ties > 1 ? ripstop_choosing_tie(c, ties) : 0];
}

static const ripstop_option options[] = {{0}};
const ripstop_selection ripstop_selection_weighted = {.abi = RIPSTOP_SELECTION_ABI,
                                                      .name = "weighted",
                                                      .summary =
                                                          "least taken space in the next queue, times the links left",
                                                      .options = options,
                                                      .choose = choose};
