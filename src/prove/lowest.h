/* lowest.h - where packets settle early (`choose_early`), only ways of lowest rank count. */
#ifndef PROVE_LOWEST_H
#define PROVE_LOWEST_H

#include "ripstop/plugin/method.h"

/* Keeps those of the lowest rank, in their order; returns how many. */
static inline int ways_of_lowest_rank(ripstop_way *way, int ways) {
  int kept = 0;
  uint8_t lowest = UINT8_MAX;
  for (int i = 0; i < ways; i++)
    if (way[i].rank < lowest) lowest = way[i].rank;
  for (int i = 0; i < ways; i++)
    if (way[i].rank == lowest) way[kept++] = way[i];
  return kept;
}

#endif
