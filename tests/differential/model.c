/* model.c - docs/model.md carried out flit by flit and cycle by cycle, to be believed by reading.
 *
 * Everything is a thing that one could touch: a link is a row of D places for flits, a router pipeline a row of R
 * places, a queue a line of flits, a credit or an XON/XOFF word something that travels for K cycles. No event is ever
 * computed ahead: each cycle moves every row one place, lets every node decide, and lets everything that was granted
 * send one flit. Nothing is remembered that could be looked up again; every head is routed again in every cycle.
 *
 * The laws of nature are checked at every step (`must`): no two flits on one place, no queue fuller than
 * it is large, the flits of a packet together and in order everywhere, no flit sent before it came. */
#include "things.h"

#include <string.h>

/* ------------------------------------------------------------------ everything granted sends one flit */

/* The space is known to the sender `credit` cycles later. */
void slow_leave_queue(model *m, uint32_t v, uint32_t queue, uint32_t packet, uint64_t from) {
  input *q = &m->node[v].queue[queue];
  q->stalled -= slow_units(m, packet);
  q->left = from;
  if (ripstop_is_end(m->fabric, v)) {
    if (m->packet[packet].transit_packet) slow_transit_packet_is_gone(m, v, from);
    m->packet[packet].transit_packet = false;
    return;
  }
  if (slow_is_fifo(m, v, queue)) return;
  uint32_t peer = m->fabric->peer[m->fabric->port_base[v] + q->port], sender = m->fabric->port_node[peer];
  output *o = &m->node[sender].output[peer - m->fabric->port_base[sender]];
  o->credit[slow_ring_place(m, queue % m->stride, from + (uint64_t)m->sw->credit)] += slow_units(m, packet);
}

static void send_by_crossbar(model *m, uint32_t v, side *s) {
  node *n = &m->node[v];
  output *o = s->to == TO_NOWHERE ? NULL : &n->output[s->port];
  flit f = slow_line_front(&n->queue[s->queue].line);
  if (s->to == TO_LINK && f.packet != RIPSTOP_NONE && !slow_is_done(m, s->task, f)) return;
  slow_line_take(&n->queue[s->queue].line);
  m->moved = m->now;
  slow_must(m, f.packet != RIPSTOP_NONE && f.came <= m->now, "a flit is sent before it came");
  if (m->broken) return;
  f.channel = s->channel;
  f.came = m->now;
  f.pace = s->task.rate;
  if (s->to == TO_LINK) slow_row_put(m, &o->wire, f);
  if (s->to == TO_SLOW_QUEUE) slow_line_add(&o->slow, f);
  if (s->to == TO_OUTPUT_QUEUE) {
    if (o->queue[s->channel].count) slow_check_sequence(m, slow_line_back(&o->queue[s->channel]), f);
    slow_line_add(&o->queue[s->channel], f);
  }
  if (!slow_is_tail(m, f)) return;
  s->busy = false;
  if (s->to == TO_LINK) o->link_busy = false;
  if (s->to == TO_OUTPUT_QUEUE || s->to == TO_SLOW_QUEUE) o->crossbar_busy = false;
  slow_leave_queue(m, v, s->queue, f.packet, m->now + 1);
  if (s->to == TO_NOWHERE && m->packet[f.packet].control) slow_control_is_in(m, v, f.packet);
}

static void send_by_link(model *m, output *o) {
  flit f = slow_line_front(&o->queue[o->sending]);
  if (!o->sending_nowhere && f.packet != RIPSTOP_NONE && !slow_is_done(m, o->task, f)) return;
  slow_line_take(&o->queue[o->sending]);
  f.pace = o->task.rate;
  m->moved = m->now;
  const bool may_pass = m->sw->out_queue == RIPSTOP_UNLIMITED; /* in the cycle in which it crosses */
  slow_must(m, f.packet != RIPSTOP_NONE && (may_pass || f.came < m->now), "a flit is sent before it came");
  if (m->broken) return;
  if (!o->sending_nowhere) slow_row_put(m, &o->wire, f);
  if (!slow_is_tail(m, f)) return;
  o->link_busy = false;
  o->used[o->sending] -= slow_units(m, f.packet);
}

/* A flit may go in the cycle in which it crosses. */
static void send_by_slow_queue(model *m, output *o) {
  flit f = slow_line_front(&o->slow);
  if (f.packet == RIPSTOP_NONE) return;
  if (f.number == 0 && !o->link_busy) {
    o->link_busy = true;
    o->task = (task){.since = m->now, .rate = f.pace};
  }
  if (!slow_is_done(m, o->task, f)) return;
  slow_line_take(&o->slow);
  m->moved = m->now;
  slow_row_put(m, &o->wire, f);
  if (!slow_is_tail(m, f)) return;
  o->link_busy = false;
  o->slow_stalled--;
}

static void send_by_links(model *m, uint32_t v) {
  node *n = &m->node[v];
  for (uint32_t p = 0; p < n->outputs; p++)
    if (slow_has_output_queues(m, v) && n->output[p].link_busy && !n->output[p].talking && !m->broken)
      send_by_link(m, &n->output[p]);
}

