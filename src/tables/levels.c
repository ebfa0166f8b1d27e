/* levels.c - maps the channels of a plan's packets to service levels and VLs: a packet has one service level on its
 * whole path, and each switch derives the VL from it and from the input and output port.
 *
 * Each pair takes the first service level whose VLs so far do not contradict the channels of its path, and fixes
 * those that are open. First fit: a solution with fewer service levels may exist. Pairs that are lost come last:
 * their packets hold VLs up to where they are lost, and on other VLs than the plan's they could close a cycle. */
#include <string.h>

#include "base/memory.h"
#include "ripstop/kit/judge.h"
#include "ripstop/plugin/method.h"

enum { OPEN = UINT8_MAX };

typedef struct fitter {
  const ripstop_plan *plan;
  const ripstop_fabric *fabric;
  ripstop_forwarding *tables;
  ripstop_candidate *candidate; /* [candidates_max] */
  uint8_t **cell;               /* [nodes + 1]: the row of service levels of each hop of the present path */
  uint8_t *channel;             /* [nodes + 1]: taken there */
  uint32_t hops, cells;
  bool lost;     /* the present pair is lost, on its path or before its first hop */
  bool any_lost; /* among the pairs so far */
} fitter;

static ripstop_answer refuse(const fitter *w, const char *why, ripstop_error *err) {
  return ripstop_does_not_apply(err, "method %s: %s, which service levels cannot express", w->plan->method->name, why);
}

static uint8_t *row_of(const ripstop_forwarding *t, uint32_t node, uint32_t in, uint32_t out) {
  if (ripstop_is_end(t->fabric, node)) return t->end_lane + (size_t)node * RIPSTOP_LEVELS;
  size_t row = (size_t)in * ripstop_node_ports(t->fabric, node) + out;
  return t->lane + t->lane_first[node - t->fabric->ends] + row * RIPSTOP_LEVELS;
}

/* Follows the only candidate. RIPSTOP_DOES_NOT_APPLY: several channels are open. */
static ripstop_answer step(fitter *w, ripstop_head *head, ripstop_error *err) {
  const ripstop_fabric *f = w->fabric;
  int candidates = ripstop_route(w->plan, head, w->candidate);
  if (candidates > 1) return refuse(w, "packets can choose between channels", err);
  w->lost = candidates < 1 || w->hops > f->nodes; /* with so many hops, it loops */
  if (w->lost) return RIPSTOP_APPLIES;
  uint32_t peer = f->peer[f->port_base[head->node] + w->candidate->port];
  w->cell[w->hops] = row_of(w->tables, head->node, head->in_port, w->candidate->port);
  w->channel[w->hops++] = w->candidate->channel;
  head->node = f->port_node[peer];
  head->in_port = peer - f->port_base[head->node];
  head->channel = w->candidate->channel;
  head->header = w->candidate->header;
  return RIPSTOP_APPLIES;
}

/* Collects the cells of a pair's path, up to where it ends. */
static ripstop_answer walk(fitter *w, uint32_t source, uint32_t destination, ripstop_error *err) {
  ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
  w->hops = 0;
  do {
    if (step(w, &head, err) != RIPSTOP_APPLIES) return RIPSTOP_DOES_NOT_APPLY;
  } while (!w->lost && head.node != destination);
  return RIPSTOP_APPLIES;
}

static bool fits(const fitter *w, unsigned level) {
  for (uint32_t i = 0; i < w->hops; i++)
    if (w->cell[i][level] != OPEN && w->cell[i][level] != w->channel[i]) return false;
  return true;
}

/* Handles the pair only if its state of loss is `lost`. */
static ripstop_answer fit(fitter *w, uint32_t source, uint32_t destination, bool lost, ripstop_error *err) {
  if (walk(w, source, destination, err) != RIPSTOP_APPLIES) return RIPSTOP_DOES_NOT_APPLY;
  w->any_lost |= w->lost;
  if (w->lost != lost) return RIPSTOP_APPLIES;
  unsigned level = 0;
  while (level < RIPSTOP_LEVELS && !fits(w, level)) level++;
  if (level == RIPSTOP_LEVELS) return refuse(w, "its packets need more than 16 of them", err);
  for (uint32_t i = 0; i < w->hops; i++) w->cell[i][level] = w->channel[i];
  w->tables->level[(size_t)source * w->tables->addresses + destination] = (uint8_t)level;
  return RIPSTOP_APPLIES;
}

static ripstop_answer fit_all(fitter *w, bool lost, ripstop_error *err) {
  ripstop_answer answer = RIPSTOP_APPLIES;
  for (uint32_t d = 0; d < w->fabric->ends && answer == RIPSTOP_APPLIES; d++)
    for (uint32_t s = 0; s < w->fabric->ends && answer == RIPSTOP_APPLIES; s++)
      if (s != d) answer = fit(w, s, d, lost, err);
  return answer;
}

static void make_room(fitter *w) {
  ripstop_forwarding *t = w->tables;
  const ripstop_fabric *f = w->fabric;
  size_t rows = 0, switches = ripstop_fabric_switches(f);
  t->lanes = w->plan->channels;
  t->level = RIPSTOP_ARRAY(t->arena, (size_t)f->ends * t->addresses, uint8_t);
  t->lane_first = RIPSTOP_ARRAY(t->arena, switches, size_t);
  for (uint32_t s = 0; s < switches; s++) {
    size_t ports = ripstop_node_ports(f, f->ends + s);
    t->lane_first[s] = rows * RIPSTOP_LEVELS;
    rows += ports * ports;
  }
  t->lane = RIPSTOP_ARRAY(t->arena, rows * RIPSTOP_LEVELS, uint8_t);
  t->end_lane = RIPSTOP_ARRAY(t->arena, (size_t)f->ends * RIPSTOP_LEVELS, uint8_t);
  memset(t->lane, OPEN, rows * RIPSTOP_LEVELS);
  memset(t->end_lane, OPEN, (size_t)f->ends * RIPSTOP_LEVELS);
  w->cells = (uint32_t)(rows * RIPSTOP_LEVELS);
}

/* Closes cells that no packet uses. */
static void close_open(uint8_t *lane, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (lane[i] == OPEN) lane[i] = 0;
}

ripstop_answer ripstop_forwarding_add_lanes(const ripstop_plan *plan, ripstop_forwarding *tables, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  const ripstop_fabric *f = plan->fabric;
  fitter w = {.plan = plan, .fabric = f, .tables = tables};
  if (plan->channels == 1 || (plan->method->forwarding && plan->method->forwarding(plan))) return RIPSTOP_APPLIES;
  if (plan->channels > RIPSTOP_LANES) return refuse(&w, "it has more than 15 virtual channels", err);
  if (plan->classes > 1 || plan->random_headers > 1)
    return refuse(&w, "packets of one pair differ when they are generated", err);
  ripstop_arena *scratch = ripstop_arena_new();
  w.candidate = RIPSTOP_ARRAY(scratch, plan->candidates_max, ripstop_candidate);
  w.cell = RIPSTOP_ARRAY(scratch, (size_t)f->nodes + 1, uint8_t *);
  w.channel = RIPSTOP_ARRAY(scratch, (size_t)f->nodes + 1, uint8_t);
  make_room(&w);
  ripstop_answer answer = fit_all(&w, false, err);
  if (answer == RIPSTOP_APPLIES && w.any_lost) answer = fit_all(&w, true, err);
  close_open(tables->lane, w.cells);
  close_open(tables->end_lane, (size_t)f->ends * RIPSTOP_LEVELS);
  ripstop_arena_free(scratch);
  return answer;
}
