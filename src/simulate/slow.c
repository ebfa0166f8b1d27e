/* slow.c - the rates of links, by output port, and what follows from them for the length of a grant.
 *
 * A packet that comes over a slow link waits at the input port until its tail has come so far that no flit will be
 * missing: so its event of arrival is posted later by what the link took longer, and nothing beyond the link has to
 * know of rates. That its tail arrives as many cycles after its head as it has flits stays true of every packet in a
 * queue, and with it what change.c tells from that.
 *
 * Without slow links shape.rate is NULL and the hook is not taken. */
#include "simulate/slow.h"

#include "ripstop/plugin/method.h"
#include "simulate/control.h"

static uint16_t slowest(const run *r) {
  const ripstop_schedule *schedule = r->config->schedule;
  uint16_t least = RIPSTOP_RATE_FULL;
  for (uint32_t link = 0; link < r->fabric->links; link++)
    if (ripstop_view_rate(r->view, link) < least) least = ripstop_view_rate(r->view, link);
  for (size_t i = 0; schedule && i < schedule->count; i++)
    if (schedule->change[i].rate && schedule->change[i].rate < least) least = schedule->change[i].rate;
  return least;
}

uint32_t longest_on_links(const run *r) {
  uint32_t longest = r->shape->longest;
  return r->plan->method->proto && longest < MESSAGE_FLITS ? MESSAGE_FLITS : longest;
}

uint32_t slow_most(const run *r) {
  uint32_t flits = longest_on_links(r);
  return r->shape->rate ? ripstop_cycles_at(slowest(r), flits) - flits : 0;
}

void slow_change(run *r, uint32_t link) {
  const shape *s = r->shape;
  for (unsigned side = 0; s->rate && side < 2; side++)
    s->rate[r->fabric->link_port[2 * link + side]] = ripstop_view_rate(r->view, link);
}

uint32_t slow_cycles(const shape *s, uint32_t port, uint32_t flits) { return ripstop_cycles_at(s->rate[port], flits); }

/* Where a queue is between crossbar and link, the grant is of the crossbar. */
static uint32_t pace(const part *t, const queue *q, uint32_t local) {
  bool queued = t->out_queues && !is_interface(&t->shape, q->node);
  return queued ? 0 : slow_cycles(&t->shape, t->shape.node[q->node].port + local, q->flits) - q->flits;
}

/* ------------------------------------------------------------------ opening */

void slow_open(run *r) {
  shape *s = &r->part->shape;
  if (slowest(r) == RIPSTOP_RATE_FULL) return;
  s->rate = RIPSTOP_ARRAY(r->arena, r->fabric->ports, uint16_t);
  for (uint32_t link = 0; link < r->fabric->links; link++) slow_change(r, link);
  r->part->hook.pace = pace;
}
