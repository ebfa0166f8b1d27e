/* neighbour.c - one further in every dimension, d_i = s_i + 1 mod k (Dally and Towles, Table 3.1): the traffic of a
 * well placed program. */
#include "ripstop/plugin/pattern.h"
#include "simulate/traffic/grid_patterns.h"

static uint32_t one(uint32_t size) {
  (void)size;
  return 1;
}

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)config, (void)seed;
  return ripstop_map_of_shift(arena, fabric, "neighbour", one, table, err);
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_neighbour = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "neighbour",
    .summary = "one further in every dimension of a torus or kns, else the end node with the next number",
    .options = options,
    .prepare = prepare,
    .destination = ripstop_map_destination,
};
