/* turns.c - edges in rows of the receiving switch's ports; cycles by depth-first search.
 *
 * If the graph without the last additions is sorted, a cycle must contain an edge of the log that leads to no higher
 * rank. So the search begins at these edges only; usually there are none. If the graph has a cycle, the last one
 * found is checked first. */
#include "tables/turns.h"

#include <string.h>

#include "base/growing.h"
#include "base/memory.h"

static size_t number_rows(turns *g) {
  const switch_graph *c = g->net;
  size_t slots = 0;
  for (uint32_t vertex = 0; vertex < g->vertices; vertex++) {
    uint32_t channel = vertex / g->lanes, s = c->to[channel], first = c->out_first[s] * g->lanes;
    uint32_t width = c->out_first[s + 1] * g->lanes - first;
    g->row[vertex] = (turn_row){.origin = slots - first, .first = first, .width = width, .s = s};
    g->row[vertex].in = c->local[c->back[channel]];
    slots += width;
  }
  return slots;
}

void turns_open(turns *g, ripstop_arena *arena, const switch_graph *c, uint32_t lanes) {
  *g = (turns){.net = c, .lanes = lanes, .vertices = c->channels * lanes};
  g->row = RIPSTOP_ARRAY(arena, g->vertices, turn_row);
  g->count = RIPSTOP_ARRAY(arena, number_rows(g), uint32_t);
  uint32_t **const rows[] = {&g->rank, &g->witness, &g->seen, &g->colour, &g->path, &g->at, &g->stack};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = RIPSTOP_ARRAY(arena, g->vertices, uint32_t);
  g->stop = RIPSTOP_ARRAY(arena, c->switches, turn_stop);
  g->order = RIPSTOP_ARRAY(arena, c->switches, uint32_t);
  g->ready = RIPSTOP_ARRAY(arena, c->switches, uint32_t);
}

void turns_free(turns *g) { ripstop_free(g->log); }

static void add(turns *g, uint32_t from, uint32_t to, uint32_t weight) {
  size_t slot = g->row[from].origin + to;
  g->count[slot] += weight;
  RIPSTOP_GROW(g->log, g->logged, g->log_room);
  g->log[g->logged++] = (turn){.from = from, .to = to, .slot = slot, .added = weight};
}

/* ------------------------------------------------------------------ packets */

/* The VL of a channel for packets of a service level that came to its switch by local port `in`; RIPSTOP_NONE: the
 * switch drops them. */
static uint32_t lane_of(const turns *g, const ripstop_forwarding *t, uint32_t channel, uint32_t in, uint32_t level) {
  const switch_graph *c = g->net;
  if (g->lanes == 1 && !t->lane) return channel;
  uint32_t node = c->fabric->port_node[c->port[channel]];
  uint32_t lane = ripstop_forwarding_lane(t, node, in, c->local[channel], level);
  return lane < g->lanes ? channel * g->lanes + lane : RIPSTOP_NONE;
}

/* A packet has arrived at a switch by local port `in`, over a vertex (RIPSTOP_NONE: from an end node). */
static uint32_t go_on(turns *g, const turns_mixing *m, uint32_t s, uint32_t in, uint32_t from, uint32_t level,
                      uint32_t depth) {
  const ripstop_forwarding *const tables[] = {m->one, m->other};
  for (unsigned i = 0; i < (m->one == m->other ? 1 : 2); i++) {
    uint32_t channel = switch_graph_onward(g->net, m->view, tables[i], m->address, s);
    if (channel == RIPSTOP_NONE) continue;
    uint32_t vertex = lane_of(g, tables[i], channel, in, level);
    if (vertex == RIPSTOP_NONE) continue;
    if (from != RIPSTOP_NONE && !g->count[g->row[from].origin + vertex]) add(g, from, vertex, 1);
    if (g->seen[vertex] == g->walk) continue;
    g->seen[vertex] = g->walk;
    g->stack[depth++] = vertex;
  }
  return depth;
}

/* True if packets from two end nodes of one switch for an address share their whole path and its VLs. */
static bool alike(const ripstop_forwarding *tables, uint32_t end, uint32_t other, uint32_t address) {
  return !tables->lane &&
         ripstop_forwarding_level(tables, end, address) == ripstop_forwarding_level(tables, other, address);
}

