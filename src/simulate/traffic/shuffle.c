/* shuffle.c - the perfect shuffle: the source's number rotated left by one bit, d_i = s_(i-1 mod b) (Dally and Towles,
 * Table 3.1). End nodes 0 and N-1 are silent. */
#include "ripstop/plugin/pattern.h"
#include "simulate/traffic/map.h"

static uint32_t rotate_left(uint32_t source, uint32_t bits) {
  uint32_t mask = (UINT32_C(1) << bits) - 1;
  return bits == 0 ? source : (source << 1 | source >> (bits - 1)) & mask;
}

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)config, (void)seed;
  return ripstop_map_of_bits(arena, fabric, "shuffle", rotate_left, table, err);
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_shuffle = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "shuffle",
    .summary = "the source's number rotated left by one bit",
    .options = options,
    .prepare = prepare,
    .destination = ripstop_map_destination,
};
