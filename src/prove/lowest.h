/* lowest.h - which of its candidates a packet waits for, as *wait sets*: a packet waits for all candidates of one of
 * its head's wait sets, and goes when any of these has space.
 *
 *   any candidate   one wait set with all candidates
 *   one candidate   a wait set for each candidate: the method settles early (`choose_early`), or switches bind packets
 *                   when they enter (ripstop_switch.waits)
 *   bound           a wait set for each candidate of the lowest rank, with all of higher ranks: a selection function
 *                   binds (ripstop_plan.binding)
 *
 * A packet that waits for one candidate, and is bound or settles early, never takes a candidate of higher rank. */
#ifndef PROVE_LOWEST_H
#define PROVE_LOWEST_H

#include "ripstop/plugin/method.h"
#include "ripstop/plugin/switch.h"

/* Switches bind packets when they enter. */
static inline bool binds_on_entry(const ripstop_plan *plan) {
  return plan->switch_ && plan->switch_->waits == RIPSTOP_SWITCH_WAITS_ONE;
}

/* A packet waits for one of its candidates alone: the method settles early, or switches bind it when it enters. */
static inline bool waits_for_one(const ripstop_plan *plan) { return plan->choose_early || binds_on_entry(plan); }

/* Only candidates of the lowest rank count. */
static inline bool takes_lowest_rank(const ripstop_plan *plan) {
  return plan->choose_early || (plan->binding && binds_on_entry(plan));
}

/* Moves those of the lowest rank to the front, in order. Returns how many they are. */
static inline int lowest_rank_first(ripstop_candidate *candidate, int candidates) {
  int first = 0;
  uint8_t lowest = UINT8_MAX;
  for (int i = 0; i < candidates; i++)
    if (candidate[i].rank < lowest) lowest = candidate[i].rank;
  for (int i = 0; i < candidates; i++) {
    if (candidate[i].rank != lowest) continue;
    const ripstop_candidate own = candidate[i];
    candidate[i] = candidate[first];
    candidate[first++] = own;
  }
  return first;
}

/* ------------------------------------------------------------------ wait sets with a property */

/* How many candidates of a head have some property, of the lowest rank and of higher ones. */
typedef struct tally_of_ranks {
  int lowest, higher; /* candidates that have it */
  int all_lowest, all_higher;
} tally_of_ranks;

static inline void tally_rank(tally_of_ranks *t, bool is_lowest, bool has) {
  if (is_lowest) {
    t->lowest += has;
    t->all_lowest++;
  } else {
    t->higher += has;
    t->all_higher++;
  }
}

static inline uint8_t lowest_rank_of(const ripstop_candidate *candidate, int candidates) {
  uint8_t lowest = UINT8_MAX;
  for (int i = 0; i < candidates; i++)
    if (candidate[i].rank < lowest) lowest = candidate[i].rank;
  return lowest;
}

/* Some wait set has the property in all of its candidates. */
static inline bool some_set_has_all(const ripstop_plan *plan, const tally_of_ranks *t) {
  if (waits_for_one(plan)) return t->lowest + t->higher > 0;
  if (plan->binding) return t->lowest > 0 && t->higher == t->all_higher;
  return t->lowest == t->all_lowest && t->higher == t->all_higher;
}

/* Each wait set has the property in some of its candidates. */
static inline bool each_set_has_one(const ripstop_plan *plan, const tally_of_ranks *t) {
  if (waits_for_one(plan)) return t->lowest == t->all_lowest && t->higher == t->all_higher;
  if (plan->binding) return t->higher > 0 || t->lowest == t->all_lowest;
  return t->lowest + t->higher > 0;
}

#endif