static void mix_from(turns *g, const turns_mixing *m, uint32_t end, uint32_t level) {
  const ripstop_fabric *f = g->net->fabric;
  uint32_t s = ripstop_end_switch(f, end) - f->ends;
  uint32_t depth = go_on(g, m, s, ripstop_end_switch_port(f, end), RIPSTOP_NONE, level, 0);
  while (depth > 0) {
    uint32_t vertex = g->stack[--depth];
    depth = go_on(g, m, g->row[vertex].s, g->row[vertex].in, vertex, level, depth);
  }
}

/* The end nodes of a switch that send to the address on the service level; each kind once. */
static uint32_t mix_switch(turns *g, const turns_mixing *m, uint32_t s, uint32_t level) {
  const switch_graph *c = g->net;
  uint32_t before = RIPSTOP_NONE, levels = 0;
  for (uint32_t i = c->end_first[s]; i < c->end_first[s + 1]; i++) {
    uint32_t end = c->end[i], own = ripstop_forwarding_level(m->one, end, m->address);
    if (end == m->one->node[m->address] || !m->view->port_up[c->fabric->port_base[end]]) continue;
    levels |= 1u << own;
    if (own != level || (before != RIPSTOP_NONE && alike(m->one, before, end, m->address))) continue;
    mix_from(g, m, end, level);
    before = end;
  }
  return levels;
}

void turns_mix(turns *g, const turns_mixing *m, const uint32_t *switches, uint32_t count) {
  uint32_t levels = 1;
  for (uint32_t level = 0; levels >> level; level++) {
    g->walk++;
    for (uint32_t i = 0; i < count; i++) levels |= mix_switch(g, m, switches[i], level);
  }
}

void turns_path(turns *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t end, uint32_t address,
                uint32_t weight) {
  const switch_graph *c = g->net;
  const ripstop_fabric *f = c->fabric;
  uint32_t s = ripstop_end_switch(f, end) - f->ends, in = ripstop_end_switch_port(f, end), from = RIPSTOP_NONE;
  uint32_t level = ripstop_forwarding_level(tables, end, address), channel;
  g->walk++;
  while ((channel = switch_graph_onward(c, view, tables, address, s)) != RIPSTOP_NONE) {
    uint32_t vertex = lane_of(g, tables, channel, in, level);
    if (vertex == RIPSTOP_NONE) return;
    if (from != RIPSTOP_NONE) add(g, from, vertex, weight);
    if (g->seen[vertex] == g->walk) return;
    g->seen[vertex] = g->walk;
    from = vertex;
    s = g->row[vertex].s;
    in = g->row[vertex].in;
  }
}

bool turns_path_makes(const turns *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t end,
                      uint32_t address, uint32_t from, uint32_t to) {
  const switch_graph *c = g->net;
  const ripstop_fabric *f = c->fabric;
  uint32_t s = ripstop_end_switch(f, end) - f->ends, in = ripstop_end_switch_port(f, end), before = RIPSTOP_NONE;
  uint32_t level = ripstop_forwarding_level(tables, end, address), channel;
  bool made = false;
  for (uint32_t left = c->switches; left > 0 && !made; left--) {
    if ((channel = switch_graph_onward(c, view, tables, address, s)) == RIPSTOP_NONE) return false;
    uint32_t vertex = lane_of(g, tables, channel, in, level);
    if (vertex == RIPSTOP_NONE) return false;
    made = before == from && vertex == to;
    before = vertex;
    s = g->row[vertex].s;
    in = g->row[vertex].in;
  }
  return made;
}

/* ------------------------------------------------------------------ packets of many end nodes together */

/* Adds the paths of the end nodes of a switch, one kind after another. */
static void add_each(turns *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t s, uint32_t address,
                     bool back) {
  const switch_graph *c = g->net;
  uint32_t first = RIPSTOP_NONE, weight = 0;
  for (uint32_t i = c->end_first[s]; i < c->end_first[s + 1]; i++) {
    uint32_t end = c->end[i];
    if (end == tables->node[address] || !view->port_up[c->fabric->port_base[end]]) continue;
    if (weight > 0 && !alike(tables, first, end, address)) {
      turns_path(g, view, tables, first, address, back ? 0 - weight : weight);
      weight = 0;
    }
    if (weight++ == 0) first = end;
  }
  if (weight > 0) turns_path(g, view, tables, first, address, back ? 0 - weight : weight);
}

