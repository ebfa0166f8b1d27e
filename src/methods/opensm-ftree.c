/* opensm-ftree.c - the tables that OpenSM's engine `ftree` writes for fat trees: up and then down, each cable given as
 * many addresses as its neighbours. docs/methods/opensm-ftree.md describes it in words.
 *
 * Switches have ranks, 0 at the roots. Each has an index: digits, of which neighbours share all but one. Cables to one
 * neighbour are a group. The engine takes the adapters leaf by leaf in the order of indices and goes up from the leaf.
 * At each switch it goes up over the group that has been taken least, and from there down to every switch without an
 * entry, each time over the cable that has been taken least. Then it goes up over the other groups, for the switches
 * that are left. A leaf with fewer adapters than others is given dummy addresses, so that cables are shared as if every
 * leaf were full. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/sort.h"
#include "fabric/ib_subnet.h"
#include "methods/shared/entries.h"
#include "methods/shared/opensm.h"
#include "methods/shared/opensm_ports.h"
#include "methods/shared/opensm_roots.h"

static const ripstop_option options[] = {RIPSTOP_OPENSM_ROOTS_OPTIONS, {0}};

/* The cables to one neighbour. */
typedef struct group {
  uint32_t to, first, count; /* range of ftree.channel */
  uint32_t taken;            /* addresses whose first path it was on */
} group;

typedef struct ftree {
  ripstop_opensm net;
  uint32_t *rank, leaf_rank;
  uint16_t *digit;              /* [switches * (leaf_rank + 1)]: the index; digit 0 is the rank */
  uint32_t *place;              /* [switches]: in the order of indices */
  uint32_t *leaf, leaves, most; /* switches with adapters, in that order; most: adapters of one */
  group *group;
  uint32_t *up, *down; /* [switches + 1], [switches]: groups of a switch: from up[s] to down[s], and on to up[s + 1] */
  uint32_t *channel;   /* [channels]: of groups */
  uint32_t *given;     /* [channels]: addresses */
  uint32_t *order;     /* [groups]: scratch: those of a switch, least taken first */
  ripstop_forwarding *tables;
  uint32_t address, *seen, turn; /* address: RIPSTOP_NONE: a dummy; seen[s] == turn: s has an entry, */
  uint32_t *far, *by;            /* which is so many hops from the address, and was set over this channel; */
  bool *counted;                 /* given[by] counts it */
} ftree;

/* ------------------------------------------------------------------ ranks */

static int refuse(ripstop_error *err, const char *why) { return ripstop_fail(err, "opensm-ftree: %s", why); }

static int refuse_switch(const ftree *t, uint32_t s, ripstop_error *err, const char *why) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(t->net.graph.view->fabric, t->net.graph.node[s], name);
  return ripstop_fail(err, "opensm-ftree: the switch %s %s", name, why);
}

static int refuse_cable(const ftree *t, uint32_t s, uint32_t channel, ripstop_error *err, const char *why) {
  const ripstop_fabric *f = t->net.graph.view->fabric;
  char name[RIPSTOP_NAME_MAX];
  ripstop_link_name(f, f->port_link[f->port_base[t->net.graph.node[s]] + t->net.graph.local[channel]], name);
  return ripstop_fail(err, "opensm-ftree: the cable %s %s", name, why);
}

/* Hops from the switches that have rank 0 already; the others' are RIPSTOP_NONE. Returns the largest. */
static uint32_t rank_from(ftree *t, ripstop_arena *scratch) {
  const ripstop_opensm *net = &t->net;
  uint32_t *queue = RIPSTOP_ARRAY(scratch, net->graph.switches, uint32_t), tail = 0, most = 0;
  for (uint32_t s = 0; s < net->graph.switches; s++)
    if (t->rank[s] == 0) queue[tail++] = s;
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t s = queue[head], c = net->graph.out_first[s]; c < net->graph.out_first[s + 1]; c++) {
      if (t->rank[net->graph.to[c]] != RIPSTOP_NONE) continue;
      t->rank[net->graph.to[c]] = most = t->rank[s] + 1;
      queue[tail++] = net->graph.to[c];
    }
  return most;
}

