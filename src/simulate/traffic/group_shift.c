/* group_shift.c - every packet goes to a random end node of the group `by` groups further on: the worst case of minimal
 * routing on dragonflies, where all traffic of a group needs the few cables to one other group (Kim et al. 2008, "WC";
 * elsewhere ADV+k).
 *
 * Groups are end nodes with consecutive numbers: the fabric's own groups on dragonflies, elsewhere `size` end nodes,
 * for example those of one router. */
#include <string.h>

#include "fabric/digits.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/pattern.h"
#include "simulate/traffic/random_end.h"

typedef struct config {
  int64_t by, size;
} config;

static const ripstop_option options[] = {RIPSTOP_INTEGER(config, by, 1, RIPSTOP_FABRIC_MAX_PORTS, "1",
                                                         "groups from the source's to the destination's, cyclically"),
                                         RIPSTOP_INTEGER(config, size, 0, RIPSTOP_FABRIC_MAX_PORTS, "0",
                                                         "end nodes of a group; 0: the groups of the dragonfly"),
                                         {0}};

/* End nodes in each of the fabric's own groups; 0: it has none. */
static uint32_t own_size(const ripstop_fabric *f) {
  const bool plus = strcmp(f->family->name, "dragonfly+") == 0;
  if (!plus && strcmp(f->family->name, "dragonfly") != 0) return 0;
  const uint32_t group = plus ? 2 : 1; /* the coordinate */
  uint32_t size = 0;
  while (size < f->ends && ripstop_coords(f, size)[group] == ripstop_coords(f, 0)[group]) size++;
  return size;
}

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config_, uint64_t seed,
                   const void **table, ripstop_error *err) {
  const config *c = config_;
  (void)seed;
  uint32_t *size = RIPSTOP_NEW(arena, uint32_t);
  *size = c->size ? (uint32_t)c->size : own_size(fabric);
  *table = size;
  if (!*size)
    return ripstop_fail(err, "pattern group-shift: %s has no groups of its own; size=N makes some", fabric->spec);
  if (fabric->ends % *size)
    return ripstop_fail(err, "pattern group-shift: the %u end nodes of %s do not divide into groups of %u",
                        fabric->ends, fabric->spec, *size);
  if (c->by % (fabric->ends / *size) == 0)
    return ripstop_fail(err, "pattern group-shift: every group of %s would send to itself", fabric->spec);
  return 0;
}

static uint32_t destination(const ripstop_fabric *fabric, const void *config_, const void *table, uint32_t source,
                            uint64_t random) {
  const config *c = config_;
  const uint32_t size = *(const uint32_t *)table, groups = fabric->ends / size;
  uint32_t group = (uint32_t)((source / size + (uint64_t)c->by) % groups);
  return group * size + ripstop_random_below(random, size);
}

const ripstop_pattern ripstop_pattern_group_shift = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "group-shift",
    .summary = "a random end node of the group `by` groups further on: the worst case of dragonflies",
    .options = options,
    .config_size = sizeof(config),
    .prepare = prepare,
    .destination = destination,
};
