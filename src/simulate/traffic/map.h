/* map.h - patterns in which every source has one destination, as a table made before the simulation starts.
 *
 * The table has the destination of each end node, or RIPSTOP_NONE if that is the source itself: such a source is
 * silent. A pattern that silences all sources is refused. */
#ifndef SIMULATE_TRAFFIC_MAP_H
#define SIMULATE_TRAFFIC_MAP_H

#include "base/bits.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/pattern.h"

/* ripstop_pattern.destination of all these patterns. */
static inline uint32_t ripstop_map_destination(const ripstop_fabric *fabric, const void *config, const void *table,
                                               uint32_t source, uint64_t random) {
  (void)fabric, (void)config, (void)random;
  return ((const uint32_t *)table)[source];
}

/* Silences the sources that would send to themselves. */
static inline int ripstop_map_finish(const ripstop_fabric *fabric, const char *pattern, uint32_t *to,
                                     const void **table, ripstop_error *err) {
  uint32_t speaking = 0;
  for (uint32_t source = 0; source < fabric->ends; source++) {
    if (to[source] == source)
      to[source] = RIPSTOP_NONE;
    else
      speaking++;
  }
  if (speaking == 0)
    return ripstop_fail(err, "pattern %s: every end node of %s would send to itself", pattern, fabric->spec);
  *table = to;
  return 0;
}

/* The number b of bits of an end node's number, or -1 unless there are 2^b end nodes. */
static inline int ripstop_map_bits(const ripstop_fabric *fabric, const char *pattern, ripstop_error *err) {
  if (fabric->ends == 0 || (fabric->ends & (fabric->ends - 1)) != 0)
    return ripstop_fail(err, "pattern %s needs 2^b end nodes, %s has %u", pattern, fabric->spec, fabric->ends);
  return (int)ripstop_ctz64(fabric->ends);
}

/* Makes the table of a bit pattern: `of` computes the destination from the source's number and its number of bits. */
static inline int ripstop_map_of_bits(ripstop_arena *arena, const ripstop_fabric *fabric, const char *pattern,
                                      uint32_t (*of)(uint32_t source, uint32_t bits), const void **table,
                                      ripstop_error *err) {
  int bits = ripstop_map_bits(fabric, pattern, err);
  if (bits < 0) return -1;
  uint32_t *to = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t);
  for (uint32_t source = 0; source < fabric->ends; source++) to[source] = of(source, (uint32_t)bits);
  return ripstop_map_finish(fabric, pattern, to, table, err);
}

#endif
