/* reaction.c - the static fault model (paper 002, section 4): "all the processes are stopped, the network is emptied,
 * and a management application is run". Here all of it takes its time, and births go on, so that what a stop costs
 * shows in latency, backlog and time series.
 *
 * Invariant: `held` exactly from DRAINING to RESUMING; `stale` exactly from DETECTING to COMPUTING. */
#include "simulate/reaction.h"
#include "ripstop/plugin/method.h"

#include "simulate/state.h"

ripstop_answer stop_applies(const ripstop_reaction_config *config, const ripstop_plan *plan, ripstop_error *err) {
  if (config->model == RIPSTOP_REACTION_DYNAMIC) return RIPSTOP_APPLIES;
  if (plan->method->proto)
    ripstop_fail(
        err, "reaction.model: static is for methods that are computed centrally; the switches of %s react themselves",
        plan->method->name);
  else if (plan->guests)
    ripstop_fail(err, "reaction.model: static stops network interfaces, through which %s sends packets on their way",
                 plan->method->name);
  else
    return RIPSTOP_APPLIES;
  return RIPSTOP_DOES_NOT_APPLY;
}

static uint64_t packets_underway(const engine *e) {
  return e->measure.injected - e->measure.delivered - e->measure.lost_underway;
}

/* Every packet that has left its interface is lost. */
static void empty_network(engine *e) {
  for (uint32_t i = 0; i < e->free_packets; i++) e->packet[e->free_packet[i]].truncated = true; /* not there */
  for (uint32_t i = 0; i < e->packets; i++)
    if (e->packet[i].hops > 0) lose(e, &e->packet[i], RIPSTOP_LOST_DRAIN);
  reload_ways(e);
}

static void enter(engine *e, stop_phase phase, int64_t cycles) {
  e->stop.phase = phase;
  e->stop.until = e->now + (uint32_t)cycles;
}

static void begin_drain(engine *e) {
  enter(e, DRAINING, 0);
  e->stop.held = true;
  e->stop.stops++;
  if (e->config->reaction.drain == RIPSTOP_DRAIN_DISCARD) empty_network(e);
}

static void use_new_plan(engine *e) {
  if (!compile_plan(e)) return;
  e->stop.stale = false;
  reload_ways(e);
  enter(e, RESUMING, e->config->reaction.resume);
}

static void resume(engine *e) {
  enter(e, RUNNING, 0);
  e->stop.held = false;
  for (uint32_t end = 0; end < e->fabric->ends; end++) wake_node(e, end);
}

void stop_change(engine *e) {
  e->stop.stale = true;
  if (e->stop.phase == RUNNING) enter(e, DETECTING, e->config->reaction.detect);
  if (e->stop.phase >= COMPUTING) enter(e, COMPUTING, e->config->reaction.recompute);
}

void stop_step(engine *e) {
  if (e->stop.phase == DETECTING && e->now >= e->stop.until) begin_drain(e);
  if (e->stop.phase == DRAINING && packets_underway(e) == 0) enter(e, COMPUTING, e->config->reaction.recompute);
  if (e->stop.phase == COMPUTING && e->now >= e->stop.until) use_new_plan(e);
  if (e->stop.phase == RESUMING && e->now >= e->stop.until) resume(e);
  e->stop.cycles[e->stop.phase]++;
}

void stop_search(engine *e) {
  const char *witness = e->witness;
  if (!find_deadlock(e)) return;
  e->witness = witness;
  e->stop.deadlocks++;
  empty_network(e);
}
