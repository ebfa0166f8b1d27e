/* bit_reverse.c - the bits of the source's number in reverse order, d_i = s_(b-1-i) (Dally and Towles, Table 3.1).
 * Palindromes are silent. */
#include "ripstop/plugin/pattern.h"
#include "simulate/traffic/map.h"

static uint32_t reverse(uint32_t source, uint32_t bits) {
  uint32_t reversed = 0;
  for (uint32_t i = 0; i < bits; i++) reversed |= (source >> i & 1) << (bits - 1 - i);
  return reversed;
}

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)config, (void)seed;
  return ripstop_map_of_bits(arena, fabric, "bit-reverse", reverse, table, err);
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_bit_reverse = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "bit-reverse",
    .summary = "the bits of the source's number in reverse order",
    .options = options,
    .prepare = prepare,
    .destination = ripstop_map_destination,
};
