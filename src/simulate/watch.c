/* watch.c - the simulator's side of ripstop_proto.check: docs/model.md, "Promises".
 *
 * A look costs a pass over wheel and packets and what the check itself does, so there is one for each time that the
 * protocol becomes quiet and one every measure.check cycles. */
#include "simulate/watch.h"
#include "ripstop/plugin/method.h"

#include <string.h>

#include "simulate/control.h"
#include "simulate/owners.h"

struct watcher {
  ripstop_watch watch; /* first: `room` gets its address */
  engine *engine;
  const void **state;  /* [nodes] */
  uint32_t *component; /* [nodes]: of the present view */
  uint8_t *seen;       /* [packets]: scratch of owners.c */
};

/* Between two cycles. A granted head is as good as gone; its packet may be, already. */
static int64_t room(const ripstop_watch *watch, uint32_t port, uint32_t channel) {
  const engine *e = ((const struct watcher *)watch)->engine;
  uint32_t index = queue_of_port(e, e->fabric->peer[port], channel);
  const queue *q = &e->queue[index];
  int64_t left = (int64_t)e->capacity - e->incoming[index];
  for (uint32_t i = q->state == LEAVING; i < q->length; i++)
    left -= units_of(e, &e->packet[e->slot[q->slot + (q->head + i) % e->ring].packet]);
  return left;
}

void watch_open(engine *e) {
  if (!e->plan->method->proto->check) return;
  struct watcher *w = e->watcher = RIPSTOP_NEW(e->arena, struct watcher);
  w->engine = e;
  w->state = RIPSTOP_ARRAY(e->arena, e->fabric->nodes, const void *);
  w->component = RIPSTOP_ARRAY(e->arena, e->fabric->nodes, uint32_t);
  w->seen = RIPSTOP_ARRAY(e->arena, e->packets, uint8_t);
  w->watch = (ripstop_watch){.room = room, .longest = units(e, e->longest), .fresh = true};
  w->watch.notes = RIPSTOP_ARRAY(e->arena, e->fabric->nodes, uint64_t);
  watch_change(e);
}

void watch_step(engine *e) {
  if (!e->watcher) return;
  e->watcher->watch.fresh = true;
  e->watcher->watch.lost = 0;
}

void watch_change(engine *e) {
  if (e->watcher) ripstop_view_components(e->view, e->watcher->component);
}

void watch_lost(engine *e, const queue *q, const packet *p) {
  if (!e->watcher || q->loss < RIPSTOP_LOST_METHOD) return;
  const uint32_t *component = e->watcher->component;
  e->watcher->watch.lost += component[q->node] == component[p->destination] && component[q->node] != RIPSTOP_NONE;
}

static int look_at_promises(engine *e) {
  struct watcher *w = e->watcher;
  if (w->watch.fresh) memset(w->watch.notes, 0, e->fabric->nodes * sizeof *w->watch.notes);
  for (uint32_t v = 0; v < e->fabric->nodes; v++) w->state[v] = e->view->node_up[v] ? control_states(e)[v] : NULL;
  count_incoming(e);
  if (e->plan->method->proto->check(e->plan, w->state, &w->watch, e->err))
    return ripstop_fail_at(e->err, "method %s", e->plan->method->name);
  w->watch.fresh = false;
  return 0;
}

void watch_look(engine *e, bool again) {
  struct watcher *w = e->watcher;
  if (!w || e->failed) return;
  bool quiet = (w->watch.fresh || again) && control_quiet(e);
  if ((again && owners_check(e, w->seen, e->err)) || (quiet && look_at_promises(e))) {
    ripstop_fail_at(e->err, "at cycle %u", e->now);
    e->failed = true;
  }
}
