/* uniform.c - every packet goes to any other end node, each with the same probability. */
#include "simulate/traffic/draw.h"

#include "ripstop/simulate.h"

static int prepare(rs_arena *arena, const rs_fabric *fabric, const void *config, uint64_t seed, const void **table,
                   rs_error *err) {
  (void)arena, (void)config, (void)seed;
  *table = NULL;
  if (fabric->ends < 2) return rs_fail(err, "pattern uniform needs two end nodes, %s has one", fabric->spec);
  return 0;
}

static uint32_t destination(const rs_fabric *fabric, const void *config, const void *table, uint32_t source,
                            uint64_t random) {
  (void)config, (void)table;
  return rs_draw_other(random, fabric->ends, source);
}

static const rs_option options[] = {{0}};

const rs_pattern rs_pattern_uniform = {
    .abi = RS_PATTERN_ABI,
    .name = "uniform",
    .summary = "any other end node, all alike",
    .options = options,
    .prepare = prepare,
    .destination = destination,
};