/* Appends the switches on the path from one on, unless they are in the order already. */
static void find_stops(turns *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t s,
                       uint32_t address) {
  const switch_graph *c = g->net;
  while (g->stop[s].walk != g->walk) {
    uint32_t channel = switch_graph_onward(c, view, tables, address, s);
    g->stop[s] = (turn_stop){.channel = channel, .walk = g->walk};
    g->order[g->stops++] = s;
    if (channel == RIPSTOP_NONE) return;
    s = c->to[channel];
  }
}

/* Starts the paths of the end nodes of a switch on a service level. Returns all their service levels. */
static uint32_t begin_paths(turns *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t s,
                            uint32_t address, uint32_t level) {
  const switch_graph *c = g->net;
  uint32_t levels = 0;
  for (uint32_t i = c->end_first[s]; i < c->end_first[s + 1]; i++) {
    uint32_t end = c->end[i], own = ripstop_forwarding_level(tables, end, address);
    if (end == tables->node[address] || !view->port_up[c->fabric->port_base[end]]) continue;
    levels |= 1u << own;
    g->stop[s].paths += own == level;
  }
  return levels;
}

/* Packets that pass a turn_stop wait for the channel of the next one. */
static void add_stop(turns *g, const turn_stop *here, uint32_t paths, uint32_t lane, bool back) {
  const turn_stop *next = &g->stop[g->net->to[here->channel]];
  if (paths == 0 || next->channel == RIPSTOP_NONE) return;
  add(g, here->channel * g->lanes + lane, next->channel * g->lanes + lane, back ? 0 - paths : paths);
}

/* Stops that no other leads to pass on their paths; the remaining ones are loops, where each path counts once. */
static void pass_on(turns *g, uint32_t lane, bool back) {
  const uint32_t *to = g->net->to;
  uint32_t done = 0;
  for (uint32_t i = 0; i < g->stops; i++)
    if (g->stop[g->order[i]].channel != RIPSTOP_NONE) g->stop[to[g->stop[g->order[i]].channel]].into++;
  for (uint32_t i = 0; i < g->stops; i++)
    if (g->stop[g->order[i]].into == 0) g->ready[done++] = g->order[i];
  for (uint32_t i = 0; i < done; i++) {
    const turn_stop *here = &g->stop[g->ready[i]];
    if (here->channel == RIPSTOP_NONE) continue;
    turn_stop *next = &g->stop[to[here->channel]];
    add_stop(g, here, here->paths, lane, back);
    next->paths += here->paths;
    if (--next->into == 0) g->ready[done++] = to[here->channel];
  }
}

static void go_round(turns *g, uint32_t lane, bool back) {
  const uint32_t *to = g->net->to;
  for (uint32_t i = 0; i < g->stops; i++) {
    turn_stop *first = &g->stop[g->order[i]], *stop = first;
    uint32_t paths = 0;
    if (first->into == 0) continue;
    do paths += stop->paths;
    while ((stop = &g->stop[to[stop->channel]]) != first);
    do {
      add_stop(g, stop, paths, lane, back);
      stop->into = 0;
    } while ((stop = &g->stop[to[stop->channel]]) != first);
  }
}

void turns_paths(turns *g, const ripstop_view *view, const ripstop_forwarding *tables, const uint32_t *switches,
                 uint32_t count, uint32_t address, bool back) {
  uint32_t levels = tables->lane ? 0 : 1;
  for (uint32_t i = 0; i < count && tables->lane; i++) add_each(g, view, tables, switches[i], address, back);
  for (uint32_t level = 0; levels >> level; level++) {
    uint32_t lane = level % tables->lanes;
    if (level > 0 && !(levels >> level & 1)) continue;
    g->walk++;
    g->stops = 0;
    for (uint32_t i = 0; i < count; i++) find_stops(g, view, tables, switches[i], address);
    for (uint32_t i = 0; i < count; i++) levels |= begin_paths(g, view, tables, switches[i], address, level);
    pass_on(g, lane, back);
    go_round(g, lane, back);
  }
}

