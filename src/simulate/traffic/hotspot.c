/* hotspot.c - a share of all packets goes to one end node, the rest is uniform.
 *
 * After Pfister and Norton, "Hot spot" contention and combining in multistage interconnection networks, IEEE Trans.
 * Computers C-34(10), 1985: the uniform rest may reach the hot end node too, which therefore gets share + (1 - share) /
 * (N - 1) of every other node's packets. The hot end node itself sends uniformly. */
#include "simulate/traffic/random_end.h"

#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/pattern.h"

typedef struct hotspot_config {
  int64_t end;
  double share;
} hotspot_config;

typedef struct hotspot {
  uint32_t end;
  uint64_t below; /* a packet goes to the hot end node when the low 32 bits of its random word are less */
} hotspot;

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)seed;
  const hotspot_config *given = config;
  if (fabric->ends < 2) return ripstop_fail(err, "pattern hotspot needs two end nodes, %s has one", fabric->spec);
  if (given->end >= fabric->ends)
    return ripstop_fail(err, "pattern hotspot: end=%lld, but the end nodes of %s are 0 to %u", (long long)given->end,
                        fabric->spec, fabric->ends - 1);
  hotspot *hot = RIPSTOP_NEW(arena, hotspot);
  *hot = (hotspot){.end = (uint32_t)given->end, .below = (uint64_t)(given->share * 0x1p32)};
  *table = hot;
  return 0;
}

static uint32_t destination(const ripstop_fabric *fabric, const void *config, const void *table, uint32_t source,
                            uint64_t random) {
  (void)config;
  const hotspot *hot = table;
  if ((random & UINT32_MAX) < hot->below && source != hot->end) return hot->end;
  return ripstop_random_other(random, fabric->ends, source);
}

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(hotspot_config, end, 0, RIPSTOP_FABRIC_MAX_PORTS, "0", "number of the hot end node"),
    RIPSTOP_REAL(
        hotspot_config, share, 0, 1, "0.1",
        "share of every other node's packets that are sent to it, in addition to its part of the uniform rest"),
    {0}};

const ripstop_pattern ripstop_pattern_hotspot = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "hotspot",
    .summary = "a share of the packets goes to one end node, the rest is uniform",
    .options = options,
    .config_size = sizeof(hotspot_config),
    .prepare = prepare,
    .destination = destination,
};
