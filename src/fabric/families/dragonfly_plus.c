/* dragonfly_plus.c - Dragonfly+ or Megafly (Shpiner et al. 2017; Flajslik et al. 2018): as a dragonfly, but a group is
 * a fat tree of two levels: leaves with the end nodes, each joined to every spine, and spines with h global cables
 * each. Leaves are "group.l0", spines "group.s0". */
#include <inttypes.h>

#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/global.h"

enum { SWITCH, IS_SPINE, GROUP, COORDS };

typedef struct config {
  int64_t leaves, spines, h, g, p;
  int32_t arrangement;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, leaves, 1, UINT16_MAX, NULL, "switches with end nodes in a group"),
    RIPSTOP_INTEGER(config, spines, 1, UINT16_MAX, NULL, "switches with global cables in a group"),
    RIPSTOP_GLOBAL_OPTIONS(config, "spine", "spines"),
    RIPSTOP_ENDS_EACH(config, "leaf", NULL),
    {0},
};

static int groups_of(const config *c, uint32_t *groups, ripstop_error *err) {
  return ripstop_global_groups("dragonfly+", c->g, (uint64_t)(c->spines * c->h), groups, err);
}

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  uint32_t groups;
  if (groups_of(c, &groups, err)) return -1;
  uint64_t leaves = (uint64_t)c->leaves, spines = (uint64_t)c->spines;
  *out =
      (ripstop_counts){.ends = ripstop_times(groups * leaves, (uint64_t)c->p), .switches = groups * (leaves + spines)};
  out->links = ripstop_plus(out->ends, ripstop_times(groups, leaves * spines));
  out->links = ripstop_plus(out->links, ripstop_global_cables(groups, spines * (uint64_t)c->h));
  return 0;
}

/* With as many groups as there are: equal fabrics have equal specs. */
static void set_spec(ripstop_builder *builder, const config *c, uint32_t groups) {
  ripstop_builder_spec(builder, ripstop_arena_printf(ripstop_builder_arena(builder),
                                                     "dragonfly+:leaves=%" PRIi64 ",spines=%" PRIi64 ",h=%" PRIi64
                                                     ",g=%u,p=%" PRIi64 ",arrangement=%s",
                                                     c->leaves, c->spines, c->h, groups, c->p,
                                                     ripstop_arrangements[c->arrangement]));
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  const config *c = config_;
  uint32_t groups, leaves = (uint32_t)c->leaves, spines = (uint32_t)c->spines, all = leaves + spines;
  ripstop_wiring w = {.coords = COORDS};
  if (groups_of(c, &groups, err)) return -1;
  set_spec(builder, c, groups);
  for (uint32_t i = 0; i < groups * all; i++) {
    uint32_t at = i % all, is_spine = at >= leaves;
    uint16_t coord[COORDS] = {[SWITCH] = (uint16_t)(is_spine ? at - leaves : at),
                              [IS_SPINE] = (uint16_t)is_spine,
                              [GROUP] = (uint16_t)(i / all)};
    ripstop_wiring_switch(&w, is_spine ? 0 : (uint32_t)c->p, coord);
  }
  for (uint32_t first = 0; first < groups * all; first += all)
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
      for (uint32_t spine = leaves; spine < all; spine++)
        ripstop_wiring_cable_at(&w, first + leaf, spine - leaves, first + spine, leaf);
  const ripstop_groups global = {.groups = groups,
                                 .ports = spines * (uint32_t)c->h,
                                 .ports_each = (uint32_t)c->h,
                                 .routers = all,
                                 .first = leaves,
                                 .first_port = leaves,
                                 .arrangement = (ripstop_arrangement)c->arrangement};
  ripstop_global_wire(&w, &global);
  ripstop_wiring_build(&w, builder);
  return 0;
}

static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  const uint16_t *coord = ripstop_coords(fabric, node);
  size_t length = ripstop_name_number(out, 0, "", coord[GROUP]);
  length = ripstop_name_number(out, length, coord[IS_SPINE] ? ".s" : ".l", coord[SWITCH]);
  if (ripstop_is_end(fabric, node)) ripstop_name_number(out, length, ":", ripstop_wired_place(fabric, node));
}

static const ripstop_link_group groups[] = {
    {"local", false, "links between leaves and spines of a group"}, {"global", false, "links between groups"}, {0}};

static uint32_t group_of(const ripstop_fabric *fabric, uint32_t link, uint32_t *number) {
  (void)number;
  return ripstop_link_coord(fabric, link, 0, GROUP) != ripstop_link_coord(fabric, link, 1, GROUP);
}

const ripstop_family ripstop_family_dragonfly_plus = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "dragonfly+",
    .summary = "Dragonfly+ (Megafly): groups of leaves and spines, each spine with global cables to other groups",
    .source = "Shpiner et al. 2017, section 2; Flajslik, Borch and Parker 2018",
    .options = options,
    .config_size = sizeof(config),
    .example = "dragonfly+:leaves=2,spines=2,h=1,g=3,p=2",
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = ripstop_wired_link_name,
    .groups = groups,
    .group_of = group_of,
};