/* From roots of a file down, or from adapters up and then turned round. */
static int find_ranks(ftree *t, const ripstop_opensm_roots *roots, ripstop_arena *scratch, ripstop_error *err) {
  const ripstop_opensm *net = &t->net;
  memset(t->rank, 0xFF, net->graph.switches * sizeof *t->rank);
  for (uint32_t s = 0; s < net->graph.switches; s++) {
    if (roots->count == 0 && net->ends[s] > 0) t->rank[s] = 0;
    for (uint32_t i = 0; i < roots->count; i++)
      if (roots->node[i] == net->graph.node[s]) t->rank[s] = 0;
  }
  uint32_t most = t->leaf_rank = rank_from(t, scratch);
  if (most == 0) return refuse(err, "all switches have adapters, so none is above another");
  for (uint32_t s = 0; s < net->graph.switches; s++) {
    if (t->rank[s] == RIPSTOP_NONE)
      return refuse_switch(t, s, err, roots->count ? "is joined to no root" : "is joined to no adapter");
    if (roots->count == 0) t->rank[s] = most - t->rank[s];
  }
  return 0;
}

/* Adapters hang at one rank, and no cable joins two switches of one. */
static int check_ranks(const ftree *t, ripstop_error *err) {
  const ripstop_opensm *net = &t->net;
  for (uint32_t s = 0; s < net->graph.switches; s++) {
    if (net->ends[s] > 0 && t->rank[s] != t->leaf_rank)
      return refuse_switch(t, s, err, "has adapters, and is nearer to the roots than other switches");
    for (uint32_t c = net->graph.out_first[s]; c < net->graph.out_first[s + 1]; c++)
      if (t->rank[net->graph.to[c]] == t->rank[s])
        return refuse_cable(t, s, c, err,
                            "joins two switches of one rank, and what OpenSM makes of such is not known here");
  }
  return 0;
}

/* ------------------------------------------------------------------ groups */

static void add_channel(ftree *t, uint32_t first, uint32_t *groups, uint32_t c) {
  uint32_t to = t->net.graph.to[c], g = first;
  while (g < *groups && t->group[g].to != to) g++;
  if (g == *groups) t->group[(*groups)++] = (group){.to = to};
  t->group[g].count++;
}

static void fill_groups(ftree *t, uint32_t s) {
  const ripstop_opensm *net = &t->net;
  uint32_t at = net->graph.out_first[s];
  for (uint32_t g = t->up[s]; g < t->up[s + 1]; g++) {
    t->group[g].first = at;
    for (uint32_t c = net->graph.out_first[s]; c < net->graph.out_first[s + 1]; c++)
      if (net->graph.to[c] == t->group[g].to) t->channel[at++] = c;
  }
}

/* Makes the groups of each switch: upward ones first, in the order of ports. */
static void make_groups(ftree *t) {
  const ripstop_opensm *net = &t->net;
  uint32_t groups = 0;
  for (uint32_t s = 0; s < net->graph.switches; s++) {
    for (int side = 0; side < 2; side++) {
      uint32_t first = *((side ? t->down : t->up) + s) = groups;
      for (uint32_t c = net->graph.out_first[s]; c < net->graph.out_first[s + 1]; c++)
        if ((t->rank[net->graph.to[c]] < t->rank[s]) != side) add_channel(t, first, &groups, c);
    }
    t->up[s + 1] = groups;
    fill_groups(t, s);
  }
}

static int differ(const ftree *t, ripstop_error *err, const char *what, uint32_t s, uint32_t own, uint32_t other,
                  uint32_t others) {
  const ripstop_fabric *f = t->net.graph.view->fabric;
  char name[RIPSTOP_NAME_MAX], than[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, t->net.graph.node[s], name);
  ripstop_node_name(f, t->net.graph.node[other], than);
  if (s == other)
    return ripstop_fail(err,
                        "opensm-ftree: this is no fat tree: the switch %s has %u %s and %u to another (roots=FILE)",
                        name, own, what, others);
  return ripstop_fail(err,
                      "opensm-ftree: this is no fat tree: the switch %s has %u %s, %s of the same rank has %u "
                      "(roots=FILE)",
                      name, own, what, than, others);
}

