/* lowest.h - packets that wait for one candidate alone. Where the method settles early (`choose_early`), only
 * candidates of lowest rank count; where switches bind packets (ripstop_switch.waits), all do. */
#ifndef PROVE_LOWEST_H
#define PROVE_LOWEST_H

#include "ripstop/plugin/method.h"
#include "ripstop/plugin/switch.h"

/* A packet waits for one of its candidates alone: the method settles early, or switches bind it when it enters. */
static inline bool waits_for_one(const ripstop_plan *plan) {
  return plan->choose_early || (plan->switch_ && plan->switch_->waits == RIPSTOP_SWITCH_WAITS_ONE);
}

/* Keeps those of the lowest rank, in order. Returns how many. */
static inline int candidates_of_lowest_rank(ripstop_candidate *candidate, int candidates) {
  int kept = 0;
  uint8_t lowest = UINT8_MAX;
  for (int i = 0; i < candidates; i++)
    if (candidate[i].rank < lowest) lowest = candidate[i].rank;
  for (int i = 0; i < candidates; i++)
    if (candidate[i].rank == lowest) candidate[kept++] = candidate[i];
  return kept;
}

#endif
