/* updown_escape.c - see updown_escape.h. */
#include "methods/shared/updown_escape.h"

#include <string.h>

#include "base/local.h"
#include "methods/shared/limits.h"
#include "methods/shared/shortest.h"

/* Neighbours of the switch at place i are to[first[i]] .. to[first[i + 1] - 1], by place. */
typedef struct graph {
  uint32_t *first, *to, *order;
} graph;

static void search(const ripstop_view *view, uint32_t from, uint32_t *place, uint32_t *order, uint32_t *count) {
  const ripstop_fabric *f = view->fabric;
  uint32_t next = *count;
  place[from - f->ends] = *count;
  order[(*count)++] = from;
  for (; next < *count; next++)
    for (uint32_t port = f->port_base[order[next]]; port < f->port_base[order[next] + 1]; port++) {
      if (!view->port_up[port]) continue;
      const uint32_t to = f->port_node[f->peer[port]];
      if (ripstop_is_end(f, to) || place[to - f->ends] != RIPSTOP_NONE) continue;
      place[to - f->ends] = *count;
      order[(*count)++] = to;
    }
}

static graph order_switches(const ripstop_view *view, uint32_t root, uint32_t *place, ripstop_arena *arena) {
  const ripstop_fabric *f = view->fabric;
  const uint32_t switches = ripstop_fabric_switches(f);
  graph g = {.first = RIPSTOP_ARRAY(arena, switches + 1, uint32_t),
             .to = RIPSTOP_ARRAY(arena, f->ports, uint32_t),
             .order = RIPSTOP_ARRAY(arena, switches, uint32_t)};
  uint32_t count = 0, listed = 0;
  memset(place, 0xFF, switches * sizeof *place);
  search(view, f->ends + root, place, g.order, &count);
  for (uint32_t s = 0; s < switches; s++)
    if (place[s] == RIPSTOP_NONE) search(view, f->ends + s, place, g.order, &count);
  for (uint32_t i = 0; i < switches; i++) {
    for (uint32_t port = f->port_base[g.order[i]]; port < f->port_base[g.order[i] + 1]; port++) {
      const uint32_t to = view->port_up[port] ? f->port_node[f->peer[port]] : 0;
      if (view->port_up[port] && !ripstop_is_end(f, to)) g.to[listed++] = place[to - f->ends];
    }
    g.first[i + 1] = listed;
  }
  return g;
}

static uint16_t nearest(const graph *g, uint32_t i, const uint16_t *far, bool down) {
  uint16_t best = ESCAPE_FAR;
  for (uint32_t k = g->first[i]; k < g->first[i + 1]; k++)
    if ((g->to[k] > i) == down && far[g->to[k]] < best) best = far[g->to[k]];
  return best == ESCAPE_FAR ? best : (uint16_t)(best + 1);
}

/* Hops by place, breadth first. */
static void fill_hops(const graph *g, uint32_t switches, uint32_t to, uint16_t *hops, uint32_t *queue) {
  uint32_t tail = 0;
  memset(hops, 0xFF, switches * sizeof *hops);
  hops[to] = 0;
  queue[tail++] = to;
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t k = g->first[queue[head]]; k < g->first[queue[head] + 1]; k++) {
      if (hops[g->to[k]] != ESCAPE_FAR) continue;
      hops[g->to[k]] = (uint16_t)(hops[queue[head]] + 1);
      queue[tail++] = g->to[k];
    }
}

/* Hops that only go down, from the highest place on; and that go up first, from the lowest on. */
static void fill_left(const graph *g, uint32_t switches, uint32_t to, uint16_t *rise, uint16_t *fall) {
  for (uint32_t i = switches; i-- > 0;) fall[i] = i == to ? 0 : nearest(g, i, fall, true);
  for (uint32_t i = 0; i < switches; i++) {
    const uint16_t above = nearest(g, i, rise, false);
    rise[i] = above < fall[i] ? above : fall[i];
  }
}

/* Writes a row by place as a row by switch. */
static void by_switch(const updown_escape *e, const uint16_t *row, uint16_t *out) {
  for (uint32_t s = 0; s < e->switches; s++) out[s] = row[e->place[s]];
}

