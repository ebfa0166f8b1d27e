/* change.c - parts fail and return during the run: docs/model.md, "Changes".
 *
 * A packet that loses flits is counted as lost immediately and marked truncated. Queues, credits and links complete
 * their usual events for it. So no event needs to be undone, and the packet accounting of a part that returns is right.
 *
 * Cost of one cycle's changes: the contents of the queues of failed parts; one pass over the events of the few cycles
 * in which packets that are now on a link can arrive, however many parts fail; and new candidates for each waiting head
 * that they may concern. Without a protocol these are all heads, because the plan is new; control.c says which with
 * one. */
#include "simulate/change.h"

#include <string.h>

#include "base/growing.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"
#include "simulate/agents.h"
#include "simulate/bound_packets.h"
#include "simulate/control.h"
#include "simulate/core.h"
#include "simulate/losses.h"
#include "simulate/outqueues.h"
#include "simulate/packet_lines.h"
#include "simulate/pairs.h"
#include "simulate/promises.h"
#include "simulate/reconfiguration.h"
#include "simulate/run_result.h"
#include "simulate/slow.h"
#include "simulate/transit.h"

/* Which packets that approach an input port will be lost. */
typedef struct doom {
  uint8_t link;  /* 1 + cause for packets with flits on the link; 0: none is lost there */
  bool pipeline; /* the other packets are lost with the switch */
} doom;

struct changes {
  ripstop_change *own; /* the schedule's changes and those requested during the run */
  size_t room;
  doom *doom; /* [ports]; all zero between two cycles */
  uint32_t *doomed, count;
};

/* ------------------------------------------------------------------ packets on links and in pipelines */

static doom *doom_of(run *r, uint32_t port) {
  struct changes *c = r->schedule;
  doom *d = &c->doom[port];
  if (!d->link && !d->pipeline) c->doomed[c->count++] = port;
  return d;
}

/* Loses the packets on the link to this port; the first cause counts. */
static void doom_link(run *r, uint32_t port, uint32_t cause) {
  doom *d = doom_of(r, port);
  if (!d->link) d->link = (uint8_t)(1 + cause);
}

/* The input port of the queue or end node that an event brings a packet to, or RIPSTOP_NONE. */
static uint32_t port_of(const shape *s, const sim_event *ev) {
  if (event_kind_of(*ev) == ARRIVE) return s->fabric->ends + (event_subject(*ev) - s->streams) / s->stride;
  return event_kind_of(*ev) == DELIVER ? s->fabric->port_base[event_subject(*ev)] : RIPSTOP_NONE;
}

static void lose_doomed(void *run_, uint32_t due, const sim_event *ev) {
  run *r = run_;
  part *t = r->part;
  uint32_t port = port_of(&t->shape, ev);
  if (port == RIPSTOP_NONE) return;
  const doom *d = &r->schedule->doom[port];
  packet *p = &t->packet[ev->detail];
  bool on_link = event_kind_of(*ev) == DELIVER || head_came(&t->shape, p, due) + p->flits - 1 >= t->now;
  if (d->link && on_link)
    lose(t, p, t->shape.fabric->port_node[port], d->link - 1u);
  else if (d->pipeline)
    lose(t, p, t->shape.fabric->port_node[port], RIPSTOP_LOST_SWITCH);
}

/* Packets granted before this cycle arrive within this time. */
static void lose_all_doomed(run *r) {
  const shape *s = r->shape;
  struct changes *c = r->schedule;
  uint32_t pipeline = s->far + s->pipeline + longest_wait_for_tail(s), delivery = s->far + s->longest;
  uint32_t within = (pipeline > delivery ? pipeline : delivery) + slow_most(r);
  for (uint32_t i = 0; c->count && i < s->parts; i++)
    wheel_each(&r->part[i].wheel, r->part->now, within, lose_doomed, r);
  for (; c->count > 0; c->count--) c->doom[c->doomed[c->count - 1]] = (doom){0};
}

/* ------------------------------------------------------------------ packets in queues */

/* Recomputes the head that the front of this truncated packet has become, so that it is discarded: in this queue, or in
 * the queue that it was granted, or in a later one. */
