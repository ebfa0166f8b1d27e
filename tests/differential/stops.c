/* stops.c - the network that stops when the fabric changes (docs/model.md, "Stops"). */
#include "simulate/run_result.h"
#include "things.h"

typedef enum phase { RUNNING, DETECTING, DRAINING, COMPUTING, RESUMING } phase;

struct stop {
  phase phase;
  uint64_t since; /* cycle in which it began */
};

void slow_stop_open(model *m) {
  if (m->sim->reconfiguration.model == RIPSTOP_RECONFIGURATION_STATIC) m->stop = RIPSTOP_NEW(m->arena, struct stop);
}

/* Packets that ever left their source and are neither delivered nor lost. */
static bool is_under_candidate(const model_packet *p) {
  return p->sent != MODEL_NEVER && p->delivered == MODEL_NEVER && p->cause == RIPSTOP_NONE;
}

static bool is_empty(const model *m) {
  for (size_t i = 0; i < m->packets; i++)
    if (is_under_candidate(&m->packet[i])) return false;
  return true;
}

static void lose_all_under_candidate(model *m) {
  for (uint32_t i = 0; i < m->packets; i++)
    if (is_under_candidate(&m->packet[i])) slow_lose(m, i, RIPSTOP_LOST_DRAIN);
}

static void enter_phase(model *m, phase next) {
  m->stop->phase = next;
  m->stop->since = m->now;
}

static bool is_over(const model *m, int64_t cycles) { return m->now >= m->stop->since + (uint64_t)cycles; }

int slow_stop_step(model *m, bool changed) {
  const ripstop_reconfiguration_config *r = &m->sim->reconfiguration;
  struct stop *s = m->stop;
  if (changed && s->phase == RUNNING) enter_phase(m, DETECTING);
  if (changed && (s->phase == COMPUTING || s->phase == RESUMING)) enter_phase(m, COMPUTING);
  if (s->phase == DETECTING && is_over(m, r->detect)) {
    enter_phase(m, DRAINING);
    if (r->drain == RIPSTOP_DRAIN_DISCARD) lose_all_under_candidate(m);
  }
  if (s->phase == DRAINING && is_empty(m)) enter_phase(m, COMPUTING);
  if (s->phase == COMPUTING && is_over(m, r->recompute)) {
    if (slow_compile(m)) return -1;
    enter_phase(m, RESUMING);
  }
  if (s->phase == RESUMING && is_over(m, r->resume)) s->phase = RUNNING;
  return 0;
}

bool slow_is_stopped(const model *m) { return m->stop && m->stop->phase != RUNNING; }

bool slow_stop_holds(const model *m, uint32_t v) {
  return m->stop && ripstop_is_end(m->fabric, v) && m->stop->phase >= DRAINING;
}

/* A head that has no others is lost with the link. */
int slow_stop_candidates(const model *m, uint32_t v, ripstop_candidate *candidates, int n) {
  int kept = 0;
  if (!m->stop || m->stop->phase == RUNNING || m->stop->phase == RESUMING || n <= 0) return n;
  for (int i = 0; i < n; i++)
    if (m->view->port_up[m->fabric->port_base[v] + candidates[i].port]) candidates[kept++] = candidates[i];
  return kept ? kept : STOP_LINK_FAILED;
}