/* ------------------------------------------------------------------ undo */

void turns_undo(turns *g) {
  while (g->logged > 0) {
    const turn *t = &g->log[--g->logged];
    g->count[t->slot] -= t->added;
  }
}

/* ------------------------------------------------------------------ cycles */

static bool alive(const turns *g, const ripstop_view *view, uint32_t vertex) {
  return !view || view->port_up[g->net->port[vertex / g->lanes]];
}

static bool has_edge(const turns *g, uint32_t from, uint32_t to) { return g->count[g->row[from].origin + to] > 0; }

bool turns_witness_holds(const turns *g, const ripstop_view *view) {
  bool holds = g->witnesses > 0;
  for (uint32_t i = 0; i < g->witnesses && holds; i++)
    holds = alive(g, view, g->witness[i]) && has_edge(g, g->witness[i], g->witness[(i + 1) % g->witnesses]);
  return holds;
}

/* The next successor of `vertex`; RIPSTOP_NONE: no more. */
static uint32_t next_beyond(turns *g, uint32_t vertex) {
  const turn_row *row = &g->row[vertex];
  while (g->at[vertex] < row->width) {
    uint32_t next = row->first + g->at[vertex]++;
    if (has_edge(g, vertex, next)) return next;
  }
  return RIPSTOP_NONE;
}

static void keep_witness(turns *g, uint32_t vertex, uint32_t depth) {
  uint32_t first = depth;
  while (g->path[first - 1] != vertex) first--;
  first--;
  g->witnesses = depth - first;
  memcpy(g->witness, g->path + first, g->witnesses * sizeof *g->witness);
}

/* Depth-first search; the last vertex to be left gets the lowest rank. A vertex has the colour `colours` while it is
 * on the path, and `colours` + 1 after it was left. View NULL: all channels count. */
static bool search(turns *g, const ripstop_view *view, uint32_t root, uint32_t *rank) {
  uint32_t depth = 0, open = g->colours, done = open + 1;
  if (g->colour[root] >= open || !alive(g, view, root)) return false;
  for (uint32_t enter = root; enter != RIPSTOP_NONE || depth > 0;) {
    if (enter != RIPSTOP_NONE) {
      g->colour[enter] = open;
      g->at[enter] = 0;
      g->path[depth++] = enter;
    }
    uint32_t here = g->path[depth - 1], next = next_beyond(g, here);
    enter = RIPSTOP_NONE;
    if (next == RIPSTOP_NONE) {
      g->colour[here] = done;
      if (rank) g->rank[here] = --*rank;
      depth--;
    } else if (g->colour[next] == open) {
      keep_witness(g, next, depth);
      return true;
    } else if (g->colour[next] != done && alive(g, view, next)) {
      enter = next;
    }
  }
  return false;
}

static void new_colours(turns *g) {
  g->colours += 2;
  if (g->colours < UINT32_MAX - 2) return;
  memset(g->colour, 0, g->vertices * sizeof *g->colour);
  g->colours = 2;
}

static bool against(const turns *g, const turn *t) { return g->rank[t->from] >= g->rank[t->to]; }

void turns_settle(turns *g) {
  for (uint32_t i = 0; i < g->logged && g->sorted; i++) g->sorted = !against(g, &g->log[i]);
  g->logged = 0;
}

void turns_sort(turns *g) {
  uint32_t rank = g->vertices;
  if (g->sorted) return;
  g->sorted = true;
  new_colours(g);
  for (uint32_t vertex = 0; vertex < g->vertices && g->sorted; vertex++) g->sorted = !search(g, NULL, vertex, &rank);
}

bool turns_cycle(turns *g, const ripstop_view *view) {
  bool found = turns_witness_holds(g, view);
  if (found) return true;
  new_colours(g);
  for (uint32_t i = 0; g->sorted && i < g->logged && !found; i++)
    if (against(g, &g->log[i]) && g->count[g->log[i].slot] > 0) found = search(g, view, g->log[i].to, NULL);
  for (uint32_t vertex = 0; !g->sorted && vertex < g->vertices && !found; vertex++)
    found = search(g, view, vertex, NULL);
  return found;
}