static void discard_front(part *t, queue *q) {
  const shape *s = &t->shape;
  uint32_t index = slot_of(s, q, 0)->packet;
  while (q && q->state == LEAVING) {
    uint32_t came = slot_of(s, q, 0)->arrived; /* a packet may return to the queue where its tail still is */
    const output *out = &s->output[s->node[q->node].port + q->last_port];
    uint32_t first = out->to_end ? out->next * s->classes : out->next, count = out->to_end ? s->classes : s->channels;
    q = NULL;
    for (uint32_t i = first; i < first + count; i++)
      if (s->queue[i].length && slot_of(s, &s->queue[i], 0)->packet == index &&
          slot_of(s, &s->queue[i], 0)->arrived > came)
        q = &s->queue[i];
  }
  if (q) reload_head(part_of(t->run, q->node), q);
}

/* Lines up a queue with truncated packets again, and those that its leaving packet has come to. A packet that is being
 * discarded goes nowhere. */
static void line_up_again(part *t, queue *q) {
  const shape *s = &t->shape;
  lines_rebuild(part_of(t->run, q->node), q);
  const uint32_t index = slot_of(s, q, 0)->packet;
  while (q && q->state == LEAVING && q->last_port != NO_PORT) {
    const uint32_t came = slot_of(s, q, 0)->arrived;
    const output *out = &s->output[s->node[q->node].port + q->last_port];
    const uint32_t first = out->to_end ? out->next * s->classes : out->next;
    const uint32_t count = out->to_end ? s->classes : s->channels;
    q = NULL;
    for (uint32_t i = first; i < first + count; i++) {
      queue *next = &s->queue[i];
      reload_head(part_of(t->run, next->node), next);
      if (next->state == LEAVING && slot_of(s, next, 0)->packet == index && slot_of(s, next, 0)->arrived > came)
        q = next;
    }
  }
}

/* Loses all packets of a queue, or only those that still have flits on the link. */
static void lose_slots(part *t, queue *q, uint32_t cause, bool all) {
  bool whole = q->length && !head_of(t, q)->truncated;
  packet_walk walk = {0};
  for (const sim_slot *slot; (slot = next_packet(t, q, &walk));) {
    packet *p = &t->packet[slot->packet];
    if (all || t->now <= slot->arrived + p->flits - 1) lose(t, p, q->node, cause);
  }
  if (has_lines(t, q))
    line_up_again(t, q);
  else if (whole && head_of(t, q)->truncated)
    discard_front(t, q);
}

/* Loses what is on the channel that `port` sends into, and what waits for it in output queues. */
static void lose_channel(part *t, uint32_t port, uint32_t cause) {
  const shape *s = &t->shape;
  uint32_t peer = s->fabric->peer[port];
  out_queues_lose(t, port, cause);
  doom_link(t->run, peer, cause);
  if (is_interface(s, s->fabric->port_node[peer])) return;
  bound_lose(part_of(t->run, s->fabric->port_node[peer]), peer, cause, false);
  for (uint32_t c = 0; c < s->channels; c++) lose_slots(t, &s->queue[queue_of_port(s, peer, c)], cause, false);
}

static void lose_link(part *t, uint32_t link, uint32_t cause) {
  lose_channel(t, t->shape.fabric->link_port[2 * link], cause);
  lose_channel(t, t->shape.fabric->link_port[2 * link + 1], cause);
}

/* ------------------------------------------------------------------ end nodes */

/* Loses packets of random sources that were generated and not yet taken. */
static void lose_ungenerated(part *t, uint32_t stream) {
  ripstop_source *source = &t->source[stream];
  for (; source->generated_at < t->now; next_generation(t, stream, source)) {
    measure_generated(&t->measure, (uint32_t)source->generated_at, source->flits);
    measure_lost(&t->measure, t->now, RIPSTOP_LOST_SWITCH, source->flits);
    if (t->run->losses)
      losses_note(t, stream, source->number, source->destination, stream / t->shape.classes, RIPSTOP_LOST_SWITCH);
  }
}

