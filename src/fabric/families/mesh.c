/* mesh.c - the mesh with sizes of its own in every dimension (Dally and Towles, chapter 5): a torus without the cables
 * that close its rings. In "mesh:AxB" dimension 0 is the first factor, and names show dimension 0 first. Behind the end
 * nodes' ports, port 2*d leads to the next higher coordinate of dimension d, 2*d+1 to the next lower. */
#include "fabric/count.h"
#include "fabric/grid.h"
#include "fabric/sizes.h"

typedef struct config {
  const char *size;
  int64_t p;
} config;

static const ripstop_option options[] = {
    RIPSTOP_TEXT(config, size, NULL,
                 "routers in each dimension, joined by 'x', each at least 2; dimension 0 is the first, e.g. 8x8",
                 .positional = true),
    RIPSTOP_ENDS_EACH(config, "router", "1"),
    {0},
};

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  ripstop_sizes s;
  if (ripstop_sizes_parse("mesh", c->size, 'x', 2, &s, err)) return -1;
  uint64_t routers = ripstop_sizes_product(&s);
  *out = (ripstop_counts){.ends = ripstop_times(routers, (uint64_t)c->p), .switches = routers};
  out->links = out->ends;
  for (uint32_t d = 0; d < s.count; d++)
    out->links = ripstop_plus(out->links, ripstop_times(routers / s.size[d], s.size[d] - 1));
  return 0;
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  const config *c = config_;
  ripstop_sizes s;
  ripstop_wiring w;
  if (ripstop_sizes_parse("mesh", c->size, 'x', 2, &s, err)) return -1;
  uint32_t routers = ripstop_grid_routers(&w, &s, (uint32_t)c->p);
  for (uint32_t i = 0; i < routers; i++)
    for (uint32_t d = 0, stride = routers; d < s.count; d++) {
      stride /= s.size[d];
      if (i / stride % s.size[d] + 1 < s.size[d]) ripstop_wiring_cable_at(&w, i, 2 * d, i + stride, 2 * d + 1);
    }
  ripstop_wiring_build(&w, builder);
  return 0;
}

static const ripstop_link_group groups[] = {{"dim", true, "links of dimension N"}, {0}};

const ripstop_family ripstop_family_mesh = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "mesh",
    .summary = "mesh of any dimensions",
    .source = "Dally and Towles 2004, chapter 5 (k-ary n-mesh, mixed sizes)",
    .options = options,
    .config_size = sizeof(config),
    .example = "mesh:3x4,p=2",
    .count = count,
    .build = build,
    .node_name = ripstop_wired_node_name,
    .link_name = ripstop_wired_link_name,
    .groups = groups,
    .group_of = ripstop_grid_group,
};
