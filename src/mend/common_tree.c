/* common_tree.c - see common_tree.h. */
#include "mend/common_tree.h"

#include <stdlib.h>

#include "base/local.h"
#include "fabric/ib.h"
#include "fabric/ib_subnet.h"
#include "mend/group_tree.h"

static uint64_t guid_of(const ripstop_fabric *f, uint32_t node) {
  ib_subnet_node n;
  ib_subnet_node_of(f, node, &n);
  return n.guid;
}

void common_tree_mark(const common_tree *t, const ripstop_view *view, uint8_t *cable) {
  const ripstop_fabric *f = view->fabric;
  for (uint32_t i = 0; i < t->branches; i++) {
    const common_branch *b = &t->branch[i];
    const uint32_t node = ripstop_ib_switch_of(f, b->guid);
    if (node == RIPSTOP_NONE || b->port >= ripstop_node_ports(f, node)) continue;
    const uint32_t port = f->port_base[node] + b->port;
    if (view->port_up[port] && ripstop_ib_switch_of(f, b->parent) == f->port_node[f->peer[port]])
      cable[f->port_link[port]] = 1;
  }
}

static int by_guid(const void *a, const void *b) {
  const common_branch *x = a, *y = b;
  return (x->guid > y->guid) - (x->guid < y->guid);
}

static void list_branches(common_tree *t, const ripstop_fabric *f, const group_tree *tree) {
  t->branch = RIPSTOP_ARRAY(t->arena, ripstop_fabric_switches(f), common_branch);
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    const uint32_t port = tree->up[node - f->ends];
    if (port == RIPSTOP_NONE) continue;
    t->branch[t->branches++] = (common_branch){.guid = guid_of(f, node),
                                               .parent = guid_of(f, f->port_node[f->peer[port]]),
                                               .port = (uint8_t)(port - f->port_base[node])};
  }
  qsort(t->branch, t->branches, sizeof *t->branch, by_guid);
}

void common_tree_find(common_tree *out, const common_tree *last, const ripstop_view *view,
                      const ripstop_forwarding *tables, const uint8_t *wanted, depend *known) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint8_t *old = RIPSTOP_ARRAY(scratch, view->fabric->links + 1, uint8_t);
  common_tree_mark(last, view, old);
  const uint8_t *first = wanted ? wanted : last->branches ? old : NULL;
  const group_tree *tree = group_tree_find(scratch, view, tables, first, known);
  *out = (common_tree){.lanes = tree->lanes, .clashes = group_trees_clash(view, old, tree->cable)};
  out->arena = ripstop_arena_new();
  list_branches(out, view->fabric, tree);
}

void common_tree_replace(common_tree *old, common_tree *new) {
  common_tree_free(old);
  *old = *new;
  *new = (common_tree){0};
}

void common_tree_free(common_tree *t) {
  if (t->arena) ripstop_arena_free(t->arena);
  *t = (common_tree){0};
}

const common_branch *common_tree_branch(const common_tree *t, uint64_t guid) {
  const common_branch key = {.guid = guid};
  return t->branches ? bsearch(&key, t->branch, t->branches, sizeof key, by_guid) : NULL;
}
