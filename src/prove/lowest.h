/* lowest.h - where packets settle early (`choose_early`), only candidates of lowest rank count. */
#ifndef PROVE_LOWEST_H
#define PROVE_LOWEST_H

#include "ripstop/plugin/method.h"

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
