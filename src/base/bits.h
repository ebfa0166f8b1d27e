/* bits.h - sets of small numbers as arrays of 64-bit words. */
#ifndef RIPSTOP_BASE_BITS_H
#define RIPSTOP_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words that hold `bits` bits. */
static inline size_t ripstop_bits_words(size_t bits) { return (bits + 63) / 64; }

static inline bool ripstop_bit_test(const uint64_t *set, size_t bit) { return set[bit / 64] >> (bit % 64) & 1; }
static inline void ripstop_bit_set(uint64_t *set, size_t bit) { set[bit / 64] |= UINT64_C(1) << (bit % 64); }
static inline void ripstop_bit_clear(uint64_t *set, size_t bit) { set[bit / 64] &= ~(UINT64_C(1) << (bit % 64)); }

/* The lowest bit that is set; `word` is not 0. */
static inline unsigned ripstop_ctz64(uint64_t word) { return (unsigned)__builtin_ctzll(word); }
/* The highest bit that is set; `word` is not 0. */
static inline unsigned ripstop_log2_64(uint64_t word) { return 63u - (unsigned)__builtin_clzll(word); }
static inline unsigned ripstop_popcount64(uint64_t word) { return (unsigned)__builtin_popcountll(word); }

static inline size_t ripstop_bits_count(const uint64_t *set, size_t words) {
  size_t count = 0;
  for (size_t i = 0; i < words; i++) count += ripstop_popcount64(set[i]);
  return count;
}

/* The lowest bit of the set that is `from` or higher; words * 64 when there is none. */
static inline size_t ripstop_bits_next(const uint64_t *set, size_t words, size_t from) {
  size_t i = from / 64;
  if (i >= words) return words * 64;
  uint64_t word = set[i] & UINT64_MAX << (from % 64);
  while (!word) {
    if (++i == words) return words * 64;
    word = set[i];
  }
  return i * 64 + ripstop_ctz64(word);
}

#endif
