/* depend.c - the graph in rows of the receiving switch's ports, filled by one walk over channels for each address and
 * service level.
 *
 * Cost: a walk starts once at each switch that has sources (once for each source, if VLs depend on the input port),
 * and visits each VL of each channel at most once. */
#include "tables/depend.h"

#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"

/* ------------------------------------------------------------------ the graph */

/* Returns the words of all rows. */
static size_t number_rows(depend *g, size_t *slots) {
  const switch_graph *net = g->net;
  size_t words = 0;
  *slots = 0;
  for (uint32_t vertex = 0; vertex < g->vertices; vertex++) {
    uint32_t channel = vertex / g->lanes, s = net->to[channel], first = net->out_first[s] * g->lanes;
    uint32_t width = net->out_first[s + 1] * g->lanes - first;
    g->row[vertex] = (depend_row){.word = words, .slot = *slots, .first = first, .width = width, .s = s};
    g->row[vertex].in = net->local[net->back[channel]];
    words += (width + 63) / 64;
    *slots += width;
  }
  return words;
}

void depend_open(depend *g, ripstop_arena *arena, const switch_graph *net, uint32_t lanes, depend_kind kind) {
  size_t slots;
  *g = (depend){.net = net, .lanes = lanes, .vertices = net->channels * lanes, .kind = kind};
  g->row = RIPSTOP_ARRAY(arena, g->vertices, depend_row);
  g->edge = RIPSTOP_ARRAY(arena, number_rows(g, &slots), uint64_t);
  if (kind == DEPEND_COUNTED) g->count = RIPSTOP_ARRAY(arena, slots, uint32_t);
  uint32_t **const rows[] = {&g->seen, &g->stack, &g->rank, &g->witness, &g->colour, &g->path, &g->at};
  size_t needed = kind == DEPEND_WHOLE ? 2 : sizeof rows / sizeof *rows;
  for (size_t i = 0; i < needed; i++) *rows[i] = RIPSTOP_ARRAY(arena, g->vertices, uint32_t);
  if (kind != DEPEND_COUNTED) return;
  g->stop = RIPSTOP_ARRAY(arena, net->switches, depend_stop);
  g->order = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  g->ready = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
}

void depend_free(depend *g) { ripstop_free(g->log); }

void depend_change(depend *g, uint32_t from, uint32_t to, uint32_t weight) {
  const depend_row *row = &g->row[from];
  uint32_t at = to - row->first;
  uint64_t *word = &g->edge[row->word + at / 64], bit = UINT64_C(1) << at % 64;
  bool there = g->count ? (g->count[row->slot + at] += weight) > 0 : weight > 0;
  *word = there ? *word | bit : *word & ~bit;
}

void depend_put(depend *g, uint32_t from, uint32_t to, uint32_t weight) {
  depend_change(g, from, to, weight);
  if (g->kind == DEPEND_WHOLE) return;
  RIPSTOP_GROW(g->log, g->logged, g->log_room);
  g->log[g->logged++] = (depend_edge){.from = from, .to = to, .added = weight};
}

uint32_t depend_lanes_used(const depend *g) {
  uint32_t used = 0;
  for (uint32_t vertex = 0; vertex < g->vertices; vertex++) used |= (g->seen[vertex] ? 1u : 0u) << vertex % g->lanes;
  return used ? (uint32_t)__builtin_popcount(used) : 1;
}

/* ------------------------------------------------------------------ service levels and VLs */

uint32_t depend_levels(const ripstop_forwarding *levels) {
  uint32_t used = levels->level ? 0 : 1;
  for (uint32_t row = 0; row < ripstop_forwarding_level_rows(levels); row++)
    for (uint32_t a = 0; a < levels->addresses; a++) used |= 1u << ripstop_forwarding_level(levels, row, a);
  return used;
}

static size_t lane_entries(const ripstop_forwarding *t) {
  const ripstop_fabric *f = t->fabric;
  size_t last = ripstop_fabric_switches(f), ports = ripstop_node_ports(f, f->nodes - 1);
  return t->lane_first[last - 1] + ports * ports * RIPSTOP_LEVELS;
}

uint32_t depend_lanes(const ripstop_forwarding *tables, const ripstop_forwarding *levels) {
  if (!tables->lane) return tables->lanes > levels->lanes ? tables->lanes : levels->lanes;
  uint32_t used = depend_levels(levels), lanes = 1;
  for (size_t i = 0, entries = lane_entries(tables); i < entries; i++)
    if ((used >> (i % RIPSTOP_LEVELS) & 1) && tables->lane[i] < RIPSTOP_LANES && tables->lane[i] >= lanes)
      lanes = tables->lane[i] + 1u;
  return lanes;
}

uint32_t depend_lanes_of_both(const ripstop_forwarding *x, const ripstop_forwarding *y) {
  const uint32_t lanes[] = {depend_lanes(x, x), depend_lanes(x, y), depend_lanes(y, x), depend_lanes(y, y)};
  uint32_t most = 1;
  for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
    if (lanes[i] > most) most = lanes[i];
  return most;
}

