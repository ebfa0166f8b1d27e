/* pulls.c - see pulls.h. */
#include "workload/flow.h"

static void queue_pulls(transport *t, flow *f) {
  puller *p = &t->puller[f->destination];
  const uint32_t number = flow_number(t, f);
  f->requests.follower = RIPSTOP_NONE;
  if (p->first == RIPSTOP_NONE)
    p->first = number;
  else
    t->flow[p->last].requests.follower = number;
  p->last = number;
}

static void send_next(transport *t, ripstop_agent_context *on, puller *p) {
  flow *f = &t->flow[p->first];
  const uint64_t now = ripstop_agent_now(on);
  p->first = f->requests.follower;
  p->open = now + link_cycles(t, f->destination, f->requests.flits);
  if (--f->requests.due) queue_pulls(t, f);
  const packet_record a = {.flow = flow_number(t, f), .pulls = ++f->requests.pulls, .kind = RECORD_PULL};
  t->counts.pulls++;
  record_send(t, on, a, (uint32_t)t->config->ack, true);
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

/* The flow has more to send than goes unsolicited or was requested: its packets, and once more those that were cut. */
static bool needs_more(const pull_receiver *r) {
  return (uint64_t)r->known + r->cut > r->unsolicited + r->pulls + r->due;
}

void pulls_arrived(transport *t, ripstop_agent_context *on, flow *f, const packet_record *p, bool cut) {
  pull_receiver *r = &f->requests;
  if (p->number >= r->known) {
    const flow_message *m = message_of(f, p->number);
    r->known = m->first + m->packets;
    r->unsolicited = m->unsolicited;
    r->flits = m->message.full;
  }
  r->cut += cut;
  if (!needs_more(r)) return;
  if (r->due++ == 0) queue_pulls(t, f);
  go_on(t, on, f->destination);
}

void pulls_received(flow *f, uint32_t count) {
  if (count > f->credit.pulled) f->credit.pulled = count;
}
