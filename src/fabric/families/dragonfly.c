/* dragonfly.c - the canonical dragonfly (Kim et al. 2008): g groups of a routers, all routers of a group joined, each
 * with h global cables to other groups and p end nodes. Balanced with a = 2p = 2h; g = a h + 1 groups at most, which is
 * the default; with fewer groups two of them are joined by several cables. A router is "group.router".
 * Behind its end nodes' ports come those to the others of its group, then the global ones. */
#include <inttypes.h>

#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/global.h"

typedef struct config {
  int64_t a, p, h, g;
  int32_t arrangement;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, a, 1, UINT16_MAX, NULL, "routers in a group"),
    RIPSTOP_ENDS_EACH(config, "router", NULL),
    RIPSTOP_GLOBAL_OPTIONS(config, "router", "a"),
    {0},
};

static int groups_of(const config *c, uint32_t *groups, ripstop_error *err) {
  return ripstop_global_groups("dragonfly", c->g, (uint64_t)(c->a * c->h), groups, err);
}

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  uint32_t groups;
  if (groups_of(c, &groups, err)) return -1;
  uint64_t a = (uint64_t)c->a, routers = groups * a;
  *out = (ripstop_counts){.ends = ripstop_times(routers, (uint64_t)c->p), .switches = routers};
  out->links = ripstop_plus(out->ends, groups * (a * (a - 1) / 2));
  out->links = ripstop_plus(out->links, ripstop_global_cables(groups, a * (uint64_t)c->h));
  return 0;
}

/* With as many groups as there are: equal fabrics have equal specs. */
static void set_spec(ripstop_builder *builder, const config *c, uint32_t groups) {
  ripstop_builder_spec(builder,
                       ripstop_arena_printf(ripstop_builder_arena(builder),
                                            "dragonfly:a=%" PRIi64 ",p=%" PRIi64 ",h=%" PRIi64 ",g=%u,arrangement=%s",
                                            c->a, c->p, c->h, groups, ripstop_arrangements[c->arrangement]));
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  const config *c = config_;
  uint32_t groups, a = (uint32_t)c->a, h = (uint32_t)c->h;
  ripstop_wiring w = {.coords = 2};
  if (groups_of(c, &groups, err)) return -1;
  set_spec(builder, c, groups);
  for (uint32_t i = 0; i < groups * a; i++)
    ripstop_wiring_switch(&w, (uint32_t)c->p, (const uint16_t[]){(uint16_t)(i % a), (uint16_t)(i / a)});
  for (uint32_t i = 0; i < groups * a; i++)
    for (uint32_t other = i + 1; other % a; other++) ripstop_wiring_cable_at(&w, i, other % a - 1, other, i % a);
  const ripstop_groups global = {.groups = groups,
                                 .ports = a * h,
                                 .ports_each = h,
                                 .routers = a,
                                 .first_port = a - 1,
                                 .arrangement = (ripstop_arrangement)c->arrangement};
  ripstop_global_wire(&w, &global);
  ripstop_wiring_build(&w, builder);
  return 0;
}

enum { ROUTER, GROUP }; /* coordinates of a router */

static const ripstop_link_group groups[] = {
    {"local", false, "links inside a group"}, {"global", false, "links between groups"}, {0}};

static uint32_t group_of(const ripstop_fabric *fabric, uint32_t link, uint32_t *number) {
  (void)number;
  return ripstop_link_coord(fabric, link, 0, GROUP) != ripstop_link_coord(fabric, link, 1, GROUP);
}

const ripstop_family ripstop_family_dragonfly = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "dragonfly",
    .summary = "dragonfly: groups of joined routers, each router with global cables to other groups",
    .source = "Kim, Dally, Scott and Abts 2008, section 3; arrangements: Camarero, Vallejo and Beivide 2014",
    .options = options,
    .config_size = sizeof(config),
    .example = "dragonfly:a=2,p=1,h=1",
    .count = count,
    .build = build,
    .node_name = ripstop_wired_node_name,
    .link_name = ripstop_wired_link_name,
    .groups = groups,
    .group_of = group_of,
};