/* True if some switch uses other VLs for packets from another input port. */
static bool lanes_by_input(const ripstop_forwarding *t) {
  const ripstop_fabric *f = t->fabric;
  for (uint32_t node = f->ends; t->lane && node < f->nodes; node++) {
    size_t ports = ripstop_node_ports(f, node), row = ports * RIPSTOP_LEVELS;
    const uint8_t *lane = t->lane + t->lane_first[node - f->ends];
    if (ports > 1 && memcmp(lane, lane + row, (ports - 1) * row) != 0) return true;
  }
  return false;
}

void depend_look(depend *g, const depend_mix *m) {
  for (uint32_t i = 0; i < m->table_count; i++) g->by_input |= lanes_by_input(m->tables[i]);
}

uint32_t depend_vertex(const depend *g, const ripstop_forwarding *t, uint32_t channel, uint32_t in, uint32_t level) {
  const switch_graph *net = g->net;
  if (g->lanes == 1 && !t->lane) return channel;
  uint32_t lane = ripstop_forwarding_lane(t, net->node[net->from[channel]], in, net->local[channel], level);
  return lane < g->lanes ? channel * g->lanes + lane : RIPSTOP_NONE;
}

/* ------------------------------------------------------------------ walks of packets */

typedef struct walk {
  depend *g;
  const depend_mix *m;
  uint32_t level, depth; /* depth: of the stack */
} walk;

/* A packet has arrived at a switch by local port `in`, over vertex `from` (RIPSTOP_NONE: from an end node), and leaves
 * over a channel on the VL that a table gives. */
static void send_on(walk *w, const ripstop_forwarding *lanes, uint32_t channel, uint32_t in, uint32_t from) {
  depend *g = w->g;
  uint32_t vertex = depend_vertex(g, lanes, channel, in, w->level);
  if (vertex == RIPSTOP_NONE) return;
  if (from != RIPSTOP_NONE && !depend_has(g, from, vertex)) depend_put(g, from, vertex, 1);
  if (g->seen[vertex] == g->walk) return;
  g->seen[vertex] = g->walk;
  g->stack[w->depth++] = vertex;
}

/* Entries and VLs are written separately, so transient states combine them, too. */
static void go_on(walk *w, uint32_t s, uint32_t in, uint32_t from) {
  const depend_mix *m = w->m;
  for (uint32_t i = 0; i < m->table_count; i++) {
    uint32_t channel = switch_graph_onward(w->g->net, m->view, m->tables[i], m->address, s);
    if (channel == RIPSTOP_NONE) continue;
    for (uint32_t k = 0; k < m->table_count; k++)
      if (k == i || m->tables[k]->lane != m->tables[i]->lane) send_on(w, m->tables[k], channel, in, from);
  }
}

static void walk_from(walk *w, uint32_t s, uint32_t in) {
  go_on(w, s, in, RIPSTOP_NONE);
  while (w->depth > 0) {
    uint32_t vertex = w->g->stack[--w->depth];
    go_on(w, w->g->row[vertex].s, w->g->row[vertex].in, vertex);
  }
}

/* A bit for each service level on which an end node sends to the address. */
static uint32_t levels_of(const depend_mix *m, uint32_t end) {
  uint32_t levels = 0;
  for (uint32_t i = 0; i < m->level_count; i++) levels |= 1u << ripstop_forwarding_level(m->levels[i], end, m->address);
  return levels;
}

/* Walks from the end nodes of a switch that send to the address on the level. Returns the levels of all. */
static uint32_t walk_from_switch(walk *w, uint32_t s) {
  const switch_graph *net = w->g->net;
  uint32_t levels = 0;
  bool done = false;
  for (uint32_t i = net->end_first[s]; i < net->end_first[s + 1]; i++) {
    uint32_t end = net->end[i];
    if (end == w->m->tables[0]->node[w->m->address] || !w->m->view->port_up[net->fabric->port_base[end]]) continue;
    uint32_t own = levels_of(w->m, end);
    levels |= own;
    if (!(own >> w->level & 1) || (done && !w->g->by_input)) continue;
    walk_from(w, s, ripstop_end_switch_port(net->fabric, end));
    done = true;
  }
  return levels;
}

/* The first pass finds out which levels there are, unless all sources have the same. */
void depend_add(depend *g, const depend_mix *m, const uint32_t *switches, uint32_t count) {
  walk w = {.g = g, .m = m};
  bool same = true;
  for (uint32_t i = 0; i < m->level_count; i++) same &= ripstop_forwarding_level_rows(m->levels[i]) < 2;
  for (uint32_t levels = same ? levels_of(m, 0) : 1; levels >> w.level; w.level++) {
    if (!(levels >> w.level & 1)) continue;
    g->walk++;
    for (uint32_t i = 0; i < count; i++) levels |= walk_from_switch(&w, switches[i]);
  }
}

void depend_make(depend *g, ripstop_arena *arena, const depend_mix *m, uint32_t lanes, uint32_t addresses) {
  switch_graph *net = RIPSTOP_NEW(arena, switch_graph);
  depend_mix each = *m;
  switch_graph_make(net, m->view, (switch_graph_kind){.whole = true, .by_port = true}, arena);
  switch_graph_list_ends(net, arena);
  depend_open(g, arena, net, lanes, DEPEND_WHOLE);
  depend_look(g, m);
  for (uint32_t s = 0; s < net->switches; s++) net->queue[s] = s;
  for (each.address = 0; each.address < addresses; each.address++) depend_add(g, &each, net->queue, net->switches);
}
