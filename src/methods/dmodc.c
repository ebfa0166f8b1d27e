/* dmodc.c - Dmodc (Gliksberg, Capra, Louvet, Garcia and Sohier 2020): forwarding tables for fat trees with failed
 * parts, by a closed form. Each switch spreads destinations over the neighbours that lead nearer by division and
 * modulo, as D-mod-k does on whole trees; the divisor is the number of paths up to the switch.
 *
 * Ranks are distances from the switches with end nodes, before faults. Paths go up and then down, so nothing deadlocks.
 * Central: tables for the present view. Cost: a byte for each switch and each leaf, and time in the product of these
 * and the neighbours of a switch. */
#include <string.h>

#include "base/local.h"
#include "base/sort.h"
#include "fabric/tree.h"
#include "methods/shared/entries.h"
#include "tables/switch_graph.h"

static const ripstop_option options[] = {{0}};

enum { FAR = UINT8_MAX };

typedef struct tree {
  switch_graph graph; /* by port; the fabric's switches, and the cables that are up */
  uint32_t *rank;     /* [switches] */
  uint32_t *leaf;     /* [leaves]: in the order of numbers of destinations */
  uint32_t *number;   /* [ends]: the number of each destination */
  uint64_t *divisor;  /* [switches] */
  uint32_t *channel;  /* [channels]: of each switch, by neighbour */
  uint8_t *fall;      /* [switches * leaves]: hops down; FAR: none */
  uint8_t *hops;      /* [switches * leaves]: up and then down */
  uint32_t leaves;
} tree;

/* ------------------------------------------------------------------ ranks */

/* Hops from the switches with end nodes, whatever has failed. -1: a cable joins two switches of one rank. */
static int find_ranks(tree *t, const ripstop_fabric *f, uint32_t *queue, ripstop_error *err) {
  uint32_t tail = 0;
  memset(t->rank, 0xFF, t->graph.switches * sizeof *t->rank);
  for (uint32_t end = 0; end < f->ends; end++) {
    const uint32_t s = ripstop_end_switch(f, end) - f->ends;
    if (t->rank[s] == 0) continue;
    t->rank[s] = 0;
    queue[tail++] = s;
  }
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t s = queue[head], port = f->port_base[f->ends + s]; port < f->port_base[f->ends + s + 1]; port++) {
      const uint32_t node = f->peer[port] == RIPSTOP_NONE ? 0 : f->port_node[f->peer[port]];
      if (f->peer[port] == RIPSTOP_NONE || ripstop_is_end(f, node)) continue;
      if (t->rank[node - f->ends] == t->rank[s])
        return ripstop_fail(err, "dmodc is for fat trees: %s has a cable between two switches %u hops from end nodes",
                            f->spec, t->rank[s]);
      if (t->rank[node - f->ends] != RIPSTOP_NONE) continue;
      t->rank[node - f->ends] = t->rank[s] + 1;
      queue[tail++] = node - f->ends;
    }
  return 0;
}

static bool leads_up(const tree *t, uint32_t c) { return t->rank[t->graph.to[c]] > t->rank[t->graph.from[c]]; }

/* The switches by rank, lowest first. */
static void sort_by_rank(const tree *t, uint32_t *order) {
  uint32_t count = 0;
  for (uint32_t rank = 0, before = RIPSTOP_NONE; count != before; rank++) {
    before = count;
    for (uint32_t s = 0; s < t->graph.switches; s++)
      if (t->rank[s] == rank) order[count++] = s;
  }
  for (uint32_t s = 0; s < t->graph.switches; s++)
    if (t->rank[s] == RIPSTOP_NONE) order[count++] = s;
}

static int by_neighbour(const void *graph, const void *a, const void *b) {
  const switch_graph *g = graph;
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (g->to[x] != g->to[y]) return g->to[x] < g->to[y] ? -1 : 1;
  return (x > y) - (x < y);
}

static void sort_channels(tree *t) {
  const switch_graph *g = &t->graph;
  for (uint32_t c = 0; c < g->channels; c++) t->channel[c] = c;
  for (uint32_t s = 0; s < g->switches; s++)
    ripstop_sort(t->channel + g->out_first[s], g->out_first[s + 1] - g->out_first[s], sizeof *t->channel, by_neighbour,
                 g);
}

/* ------------------------------------------------------------------ distances */

static void lower(uint8_t *to, const uint8_t *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (from[i] + 1 < to[i]) to[i] = (uint8_t)(from[i] + 1);
}

static void find_distances(tree *t, const uint32_t *order) {
  const switch_graph *g = &t->graph;
  const size_t leaves = t->leaves;
  memset(t->fall, FAR, g->switches * leaves);
  for (uint32_t l = 0; l < t->leaves; l++) t->fall[t->leaf[l] * leaves + l] = 0;
  for (uint32_t i = 0; i < g->switches; i++)
    for (uint32_t s = order[i], c = g->out_first[s]; c < g->out_first[s + 1]; c++)
      if (!leads_up(t, c)) lower(t->fall + s * leaves, t->fall + g->to[c] * leaves, t->leaves);
  memcpy(t->hops, t->fall, g->switches * leaves);
  for (uint32_t i = g->switches; i-- > 0;)
    for (uint32_t s = order[i], c = g->out_first[s]; c < g->out_first[s + 1]; c++)
      if (leads_up(t, c)) lower(t->hops + s * leaves, t->hops + g->to[c] * leaves, t->leaves);
}

