/* kary_ntree.c - the k-ary n-tree: an m-port n-tree with m = 2k whose top switches have k ports only. */
#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/tree.h"
#include "ripstop/plugin/family.h"

typedef struct config {
  int64_t k, n;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, k, 1, UINT16_MAX / 2, NULL, "half the ports of a switch: k lead down, k up"),
    RIPSTOP_INTEGER(config, n, 1, RIPSTOP_DIGITS_MAX - 1, NULL, "levels of switches"),
    {0},
};

static ripstop_tree_shape shape_of(const config *c) {
  return (ripstop_tree_shape){.half = (uint32_t)c->k, .levels = (uint32_t)c->n, .top = (uint32_t)c->k};
}

static int count(const void *c, ripstop_counts *out, ripstop_error *err) {
  (void)err;
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

const ripstop_family ripstop_family_kary_ntree = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "kary-ntree",
    .summary = "k-ary n-tree: k^n end nodes, n levels of k^(n-1) switches",
    .source = "Petrini and Vanneschi 1997; wired by Definition 1 of Hu, Wang and Sun 2010 with m = 2k",
    .options = options,
    .config_size = sizeof(config),
    .example = "kary-ntree:k=3,n=3",
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
