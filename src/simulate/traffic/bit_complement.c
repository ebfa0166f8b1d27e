/* bit_complement.c - every bit of the source's number inverted, d_i = not s_i (Dally and Towles, Table 3.1). */
#include "ripstop/plugin/pattern.h"
#include "simulate/traffic/map.h"

static uint32_t complement(uint32_t source, uint32_t bits) { return source ^ ((UINT32_C(1) << bits) - 1); }

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)config, (void)seed;
  return ripstop_map_of_bits(arena, fabric, "bit-complement", complement, table, err);
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_bit_complement = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "bit-complement",
    .summary = "the source's number with every bit inverted",
    .options = options,
    .prepare = prepare,
    .destination = ripstop_map_destination,
};
