/* leaf_flow.c - demands between leaves as a tree, and whether they are kept without some cables.
 *
 * The tree is an equivalent flow tree (Gusfield, 1990) of the leaves, each behind a cable of its own with the rate that
 * its hosts need: the maximum flow between two such ends is the demand.
 *
 * A cable that goes lowers only the cuts between its two switches. So one flow between these decides most cases: if it
 * reaches the largest demand, all demands are kept. Else the edges with a larger demand than this flow are checked,
 * each by one flow.
 *
 * Flows grow along shortest augmenting paths and stop at the demand in question. Between two flows all cables are
 * unused. */
#include "tables/leaf_flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tables/switch_graph.h"

typedef struct demand {
  uint32_t part[2]; /* leaves, as parts of the capacity */
  uint64_t rate;
} demand;

struct leaf_flow {
  const ripstop_capacity *capacity;
  switch_graph net;                 /* by cable: the directions of cable i are the channels 2 * i and 2 * i + 1 */
  uint32_t *cable;                  /* [links]: its number in the net; RIPSTOP_NONE: none */
  uint64_t *rate;                   /* [cables]: 0 while it is out */
  uint64_t *room;                   /* [channels]: what a channel can still carry; both at `rate` between two flows */
  bool *used;                       /* [cables] */
  uint32_t *used_cable, used_count; /* cables that the present flow uses or used */
  uint32_t *by;                     /* [switches]: the channel that reached it in the last search */
  uint32_t *found, searches;        /* [switches]: the last search that reached it */
  uint32_t *queue;                  /* [switches] */
  demand *demand;                   /* the largest first */
  uint32_t demands;
};

/* ------------------------------------------------------------------ one flow */

static uint32_t switch_of(const leaf_flow *f, uint32_t part) {
  return f->capacity->part[part].node - f->capacity->view->fabric->ends;
}

/* Finds a shortest path with room on each channel. False: none; then `found` has the switches on the source's side of
 * a least cut. */
static bool find_path(leaf_flow *f, uint32_t from, uint32_t to) {
  const switch_graph *net = &f->net;
  const uint32_t search = ++f->searches;
  uint32_t head = 0, tail = 0;
  f->found[f->queue[tail++] = from] = search;
  for (; head < tail && f->found[to] != search; head++)
    for (uint32_t s = f->queue[head], i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      const uint32_t c = net->out[i], next = net->to[c];
      if (f->found[next] == search || f->room[c] == 0) continue;
      f->by[next] = c;
      f->found[f->queue[tail++] = next] = search;
    }
  return f->found[to] == search;
}

static void use_channel(leaf_flow *f, uint32_t c, uint64_t rate) {
  if (!f->used[c / 2]) f->used_cable[f->used_count++] = c / 2;
  f->used[c / 2] = true;
  f->room[c] -= rate;
  f->room[c ^ 1] += rate;
}

static uint64_t use_path(leaf_flow *f, uint32_t from, uint32_t to, uint64_t most) {
  const uint32_t *start = f->net.from;
  for (uint32_t s = to; s != from; s = start[f->by[s]])
    if (f->room[f->by[s]] < most) most = f->room[f->by[s]];
  for (uint32_t s = to; s != from; s = start[f->by[s]]) use_channel(f, f->by[s], most);
  return most;
}

/* The maximum flow between two switches, or `enough` if that is less. */
static uint64_t flow_between(leaf_flow *f, uint32_t from, uint32_t to, uint64_t enough) {
  uint64_t flow = 0;
  while (flow < enough && find_path(f, from, to)) flow += use_path(f, from, to, enough - flow);
  while (f->used_count > 0) {
    const uint32_t cable = f->used_cable[--f->used_count];
    f->used[cable] = false;
    f->room[2 * (size_t)cable] = f->room[2 * (size_t)cable + 1] = f->rate[cable];
  }
  return flow;
}

/* ------------------------------------------------------------------ demands */

/* Leaves with hosts that have others to send to. */
static uint32_t list_leaves(const ripstop_capacity *c, uint32_t *list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->parts; i++)
    if (c->part[i].level == 0 && c->part[i].need > 0) list[count++] = i;
  return count;
}

/* Gives the later leaves on the side of leaf i of the cut between i and its parent to leaf i. A cut below both needs
 * is in the last search; otherwise it is the own cable of the leaf with the smaller need. */
static void divide(const leaf_flow *f, const uint32_t *leaf, uint32_t leaves, uint32_t *parent, uint32_t i,
                   uint64_t flow) {
  const uint32_t above = parent[i];
  const ripstop_capacity_part *part = f->capacity->part;
  if (flow == part[leaf[i]].need) return; /* leaf i is alone on its side */
  const bool all = flow == part[leaf[above]].need;
  for (uint32_t k = i + 1; k < leaves; k++)
    if (parent[k] == above && (all || f->found[switch_of(f, leaf[k])] == f->searches)) parent[k] = i;
}