/* Silences the streams of an end node whose switch goes down. */
static void silence(part *t, uint32_t end) {
  const shape *s = &t->shape;
  for (uint32_t stream = end * s->classes; stream < (end + 1) * s->classes; stream++) {
    queue *q = &s->queue[stream];
    if (is_waiting(q)) lose(t, head_of(t, q), end, RIPSTOP_LOST_SWITCH);
    reload_head(t, q);
    transit_packets_silence(t, stream);
    if (!agents_silence(t, stream, RIPSTOP_LOST_SWITCH)) lose_ungenerated(t, stream);
  }
}

/* Drops the generations that were due while the switch was down. */
static void skip_generations(part *t, uint32_t end) {
  const shape *s = &t->shape;
  for (uint32_t stream = end * s->classes; stream < (end + 1) * s->classes; stream++)
    while (t->source[stream].generated_at < t->now) next_generation(t, stream, &t->source[stream]);
}

static void revive(part *t, uint32_t end) {
  const shape *s = &t->shape;
  for (uint32_t stream = end * s->classes; stream < (end + 1) * s->classes; stream++)
    if (s->queue[stream].state == EMPTY) take_next(t, stream);
}

/* Calls `act` for the end nodes of a switch; they belong to the switch's part. */
static void each_end(part *t, uint32_t v, void (*act)(part *, uint32_t end)) {
  const ripstop_fabric *f = t->shape.fabric;
  for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && is_interface(&t->shape, f->port_node[f->peer[port]]))
      act(part_of(t->run, f->port_node[f->peer[port]]), f->port_node[f->peer[port]]);
}

static void lose_switch(part *t, uint32_t v) {
  const ripstop_fabric *f = t->shape.fabric;
  const sim_node *n = &t->shape.node[v];
  for (uint32_t i = 0; i < n->queues; i++) lose_slots(t, &t->shape.queue[n->queue + i], RIPSTOP_LOST_SWITCH, true);
  for (uint32_t port = n->port; port < n->port + n->ports; port++) {
    doom_of(t->run, port)->pipeline = true;
    bound_lose(part_of(t->run, v), port, RIPSTOP_LOST_SWITCH, true);
    if (f->port_link[port] != RIPSTOP_NONE) lose_link(t, f->port_link[port], RIPSTOP_LOST_SWITCH);
  }
  each_end(t, v, silence);
}

/* ------------------------------------------------------------------ a cycle's changes */

/* Compiles the plan for the present view, with tables if packets follow tables. The caller's plan stays unchanged; the
 * run owns the new one. */
static ripstop_answer renew_plan(run *r, ripstop_error *err) {
  ripstop_answer answer;
  if (r->own_plan)
    answer = ripstop_plan_recompile(r->own_plan, err);
  else
    r->own_plan = ripstop_plan_for(r->plan, r->own_view, &answer, err);
  if (r->own_plan) r->plan = r->own_plan;
  if (answer != RIPSTOP_APPLIES || !ripstop_simulate_routes(r->plan, r->config)) return answer;
  return ripstop_plan_tables(r->own_plan, err);
}

/* Copies the view before the first change. If the old plan stays in use for a while (static reconfiguration), the copy
 * needs a plan of its own as well. */
static bool own_view(run *r) {
  ripstop_error err;
  if (r->own_view) return true;
  r->view = r->own_view = ripstop_view_copy(r->view);
  if (!r->stop || renew_plan(r, &err) == RIPSTOP_APPLIES) return true;
  run_give_up(r, &err);
  return false;
}

/* False: the part was in this state already, so nothing happens. */
static bool apply_change(run *r, const ripstop_change *change) {
  bool was_up = change->is_switch ? r->view->node_up[change->id] : r->view->link_up[change->id];
  if (was_up && !change->up && change->is_switch) lose_switch(r->part, change->id);
  if (was_up && !change->up && !change->is_switch) lose_link(r->part, change->id, RIPSTOP_LOST_LINK);
  if (!was_up && change->up && change->is_switch) each_end(r->part, change->id, skip_generations);
  ripstop_view_apply(r->own_view, change);
  if (!change->is_switch) slow_change(r, change->id);
  return was_up != change->up;
}

