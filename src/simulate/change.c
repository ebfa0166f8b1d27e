/* change.c - parts fail and come back while packets are under way: docs/model.md, "Changes".
 *
 * A packet that loses flits is counted as lost at once and marked truncated; queues, credits and links run to their
 * ordinary ends, so that nothing has to be undone and a part that comes back finds its books in order. */
#include "ripstop/plugin/method.h"
#include "simulate/control.h"
#include "simulate/guests.h"
#include "simulate/pairs.h"
#include "simulate/players.h"
#include "simulate/state.h"
#include "simulate/watch.h"

static void lose_slots(engine *e, const queue *q, uint32_t cause, bool all) {
  for (uint32_t i = 0; i < q->length; i++) {
    uint32_t at = q->head + i;
    if (at >= e->ring) at -= e->ring;
    const sim_slot *s = &e->slot[q->slot + at];
    packet *p = &e->packet[s->packet];
    if (all || e->now <= s->arrived + p->flits - 1) lose(e, p, cause);
  }
}

/* Packets whose heads have not passed the pipeline: those in `first .. first + count - 1` if the queue's end is an
 * input port of a switch, those on their last link if it is an end node. */
static void lose_arriving(engine *e, event_kind kind, uint32_t first, uint32_t count, uint32_t cause, bool all) {
  for (uint32_t ahead = 0; ahead <= e->wheel.mask; ahead++) {
    uint32_t due = e->now + ahead;
    for (uint32_t index = e->wheel.bucket[due & e->wheel.mask]; index != RIPSTOP_NONE;
         index = e->wheel.chunk[index].next) {
      const chunk *c = &e->wheel.chunk[index];
      for (uint32_t i = 0; i < c->count; i++) {
        const sim_event *ev = &c->event[i];
        if ((event_kind)ev->kind != kind || ev->subject - first >= count) continue;
        packet *p = &e->packet[ev->detail];
        if (all || due - e->pipeline + p->flits - 1 >= e->now) lose(e, p, cause);
      }
    }
  }
}

static void lose_out_queues(engine *e, uint32_t port, uint32_t cause) {
  if (!e->out_queues || is_interface(e, e->fabric->port_node[port])) return;
  for (uint32_t c = 0; c < e->channels; c++) {
    const out_queue *o = &e->out_queue[port * e->channels + c];
    for (uint32_t i = o->leaving; i < o->length; i++) {
      uint32_t at = o->head + i;
      if (at >= e->out_slots) at -= e->out_slots;
      lose(e, &e->packet[e->out_slot[o->slot + at].packet & ~OUT_DISCARDED], cause);
    }
  }
}

/* Everything on the channel that `port` sends into, and what waits for it in output queues. */
static void lose_channel(engine *e, uint32_t port, uint32_t cause) {
  uint32_t peer = e->fabric->peer[port], next = e->fabric->port_node[peer];
  lose_out_queues(e, port, cause);
  if (is_interface(e, next)) {
    lose_arriving(e, DELIVER, next, 1, cause, true);
    return;
  }
  for (uint32_t c = 0; c < e->channels; c++) lose_slots(e, &e->queue[queue_of_port(e, peer, c)], cause, false);
  lose_arriving(e, ARRIVE, queue_of_port(e, peer, 0), e->channels, cause, false);
}

static void lose_link(engine *e, uint32_t link, uint32_t cause) {
  lose_channel(e, e->fabric->link_port[2 * link], cause);
  lose_channel(e, e->fabric->link_port[2 * link + 1], cause);
}

/* The end nodes of a switch that dies fall silent. */
static void silence(engine *e, uint32_t end) {
  for (uint32_t stream = end * e->classes; stream < (end + 1) * e->classes; stream++) {
    const queue *q = &e->queue[stream];
    ripstop_source *source = &e->source[stream];
    if (is_waiting(q)) lose(e, head_of(e, q), RIPSTOP_LOST_SWITCH);
    if (e->guests) guests_silence(e, stream);
    if (e->play) {
      players_silence(e, stream);
      continue;
    }
    for (; source->born < e->now; ripstop_source_next(e->sources, stream, source)) {
      measure_born(&e->measure, (uint32_t)source->born, source->flits);
      measure_lost(&e->measure, e->now, RIPSTOP_LOST_SWITCH);
    }
  }
}

