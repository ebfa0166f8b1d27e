/* permutation.c - a random permutation: every end node sends all its packets to one other, and receives from one.
 *
 * Random from the simulation's seed, uniform among the permutations without fixed points: shuffles (Fisher and Yates)
 * are repeated until one has no fixed point, which takes e = 2.7 of them on average. */
#include "ripstop/plugin/pattern.h"
#include "simulate/traffic/map.h"

static void shuffle(ripstop_stream *stream, uint32_t *to, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) to[i] = i;
  for (uint32_t i = count - 1; i > 0; i--) {
    uint32_t other = ripstop_stream_below(stream, i + 1), kept = to[i];
    to[i] = to[other];
    to[other] = kept;
  }
}

static bool has_fixed_point(const uint32_t *to, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (to[i] == i) return true;
  return false;
}

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)config;
  if (fabric->ends < 2) return ripstop_fail(err, "pattern permutation needs two end nodes, %s has one", fabric->spec);
  uint32_t *to = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t);
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_PATTERN, 0);
  do shuffle(&stream, to, fabric->ends);
  while (has_fixed_point(to, fabric->ends));
  *table = to;
  return 0;
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_permutation = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "permutation",
    .summary = "a random permutation without fixed points, from the seed",
    .options = options,
    .prepare = prepare,
    .destination = ripstop_map_destination,
};
