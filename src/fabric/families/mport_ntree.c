/* mport_ntree.c - the m-port n-tree: every switch uses all its m ports, the top ones downward. */
#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/tree.h"
#include "ripstop/plugin/family.h"

typedef struct config {
  int64_t m, n;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, m, 2, UINT16_MAX - 1, NULL, "ports of a switch; even"),
    RIPSTOP_INTEGER(config, n, 1, RIPSTOP_DIGITS_MAX - 1, NULL, "levels of switches"),
    {0},
};

static ripstop_tree_shape shape_of(const config *c) {
  return (ripstop_tree_shape){.half = (uint32_t)c->m / 2, .levels = (uint32_t)c->n, .top = (uint32_t)c->m};
}

static int count(const void *c, ripstop_counts *out, ripstop_error *err) {
  int64_t m = ((const config *)c)->m;
  if (m % 2 != 0) return ripstop_fail(err, "fabric mport-ntree: m must be even, not %d", (int)m);
  ripstop_tree_shape shape = shape_of(c);
  ripstop_tree_count(&shape, out);
  return 0;
}

static int build(ripstop_builder *builder, const void *c, ripstop_error *err) {
  (void)err;
  ripstop_tree_shape shape = shape_of(c);
  ripstop_tree_build(builder, &shape);
  return 0;
}

static const ripstop_link_group groups[] = {{"level", true, "links from switches of level N to those above"}, {0}};

const ripstop_family ripstop_family_mport_ntree = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "mport-ntree",
    .summary = "m-port n-tree: 2*(m/2)^n end nodes, (2n-1)*(m/2)^(n-1) switches of m ports",
    .source = "Lin, Chung and Huang 2004; Definition 1 of Hu, Wang and Sun 2010",
    .options = options,
    .config_size = sizeof(config),
    .example = "mport-ntree:m=4,n=3",
    .symmetric = true,
    .count = count,
    .build = build,
    .node_name = ripstop_tree_node_name,
    .link_name = ripstop_tree_link_name,
    .alias = ripstop_tree_alias,
    .other_name = ripstop_tree_other_name,
    .symbols = ripstop_tree_symbols,
    .groups = groups,
    .group_of = ripstop_tree_group,
};
