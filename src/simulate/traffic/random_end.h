/* random_end.h - a random end node from one random word. */
#ifndef SIMULATE_TRAFFIC_RANDOM_END_H
#define SIMULATE_TRAFFIC_RANDOM_END_H

#include "ripstop/plugin/base.h"

/* floor(random x bound / 2^64), in 0 .. bound-1: the probabilities of two values differ by at most 2^-64. The high bits
 * decide. The low 32 bits matter only for words so near the border of two values that a second, coarser use of them
 * (hotspot) is independent except for a part of bound / 2^32. */
static inline uint32_t ripstop_random_below(uint64_t random, uint32_t bound) {
  uint64_t high = (random >> 32) * bound;
  uint64_t low = (random & UINT32_MAX) * bound;
  return (uint32_t)((high + (low >> 32)) >> 32);
}

/* One of the end nodes other than the source, each with the same probability; ends > 1. */
static inline uint32_t ripstop_random_other(uint64_t random, uint32_t ends, uint32_t source) {
  uint32_t other = ripstop_random_below(random, ends - 1);
  return other + (other >= source);
}

#endif
