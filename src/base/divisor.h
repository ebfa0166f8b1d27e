/* divisor.h - the greatest common divisor. */
#ifndef RIPSTOP_BASE_DIVISOR_H
#define RIPSTOP_BASE_DIVISOR_H

#include <stdint.h>

static inline uint64_t ripstop_common_divisor(uint64_t a, uint64_t b) {
  while (b > 0) {
    uint64_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}

#endif