/* Neighbours above a switch. */
static uint64_t count_above(const tree *t, uint32_t s) {
  const switch_graph *g = &t->graph;
  uint64_t count = 0;
  for (uint32_t i = g->out_first[s]; i < g->out_first[s + 1]; i++) {
    const uint32_t c = t->channel[i];
    const bool first = i == g->out_first[s] || g->to[c] != g->to[t->channel[i - 1]];
    count += first && leads_up(t, c);
  }
  return count;
}

/* The most paths up to a switch that differ in their neighbours: the product of these, rank by rank. */
static void find_divisors(tree *t, const uint32_t *order) {
  const switch_graph *g = &t->graph;
  for (uint32_t s = 0; s < g->switches; s++) t->divisor[s] = 1;
  for (uint32_t i = 0; i < g->switches; i++) {
    const uint32_t s = order[i];
    uint64_t above = t->divisor[s] * count_above(t, s);
    if (above > UINT32_MAX) above = UINT32_MAX; /* more than all numbers of destinations: they differ no more */
    for (uint32_t c = g->out_first[s]; c < g->out_first[s + 1]; c++)
      if (leads_up(t, c) && t->divisor[g->to[c]] < above) t->divisor[g->to[c]] = above;
  }
}

/* ------------------------------------------------------------------ numbers of destinations */

/* Leaves that are nearest to each other follow each other: the first leaf without a number, then those nearest to it.
 */
static void order_leaves(tree *t, const uint32_t *leaf, uint32_t *place, ripstop_arena *scratch) {
  bool *done = RIPSTOP_ARRAY(scratch, t->leaves, bool);
  uint32_t count = 0;
  for (uint32_t first = 0; first < t->leaves; first++) {
    uint8_t least = FAR;
    const uint8_t *row = t->hops + leaf[first] * (size_t)t->leaves;
    if (done[first]) continue;
    for (uint32_t l = 0; l < t->leaves; l++)
      if (!done[l] && l != first && row[l] < least) least = row[l];
    for (uint32_t l = first; l < t->leaves; l++) {
      if (done[l] || (l != first && (least == FAR || row[l] != least))) continue;
      done[l] = true;
      place[count++] = l;
    }
  }
}

/* End nodes get numbers leaf by leaf, on a leaf by its ports. */
static void number_destinations(tree *t, const ripstop_fabric *f, const uint32_t *place) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < t->leaves; i++) {
    const uint32_t node = f->ends + t->leaf[place[i]];
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
      if (f->peer[port] != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[f->peer[port]]))
        t->number[f->port_node[f->peer[port]]] = next++;
  }
}

/* ------------------------------------------------------------------ entries */

/* The neighbours over which a switch leads nearer to a leaf, by number: ranges of tree.channel. */
typedef struct choice {
  uint32_t *first, *count; /* [neighbours] */
  uint32_t neighbours;
} choice;

/* Down where that is possible, else up. */
static void choose(const tree *t, uint32_t s, uint32_t l, choice *out) {
  const switch_graph *g = &t->graph;
  const bool down = t->fall[s * (size_t)t->leaves + l] != FAR;
  const uint8_t *far = (down ? t->fall : t->hops) + l, here = far[s * (size_t)t->leaves];
  out->neighbours = 0;
  for (uint32_t i = g->out_first[s]; i < g->out_first[s + 1]; i++) {
    const uint32_t c = t->channel[i], to = g->to[c];
    if (leads_up(t, c) == down || far[to * (size_t)t->leaves] + 1 != here) continue;
    if (out->neighbours > 0 && g->to[t->channel[out->first[out->neighbours - 1]]] == to) {
      out->count[out->neighbours - 1]++;
      continue;
    }
    out->first[out->neighbours] = i;
    out->count[out->neighbours++] = 1;
  }
}

static uint16_t port_for(const tree *t, const choice *by, uint64_t divisor, uint32_t number) {
  const uint32_t which = (uint32_t)(number / divisor % by->neighbours);
  const uint32_t cable = (uint32_t)(number / (divisor * by->neighbours) % by->count[which]);
  return t->graph.local[t->channel[by->first[which] + cable]];
}

static void set_entries(const tree *t, uint32_t s, const uint32_t *number, choice *by, ripstop_forwarding *tables) {
  const ripstop_fabric *f = t->graph.fabric;
  for (uint32_t l = 0; l < t->leaves; l++) {
    const bool own = t->leaf[l] == s;
    if (!own && t->hops[s * (size_t)t->leaves + l] == FAR) continue;
    if (!own) choose(t, s, l, by);
    if (!own && by->neighbours == 0) continue;
    for (uint32_t port = f->port_base[f->ends + t->leaf[l]]; port < f->port_base[f->ends + t->leaf[l] + 1]; port++) {
      const uint32_t end = f->peer[port] == RIPSTOP_NONE ? f->ends : f->port_node[f->peer[port]];
      if (!ripstop_is_end(f, end) || !t->graph.view->port_up[port]) continue;
      const uint16_t local =
          own ? (uint16_t)ripstop_end_switch_port(f, end) : port_for(t, by, t->divisor[s], number[end]);
      ripstop_forwarding_set(tables, end, f->ends + s, local);
    }
  }
}

