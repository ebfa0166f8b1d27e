/* match.c - matches nodes by GUID, those that share one by their order; then the links between them. */
#include "mend/match.h"

#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "fabric/ib_subnet.h"

typedef struct named {
  uint64_t guid;
  uint32_t node, lid, lmc;
} named;

static int by_guid(const void *a, const void *b) {
  const named *x = a, *y = b;
  if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static named *sort_nodes(const ripstop_fabric *f, ripstop_arena *scratch) {
  named *list = RIPSTOP_ARRAY(scratch, f->nodes, named);
  for (uint32_t node = 0; node < f->nodes; node++) {
    ib_subnet_node n;
    ib_subnet_node_of(f, node, &n);
    list[node] = (named){n.port_guid, node, n.lid, n.lmc};
  }
  qsort(list, f->nodes, sizeof *list, by_guid);
  return list;
}

static bool alike(const ripstop_fabric *f, const named *x, const ripstop_fabric *g, const named *y) {
  return x->guid == y->guid && x->lid == y->lid && x->lmc == y->lmc &&
         ripstop_is_end(f, x->node) == ripstop_is_end(g, y->node);
}

/* Writes to `there` ([now->nodes]) the same nodes of the earlier fabric. False: one is new. */
static bool find_nodes(const ripstop_fabric *now, const ripstop_fabric *then, uint32_t *there, ripstop_arena *scratch) {
  const named *x = sort_nodes(now, scratch), *y = sort_nodes(then, scratch);
  for (uint32_t i = 0, j = 0; i < now->nodes; i++, j++) {
    while (j < then->nodes && y[j].guid < x[i].guid) j++;
    if (j == then->nodes || !alike(now, &x[i], then, &y[j])) return false;
    there[x[i].node] = y[j].node;
  }
  return true;
}

/* The port of the earlier fabric; RIPSTOP_NONE: it had no port of that number. */
static uint32_t find_port(const ripstop_fabric *now, uint32_t port, const ripstop_fabric *then, const uint32_t *there) {
  uint32_t node = now->port_node[port], local = port - now->port_base[node];
  return local < ripstop_node_ports(then, there[node]) ? then->port_base[there[node]] + local : RIPSTOP_NONE;
}

/* Marks in `up` ([then->links]) the links that are in `now`. False: one is new. */
static bool find_links(const ripstop_fabric *now, const ripstop_fabric *then, const uint32_t *there, uint8_t *up) {
  for (uint32_t link = 0; link < now->links; link++) {
    uint32_t a = find_port(now, now->link_port[2 * link], then, there),
             b = find_port(now, now->link_port[2 * link + 1], then, there);
    if (a == RIPSTOP_NONE || b == RIPSTOP_NONE || then->peer[a] != b) return false;
    up[then->port_link[a]] = 1;
  }
  return true;
}

static void set_view(ripstop_view *view, const uint8_t *up, const uint8_t *present) {
  const ripstop_fabric *f = view->fabric;
  for (uint32_t node = f->ends; node < f->nodes; node++)
    if (view->node_up[node] != present[node]) ripstop_view_set_switch(view, node, present[node]);
  for (uint32_t link = 0; link < f->links; link++)
    if (view->link_up[link] != up[link]) ripstop_view_set_link(view, link, up[link]);
}

bool match_view(const ripstop_fabric *now, ripstop_view *view, uint8_t *present) {
  const ripstop_fabric *then = view->fabric;
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *there = RIPSTOP_ARRAY(scratch, now->nodes, uint32_t);
  uint8_t *up = RIPSTOP_ARRAY(scratch, then->links, uint8_t);
  bool known = find_nodes(now, then, there, scratch) && find_links(now, then, there, up);
  if (known) {
    memset(present, 0, then->nodes);
    for (uint32_t node = 0; node < now->nodes; node++) present[there[node]] = 1;
    set_view(view, up, present);
  }
  return known;
}
