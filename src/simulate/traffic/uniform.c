/* uniform.c - every packet goes to any other end node, each with the same probability. */
#include "simulate/traffic/random_end.h"

#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/pattern.h"

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)arena, (void)config, (void)seed;
  *table = NULL;
  if (fabric->ends < 2) return ripstop_fail(err, "pattern uniform needs two end nodes, %s has one", fabric->spec);
  return 0;
}

static uint32_t destination(const ripstop_fabric *fabric, const void *config, const void *table, uint32_t source,
                            uint64_t random) {
  (void)config, (void)table;
  return ripstop_random_other(random, fabric->ends, source);
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_uniform = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "uniform",
    .summary = "any other end node, each with the same probability",
    .options = options,
    .prepare = prepare,
    .destination = destination,
};
