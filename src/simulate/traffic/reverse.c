/* reverse.c - the last end node to the first and so on, d = N - 1 - s: bit complement for any number of end nodes, and
 * in a grid with one end node per router the complement of every coordinate. */
#include "ripstop/plugin/pattern.h"
#include "simulate/traffic/map.h"

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)config, (void)seed;
  uint32_t *to = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t);
  for (uint32_t end = 0; end < fabric->ends; end++) to[end] = fabric->ends - 1 - end;
  return ripstop_map_finish(fabric, "reverse", to, table, err);
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_reverse = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "reverse",
    .summary = "the last end node to the first, and so on",
    .options = options,
    .prepare = prepare,
    .destination = ripstop_map_destination,
};
