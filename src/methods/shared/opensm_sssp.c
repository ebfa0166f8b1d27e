/* opensm_sssp.c - see opensm_sssp.h. */
#include "methods/shared/opensm_sssp.h"

#include <string.h>

#include "base/local.h"
#include "fabric/ib_subnet.h"
#include "methods/shared/opensm_ports.h"

#define FAR UINT64_C(0x7FFFFFFF) /* OpenSM finds no path that weighs as much */

/* ------------------------------------------------------------------ targets */

static uint32_t list_adapters(const ripstop_opensm *net, uint32_t s, uint32_t *out) {
  const ripstop_view *v = net->graph.view;
  const ripstop_fabric *f = v->fabric;
  const uint32_t node = net->graph.node[s];
  uint32_t count = 0;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (v->port_up[port] && ripstop_is_end(f, f->port_node[f->peer[port]])) out[count++] = f->port_node[f->peer[port]];
  return count;
}

void ripstop_opensm_list_targets(const ripstop_opensm *net, ripstop_arena *arena, ripstop_opensm_targets *out) {
  const uint32_t switches = net->graph.switches, *order = ripstop_opensm_order(net, arena);
  uint32_t count = 0;
  *out = (ripstop_opensm_targets){.node = RIPSTOP_ARRAY(arena, net->graph.fabric->nodes, uint32_t),
                                  .first = RIPSTOP_ARRAY(arena, switches + 1, uint32_t)};
  for (uint32_t name = 0; name < switches; name++) {
    if (net->graph.part[name] != name) continue;
    out->first[out->parts++] = count;
    for (uint32_t i = 0; i < switches; i++)
      if (net->graph.part[order[i]] == name) count += list_adapters(net, order[i], out->node + count);
    for (uint32_t i = 0; i < switches; i++)
      if (net->graph.part[order[i]] == name) out->node[count++] = net->graph.node[order[i]];
  }
  out->first[out->parts] = count;
}

/* ------------------------------------------------------------------ heap */

enum { CHILDREN = 4 };

/* Vertices by their distance. Where several are as near, the arrangement decides, so each step is OpenSM's: of equal
 * children the last one rises; of equal parents and children none moves. */
typedef struct heap {
  uint32_t *vertex; /* [size] */
  uint32_t *place;  /* [vertices]: the index of each in `vertex` */
  uint64_t *key;    /* [vertices] */
  uint32_t size;
} heap;

static void put(heap *h, uint32_t place, uint32_t vertex) {
  h->vertex[place] = vertex;
  h->place[vertex] = place;
}

static void rise(heap *h, uint32_t place) {
  const uint32_t vertex = h->vertex[place];
  while (place > 0) {
    const uint32_t parent = (place - 1) / CHILDREN;
    if (h->key[vertex] >= h->key[h->vertex[parent]]) break;
    put(h, place, h->vertex[parent]);
    place = parent;
  }
  put(h, place, vertex);
}

static uint32_t least_child(const heap *h, uint32_t parent) {
  uint32_t least = parent * CHILDREN + 1;
  for (uint32_t i = least + 1; i < parent * CHILDREN + 1 + CHILDREN && i < h->size; i++)
    if (h->key[h->vertex[i]] <= h->key[h->vertex[least]]) least = i;
  return least;
}

static void sink(heap *h, uint32_t place) {
  const uint32_t vertex = h->vertex[place];
  while (place * CHILDREN + 1 < h->size) {
    const uint32_t child = least_child(h, place);
    if (h->key[vertex] <= h->key[h->vertex[child]]) break;
    put(h, place, h->vertex[child]);
    place = child;
  }
  put(h, place, vertex);
}

static uint32_t take_nearest(heap *h) {
  const uint32_t vertex = h->vertex[0];
  h->size--;
  if (h->size == 0) return vertex;
  put(h, 0, h->vertex[h->size]);
  sink(h, 0);
  return vertex;
}

/* ------------------------------------------------------------------ one destination */

/* Vertices are the switches of one part, in OpenSM's order, and then the adapter that is the destination. */
typedef struct work {
  const ripstop_opensm *net;
  uint64_t *weight;  /* [channels]: in the direction from the destination */
  uint32_t *switch_; /* [vertices]: the switch of each */
  uint32_t *vertex;  /* [switches] */
  uint32_t vertices; /* without the adapter */
  uint32_t *used;    /* [vertices]: channel from which each was found; RIPSTOP_NONE: none */
  uint32_t *ordered; /* [vertices]: in the order in which the heap returned them */
  uint32_t *behind;  /* [vertices]: adapters and switches whose paths to the destination lead over each */
  uint8_t *found;    /* [vertices]: returned by the heap */
  heap heap;
} work;

static void reach(work *w, uint32_t vertex, uint64_t distance, uint32_t channel) {
  if (w->found[vertex] || distance >= w->heap.key[vertex]) return;
  w->used[vertex] = channel;
  w->heap.key[vertex] = distance;
  rise(&w->heap, w->heap.place[vertex]);
}

static void reach_neighbours(work *w, uint32_t vertex) {
  const switch_graph *g = &w->net->graph;
  const uint32_t s = w->switch_[vertex];
  for (uint32_t c = g->out_first[s]; c < g->out_first[s + 1]; c++)
    reach(w, w->vertex[g->to[c]], w->heap.key[vertex] + w->weight[c], c);
}