static void fill(const ripstop_plan *p, updown_escape *e, const graph *g, const uint32_t *node,
                 ripstop_arena *scratch) {
  const size_t all = (size_t)e->targets * e->switches;
  uint16_t *hops = RIPSTOP_ARRAY(p->arena, all, uint16_t), *rise = RIPSTOP_ARRAY(p->arena, all, uint16_t);
  uint16_t *fall = RIPSTOP_ARRAY(p->arena, all, uint16_t),
           *row = RIPSTOP_ARRAY(scratch, 3 * (size_t)e->switches, uint16_t);
  uint32_t *queue = RIPSTOP_ARRAY(scratch, e->switches, uint32_t);
  for (uint32_t t = 0; t < e->targets; t++) {
    const uint32_t to = e->place[node[t] - p->fabric->ends];
    const size_t at = (size_t)t * e->switches;
    ripstop_task_progress("tables of up/down paths", t, e->targets);
    fill_hops(g, e->switches, to, row, queue);
    fill_left(g, e->switches, to, row + e->switches, row + 2 * (size_t)e->switches);
    by_switch(e, row, hops + at);
    by_switch(e, row + e->switches, rise + at);
    by_switch(e, row + 2 * (size_t)e->switches, fall + at);
  }
  e->hops = hops;
  e->left[ESCAPE_MAY_RISE] = rise;
  e->left[ESCAPE_MUST_FALL] = fall;
}

static uint32_t most_ports(const ripstop_fabric *f) {
  uint32_t most = 0;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > most) most = ripstop_node_ports(f, v);
  return most;
}

ripstop_answer ripstop_updown_escape_plan(ripstop_plan *p, updown_escape *out, uint32_t root, uint32_t channels,
                                          ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t switches = ripstop_fabric_switches(f), *node;
  RIPSTOP_LOCAL_ARENA(scratch);
  if (root >= switches) {
    ripstop_fail(err, "%s: root=%u, but %s has %u switches", p->method->name, root, f->spec, switches);
    return RIPSTOP_ERROR;
  }
  *out = (updown_escape){.switches = switches};
  out->targets = ripstop_shortest_targets(p->arena, f, &out->target, &node);
  p->candidates_max = most_ports(f) * channels;
  const ripstop_answer answer =
      ripstop_check_tables(p, p->candidates_max, (uint64_t)out->targets * switches * 3 * sizeof(uint16_t), 0, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  uint32_t *place = RIPSTOP_ARRAY(p->arena, switches, uint32_t);
  const graph g = order_switches(p->view, root, place, scratch);
  out->place = place;
  fill(p, out, &g, node, scratch);
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ candidates */

size_t ripstop_updown_escape_row(const updown_escape *e, const ripstop_fabric *f, uint32_t end) {
  return (size_t)e->target[ripstop_end_switch(f, end) - f->ends] * e->switches;
}

int ripstop_updown_escape_candidates(const ripstop_plan *p, const updown_escape *e, const ripstop_head *head,
                                     uint64_t header, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t here = head->node - f->ends, base = f->port_base[head->node];
  const bool fell = head->header % ESCAPE_PHASES == ESCAPE_FALLS;
  const size_t row = ripstop_updown_escape_row(e, f, head->destination);
  const uint16_t left = e->left[fell ? ESCAPE_MUST_FALL : ESCAPE_MAY_RISE][row + here];
  int count = 0;
  if (left == ESCAPE_FAR) return 0;
  for (uint32_t port = base; port < f->port_base[head->node + 1]; port++) {
    const uint32_t next = p->view->port_up[port] ? f->port_node[f->peer[port]] : 0;
    if (!p->view->port_up[port] || ripstop_is_end(f, next)) continue;
    const bool down = e->place[next - f->ends] > e->place[here];
    if ((fell && !down) || e->left[down ? ESCAPE_MUST_FALL : ESCAPE_MAY_RISE][row + next - f->ends] + 1 != left)
      continue;
    candidates[count++] =
        (ripstop_candidate){.header = header / ESCAPE_PHASES * ESCAPE_PHASES + (down ? ESCAPE_FALLS : ESCAPE_RISES),
                            .port = (uint16_t)(port - base),
                            .rank = 1,
                            .space = 1,
                            .weight = left};
  }
  return count;
}

int ripstop_updown_escape_ends(const ripstop_plan *p, const ripstop_head *head, int cut_off,
                               ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  uint32_t local = 0;
  if (!ripstop_is_end(f, head->node)) {
    if (ripstop_end_switch(f, head->destination) != head->node) return 0;
    local = ripstop_end_switch_port(f, head->destination);
  }
  candidates[0] = (ripstop_candidate){.header = head->header, .port = (uint16_t)local, .space = 1};
  return p->view->port_up[f->port_base[head->node] + local] ? 1 : -(1 + cut_off);
}
