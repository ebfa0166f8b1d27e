/* reconfiguration.c - static reconfiguration (paper 002, section 4): "all the processes are stopped, the network is
 * emptied, and a management application is run". Each step takes its time while sources go on generating, so that
 * latency, backlog and time series show the cost.
 *
 * Invariant: `stalled` exactly from DRAINING to RESUMING; `stale` exactly from DETECTING to COMPUTING. */
#include "simulate/reconfiguration.h"

#include "ripstop/plugin/method.h"
#include "simulate/agents.h"
#include "simulate/change.h"
#include "simulate/core.h"
#include "simulate/live_deadlock.h"

ripstop_answer stop_applies(const ripstop_reconfiguration_config *config, const ripstop_plan *plan,
                            ripstop_error *err) {
  if (config->model == RIPSTOP_RECONFIGURATION_DYNAMIC) return RIPSTOP_APPLIES;
  if (plan->method->proto)
    ripstop_fail(err,
                 "reaction.model=static needs a method that is computed centrally; the switches of %s run a protocol",
                 plan->method->name);
  else if (plan->transit_packets)
    ripstop_fail(err, "reaction.model=static stops injection, but %s forwards in-transit packets through them",
                 plan->method->name);
  else
    return RIPSTOP_APPLIES;
  return RIPSTOP_DOES_NOT_APPLY;
}

/* ------------------------------------------------------------------ phases */

static uint64_t packets_underway(const run *r) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    const measure *m = &r->part[i].measure;
    sum += m->injected - m->delivered - m->lost_underway; /* may wrap below zero for one part, but not for the sum */
  }
  return sum;
}

/* Loses every packet that has left its NIC. */
static void empty_network(run *r) {
  part *t = r->part;
  for (uint32_t p = 0; p < r->shape->parts; p++)
    for (uint32_t i = r->part[p].free_packet, left = r->part[p].free_packets; left > 0; i = next_free(t, i), left--)
      t->packet[i].truncated = true; /* unused rows; lose() ignores them */
  for (uint32_t i = 0; i < r->packets; i++)
    if (t->packet[i].hops > 0) lose(t, &t->packet[i], RIPSTOP_NONE, RIPSTOP_LOST_DRAIN);
  reload_candidates(r);
}

static void enter(run *r, stop_phase phase, int64_t cycles) {
  stop *s = r->stop;
  s->cycles[s->phase] += r->part->now - s->since;
  s->phase = phase;
  s->since = r->part->now;
  s->until = s->since + (uint32_t)cycles;
}

static void begin_drain(run *r) {
  enter(r, DRAINING, 0);
  r->stop->stalled = true;
  r->stop->stops++;
  if (r->config->reconfiguration.drain == RIPSTOP_DRAIN_DISCARD) empty_network(r);
}

static void use_new_plan(run *r) {
  if (!compile_plan(r)) return;
  r->stop->stale = false;
  reload_candidates(r);
  enter(r, RESUMING, r->config->reconfiguration.resume);
}

static void resume(run *r) {
  enter(r, RUNNING, 0);
  r->stop->stalled = false;
  for (uint32_t end = 0; end < r->fabric->ends; end++) wake_node(part_of(r, end), end);
  if (r->stop->notified) agents_react(r, RIPSTOP_RECONFIGURATION_RESUMED);
  r->stop->failed = r->stop->notified = false;
}

void stop_change(run *r, bool failed) {
  r->stop->stale = true;
  r->stop->failed |= failed;
  if (failed) agents_react(r, RIPSTOP_RECONFIGURATION_FAILED);
  if (r->stop->phase == RUNNING) enter(r, DETECTING, r->config->reconfiguration.detect);
  if (r->stop->phase >= COMPUTING) enter(r, COMPUTING, r->config->reconfiguration.recompute);
}

static void notify_agents(run *r) {
  stop *s = r->stop;
  if (!s->failed || s->notified || s->phase < DRAINING) return;
  s->notified = true;
  agents_react(r, RIPSTOP_RECONFIGURATION_STOPPED);
}

static void step(run *r) {
  stop *s = r->stop;
  if (s->phase == RUNNING) return;
  if (s->phase == DETECTING && r->part->now >= s->until) begin_drain(r);
  notify_agents(r);
  if (s->phase == DRAINING && packets_underway(r) == 0) enter(r, COMPUTING, r->config->reconfiguration.recompute);
  if (s->phase == COMPUTING && r->part->now >= s->until) use_new_plan(r);
  if (s->phase == RESUMING && r->part->now >= s->until) resume(r);
}

static uint32_t next_step(const run *r) {
  const stop *s = r->stop;
  if (s->phase == RUNNING) return UINT32_MAX;
  if (s->phase == DRAINING) return packets_underway(r) ? UINT32_MAX : r->part->now;
  return s->until;
}

uint64_t stop_cycles(const run *r, stop_phase phase) {
  const stop *s = r->stop;
  return s->cycles[phase] + (s->phase == phase ? r->part->now - s->since : 0);
}

/* While draining, a deadlock is lost with everything else in the network. */
static void search(run *r) {
  const char *witness = r->witness;
  if (r->stop->phase != DRAINING || !is_look(r) || !find_deadlock(r)) return;
  r->witness = witness;
  r->stop->deadlocks++;
  empty_network(r);
}

static bool is_stopping(const run *r) { return r->stop->phase != RUNNING; }

/* ------------------------------------------------------------------ hooks */

/* A plan older than the view may have candidates whose links are down: removes them. */
static int route_stale(part *t, queue *q, const ripstop_head *head, ripstop_candidate *candidate) {
  const sim_node *n = &t->shape.node[head->node];
  int candidates = ripstop_route(t->run->plan, head, candidate), left = 0;
  if (candidates == 0) break_rule(t, q, "a number of candidates out of range:", 0);
  if (!t->run->stop->stale || candidates <= 0 || candidates > (int)t->shape.candidates_max) return candidates;
  for (int i = 0; i < candidates; i++)
    if (candidate[i].port >= n->ports || t->run->view->port_up[n->port + candidate[i].port])
      candidate[left++] = candidate[i];
  if (left == 0) set_loss(q, RIPSTOP_LOST_LINK);
  return left;
}

/* Losses under a plan older than the view do not make the run lossy. */
static bool counts_as_lossy(part *t, const queue *q, const packet *p) {
  (void)q, (void)p;
  return !t->run->stop->stale;
}

/* Removes NICs while they are stalled. They keep their dirty sets, and resume wakes them. */
static uint32_t leave_out_interfaces(const part *t, uint32_t *node, uint32_t count) {
  uint32_t left = 0;
  if (!t->run->stop->stalled) return count;
  for (uint32_t i = 0; i < count; i++)
    if (!is_interface(&t->shape, node[i])) node[left++] = node[i];
  return left;
}

int stop_open(run *r, ripstop_error *err) {
  (void)err;
  hooks *hook = &r->part->hook;
  if (r->config->reconfiguration.model == RIPSTOP_RECONFIGURATION_DYNAMIC) return 0;
  r->stop = RIPSTOP_NEW(r->arena, stop);
  hook->candidates = route_stale;
  hook->no_candidate = counts_as_lossy;
  hook->deciders = leave_out_interfaces;
  hook_cycle(hook->changed, step);
  hook_cycle(hook->over, search);
  hook->busy[0] = is_stopping;
  hook->next[0] = next_step;
  return 0;
}
