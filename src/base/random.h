/* random.h - the first word of many blocks of one seed and purpose, whose keys are computed once. */
#ifndef RIPSTOP_BASE_RANDOM_H
#define RIPSTOP_BASE_RANDOM_H

#include "ripstop/plugin/base.h"

enum { RIPSTOP_RANDOM_ROUNDS = 10 };

/* Keys of every round of Philox. */
typedef struct ripstop_random_keys {
  uint32_t round[RIPSTOP_RANDOM_ROUNDS][2];
} ripstop_random_keys;

ripstop_random_keys ripstop_random_keys_of(uint64_t seed, ripstop_purpose purpose);
/* The first word of the block that ripstop_random_block gives for that seed and purpose. */
uint32_t ripstop_random_word(const ripstop_random_keys *keys, uint64_t index, uint32_t position);

#endif