/* Without a file of roots all switches of a rank must be alike. */
static int check_alike(const ftree *t, ripstop_arena *scratch, ripstop_error *err) {
  uint32_t *like = RIPSTOP_ARRAY(scratch, t->leaf_rank + 1, uint32_t);
  memset(like, 0xFF, (t->leaf_rank + 1) * sizeof *like);
  for (uint32_t s = 0; s < t->net.graph.switches; s++) {
    uint32_t *one = &like[t->rank[s]];
    if (*one == RIPSTOP_NONE) *one = s;
    uint32_t ups = t->down[s] - t->up[s], downs = t->up[s + 1] - t->down[s];
    uint32_t own_ups = t->down[*one] - t->up[*one], own_downs = t->up[*one + 1] - t->down[*one];
    if (ups != own_ups) return differ(t, err, "neighbours above", s, ups, *one, own_ups);
    if (downs != own_downs) return differ(t, err, "neighbours below", s, downs, *one, own_downs);
    for (uint32_t g = t->up[s]; g < t->up[s + 1]; g++) {
      uint32_t count = t->group[g].count, own = t->group[g < t->down[s] ? t->up[*one] : t->down[*one]].count;
      if (count != own) return differ(t, err, "cables to one neighbour", s, count, *one, own);
    }
  }
  return 0;
}

/* ------------------------------------------------------------------ indices */

static uint16_t *digits_of(const ftree *t, uint32_t s) { return t->digit + (size_t)s * (t->leaf_rank + 1); }

/* Open addressing over the indices that are taken; RIPSTOP_NONE: free. */
typedef struct indices {
  uint32_t *place;
  size_t mask;
} indices;

static uint32_t *find_index(const ftree *t, const indices *all, const uint16_t *digit) {
  const size_t length = t->leaf_rank + 1;
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; i < length; i++) hash = (hash ^ digit[i]) * 1099511628211u;
  size_t at = (size_t)(hash ^ hash >> 32) & all->mask;
  while (all->place[at] != RIPSTOP_NONE && memcmp(digits_of(t, all->place[at]), digit, length * sizeof *digit) != 0)
    at = (at + 1) & all->mask;
  return &all->place[at];
}

/* A neighbour gets the index of the switch from which it was found, with its own rank. The digit of the lower of the
 * two gets the least value that makes the index unique. */
static void take_index(ftree *t, indices *all, uint32_t from, uint32_t s) {
  uint16_t *digit = digits_of(t, s);
  uint32_t lower = t->rank[s] > t->rank[from] ? t->rank[s] : t->rank[from], *place;
  memcpy(digit, digits_of(t, from), (t->leaf_rank + 1) * sizeof *digit);
  digit[0] = (uint16_t)t->rank[s];
  digit[lower] = 0;
  while (*(place = find_index(t, all, digit)) != RIPSTOP_NONE) digit[lower]++;
  *place = s;
}

static int by_index(const void *tree, const void *a, const void *b) {
  const ftree *t = tree;
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const uint16_t *one = digits_of(t, x), *other = digits_of(t, y);
  for (uint32_t i = 0; i <= t->leaf_rank; i++)
    if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
  return 0;
}

static int by_place(const void *tree, const void *a, const void *b) {
  const ftree *t = tree;
  const uint32_t x = t->place[((const group *)a)->to], y = t->place[((const group *)b)->to];
  return (x > y) - (x < y);
}

/* Groups stand in the order of their neighbours' indices. */
static void sort_all(ftree *t, ripstop_arena *scratch) {
  uint32_t *list = RIPSTOP_ARRAY(scratch, t->net.graph.switches, uint32_t);
  for (uint32_t s = 0; s < t->net.graph.switches; s++) list[s] = s;
  ripstop_sort(list, t->net.graph.switches, sizeof *list, by_index, t);
  for (uint32_t i = 0; i < t->net.graph.switches; i++) {
    t->place[list[i]] = i;
    if (t->net.ends[list[i]] > 0) t->leaf[t->leaves++] = list[i];
    if (t->net.ends[list[i]] > t->most) t->most = t->net.ends[list[i]];
  }
  for (uint32_t s = 0; s < t->net.graph.switches; s++) {
    ripstop_sort(t->group + t->up[s], t->down[s] - t->up[s], sizeof *t->group, by_place, t);
    ripstop_sort(t->group + t->down[s], t->up[s + 1] - t->down[s], sizeof *t->group, by_place, t);
  }
}

