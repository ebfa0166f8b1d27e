/* random.c - random numbers that depend on their purpose, never on the order of calls.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011) from Random123:
 *   key     = seed XOR purpose * GOLDEN                       (64 bits, low word first)
 *   counter = position low, position high, index low, index high
 * Within one seed no two triples (purpose, index, position) share a block, since the product is a different number
 * for each purpose; two seeds could only meet if they differed by the exclusive or of two such products. The numbers
 * are part of every result: this mapping never changes. */
#include "base/random.h"

#undef malloc /* only functions of the header use them that are not called here */
#undef free
#include <Random123/philox.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd: multiplication by it is invertible */

static inline philox4x32_key_t key_of(uint64_t seed, ripstop_purpose purpose) {
  uint64_t secret = seed ^ (uint64_t)purpose * GOLDEN;
  return (philox4x32_key_t){{(uint32_t)secret, (uint32_t)(secret >> 32)}};
}

static inline philox4x32_ctr_t counter_of(uint64_t index, uint64_t position) {
  return (philox4x32_ctr_t){{(uint32_t)position, (uint32_t)(position >> 32), (uint32_t)index, (uint32_t)(index >> 32)}};
}

void ripstop_random_block(uint64_t seed, ripstop_purpose purpose, uint64_t index, uint64_t position, uint32_t out[4]) {
  philox4x32_ctr_t block = philox4x32(counter_of(index, position), key_of(seed, purpose));
  for (int i = 0; i < 4; i++) out[i] = block.v[i];
}

ripstop_random_keys ripstop_random_keys_of(uint64_t seed, ripstop_purpose purpose) {
  ripstop_random_keys keys;
  philox4x32_key_t key = key_of(seed, purpose);
  for (int i = 0; i < RIPSTOP_RANDOM_ROUNDS; i++, key = _philox4x32bumpkey(key)) {
    keys.round[i][0] = key.v[0];
    keys.round[i][1] = key.v[1];
  }
  return keys;
}

/* Only the first word is used, so compilers omit the rest of the last rounds. */
uint32_t ripstop_random_word(const ripstop_random_keys *keys, uint64_t index, uint32_t position) {
  philox4x32_ctr_t block = counter_of(index, position);
#define ROUND(i) block = _philox4x32round(block, (philox4x32_key_t){{keys->round[i][0], keys->round[i][1]}})
  ROUND(0), ROUND(1), ROUND(2), ROUND(3), ROUND(4), ROUND(5), ROUND(6), ROUND(7), ROUND(8), ROUND(9);
  return block.v[0];
}

ripstop_stream ripstop_stream_open(uint64_t seed, ripstop_purpose purpose, uint64_t index) {
  return (ripstop_stream){.seed = seed, .index = index, .purpose = (uint32_t)purpose};
}

uint32_t ripstop_stream_u32(ripstop_stream *stream) {
  if (!stream->left) {
    ripstop_random_block(stream->seed, (ripstop_purpose)stream->purpose, stream->index, stream->block++, stream->word);
    stream->left = 4;
  }
  return stream->word[4 - stream->left--];
}

uint64_t ripstop_stream_u64(ripstop_stream *stream) {
  uint64_t low = ripstop_stream_u32(stream);
  return low | (uint64_t)ripstop_stream_u32(stream) << 32;
}

/* Lemire: "Fast random integer generation in an interval", ACM TOMACS 29 (2019): the low half of the product shows
 * the few words that would favour some values. */
uint32_t ripstop_stream_below(ripstop_stream *stream, uint32_t bound) {
  uint64_t product = (uint64_t)ripstop_stream_u32(stream) * bound;
  if ((uint32_t)product < bound) {
    uint32_t unfair = -bound % bound; /* 2^32 mod bound */
    while ((uint32_t)product < unfair) product = (uint64_t)ripstop_stream_u32(stream) * bound;
  }
  return (uint32_t)(product >> 32);
}

double ripstop_stream_unit(ripstop_stream *stream) { return (double)(ripstop_stream_u64(stream) >> 11) * 0x1p-53; }