/* Finds the paths to the switch `to`, or to an adapter there. */
static void find_paths(work *w, uint32_t to, bool is_adapter) {
  const uint32_t count = w->vertices + is_adapter, from = is_adapter ? w->vertices : w->vertex[to];
  w->heap.size = count;
  for (uint32_t v = 0; v < count; v++) {
    w->used[v] = RIPSTOP_NONE;
    w->found[v] = 0;
    w->heap.key[v] = FAR;
    put(&w->heap, v, v);
  }
  w->heap.key[from] = 0;
  rise(&w->heap, from);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t v = w->ordered[i] = take_nearest(&w->heap);
    w->found[v] = 1;
    if (v == w->vertices)
      reach(w, w->vertex[to], 1, RIPSTOP_NONE);
    else
      reach_neighbours(w, v);
  }
}

/* Each used channel gets heavier by the adapters and switches behind it. Switches count as one adapter. */
static void add_weights(work *w, uint32_t count) {
  const switch_graph *g = &w->net->graph;
  for (uint32_t v = 0; v < w->vertices; v++) w->behind[v] = w->net->ends[w->switch_[v]] + 1;
  for (uint32_t i = count; i-- > 0;) {
    const uint32_t v = w->ordered[i];
    if (v == w->vertices || w->used[v] == RIPSTOP_NONE) continue;
    w->weight[w->used[v]] += w->behind[v];
    w->behind[w->vertex[g->from[w->used[v]]]] += w->behind[v];
  }
}

/* -1: some switch found no path. */
static int set_entries(const work *w, ripstop_forwarding *tables, uint32_t address, uint32_t to) {
  const switch_graph *g = &w->net->graph;
  for (uint32_t v = 0; v < w->vertices; v++) {
    if (w->switch_[v] == to) continue;
    if (w->used[v] == RIPSTOP_NONE) return -1;
    ripstop_forwarding_set(tables, address, g->node[w->switch_[v]], g->local[g->back[w->used[v]]]);
  }
  return 0;
}

static int route_to(work *w, ripstop_forwarding *tables, uint32_t node) {
  const switch_graph *g = &w->net->graph;
  const bool is_adapter = ripstop_is_end(g->fabric, node);
  const uint32_t at = is_adapter ? ripstop_end_switch(g->fabric, node) : node;
  const uint16_t last = switch_graph_last_port(g->fabric, node);
  find_paths(w, g->index[at - g->fabric->ends], is_adapter);
  if (set_entries(w, tables, node, g->index[at - g->fabric->ends])) return -1;
  if (last != RIPSTOP_NO_PORT) ripstop_forwarding_set(tables, node, at, last);
  add_weights(w, w->vertices + is_adapter);
  return 0;
}

/* ------------------------------------------------------------------ all */

static work open_work(const ripstop_opensm *net, ripstop_arena *arena) {
  const uint32_t most = net->graph.switches + 1;
  return (work){.net = net,
                .weight = RIPSTOP_ARRAY(arena, net->graph.channels, uint64_t),
                .switch_ = RIPSTOP_ARRAY(arena, most, uint32_t),
                .vertex = RIPSTOP_ARRAY(arena, most, uint32_t),
                .used = RIPSTOP_ARRAY(arena, most, uint32_t),
                .ordered = RIPSTOP_ARRAY(arena, most, uint32_t),
                .behind = RIPSTOP_ARRAY(arena, most, uint32_t),
                .found = RIPSTOP_ARRAY(arena, most, uint8_t),
                .heap = {.vertex = RIPSTOP_ARRAY(arena, most, uint32_t),
                         .place = RIPSTOP_ARRAY(arena, most, uint32_t),
                         .key = RIPSTOP_ARRAY(arena, most, uint64_t)}};
}

/* Prepares for the part of a switch, which has so many targets. */
static void begin_part(work *w, uint32_t part, uint64_t targets) {
  const switch_graph *g = &w->net->graph;
  w->vertices = 0;
  for (uint32_t s = 0; s < g->switches; s++) {
    if (g->part[s] != part) continue;
    w->vertex[s] = w->vertices;
    w->switch_[w->vertices++] = s;
    for (uint32_t c = g->out_first[s]; c < g->out_first[s + 1]; c++) w->weight[c] = targets * targets;
  }
}

static uint32_t part_of(const switch_graph *g, uint32_t node) {
  const uint32_t at = ripstop_is_end(g->fabric, node) ? ripstop_end_switch(g->fabric, node) : node;
  return g->part[g->index[at - g->fabric->ends]];
}

ripstop_forwarding *ripstop_opensm_sssp(const ripstop_opensm *net, const ripstop_opensm_targets *targets,
                                        ripstop_arena *arena, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_fabric *f = net->graph.fabric;
  uint32_t *node = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t);
  for (uint32_t n = 0; n < f->nodes; n++) node[n] = n;
  ripstop_forwarding *tables = ripstop_forwarding_in(arena, f, node, f->nodes);
  work w = open_work(net, scratch);
  for (uint32_t p = 0; p < targets->parts; p++) {
    const uint32_t first = targets->first[p], end = targets->first[p + 1];
    begin_part(&w, part_of(&net->graph, targets->node[first]), end - first);
    for (uint32_t i = first; i < end; i++) {
      ripstop_task_progress("forwarding tables", i, targets->first[targets->parts]);
      if (route_to(&w, tables, targets->node[i])) {
        ripstop_fail(err, "with %u adapters and switches some path weighs more than OpenSM can count (2^31)",
                     end - first);
        return NULL;
      }
    }
  }
  return tables;
}