static void revive(engine *e, uint32_t end) {
  for (uint32_t stream = end * e->classes; stream < (end + 1) * e->classes; stream++) {
    ripstop_source *source = &e->source[stream];
    while (source->born < e->now) next_birth(e, stream, source);
    if (e->queue[stream].state == EMPTY) take_next(e, stream);
  }
}

static void each_end(engine *e, uint32_t v, void (*act)(engine *, uint32_t end)) {
  const ripstop_fabric *f = e->fabric;
  for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && is_interface(e, f->port_node[f->peer[port]]))
      act(e, f->port_node[f->peer[port]]);
}

static void lose_switch(engine *e, uint32_t v) {
  const ripstop_fabric *f = e->fabric;
  const sim_node *n = &e->node[v];
  for (uint32_t i = 0; i < n->queues; i++) lose_slots(e, &e->queue[n->queue + i], RIPSTOP_LOST_SWITCH, true);
  lose_arriving(e, ARRIVE, n->queue, n->queues, RIPSTOP_LOST_SWITCH, true);
  for (uint32_t port = n->port; port < n->port + n->ports; port++)
    if (f->port_link[port] != RIPSTOP_NONE) lose_link(e, f->port_link[port], RIPSTOP_LOST_SWITCH);
  each_end(e, v, silence);
}

/* Compiles the present view, with tables where packets are routed by them. The caller's plan stays as it is, and has an
 * own one follow it. */
static ripstop_answer renew_plan(engine *e, ripstop_error *err) {
  ripstop_answer answer;
  if (e->own_plan)
    answer = ripstop_plan_update(e->own_plan, err);
  else
    e->own_plan = ripstop_plan_for(e->plan, e->own_view, &answer, err);
  if (e->own_plan) e->plan = e->own_plan;
  if (answer != RIPSTOP_APPLIES || !ripstop_simulate_routes(e->plan, e->config)) return answer;
  return ripstop_plan_tables(e->own_plan, err);
}

/* Before the first change. Where the old plan is to go on for a while (a stop), it must see the changed view. */
static bool own_view(engine *e) {
  if (e->own_view) return true;
  e->view = e->own_view = ripstop_view_copy(e->view);
  if (e->config->reaction.model != RIPSTOP_REACTION_STATIC || renew_plan(e, e->err) == RIPSTOP_APPLIES) return true;
  e->failed = true;
  return false;
}

static void apply_change(engine *e, const ripstop_change *change) {
  if (!change->up && change->is_switch) lose_switch(e, change->id);
  if (!change->up && !change->is_switch) lose_link(e, change->id, RIPSTOP_LOST_LINK);
  ripstop_view_apply(e->own_view, change);
}

void reload_ways(engine *e) {
  for (uint32_t i = 0; i < e->queues; i++) ask_anew(e, &e->queue[i]);
  if (!e->out_queues) return;
  for (uint32_t port = e->fabric->ends; port < e->fabric->ports; port++) {
    e->link_dirty[port] = 1;
    wake_node(e, e->fabric->port_node[port]);
  }
}

bool compile_plan(engine *e) {
  ripstop_error err;
  uint32_t classes = e->plan->classes;
  e->failed = true;
  if (renew_plan(e, &err) != RIPSTOP_APPLIES) {
    ripstop_fail(e->err, "at cycle %u: %s", e->now, err.text);
    return false;
  }
  if (e->plan->channels != e->channels || e->plan->ways_max > e->ways_max || e->plan->classes != classes ||
      e->plan->guests != guests_room(e)) {
    ripstop_fail(e->err, "method %s: a change of the fabric altered its channels, ways, classes or guests",
                 e->plan->method->name);
    return false;
  }
  if (pairs_decide(e, e->err)) return false;
  e->failed = false;
  return true;
}

void apply_changes(engine *e) {
  size_t first = e->next_change;
  if (!own_view(e)) return;
  uint32_t epoch = e->view->epoch;
  while (e->next_change < e->changes && e->change[e->next_change].cycle == e->now)
    apply_change(e, &e->change[e->next_change++]);
  if (e->view->epoch == epoch) return; /* all was so already */
  if (e->config->reaction.model == RIPSTOP_REACTION_STATIC)
    stop_change(e);
  else if (!compile_plan(e))
    return;
  watch_change(e);
  if (e->control) control_changes(e, &e->change[first], e->next_change - first);
  for (size_t i = first; i < e->next_change; i++) {
    const ripstop_change *change = &e->change[i];
    if (change->is_switch && change->up && e->view->node_up[change->id]) each_end(e, change->id, revive);
  }
  reload_ways(e);
}
