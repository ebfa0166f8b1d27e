/* pulls.c - see pulls.h. */
#include "workload/flow.h"

static void queue_pulls(transport *t, flow *f) {
  puller *p = &t->puller[f->destination];
  const uint32_t number = flow_number(t, f);
  f->asks.follower = RIPSTOP_NONE;
  if (p->first == RIPSTOP_NONE)
    p->first = number;
  else
    t->flow[p->last].asks.follower = number;
  p->last = number;
}

static void send_next(transport *t, ripstop_agent_context *on, puller *p) {
  flow *f = &t->flow[p->first];
  const uint64_t now = ripstop_agent_now(on);
  p->first = f->asks.follower;
  p->open = now + link_cycles(t, f->destination, f->asks.flits);
  if (--f->asks.due) queue_pulls(t, f);
  const parcel a = {.flow = flow_number(t, f), .next = ++f->asks.pulls, .kind = PARCEL_PULL};
  t->counts.pulls++;
  parcel_send(t, on, a, (uint32_t)t->config->ack, true);
}

static void go_on(transport *t, ripstop_agent_context *on, uint32_t end) {
  puller *p = &t->puller[end];
  if (p->first != RIPSTOP_NONE && p->open <= ripstop_agent_now(on)) send_next(t, on, p);
  if (p->first == RIPSTOP_NONE || p->armed) return;
  p->armed = true;
  ripstop_agent_alarm(on, p->open, t->alarms | ALARM_PULL | end);
}

void pulls_ring(transport *t, ripstop_agent_context *on, uint32_t end) {
  t->puller[end].armed = false;
  go_on(t, on, end);
}

/* The flow has more to send than goes unasked or was requested: its packets, and once more those that were cut. */
static bool needs_more(const pull_receiver *r) { return (uint64_t)r->known + r->cut > r->unasked + r->pulls + r->due; }

void pulls_arrived(transport *t, ripstop_agent_context *on, flow *f, const parcel *p, bool cut) {
  pull_receiver *r = &f->asks;
  if (p->number >= r->known) {
    const mail *m = mail_of(f, p->number);
    r->known = m->first + m->packets;
    r->unasked = m->unasked;
    r->flits = m->message.full;
  }
  r->cut += cut;
  if (!needs_more(r)) return;
  if (r->due++ == 0) queue_pulls(t, f);
  go_on(t, on, f->destination);
}

void pulls_received(flow *f, uint32_t count) {
  if (count > f->asked.pulled) f->asked.pulled = count;
}
