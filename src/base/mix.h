/* mix.h - hashes of 64-bit numbers that have to be fast and the same everywhere. */
#ifndef RIPSTOP_BASE_MIX_H
#define RIPSTOP_BASE_MIX_H

#include <stdint.h>

/* 2^64 over the golden ratio. It is odd, so a product with it keeps all bits. */
#define RIPSTOP_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* Mixes the bits of a number: the finaliser of splitmix64 (Steele, Lea and Flood 2014). */
static inline uint64_t ripstop_mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* A hash of two numbers, for choices that should spread over pairs. */
static inline uint64_t ripstop_mix_pair(uint32_t a, uint32_t b) {
  return ripstop_mix(((uint64_t)a << 32 | b) + RIPSTOP_GOLDEN);
}

#endif
