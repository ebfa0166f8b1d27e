/* bit_complement.c - every bit of the source's number inverted, d_i = not s_i (Dally and Towles, Table 3.1). */
#include "simulate/traffic/map.h"

static uint32_t complement(uint32_t source, uint32_t bits) { return source ^ ((UINT32_C(1) << bits) - 1); }

static int prepare(rs_arena *arena, const rs_fabric *fabric, const void *config, uint64_t seed, const void **table,
                   rs_error *err) {
  (void)config, (void)seed;
  return rs_map_of_bits(arena, fabric, "bit-complement", complement, table, err);
}

static const rs_option options[] = {{0}};

const rs_pattern rs_pattern_bit_complement = {
    .abi = RS_PATTERN_ABI,
    .name = "bit-complement",
    .summary = "the source's number with every bit inverted",
    .options = options,
    .prepare = prepare,
    .destination = rs_map_destination,
};
