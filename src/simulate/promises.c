/* promises.c - runs ripstop_proto.check in the simulator: docs/model.md, "Promises".
 *
 * A check costs a pass over wheel and packets and the method's own work. So it runs once each time the protocol becomes
 * quiet, and once every measure.check cycles. */
#include "simulate/promises.h"
#include "ripstop/plugin/method.h"

#include <string.h>

#include "simulate/control.h"
#include "simulate/live_deadlock.h"
#include "simulate/owners.h"
#include "simulate/packet_lines.h"

struct watcher {
  ripstop_watch watch; /* first: `room` gets its address */
  const run *run;
  const void **state;  /* [nodes] */
  uint32_t *component; /* [nodes]: connected components of the present view */
  uint64_t *lost;      /* [parts]: watch.lost is their sum */
  uint8_t *seen;       /* [packets]: scratch for owners.c */
};

/* Free units of an input queue. A granted head does not count: its row may be gone already. */
static int64_t room_of(const run *r, uint32_t index) {
  const queue *q = &r->shape->queue[index];
  int64_t left = (int64_t)r->shape->capacity - r->incoming[index];
  packet_walk walk = {0};
  if (q->state == LEAVING) next_packet(r->part, q, &walk);
  for (const sim_slot *slot; (slot = next_packet(r->part, q, &walk));)
    left -= units_of(r->shape, &r->part->packet[slot->packet]);
  return left;
}

/* Free units between two cycles, of all queues that stand for a channel of the plan. */
static int64_t room(const ripstop_watch *watch, uint32_t port, uint32_t channel) {
  const run *r = ((const struct watcher *)watch)->run;
  const uint32_t vcs = r->shape->vcs, first = queue_of_port(r->shape, r->fabric->peer[port], channel * vcs);
  int64_t sum = 0;
  for (uint32_t i = 0; i < vcs; i++) sum += room_of(r, first + i);
  return sum;
}

void watch_step(run *r) {
  if (!r->watcher) return;
  r->watcher->watch.fresh = true;
  memset(r->watcher->lost, 0, r->shape->parts * sizeof *r->watcher->lost);
}

void watch_change(run *r) {
  if (r->watcher) ripstop_view_components(r->view, r->watcher->component);
}

/* Counts a packet that the method has lost although its destination was reachable. */
static bool note_loss(part *t, const queue *q, const packet *p) {
  struct watcher *w = t->run->watcher;
  if (loss_of(q) >= RIPSTOP_LOST_METHOD)
    w->lost[t->number] +=
        w->component[q->node] == w->component[p->destination] && w->component[q->node] != RIPSTOP_NONE;
  return true;
}

static int look_at_promises(run *r, ripstop_error *err) {
  struct watcher *w = r->watcher;
  if (w->watch.fresh) memset(w->watch.notes, 0, r->fabric->nodes * sizeof *w->watch.notes);
  for (uint32_t v = 0; v < r->fabric->nodes; v++) w->state[v] = r->view->node_up[v] ? control_states(r)[v] : NULL;
  count_incoming(r);
  w->watch.lost = 0;
  for (uint32_t i = 0; i < r->shape->parts; i++) w->watch.lost += w->lost[i];
  if (r->plan->method->proto->check(r->plan, w->state, &w->watch, err))
    return ripstop_fail_at(err, "method %s", r->plan->method->name);
  w->watch.fresh = false;
  return 0;
}

/* At the end of a cycle. While the protocol is quiet, checks its guarantees if it has not done so since the last step,
 * and at each periodic check. Periodic checks also check that each packet is in one place. A violation fails the
 * run. */
static void look(run *r) {
  struct watcher *w = r->watcher;
  bool again = is_look(r), quiet = (w->watch.fresh || again) && control_quiet(r);
  ripstop_error err;
  if (run_failed(r)) return;
  if (!(again && owners_check(r, w->seen, &err)) && !(quiet && look_at_promises(r, &err))) return;
  ripstop_fail_at(&err, "at cycle %u", r->part->now);
  run_give_up(r, &err);
}

/* A protocol becomes quiet only by steps, so this is known before the decisions of the cycle. */
static uint32_t next_look(const run *r) {
  return r->watcher->watch.fresh && control_quiet(r) ? r->part->now : UINT32_MAX;
}

void watch_grow(run *r) {
  if (r->watcher) r->watcher->seen = RIPSTOP_ARRAY(r->arena, r->packets, uint8_t);
}

void watch_open(run *r) {
  if (!r->plan->method->proto->check) return;
  struct watcher *w = r->watcher = RIPSTOP_NEW(r->arena, struct watcher);
  w->run = r;
  w->state = RIPSTOP_ARRAY(r->arena, r->fabric->nodes, const void *);
  w->component = RIPSTOP_ARRAY(r->arena, r->fabric->nodes, uint32_t);
  w->lost = RIPSTOP_ARRAY(r->arena, r->shape->parts, uint64_t);
  w->seen = RIPSTOP_ARRAY(r->arena, r->packets, uint8_t);
  w->watch = (ripstop_watch){.free_space = room, .longest = r->shape->bubble, .fresh = true};
  w->watch.notes = RIPSTOP_ARRAY(r->arena, r->fabric->nodes, uint64_t);
  watch_change(r);
  r->part->hook.no_candidate = note_loss;
  r->part->hook.next[0] = next_look;
  hook_cycle(r->part->hook.over, look);
}
