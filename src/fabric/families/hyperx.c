/* hyperx.c - HyperX (Ahn et al. 2009): routers at the points of a grid, and all that differ in one coordinate joined,
 * in dimension d by k_d parallel cables. With two routers in each dimension a hypercube, with one dimension a complete
 * graph, with k = 1 everywhere a generalised hypercube or flattened butterfly. Behind the end nodes' ports come those
 * of dimension 0, k_0 for each other router of the line in its order, then those of dimension 1, and so on. */
#include "fabric/count.h"
#include "fabric/grid.h"

typedef struct config {
  const char *size, *k;
  int64_t p;
} config;

static const ripstop_option options[] = {
    RIPSTOP_TEXT(config, size, NULL,
                 "routers in each dimension, joined by 'x', each at least 2; dimension 0 is the first, e.g. 8x8",
                 .positional = true),
    RIPSTOP_TEXT(
        config, k, "1",
        "parallel cables between two routers of a line, one number for all dimensions or one for each, e.g. 1x2"),
    RIPSTOP_ENDS_EACH(config, "router", "1"),
    {0},
};

static int parse(const config *c, ripstop_sizes *size, ripstop_sizes *k, ripstop_error *err) {
  if (ripstop_sizes_parse("hyperx", c->size, 'x', 2, size, err)) return -1;
  if (ripstop_sizes_parse("hyperx", c->k, 'x', 1, k, err)) return -1;
  if (k->count != 1 && k->count != size->count)
    return ripstop_fail(err, "fabric hyperx: k=%.64s has %u numbers for %u dimensions", c->k, k->count, size->count);
  for (uint32_t d = k->count; d < size->count; d++) k->size[d] = k->size[0];
  return 0;
}

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  ripstop_sizes size, k;
  if (parse(c, &size, &k, err)) return -1;
  uint64_t routers = ripstop_sizes_product(&size);
  *out = (ripstop_counts){.ends = ripstop_times(routers, (uint64_t)c->p), .switches = routers};
  out->links = out->ends;
  for (uint32_t d = 0; d < size.count; d++) {
    uint64_t line = (uint64_t)size.size[d] * (size.size[d] - 1) / 2 * k.size[d];
    out->links = ripstop_plus(out->links, ripstop_times(routers / size.size[d], line));
  }
  return 0;
}

/* The cables of one router to the routers behind it in one line; `first`: the line's first port. */
static void wire_line(ripstop_wiring *w, uint32_t router, uint32_t x, uint32_t size, uint32_t stride, uint32_t k,
                      uint32_t first) {
  for (uint32_t y = x + 1; y < size; y++)
    for (uint32_t n = 0; n < k; n++)
      ripstop_wiring_cable_at(w, router, first + (y - 1) * k + n, router + (y - x) * stride, first + x * k + n);
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  const config *c = config_;
  ripstop_sizes size, k;
  ripstop_wiring w;
  if (parse(c, &size, &k, err)) return -1;
  uint32_t routers = ripstop_grid_routers(&w, &size, (uint32_t)c->p);
  for (uint32_t i = 0; i < routers; i++)
    for (uint32_t d = 0, stride = routers, first = 0; d < size.count; first += (size.size[d] - 1) * k.size[d], d++) {
      stride /= size.size[d];
      wire_line(&w, i, i / stride % size.size[d], size.size[d], stride, k.size[d], first);
    }
  ripstop_wiring_build(&w, builder);
  return 0;
}

static const ripstop_link_group groups[] = {{"dim", true, "links of dimension N"}, {0}};

const ripstop_family ripstop_family_hyperx = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "hyperx",
    .summary = "HyperX: routers that differ in one coordinate are joined",
    .source = "Ahn, Binkert, Davis, McLaren and Schreiber 2009, section 3 (L, S, K, T)",
    .options = options,
    .config_size = sizeof(config),
    .example = "hyperx:3x2,k=1x2,p=2",
    .symmetric = true,
    .count = count,
    .build = build,
    .node_name = ripstop_wired_node_name,
    .link_name = ripstop_wired_link_name,
    .groups = groups,
    .group_of = ripstop_grid_group,
};
