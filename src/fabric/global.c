/* global.c - adds the global cables of dragonflies; the lower group of the two adds each. */
#include "fabric/global.h"

#include <inttypes.h>

const char *const ripstop_arrangements[] = {"palmtree", "absolute", "relative", NULL};

int ripstop_global_groups(const char *family, int64_t groups, uint64_t ports, uint32_t *out, ripstop_error *err) {
  uint64_t count = groups ? (uint64_t)groups : ports + 1;
  if (count > ports + 1)
    return ripstop_fail(err,
                        "fabric %s: %" PRIu64 " groups, and a group has %" PRIu64 " global ports; at most %" PRIu64
                        " groups have a cable to each other",
                        family, count, ports, ports + 1);
  if (count > UINT16_MAX) return ripstop_fail(err, "fabric %s: more than %d groups", family, UINT16_MAX);
  *out = (uint32_t)count;
  return 0;
}

/* The group that the m-th port of a round leads to. */
static uint32_t target(const ripstop_groups *g, uint32_t group, uint32_t m) {
  if (g->arrangement == RIPSTOP_ABSOLUTE) return m < group ? m : m + 1;
  uint32_t away = g->arrangement == RIPSTOP_RELATIVE ? m + 1 : g->groups - m - 1;
  return (group + away) % g->groups;
}

/* Which port of a round leads from `group` to `to`. */
static uint32_t port_to(const ripstop_groups *g, uint32_t group, uint32_t to) {
  if (g->arrangement == RIPSTOP_ABSOLUTE) return to < group ? to : to - 1;
  uint32_t above = (to + g->groups - group) % g->groups;
  return g->arrangement == RIPSTOP_RELATIVE ? above - 1 : g->groups - above - 1;
}

static uint32_t port_at(const ripstop_groups *g, uint32_t port) { return g->first_port + port % g->ports_each; }
static uint32_t router_at(const ripstop_groups *g, uint32_t group, uint32_t port) {
  return group * g->routers + g->first + port / g->ports_each;
}

void ripstop_global_wire(ripstop_wiring *w, const ripstop_groups *g) {
  uint32_t others = g->groups - 1, used = others ? g->ports / others * others : 0;
  for (uint32_t group = 0; group < g->groups; group++)
    for (uint32_t port = 0; port < used; port++) {
      uint32_t to = target(g, group, port % others), back = port / others * others + port_to(g, to, group);
      if (to > group)
        ripstop_wiring_cable_at(w, router_at(g, group, port), port_at(g, port), router_at(g, to, back),
                                port_at(g, back));
    }
}
