/* count.h - arithmetic of closed forms that stops at UINT64_MAX instead of overflowing; that value is too large for
 * every limit. So a family computes its counts plainly, and hostile sizes (k = 60000, n = 60) need no checks. */
#ifndef RIPSTOP_FABRIC_COUNT_H
#define RIPSTOP_FABRIC_COUNT_H

#include <stdint.h>

static inline uint64_t ripstop_times(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static inline uint64_t ripstop_plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static inline uint64_t ripstop_power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (uint64_t i = 0; i < exponent; i++) result = ripstop_times(result, base);
  return result;
}

#endif
