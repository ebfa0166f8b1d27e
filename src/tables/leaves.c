/* leaves.c - the capacity of the cables of each switch with hosts, compared with what its hosts can send. */
#include <stdlib.h>

#include "base/memory.h"
#include "fabric/ib.h"
#include "ripstop/kit/judge.h"

static double share_of(const ripstop_leaf *leaf) { return (double)leaf->have / (double)leaf->need; }

static int weakest_first(const void *a, const void *b) {
  const ripstop_leaf *x = a, *y = b;
  if (share_of(x) != share_of(y)) return share_of(x) < share_of(y) ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/* An aggregation node inside the switch generates no packets. */
static bool is_host(const ripstop_fabric *f, uint32_t end) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  return !ib || !ib->dump->node[ib->dump->port[ib->end_port[end]].node].aggregates;
}

static ripstop_leaf look_at(const ripstop_view *view, uint32_t node) {
  const ripstop_fabric *f = view->fabric;
  ripstop_leaf leaf = {.node = node};
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (!view->port_up[port] || f->port_node[f->peer[port]] == node) continue;
    uint32_t other = f->port_node[f->peer[port]];
    bool host = ripstop_is_end(f, other);
    if (host && !is_host(f, other)) continue;
    uint16_t rate = ripstop_view_rate(view, f->port_link[port]);
    leaf.hosts += host;
    leaf.uplinks += !host;
    *(host ? &leaf.need : &leaf.have) += rate;
  }
  return leaf;
}

int ripstop_judge_leaves(ripstop_arena *arena, const ripstop_view *view, ripstop_leaf **out, uint32_t *count,
                         ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_fabric *f = view->fabric;
  *out = RIPSTOP_ARRAY(arena, ripstop_fabric_switches(f), ripstop_leaf);
  *count = 0;
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    ripstop_leaf leaf = look_at(view, node);
    if (leaf.hosts > 0) (*out)[(*count)++] = leaf;
  }
  qsort(*out, *count, sizeof **out, weakest_first);
  return 0;
}
