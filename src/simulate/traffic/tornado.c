/* tornado.c - in every dimension just less than half the ring, d_i = s_i + ceil(k/2) - 1 mod k (Dally and Towles, Table
 * 3.1): all packets travel in the same direction and load half of a torus's links, the worst case of minimal
 * routing. */
#include "ripstop/plugin/pattern.h"
#include "simulate/traffic/grid_patterns.h"

static uint32_t nearly_half(uint32_t size) { return (size + 1) / 2 - 1; }

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)config, (void)seed;
  return ripstop_map_of_shift(arena, fabric, "tornado", nearly_half, table, err);
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_tornado = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "tornado",
    .summary = "just less than half the ring in every dimension of a torus or kns, else of the end nodes' numbers",
    .options = options,
    .prepare = prepare,
    .destination = ripstop_map_destination,
};
