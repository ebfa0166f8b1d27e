/* other_half.c - uniform over the half of the end nodes that does not contain the source.
 *
 * The halves are the end nodes 0 .. N/2-1 and the rest. In a fat tree the source and the destination then differ in
 * their most significant digit, so that every path passes a switch of the top level and all have the same length: the
 * traffic of Sem-Jacobsen and Skeie's study of priorities under faults. */
#include "simulate/traffic/random_end.h"

#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/pattern.h"

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)arena, (void)config, (void)seed;
  *table = NULL;
  if (fabric->ends == 0 || fabric->ends % 2 != 0)
    return ripstop_fail(err, "pattern other-half needs an even number of end nodes, %s has %u", fabric->spec,
                        fabric->ends);
  return 0;
}

static uint32_t destination(const ripstop_fabric *fabric, const void *config, const void *table, uint32_t source,
                            uint64_t random) {
  (void)config, (void)table;
  uint32_t half = fabric->ends / 2;
  return ripstop_random_below(random, half) + (source < half ? half : 0);
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_other_half = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "other-half",
    .summary = "any end node of the half where the source is not; in trees always by a top switch",
    .options = options,
    .prepare = prepare,
    .destination = destination,
};