static void send_flits(model *m) {
  const bool unlimited = m->sw->out_queue == RIPSTOP_UNLIMITED;
  for (uint32_t v = 0; v < m->fabric->nodes; v++) {
    node *n = &m->node[v];
    if (slow_is_bound(m, v)) slow_occupants_send(m, v);
    if (!unlimited) send_by_links(m, v);
    for (uint32_t i = 0; i < n->sides; i++)
      if (n->side[i].busy && !m->broken && !(slow_has_speedup(m, v) && n->side[i].to == TO_OUTPUT_QUEUE))
        send_by_crossbar(m, v, &n->side[i]);
    if (unlimited) send_by_links(m, v);
    for (uint32_t p = 0; p < n->outputs; p++)
      if (slow_has_slow_queues(m, v) && !n->output[p].talking && !m->broken) send_by_slow_queue(m, &n->output[p]);
  }
}

/* ------------------------------------------------------------------ the run */

static void count(const model *m, model_result *out) {
  *out = (model_result){.packet = ripstop_realloc(NULL, m->packets + 1, sizeof(model_packet))};
  for (size_t i = 0; i < m->packets; i++)
    if (!m->packet[i].control) out->packet[out->packets++] = m->packet[i];
  memcpy(out->lost, m->lost, sizeof out->lost);
  out->messages = m->messages;
  out->silent = slow_talk_is_over(m);
  out->stopped = slow_is_stopped(m);
  out->account.generated = out->packets;
  for (size_t i = 0; i < out->packets; i++) {
    const model_packet *p = &out->packet[i];
    if (p->cause != RIPSTOP_NONE)
      out->account.lost++;
    else if (p->delivered != MODEL_NEVER)
      out->account.delivered++;
    else if (p->sent != MODEL_NEVER)
      out->account.in_flight++;
    else
      out->account.waiting++;
  }
}

/* One cycle but for the changes; -1: a broken truth. */
static int cycle(model *m) {
  slow_arrivals(m);
  slow_decisions(m);
  send_flits(m);
  return m->broken ? -1 : 0;
}

/* Long enough for all that can move, also over links of a hundredth of the full rate. */
enum { DRAIN_CYCLES = 20000, SLOW_DRAIN_CYCLES = 50 * DRAIN_CYCLES };

/* After the run the sources and what waits in them are taken away, and everything else goes on until nothing has moved
 * for so long that no flit, credit or word is in transit: a packet that is in a queue then stays there forever. */
static int drain(model *m, model_result *out) {
  uint64_t quiet =
      2 * slow_longest_delay(m->fabric, (uint64_t)m->sw->link) + (uint64_t)(m->sw->pipeline + 2 * m->sw->credit) + 2;
  /* A slow link rests between two flits, and messages of a protocol may still change tables. */
  if (m->view->link_rate || m->talk) quiet += slow_cycles_for(RIPSTOP_RATE_LEAST, m->longest);
  bool was_quiet = m->now > m->moved + quiet;
  m->silent = true;
  for (uint32_t e = 0; e < m->fabric->ends; e++)
    for (uint32_t q = 0; q < m->node[e].queues; q++) {
      line *l = &m->node[e].queue[q].line;
      uint32_t leaving = m->node[e].side[q].busy ? slow_line_front(l).packet : RIPSTOP_NONE;
      while (l->count && slow_line_back(l).packet != leaving) l->count--;
    }
  uint64_t enough = m->now + (m->view->link_rate ? SLOW_DRAIN_CYCLES : DRAIN_CYCLES);
  for (m->moved = m->now; m->now <= m->moved + quiet && m->now < enough; m->now++)
    if (cycle(m)) return -1;
  if (m->now >= enough) return 0; /* packets that circulate forever still move */
  for (uint32_t v = 0; v < m->fabric->nodes; v++) {
    for (uint32_t q = 0; q < m->node[v].queues; q++) out->stuck |= m->node[v].queue[q].line.count > 0;
    out->stuck |= m->node[v].occupants > 0;
    for (uint32_t p = 0; p < m->node[v].outputs; p++)
      for (uint32_t c = 0; c < m->channels; c++) out->stuck |= m->node[v].output[p].queue[c].count > 0;
    for (uint32_t p = 0; p < m->node[v].outputs; p++) out->stuck |= m->node[v].output[p].slow.count > 0;
  }
  out->frozen = out->stuck && was_quiet;
  return 0;
}

int model_run(const ripstop_plan *plan, const ripstop_simulate_settings *simulation, const model_agent *agent,
              uint64_t cycles, FILE *trace, uint64_t traced, model_result *out, ripstop_error *err) {
  model m = {.sim = simulation,
             .sw = &simulation->switch_,
             .output = strcmp(simulation->switch_.queues, "output") == 0,
             .shared = strcmp(simulation->switch_.queues, "shared") == 0,
             .fabric = plan->fabric,
             .view = ripstop_view_copy(plan->view),
             .trace = trace,
             .traced = traced,
             .end = cycles,
             .err = err};
  int status = slow_set_up(&m, plan, agent);
  *out = (model_result){0};
  if (status == 0 && m.game) slow_game_start(&m);
  for (; status == 0 && m.now < m.end; m.now++) {
    status = slow_changes(&m);
    if (status == 0) status = cycle(&m);
  }
  if (status == 0) count(&m, out);
  m.trace = NULL;
  if (status == 0) status = drain(&m, out);
  if (status) model_free(out);
  slow_tear_down(&m);
  return status;
}

void model_free(model_result *result) {
  ripstop_free(result->packet);
  *result = (model_result){0};
}
