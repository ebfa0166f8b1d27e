/* levels.c - the channels of a plan's packets as service levels and lanes: a packet has one level on its whole way, and
 * each switch reads the lane from it and from the ports that the packet comes in and goes out by.
 *
 * Each pair takes the first level whose lanes so far do not contradict the channels of its way, and settles those that
 * are open. First fit: there may be a solution with fewer levels. Pairs that are lost on their way come last: their
 * packets hold the lanes up to where they are lost, and on other lanes than the plan's they could close a cycle. */
#include <string.h>

#include "base/memory.h"
#include "ripstop/judge.h"
#include "ripstop/plugin/method.h"

enum { OPEN = UINT8_MAX };

typedef struct fitter {
  const ripstop_plan *plan;
  const ripstop_fabric *fabric;
  ripstop_forwarding *tables;
  ripstop_way *way; /* [ways_max] */
  uint8_t **cell;   /* [nodes + 1]: the row of levels of each hop of the present way */
  uint8_t *channel; /* [nodes + 1]: that it takes there */
  uint32_t hops, cells;
  bool lost;     /* the present pair is: on its way, or before its first hop */
  bool any_lost; /* of the pairs so far */
} fitter;

static ripstop_answer refuse(const fitter *w, const char *why, ripstop_error *err) {
  ripstop_fail(err, "method %s: %s, which service levels cannot say", w->plan->method->name, why);
  return RIPSTOP_DOES_NOT_APPLY;
}

static uint8_t *row_of(const ripstop_forwarding *t, uint32_t node, uint32_t in, uint32_t out) {
  if (ripstop_is_end(t->fabric, node)) return t->end_lane + (size_t)node * RIPSTOP_LEVELS;
  size_t row = (size_t)in * ripstop_node_ports(t->fabric, node) + out;
  return t->lane + t->lane_first[node - t->fabric->ends] + row * RIPSTOP_LEVELS;
}

/* Goes on by the one way there is. The result: RIPSTOP_DOES_NOT_APPLY with the channels open. */
static ripstop_answer step(fitter *w, ripstop_head *head, ripstop_error *err) {
  const ripstop_fabric *f = w->fabric;
  int ways = ripstop_route(w->plan, head, w->way);
  if (ways > 1) return refuse(w, "packets may choose between channels", err);
  w->lost = ways < 1 || w->hops > f->nodes; /* so many hops go round */
  if (w->lost) return RIPSTOP_APPLIES;
  uint32_t peer = f->peer[f->port_base[head->node] + w->way->port];
  w->cell[w->hops] = row_of(w->tables, head->node, head->in_port, w->way->port);
  w->channel[w->hops++] = w->way->channel;
  head->node = f->port_node[peer];
  head->in_port = peer - f->port_base[head->node];
  head->channel = w->way->channel;
  head->header = w->way->header;
  return RIPSTOP_APPLIES;
}

/* The cells of the way of a pair, as far as it comes. */
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

/* Only if the pair is lost, or only if it is not. */
static ripstop_answer fit(fitter *w, uint32_t source, uint32_t destination, bool lost, ripstop_error *err) {
  if (walk(w, source, destination, err) != RIPSTOP_APPLIES) return RIPSTOP_DOES_NOT_APPLY;
  w->any_lost |= w->lost;
  if (w->lost != lost) return RIPSTOP_APPLIES;
  unsigned level = 0;
  while (level < RIPSTOP_LEVELS && !fits(w, level)) level++;
  if (level == RIPSTOP_LEVELS) return refuse(w, "the channels of its packets want more than 16 of them", err);
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

/* What no packet asks for. */
static void close_open(uint8_t *lane, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (lane[i] == OPEN) lane[i] = 0;
}

ripstop_answer ripstop_forwarding_add_lanes(const ripstop_plan *plan, ripstop_forwarding *tables, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  const ripstop_fabric *f = plan->fabric;
  fitter w = {.plan = plan, .fabric = f, .tables = tables};
  if (plan->channels == 1 || (plan->method->forwarding && plan->method->forwarding(plan))) return RIPSTOP_APPLIES;
  if (plan->channels > RIPSTOP_LANES) return refuse(&w, "it has more than 15 channels", err);
  if (plan->classes > 1 || plan->draws > 1) return refuse(&w, "packets of one pair differ from their birth", err);
  ripstop_arena *scratch = ripstop_arena_new();
  w.way = RIPSTOP_ARRAY(scratch, plan->ways_max, ripstop_way);
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