typedef struct search {
  indices taken;
  uint32_t *queue, tail;
  bool *found;
} search;

static void find_behind(ftree *t, search *q, uint32_t from, uint32_t first, uint32_t end) {
  for (uint32_t g = first; g < end; g++) {
    uint32_t s = t->group[g].to;
    if (q->found[s]) continue;
    q->found[s] = true;
    take_index(t, &q->taken, from, s);
    q->queue[q->tail++] = s;
  }
}

static search open_search(const ftree *t, ripstop_arena *scratch) {
  search q = {.taken = {.mask = 15}};
  while (q.taken.mask < 2 * (size_t)t->net.graph.switches) q.taken.mask = 2 * q.taken.mask + 1;
  q.taken.place = RIPSTOP_ARRAY(scratch, q.taken.mask + 1, uint32_t);
  memset(q.taken.place, 0xFF, (q.taken.mask + 1) * sizeof *q.taken.place);
  q.queue = RIPSTOP_ARRAY(scratch, t->net.graph.switches, uint32_t);
  q.found = RIPSTOP_ARRAY(scratch, t->net.graph.switches, bool);
  return q;
}

/* Breadth first from the first leaf, down before up. */
static int find_indices(ftree *t, ripstop_arena *scratch, ripstop_error *err) {
  search q = open_search(t, scratch);
  uint32_t first = 0;
  while (t->net.ends[first] == 0) first++;
  digits_of(t, first)[0] = (uint16_t)t->rank[first];
  *find_index(t, &q.taken, digits_of(t, first)) = q.queue[q.tail++] = first;
  q.found[first] = true;
  for (uint32_t head = 0; head < q.tail; head++) {
    uint32_t s = q.queue[head];
    find_behind(t, &q, s, t->down[s], t->up[s + 1]);
    find_behind(t, &q, s, t->up[s], t->down[s]);
  }
  if (q.tail < t->net.graph.switches) return refuse(err, "some switches are not joined to the others");
  sort_all(t, scratch);
  return 0;
}

/* ------------------------------------------------------------------ candidates */

/* Groups of a switch, least taken first; ties go to the lower index. */
static const uint32_t *least_taken(ftree *t, uint32_t first, uint32_t end) {
  uint32_t *order = t->order + first;
  for (uint32_t g = first; g < end; g++) {
    uint32_t i = g - first;
    for (; i > 0 && t->group[order[i - 1]].taken > t->group[g].taken; i--) order[i] = order[i - 1];
    order[i] = g;
  }
  return order;
}

static uint32_t least_given(const ftree *t, const group *g) {
  return ripstop_opensm_least_given(t->channel + g->first, g->count, t->given);
}

/* The switch at the other end sends for the address into the cable. */
static void set_entry(ftree *t, uint32_t channel, uint32_t far, bool counted) {
  uint32_t s = t->net.graph.to[channel];
  t->seen[s] = t->turn;
  t->far[s] = far;
  t->by[s] = channel;
  t->counted[s] = counted;
  if (t->address != RIPSTOP_NONE)
    ripstop_forwarding_set(t->tables, t->address, t->net.graph.node[s], t->net.graph.local[t->net.graph.back[channel]]);
}

/* Counting of one step. `first`: it is on the first path of an adapter, or goes down from there, so groups and cables
 * up are counted. `counts`: cables down are counted, which holds everywhere but behind the other groups of a leaf. */
typedef struct how {
  bool first, counts;
} how;

/* Goes down from a switch to every switch without an entry, except `from`. */
static void go_down(ftree *t, uint32_t s, uint32_t from, uint32_t far, how h) {
  const uint32_t *list = least_taken(t, t->down[s], t->up[s + 1]);
  for (uint32_t i = 0; i < t->up[s + 1] - t->down[s]; i++) {
    group *below = &t->group[list[i]];
    if (below->to == from || t->seen[below->to] == t->turn) continue;
    uint32_t c = least_given(t, below);
    t->given[c] += h.counts;
    below->taken += h.first;
    set_entry(t, c, far + 1, h.counts);
    go_down(t, below->to, RIPSTOP_NONE, far + 1, h);
  }
}