static int largest_first(const void *a, const void *b) {
  const demand *x = a, *y = b;
  if (x->rate != y->rate) return x->rate > y->rate ? -1 : 1;
  if (x->part[0] != y->part[0]) return x->part[0] < y->part[0] ? -1 : 1;
  return (x->part[1] > y->part[1]) - (x->part[1] < y->part[1]);
}

static void find_demands(ripstop_arena *arena, leaf_flow *f) {
  const ripstop_capacity *c = f->capacity;
  uint32_t *leaf = RIPSTOP_ARRAY(arena, c->parts, uint32_t), *parent = RIPSTOP_ARRAY(arena, c->parts, uint32_t);
  const uint32_t leaves = list_leaves(c, leaf);
  f->demand = RIPSTOP_ARRAY(arena, leaves, demand);
  for (uint32_t i = 1; i < leaves; i++) {
    const uint32_t one = leaf[i], other = leaf[parent[i]];
    const uint64_t need = c->part[one].need < c->part[other].need ? c->part[one].need : c->part[other].need;
    const uint64_t flow = flow_between(f, switch_of(f, one), switch_of(f, other), need);
    f->demand[f->demands++] = (demand){{one, other}, flow};
    divide(f, leaf, leaves, parent, i, flow);
  }
  qsort(f->demand, f->demands, sizeof *f->demand, largest_first);
}

/* ------------------------------------------------------------------ queries */

static bool joins_leaves(const ripstop_capacity *c, uint32_t link) {
  const ripstop_fabric *f = c->view->fabric;
  const uint32_t one = ripstop_link_node(f, link, 0) - f->ends, other = ripstop_link_node(f, link, 1) - f->ends;
  return c->rate[link] > 0 && c->leaf[one] != RIPSTOP_NONE && c->leaf[other] != RIPSTOP_NONE;
}

static bool applies(const ripstop_capacity *c) {
  for (uint32_t link = c->view->fabric->link_ends; link < c->view->fabric->links; link++)
    if (joins_leaves(c, link)) return true;
  return false;
}

void leaf_flow_set(leaf_flow *f, uint32_t link, bool up) {
  const uint32_t cable = f->cable[link];
  if (cable == RIPSTOP_NONE) return;
  f->rate[cable] = up ? f->capacity->rate[link] : 0;
  f->room[2 * (size_t)cable] = f->room[2 * (size_t)cable + 1] = f->rate[cable];
}

leaf_flow *leaf_flow_new(ripstop_arena *arena, const ripstop_capacity *capacity) {
  const ripstop_fabric *fabric = capacity->view->fabric;
  if (!applies(capacity)) return NULL;
  leaf_flow *f = RIPSTOP_NEW(arena, leaf_flow);
  *f = (leaf_flow){.capacity = capacity};
  switch_graph_make(&f->net, capacity->view, (switch_graph_kind){0}, arena);
  const uint32_t switches = f->net.switches, cables = f->net.channels / 2;
  f->cable = RIPSTOP_ARRAY(arena, fabric->links, uint32_t);
  f->rate = RIPSTOP_ARRAY(arena, cables, uint64_t);
  f->room = RIPSTOP_ARRAY(arena, f->net.channels, uint64_t);
  f->used = RIPSTOP_ARRAY(arena, cables, bool);
  f->used_cable = RIPSTOP_ARRAY(arena, cables, uint32_t);
  uint32_t **const rows[] = {&f->by, &f->found, &f->queue};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = RIPSTOP_ARRAY(arena, switches, uint32_t);
  memset(f->cable, 0xFF, fabric->links * sizeof *f->cable);
  for (uint32_t i = 0; i < cables; i++) {
    const uint32_t link = fabric->port_link[f->net.port[2 * (size_t)i]];
    f->cable[link] = i;
    leaf_flow_set(f, link, true);
  }
  find_demands(arena, f);
  return f;
}

bool leaf_flow_keeps(leaf_flow *f, uint32_t link, ripstop_flow_gap *gap) {
  const ripstop_fabric *fabric = f->capacity->view->fabric;
  if (f->demands == 0) return true;
  const uint32_t one = ripstop_link_node(fabric, link, 0) - fabric->ends;
  const uint32_t other = ripstop_link_node(fabric, link, 1) - fabric->ends;
  const uint64_t beside = one == other ? UINT64_MAX : flow_between(f, one, other, f->demand[0].rate);
  for (uint32_t i = 0; i < f->demands && f->demand[i].rate > beside; i++) {
    const demand *d = &f->demand[i];
    const uint64_t flow = flow_between(f, switch_of(f, d->part[0]), switch_of(f, d->part[1]), d->rate);
    if (flow == d->rate) continue;
    *gap = (ripstop_flow_gap){{d->part[0], d->part[1]}, flow, d->rate};
    return false;
  }
  return true;
}