/* ------------------------------------------------------------------ the method */

static void make_arrays(tree *t, const ripstop_fabric *f, ripstop_arena *arena) {
  const uint32_t switches = t->graph.switches;
  t->leaf = RIPSTOP_ARRAY(arena, switches, uint32_t);
  for (uint32_t s = 0; s < switches; s++)
    if (t->rank[s] == 0) t->leaf[t->leaves++] = s;
  t->number = RIPSTOP_ARRAY(arena, f->ends, uint32_t);
  t->divisor = RIPSTOP_ARRAY(arena, switches, uint64_t);
  t->channel = RIPSTOP_ARRAY(arena, t->graph.channels, uint32_t);
  t->fall = RIPSTOP_ARRAY(arena, (size_t)switches * t->leaves, uint8_t);
  t->hops = RIPSTOP_ARRAY(arena, (size_t)switches * t->leaves, uint8_t);
}

/* Ranks, distances and divisors for what is up; `whole`: for the fabric without faults. -1: no fat tree. */
static int look(tree *t, const ripstop_view *view, bool whole, ripstop_arena *scratch, ripstop_error *err) {
  const ripstop_fabric *f = view->fabric;
  *t = (tree){0};
  switch_graph_make(&t->graph, view, (switch_graph_kind){.by_port = true, .whole = whole}, scratch);
  uint32_t *order = RIPSTOP_ARRAY(scratch, t->graph.switches, uint32_t);
  t->rank = RIPSTOP_ARRAY(scratch, t->graph.switches, uint32_t);
  if (find_ranks(t, f, order, err)) return -1;
  make_arrays(t, f, scratch);
  sort_by_rank(t, order);
  sort_channels(t);
  find_distances(t, order);
  find_divisors(t, order);
  return 0;
}

/* Paths up and then down join all leaves. */
static bool joins_all(const tree *t) {
  for (uint32_t a = 0; a < t->leaves; a++)
    for (uint32_t b = 0; b < t->leaves; b++)
      if (t->hops[t->leaf[a] * (size_t)t->leaves + b] == FAR) return false;
  return true;
}

/* Numbers of destinations by the fabric without faults. NULL: it is no fat tree. */
static const uint32_t *find_numbers(const ripstop_view *view, ripstop_arena *scratch, ripstop_error *err) {
  tree whole;
  if (look(&whole, view, true, scratch, err)) return NULL;
  if (!joins_all(&whole)) {
    ripstop_fail(err, "dmodc is for fat trees: in %s paths up and then down do not join all end nodes",
                 view->fabric->spec);
    return NULL;
  }
  uint32_t *place = RIPSTOP_ARRAY(scratch, whole.leaves, uint32_t);
  order_leaves(&whole, whole.leaf, place, scratch);
  number_destinations(&whole, view->fabric, place);
  return whole.number;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  RIPSTOP_LOCAL_ARENA(scratch);
  tree t;
  const uint32_t *number = find_numbers(p->view, scratch, err);
  if (!number || look(&t, p->view, false, scratch, err)) return RIPSTOP_DOES_NOT_APPLY;
  uint32_t *node = RIPSTOP_ARRAY(scratch, f->ends, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++) node[end] = end;
  ripstop_forwarding *tables = ripstop_forwarding_in(p->arena, f, node, f->ends);
  choice by = {.first = RIPSTOP_ARRAY(scratch, (size_t)t.graph.channels + 1, uint32_t),
               .count = RIPSTOP_ARRAY(scratch, (size_t)t.graph.channels + 1, uint32_t)};
  for (uint32_t s = 0; s < t.graph.switches; s++) {
    ripstop_task_progress("forwarding tables", s, t.graph.switches);
    set_entries(&t, s, number, &by, tables);
  }
  p->data = tables;
  return RIPSTOP_APPLIES;
}

/* A pair of leaves has paths over each neighbour above, and these share no link. */
static void guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  ripstop_tree tree_;
  (void)config;
  *out = (ripstop_guarantees){.deadlock_free = true};
  if (ripstop_tree_from(fabric, &tree_))
    *out = (ripstop_guarantees){tree_.half - 1, .minimal = true, .deadlock_free = true};
}

const ripstop_method ripstop_method_dmodc = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "dmodc",
    .summary = "fat trees with any faults: tables by division and modulo, up and then down",
    .source = "Gliksberg, Capra, Louvet, Garcia and Sohier 2020 (Dmodc)",
    .options = options,
    .preset = "modern",
    .losses = ripstop_entries_losses,
    .plan = plan,
    .route = ripstop_entries_route,
    .guarantees = guarantees,
    .forwarding = ripstop_entries_forwarding,
};