/* A switch keeps its entry unless that is longer than `far` hops. A longer one came from above and is taken back. */
static bool is_left(ftree *t, uint32_t s, uint32_t far) {
  if (t->seen[s] != t->turn) return false;
  if (t->far[s] <= far) return true;
  t->given[t->by[s]] -= t->counted[s];
  return false;
}

/* Goes up from a switch that is `far` hops away, over all groups. */
static void go_up(ftree *t, uint32_t s, uint32_t from, uint32_t far, how h) {
  go_down(t, s, from, far, h);
  const uint32_t *list = least_taken(t, t->up[s], t->down[s]);
  for (uint32_t i = 0; i < t->down[s] - t->up[s]; i++) {
    group *above = &t->group[list[i]];
    const how on = {.first = h.first && i == 0, .counts = h.counts && (i == 0 || t->rank[s] != t->leaf_rank)};
    uint32_t c = least_given(t, above);
    t->given[c] += on.first;
    above->taken += on.first;
    if (is_left(t, above->to, far + 1)) continue;
    set_entry(t, c, far + 1, false);
    go_up(t, above->to, s, far + 1, on);
  }
}

static void route_from(ftree *t, uint32_t s, uint32_t address, bool is_adapter) {
  t->turn++;
  t->address = address;
  t->seen[s] = t->turn;
  t->far[s] = 0;
  go_up(t, s, RIPSTOP_NONE, 0, (how){.first = is_adapter, .counts = true});
}

static void route_adapters(ftree *t, uint32_t s) {
  const ripstop_view *v = t->net.graph.view;
  const ripstop_fabric *f = v->fabric;
  uint32_t node = t->net.graph.node[s];
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (!v->port_up[port] || !ripstop_is_end(f, f->port_node[f->peer[port]])) continue;
    uint32_t end = f->port_node[f->peer[port]];
    ripstop_forwarding_set(t->tables, end, node, (uint16_t)(port - f->port_base[node]));
    route_from(t, s, end, true);
  }
  for (uint32_t i = t->net.ends[s]; i < t->most; i++) route_from(t, s, RIPSTOP_NONE, true);
}

static void route_all(ftree *t) {
  const uint64_t all = (uint64_t)t->leaves + t->net.graph.switches;
  for (uint32_t i = 0; i < t->leaves; i++) {
    ripstop_task_progress("forwarding tables", i, all);
    route_adapters(t, t->leaf[i]);
  }
  for (uint32_t s = 0; s < t->net.graph.switches; s++) {
    uint32_t node = t->net.graph.node[s];
    ripstop_task_progress("forwarding tables", (uint64_t)t->leaves + s, all);
    if (ib_subnet_first_port(t->net.graph.view->fabric) == 0) ripstop_forwarding_set(t->tables, node, node, 0);
    route_from(t, s, node, false);
  }
}

/* ------------------------------------------------------------------ the engine */

static void make_arrays(ftree *t, ripstop_arena *arena) {
  const uint32_t switches = t->net.graph.switches, channels = t->net.graph.channels;
  t->up = RIPSTOP_ARRAY(arena, switches + 1, uint32_t);
  t->down = RIPSTOP_ARRAY(arena, switches, uint32_t);
  t->group = RIPSTOP_ARRAY(arena, channels, group);
  t->channel = RIPSTOP_ARRAY(arena, channels, uint32_t);
  t->given = RIPSTOP_ARRAY(arena, channels, uint32_t);
  t->order = RIPSTOP_ARRAY(arena, channels, uint32_t);
  t->digit = RIPSTOP_ARRAY(arena, (size_t)switches * (t->leaf_rank + 1), uint16_t);
  t->place = RIPSTOP_ARRAY(arena, switches, uint32_t);
  t->leaf = RIPSTOP_ARRAY(arena, switches, uint32_t);
  t->seen = RIPSTOP_ARRAY(arena, switches, uint32_t);
  t->far = RIPSTOP_ARRAY(arena, switches, uint32_t);
  t->by = RIPSTOP_ARRAY(arena, switches, uint32_t);
  t->counted = RIPSTOP_ARRAY(arena, switches, bool);
}

