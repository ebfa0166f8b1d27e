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

static void look_at_tables(depend *g, const depend_mix *m) {
  g->states = 1;
  g->drops = UINT16_MAX;
  for (uint32_t i = 0; i < m->table_count; i++) {
    g->by_input |= lanes_by_input(m->tables[i]) || m->tables[i]->next_level;
    g->drops &= m->tables[i]->drops;
    if (m->tables[i]->next_level) g->states = RIPSTOP_LEVELS;
  }
}

void depend_open(depend *g, ripstop_arena *arena, const switch_graph *net, const depend_mix *m, uint32_t lanes,
                 depend_kind kind) {
  size_t slots;
  *g = (depend){.net = net, .lanes = lanes, .vertices = net->channels * lanes, .kind = kind};
  g->row = RIPSTOP_ARRAY(arena, g->vertices, depend_row);
  g->edge = RIPSTOP_ARRAY(arena, number_rows(g, &slots), uint64_t);
  if (kind == DEPEND_COUNTED) g->count = RIPSTOP_ARRAY(arena, slots, uint32_t);
  look_at_tables(g, m);
  g->seen = RIPSTOP_ARRAY(arena, (size_t)g->vertices * g->states, uint32_t);
  g->stack = RIPSTOP_ARRAY(arena, (size_t)g->vertices * g->states, uint32_t);
  g->sent = RIPSTOP_ARRAY(arena, net->fabric->ends, uint32_t);
  uint32_t **const rows[] = {&g->rank, &g->witness, &g->colour, &g->path, &g->at};
  for (size_t i = 0; kind != DEPEND_WHOLE && i < sizeof rows / sizeof *rows; i++)
    *rows[i] = RIPSTOP_ARRAY(arena, g->vertices, uint32_t);
  if (kind != DEPEND_COUNTED) return;
  g->stop = RIPSTOP_ARRAY(arena, net->switches, depend_stop);
  g->order = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  g->ready = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
}

void depend_free(depend *g) {
  ripstop_free(g->log);
  g->log = NULL;
  g->log_room = 0;
}

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
  for (uint32_t vertex = 0; vertex < g->vertices; vertex++)
    for (uint32_t i = 0; i < g->states; i++)
      used |= (g->seen[(size_t)vertex * g->states + i] ? 1u : 0u) << vertex % g->lanes;
  return used ? (uint32_t)__builtin_popcount(used) : 1;
}

/* ------------------------------------------------------------------ service levels and VLs */