/* Applies the changes of this cycle. Moves those that changed something to the front of the list's due part, and
 * returns their number. */
static size_t apply_due(run *r) {
  size_t real = 0;
  ripstop_change *first = &r->schedule->own[r->next_change];
  for (; r->next_change < r->changes && r->change[r->next_change].cycle == r->part->now; r->next_change++)
    if (apply_change(r, &r->change[r->next_change])) first[real++] = r->change[r->next_change];
  return real;
}

static bool has_failure(const ripstop_change *change, size_t count) {
  bool failed = false;
  for (size_t i = 0; i < count; i++) failed |= !change[i].up;
  return failed;
}

void reload_candidates(run *r) {
  for (uint32_t i = 0; i < r->shape->queues; i++) {
    queue *q = &r->shape->queue[i];
    reload_head(part_of(r, q->node), q);
  }
  out_queues_wake(r);
  bound_reload(r);
}

static int compile(run *r, ripstop_error *err) {
  uint32_t classes = r->plan->classes;
  if (renew_plan(r, err) != RIPSTOP_APPLIES) return ripstop_fail_at(err, "at cycle %u", r->part->now);
  if (r->plan->channels != r->shape->plan_channels || r->plan->candidates_max > r->shape->candidates_max ||
      r->plan->classes != classes || r->plan->random_headers != r->shape->random_headers ||
      r->plan->transit_packets != transit_packets_room(r->part))
    return ripstop_fail(err,
                        "method %s: a change of the fabric altered its virtual channels, candidates, classes, random "
                        "headers or in-transit packets",
                        r->plan->method->name);
  return pairs_decide(r, err);
}

bool compile_plan(run *r) {
  ripstop_error err;
  if (compile(r, &err) == 0) return true;
  run_give_up(r, &err);
  return false;
}

/* Called before anything else in the cycle can fail. If a change fails, the run ends with this cycle. */
void apply_changes(run *r) {
  size_t first = r->next_change;
  if (!own_view(r)) return;
  size_t real = apply_due(r);
  lose_all_doomed(r);
  if (real == 0) return;
  outage_change(r);
  if (r->stop)
    stop_change(r, has_failure(&r->change[first], real));
  else if (!compile_plan(r))
    return;
  watch_change(r);
  if (r->control) control_changes(r, &r->change[first], real);
  for (size_t i = first; i < first + real; i++) {
    const ripstop_change *change = &r->change[i];
    if (change->is_switch && change->up && r->view->node_up[change->id]) each_end(r->part, change->id, revive);
  }
  if (!r->control) {
    reload_candidates(r);
    return;
  }
  control_reload(r);
  out_queues_wake(r); /* heads that became remnants need no space */
}

/* ------------------------------------------------------------------ the list of changes */

bool changes_ahead(const run *r) { return r->next_change < r->changes && r->change[r->next_change].cycle < r->end; }

void change_at(run *r, const ripstop_change *change, uint32_t cycle) {
  struct changes *c = r->schedule;
  RIPSTOP_GROW_IN(r->arena, c->own, r->changes, c->room);
  ripstop_change *own = c->own;
  r->change = own;
  size_t at = r->next_change;
  while (at < r->changes && own[at].cycle <= cycle) at++;
  memmove(&own[at + 1], &own[at], (r->changes - at) * sizeof *own);
  own[at] = *change;
  own[at].cycle = cycle;
  r->changes++;
}

void changes_open(run *r) {
  const ripstop_schedule *schedule = r->config->schedule;
  struct changes *c = r->schedule = RIPSTOP_NEW(r->arena, struct changes);
  r->changes = schedule ? schedule->count : 0;
  c->room = r->changes + 1;
  r->change = c->own = ripstop_arena_realloc(r->arena, NULL, c->room, sizeof *c->own);
  if (r->changes) memcpy(c->own, schedule->change, r->changes * sizeof *c->own);
  c->doom = RIPSTOP_ARRAY(r->arena, r->fabric->ports, doom);
  c->doomed = RIPSTOP_ARRAY(r->arena, r->fabric->ports, uint32_t);
}
