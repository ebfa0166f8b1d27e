/* uniform.c - every packet goes to any other end node, each with the same probability; with self=on to any end node,
 * the source included, as in models of a single switch (Karol, Hluchyj and Morgan 1987). */
#include "simulate/traffic/random_end.h"

#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/pattern.h"

typedef struct config {
  bool self;
} config;

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config_, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)arena, (void)seed;
  *table = NULL;
  if (fabric->ends < 2 && !((const config *)config_)->self)
    return ripstop_fail(err, "pattern uniform needs two end nodes, %s has one", fabric->spec);
  return 0;
}

static uint32_t destination(const ripstop_fabric *fabric, const void *config_, const void *table, uint32_t source,
                            uint64_t random) {
  (void)table;
  return ((const config *)config_)->self ? ripstop_random_below(random, fabric->ends)
                                         : ripstop_random_other(random, fabric->ends, source);
}

static bool to_self(const void *config_) { return ((const config *)config_)->self; }

static const ripstop_option options[] = {
    RIPSTOP_FLAG(config, self, "off", "packets may go to their own source, through its switch and back"), {0}};

const ripstop_pattern ripstop_pattern_uniform = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "uniform",
    .summary = "any other end node, each with the same probability",
    .options = options,
    .config_size = sizeof(config),
    .prepare = prepare,
    .destination = destination,
    .to_self = to_self,
};