uint32_t depend_levels(const ripstop_forwarding *levels) {
  uint32_t used = levels->level ? 0 : 1;
  used |= ripstop_forwarding_group_levels(levels);
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
  uint32_t used = tables->next_level ? UINT16_MAX : depend_levels(levels), lanes = 1;
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

/* ------------------------------------------------------------------ walks of packets */

typedef struct walk {
  depend *g;
  const depend_mix *m;
  uint32_t level, now; /* service levels: of the source, and of the packet at hand */
  uint32_t depth;      /* entries on the stack */
  uint32_t target;     /* the address's node */
} walk;

static bool waits(const depend *g, uint32_t vertex) { return !(g->drops >> vertex % g->lanes & 1); }

/* Makes sure that there is an edge. */
static inline void need(depend *g, uint32_t from, uint32_t to) {
  const depend_row *row = &g->row[from];
  uint64_t *word = &g->edge[row->word + (to - row->first) / 64], bit = UINT64_C(1) << (to - row->first) % 64;
  if (*word & bit) return;
  if (g->kind == DEPEND_WHOLE)
    *word |= bit;
  else
    depend_put(g, from, to, 1);
}

/* A packet has arrived at a switch by local port `in`, over vertex `from` (RIPSTOP_NONE: from an end node), and leaves
 * over a channel on the VL that a table gives. */
static inline void send_on(walk *w, const ripstop_forwarding *lanes, uint32_t s, uint32_t channel, uint32_t in,
                           uint32_t from) {
  depend *g = w->g;
  const switch_graph *net = g->net;
  uint32_t vertex = depend_vertex(g, lanes, s, channel, in, w->now), state = vertex;
  if (vertex == RIPSTOP_NONE) return;
  if (from != RIPSTOP_NONE && (!g->drops || (waits(g, from) && waits(g, vertex)))) need(g, from, vertex);
  if (g->states > 1)
    state = vertex * g->states + ripstop_forwarding_next_level(lanes, net->node[s], in, net->local[channel], w->now);
  if (g->seen[state] == g->walk) return;
  g->seen[state] = g->walk;
  g->stack[w->depth++] = state;
}

/* Entries and VLs are written separately, so transient states combine them, too. */
static inline void send_by_all(walk *w, uint32_t table, uint32_t s, uint32_t channel, uint32_t in, uint32_t from) {
  const ripstop_forwarding *const *tables = w->m->tables, *own = tables[table];
  send_on(w, own, s, channel, in, from);
  for (uint32_t k = 0; w->m->table_count > 1 && k < w->m->table_count; k++)
    if (tables[k]->lane != own->lane || tables[k]->next_level != own->next_level)
      send_on(w, tables[k], s, channel, in, from);
}

/* The hash of a flow commits its packets to one next hop, so each is a dependency of its own. */
static void go_on_by_set(walk *w, uint32_t table, uint32_t s, uint32_t in, uint32_t from) {
  const switch_graph *net = w->g->net;
  const ripstop_forwarding *t = w->m->tables[table];
  ripstop_next_hop hop;
  if (t->port[(size_t)w->m->address * net->switches + s] < net->first_port[s + 1] - net->first_port[s]) return;
  for (uint32_t i = 0; (hop = ripstop_forwarding_hop(t, w->m->address, net->node[s], i)).port != RIPSTOP_NO_PORT; i++) {
    uint32_t port = net->first_port[s] + hop.port;
    if (port < net->first_port[s + 1] && w->m->view->port_up[port] && net->hop[port].channel != RIPSTOP_NONE)
      send_by_all(w, table, s, net->hop[port].channel, in, from);
  }
}

static inline void go_on(walk *w, uint32_t s, uint32_t in, uint32_t from) {
  const depend_mix *m = w->m;
  for (uint32_t i = 0; i < m->table_count; i++) {
    uint32_t channel = switch_graph_onward(w->g->net, m->view, m->tables[i], m->address, s);
    if (channel != RIPSTOP_NONE) send_by_all(w, i, s, channel, in, from);
    if (m->tables[i]->sets) go_on_by_set(w, i, s, in, from);
  }
}

static void walk_from(walk *w, uint32_t s, uint32_t in) {
  const depend *g = w->g;
  w->now = w->level;
  go_on(w, s, in, RIPSTOP_NONE);
  while (w->depth > 0) {
    uint32_t state = g->stack[--w->depth], vertex = g->states > 1 ? state / g->states : state;
    if (g->states > 1) w->now = state % g->states;
    go_on(w, g->row[vertex].s, g->row[vertex].in, vertex);
  }
}

/* A bit for each service level on which an end node sends to the address. */
static uint32_t levels_of(const depend_mix *m, uint32_t end) {
  uint32_t levels = 0;
  for (uint32_t i = 0; i < m->level_count; i++) levels |= 1u << ripstop_forwarding_level(m->levels[i], end, m->address);
  return levels;
}

/* Walks from the end nodes of a switch that send to the address on the level. Returns the levels of all. */
static inline uint32_t walk_from_switch(walk *w, uint32_t s, bool first, bool same) {
  const switch_graph *net = w->g->net;
  uint32_t levels = 0;
  bool done = false;
  for (uint32_t i = net->end_first[s]; i < net->end_first[s + 1]; i++) {
    uint32_t end = net->end[i];
    if (end == w->target || !w->m->view->port_up[net->fabric->port_base[end]]) continue;
    if (first) w->g->sent[end] = levels_of(w->m, end);
    uint32_t own = w->g->sent[end];
    levels |= own;
    if (!(own >> w->level & 1) || (done && !w->g->by_input)) continue;
    walk_from(w, s, ripstop_end_switch_port(net->fabric, end));
    done = true;
    if (same && !w->g->by_input) break;
  }
  return levels;
}

/* The first pass finds out which levels there are, unless all sources have the same. */
void depend_add(depend *g, const depend_mix *m, const uint32_t *switches, uint32_t count) {
  walk w = {.g = g, .m = m, .target = m->tables[0]->node[m->address]};
  bool same = true, first = true;
  for (uint32_t i = 0; i < m->level_count; i++) same &= ripstop_forwarding_level_rows(m->levels[i]) < 2;
  for (uint32_t levels = same ? levels_of(m, 0) : 1; levels >> w.level; w.level++) {
    if (!(levels >> w.level & 1)) continue;
    g->walk++;
    for (uint32_t i = 0; i < count; i++) levels |= walk_from_switch(&w, switches[i], first || same, same);
    first = false;
  }
}

void depend_make(depend *g, ripstop_arena *arena, const depend_mix *m, uint32_t lanes, uint32_t addresses) {
  switch_graph *net = RIPSTOP_NEW(arena, switch_graph);
  depend_mix each = *m;
  switch_graph_make(net, m->view, (switch_graph_kind){.whole = true, .by_port = true}, arena);
  switch_graph_list_ends(net, arena);
  depend_open(g, arena, net, m, lanes, DEPEND_WHOLE);
  uint32_t senders = 0;
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->hosts[s] > 0) net->queue[senders++] = s;
  for (each.address = 0; each.address < addresses; each.address++) depend_add(g, &each, net->queue, senders);
}