/* Makes everything but the tables. -1: the engine refuses the view. */
static int look(ftree *t, const ripstop_opensm_roots *roots, const ripstop_view *view, ripstop_arena *arena,
                ripstop_error *err) {
  *t = (ftree){.address = RIPSTOP_NONE};
  ripstop_opensm_discover(&t->net, view, arena);
  if (t->net.graph.switches < 2) return refuse(err, "there are fewer than two switches");
  t->rank = RIPSTOP_ARRAY(arena, t->net.graph.switches, uint32_t);
  if (find_ranks(t, roots, arena, err) || check_ranks(t, err)) return -1;
  make_arrays(t, arena);
  make_groups(t);
  if (roots->count == 0 && check_alike(t, arena, err)) return -1;
  return find_indices(t, arena, err);
}

/* Every leaf has an entry for every adapter. Without a file of roots OpenSM takes some fabrics for fat trees that are
 * none, and leaves pairs out. */
static bool reaches_all(const ftree *t) {
  const ripstop_view *v = t->net.graph.view;
  for (uint32_t end = 0; end < v->fabric->ends; end++)
    for (uint32_t i = 0; i < t->leaves && v->port_up[v->fabric->port_base[end]]; i++)
      if (ripstop_forwarding_port(t->tables, end, t->net.graph.node[t->leaf[i]]) == RIPSTOP_NO_PORT) return false;
  return true;
}

/* NULL: the engine refuses the view. */
static ripstop_forwarding *route(const ripstop_opensm_roots *roots, const ripstop_view *view, ripstop_arena *arena,
                                 ripstop_error *err) {
  const ripstop_fabric *f = view->fabric;
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_forwarding *tables = NULL;
  ftree t;
  if (look(&t, roots, view, scratch, err) == 0) {
    uint32_t *node = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t);
    for (uint32_t n = 0; n < f->nodes; n++) node[n] = n;
    tables = t.tables = ripstop_forwarding_in(arena, f, node, f->nodes);
    route_all(&t);
    if (roots->count == 0 && !reaches_all(&t)) {
      refuse(err, "this is no fat tree: paths up and then down do not join all adapters (roots=FILE)");
      tables = NULL;
    }
  }
  return tables;
}

/* The engine accepts the fabric without faults. When it refuses a later state OpenSM falls back to minhop. */
static bool was_tree(const ripstop_opensm_roots *roots, const ripstop_fabric *fabric) {
  ripstop_error ignored;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_view *whole = ripstop_view_new(fabric, NULL);
  bool was = route(roots, whole, arena, &ignored) != NULL;
  ripstop_view_free(whole);
  return was;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  p->data = route(p->config, p->view, p->arena, err);
  if (p->data) return RIPSTOP_APPLIES;
  if (!was_tree(p->config, p->fabric)) return RIPSTOP_DOES_NOT_APPLY;
  p->note = ripstop_arena_printf(p->arena, "these are the tables of minhop, on which OpenSM falls back: %s", err->text);
  return ripstop_opensm_plan(p, ripstop_opensm_minhop, err);
}

/* All entries again, or those of minhop, which keeps old ones. */
static ripstop_forwarding *repair(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                                  double *seconds, ripstop_answer *answer, ripstop_error *err) {
  (void)seconds;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_forwarding *tables = route(config, view, arena, err);
  *answer = tables ? RIPSTOP_APPLIES : RIPSTOP_DOES_NOT_APPLY;
  if (tables) return tables;
  ripstop_arena_free(arena);
  return was_tree(config, view->fabric) ? ripstop_opensm_repair(ripstop_opensm_minhop, config, view, old, answer, err)
                                        : NULL;
}

const ripstop_method ripstop_method_opensm_ftree = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "opensm-ftree",
    .summary = "fat trees: the tables that OpenSM's engine ftree writes, evenly shared",
    .source = "OpenSM 3.3.23 (docs/methods/opensm-ftree.md)",
    .options = options,
    .config_size = sizeof(ripstop_opensm_roots),
    .preset = "modern",
    .losses = ripstop_entries_losses,
    .name_files = ripstop_opensm_roots_name,
    .load = ripstop_opensm_roots_load,
    .plan = plan,
    .route = ripstop_entries_route,
    .guarantees = ripstop_opensm_guarantees,
    .forwarding = ripstop_entries_forwarding,
    .repair = repair,
};
