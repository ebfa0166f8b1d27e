/* sender.c - a flow's sender: which packets it may send, for which it waits, and which it sends again.
 *
 * A packet's time-out counts from when it left its NIC, not from when it was put there: the time behind other packets
 * of its own end node does not suggest a loss.
 *
 * With timeout=auto it lasts as RFC 6298 has it (round_trip.h), and a packet counts as lost in either of two cases. No
 * answer has acknowledged anything for a time-out, counted from the packet's departure at least (RFC 6298, 5.3: the
 * timer starts again with each such answer). Or an answer came for a packet that left a time-out later (RFC 8985 has
 * this rule with a shorter time): so one loss is noticed while the flow goes on. A round trip that grows while packets
 * are in flight, as in an incast, makes neither true.
 *
 * The clock of these time-outs stands still while the NIC is stalled: its link is free, and the network takes no
 * packet. Then the network is full, which explains why answers are late, and a repeat could not leave either. */
#include <math.h>
#include <string.h>

#include "base/growing.h"
#include "workload/flow.h"

/* ------------------------------------------------------------------ turns at a NIC */

/* Packets that count for the window. */
static uint32_t windowed(const transport *t, const flow *f) {
  return f->next - f->base - (takes_any_order(t) ? f->beyond : 0);
}

static bool has_data(const transport *t, const flow *f) {
  return f->resends || (f->next < f->end && windowed(t, f) < rate_window(&f->rate, t->config));
}

static bool may_go(const pull_sender *a) { return a->sent < a->unsolicited + a->extra + a->pulled; }

static bool has_packet(const transport *t, const flow *f) {
  return has_data(t, f) && (!t->puller || may_go(&f->credit));
}

/* Its rate does not allow a packet yet; an alarm lists it again. */
static bool must_wait(transport *t, ripstop_agent_context *on, flow *f) {
  const uint64_t now = ripstop_agent_now(on);
  if (f->rate.open <= (double)now) return false;
  if (!f->paced) ripstop_agent_alarm(on, (uint64_t)ceil(f->rate.open), t->alarms | ALARM_PACE | flow_number(t, f));
  return f->paced = true;
}

static bool may_send(transport *t, ripstop_agent_context *on, flow *f) {
  return has_packet(t, f) && !must_wait(t, on, f);
}

static void list(transport *t, flow *f) {
  nic *g = &t->nic[f->source];
  const uint32_t number = flow_number(t, f);
  if (g->first == RIPSTOP_NONE)
    g->first = number;
  else
    t->flow[g->last].follower = number;
  g->last = number;
  f->follower = RIPSTOP_NONE;
  f->listed = true;
}

static flow *take_turn(transport *t, nic *g) {
  flow *f = &t->flow[g->first];
  g->first = f->follower;
  f->listed = false;
  return f;
}

/* Repeats go first, in order. */
static uint32_t choose(flow *f) {
  uint32_t number = f->base;
  if (!f->resends) return f->next++;
  while (!slot_at(f, number)->resend) number++;
  f->resends--;
  return number;
}

static void set_ring(transport *t, flow *f, uint32_t room) {
  slot *more = RIPSTOP_ARRAY(t->arena, room, slot);
  for (uint32_t i = f->base; i < f->most; i++) more[i & (room - 1)] = *slot_at(f, i);
  f->ring = more;
  f->room = room;
}

static void put_packet(transport *t, ripstop_agent_context *on, flow *f, uint32_t number) {
  const uint32_t flits = packet_flits(message_of(f, number), number);
  const bool fresh = number == f->most;
  nic *g = &t->nic[f->source];
  if (g->put == g->taken && g->waits < ripstop_agent_now(on)) g->waits = ripstop_agent_now(on);
  if (fresh) {
    if (f->most - f->base == f->room) set_ring(t, f, 2 * f->room); /* only with order=any */
    f->most++;
    f->cut += packet_word(number);
    f->cut_flits += flits;
    *slot_at(f, number) = (slot){0};
  } else {
    t->counts.repeats++;
  }
  f->losing = false;
  f->credit.sent++;
  slot_at(f, number)->left = FLOW_NEVER;
  slot_at(f, number)->informed = 0;
  slot_at(f, number)->resend = false;
  slot_at(f, number)->repeated = !fresh;
  const packet_record p = {.flow = flow_number(t, f), .number = number, .order = g->put++, .kind = RECORD_DATA};
  rate_sends(&f->rate, t->config, ripstop_agent_now(on), flits);
  record_send(t, on, p, flits, false);
}

void sender_feed(transport *t, ripstop_agent_context *on, uint32_t end) {
  nic *g = &t->nic[end];
  while (g->first != RIPSTOP_NONE && (uint16_t)(g->put - g->taken) < NIC_ROOM) {
    flow *f = take_turn(t, g);
    if (!may_send(t, on, f)) continue;
    put_packet(t, on, f, choose(f));
    if (may_send(t, on, f)) list(t, f);
  }
}

void sender_offer(transport *t, ripstop_agent_context *on, flow *f) {
  if (f->listed || !may_send(t, on, f)) return;
  list(t, f);
  sender_feed(t, on, f->source);
}

/* ------------------------------------------------------------------ messages */

/* The ring covers all packets of a window. */
static void widen_ring(transport *t, flow *f) {
  uint32_t need = f->end - f->base, room = f->room ? f->room : 1;
  if (need > (uint32_t)t->config->window) need = (uint32_t)t->config->window;
  while (room < need) room *= 2;
  if (room != f->room) set_ring(t, f, room);
}

static flow_message *add_message(transport *t, flow *f) {
  if (f->messages == f->message_room && f->oldest > f->messages / 2) {
    memmove(f->message, &f->message[f->oldest], (f->messages - f->oldest) * sizeof *f->message);
    f->messages -= f->oldest;
    f->oldest = 0;
  }
  RIPSTOP_GROW_IN(t->arena, f->message, f->messages, f->message_room);
  return &f->message[f->messages++];
}

void transport_send(transport *t, ripstop_agent_context *on, transport_pair pair, uint64_t packets,
                    const transport_message *message) {
  flow *f = flow_of(t, pair);
  const uint32_t count = (uint32_t)packets;
  f->credit.unsolicited += count < t->first_window ? count : t->first_window;
  *add_message(t, f) = (flow_message){
      .message = *message, .first = f->end, .packets = count, .missing = count, .unsolicited = f->credit.unsolicited};
  f->end += count;
  widen_ring(t, f);
  sender_offer(t, on, f);
}

/* ------------------------------------------------------------------ time-outs */

/* Cycles of the present time-out. A measured one stays doubled until a round trip is measured again (RFC 6298, 5.7). */
static uint64_t patience(const transport *t, const flow *f) {
  const uint32_t doublings = measures(t) ? f->doublings : f->expiries;
  uint64_t times = 1;
  for (uint32_t i = 0; i < doublings && times < (uint64_t)t->config->backoff; i++) times *= 2;
  if (times > (uint64_t)t->config->backoff) times = (uint64_t)t->config->backoff;
  return times * (measures(t) ? round_trip_timeout(&f->trip, t->least) : (uint64_t)t->config->timeout);
}

/* The clock of a flow's time-outs. */
static uint64_t clock_of(const transport *t, const flow *f, uint64_t now) {
  return measures(t) ? nic_clock(&t->nic[f->source], now) : now;
}

/* The clock from which the time-out of a packet counts. */
static uint64_t counts_from(const transport *t, const flow *f, uint64_t clock) {
  return measures(t) && clock < f->last_acknowledged ? f->last_acknowledged : clock;
}

static bool has_expired(const transport *t, const flow *f, const slot *s, uint64_t most, uint64_t clock) {
  return counts_from(t, f, s->clock) + most <= clock || (measures(t) && s->clock + most <= f->newest);
}

/* A packet in flight, whose answer is awaited. */
static bool is_outstanding(const slot *s) { return s->left != FLOW_NEVER && !s->acknowledged && !s->resend; }

/* The packets before it have time-outs that count: with go-back-n the first alone, unless it waits to be sent again. */
static uint32_t end_timed(const transport *t, const flow *f) {
  return !goes_back(t) ? f->most : f->base < f->next ? f->base + 1 : f->base;
}

/* The clock when the first packet in flight left; FLOW_NEVER: none is. */
static uint64_t first_outstanding(const transport *t, const flow *f) {
  uint64_t first = FLOW_NEVER;
  for (uint32_t i = f->base; i < end_timed(t, f); i++)
    if (is_outstanding(slot_at(f, i)) && slot_at(f, i)->clock < first) first = slot_at(f, i)->clock;
  return first;
}

/* It waits for a request, although nothing of it is in flight, so that the request may be lost. */
static bool lacks_request(const transport *t, const flow *f) {
  return t->puller && has_data(t, f) && !may_go(&f->credit) && f->base + f->beyond + f->resends == f->most;
}

/* Alarms that were set for later remain, and do nothing. While the NIC is stalled no alarm is soon: the clock stands.
 */
static void set_timer(transport *t, ripstop_agent_context *on, flow *f) {
  const uint64_t first = lacks_request(t, f) ? f->last_acknowledged : first_outstanding(t, f);
  if (first == FLOW_NEVER) return;
  const uint64_t most = patience(t, f), due = counts_from(t, f, first) + most, now = ripstop_agent_now(on);
  const uint64_t clock = clock_of(t, f, now), soon = measures(t) && nic_stalls(&t->nic[f->source], now) ? most / 4 : 1;
  const uint64_t at = now + (due > clock + soon ? due - clock : soon + !soon);
  if (at >= f->rings) return;
  f->rings = at;
  ripstop_agent_alarm(on, at, t->alarms | flow_number(t, f));
}

/* Sends all packets again from the first without an answer. */
static void go_back(flow *f) { f->next = f->base; }

/* The last packet whose time-out has passed; RIPSTOP_NONE: none. */
static uint32_t expire(const transport *t, flow *f, uint64_t clock) {
  const uint64_t most = patience(t, f);
  uint32_t last = RIPSTOP_NONE;
  for (uint32_t i = f->base; i < end_timed(t, f); i++) {
    slot *s = slot_at(f, i);
    if (!is_outstanding(s) || !has_expired(t, f, s, most, clock)) continue;
    last = i;
    if (goes_back(t)) break;
    s->resend = true;
    f->resends++;
    f->credit.extra++;
  }
  if (last != RIPSTOP_NONE && goes_back(t)) go_back(f);
  return last;
}

/* Lets a packet go unsolicited. Returns the last one that was sent; RIPSTOP_NONE: it is too early. */
static uint32_t send_unsolicited(const transport *t, flow *f, uint64_t clock) {
  if (f->last_acknowledged + patience(t, f) > clock) return RIPSTOP_NONE;
  f->credit.extra++;
  return f->most - 1;
}

/* True if the missing packets can never arrive: none is in flight, and nothing will connect the two end nodes again. */
static bool is_cut_off(const transport *t, const flow *f, uint64_t now) {
  return t->part && now > t->settled && f->handovers != f->end && !f->in_progress &&
         t->part[f->source] != t->part[f->destination];
}

static void time_out(transport *t, ripstop_agent_context *on, flow *f) {
  const uint64_t now = ripstop_agent_now(on);
  if (now < f->rings) return;
  f->rings = FLOW_NEVER;
  const uint64_t clock = clock_of(t, f, now);
  const uint32_t expired = lacks_request(t, f) ? send_unsolicited(t, f, clock) : expire(t, f, clock);
  if (expired != RIPSTOP_NONE) {
    t->counts.timeouts++;
    f->doublings++;
    rate_expired(&f->rate, t->config, expired, f->most);
    if (is_cut_off(t, f, now)) t->cut_off = flow_number(t, f);
    if (t->cut_off != RIPSTOP_NONE || f->expiries++ == (uint32_t)t->config->tries) {
      t->given_up = true;
      return;
    }
  }
  set_timer(t, on, f);
}

/* ------------------------------------------------------------------ informed by switches */

/* If the packet is in flight again, or answered, before the source is informed, the notice does nothing. */
void sender_informed(transport *t, ripstop_agent_context *on, const packet_record *p, uint32_t links) {
  flow *f = &t->flow[p->flow];
  const uint64_t at = ripstop_agent_now(on) + (uint64_t)links * t->hop;
  if (p->number < f->base) return;
  slot_at(f, p->number)->informed = at;
  ripstop_agent_alarm(on, at, t->alarms | ALARM_INFORM | flow_number(t, f));
}

/* Go-back-n: the receiver accepts no packet after it, so the sender goes back to it. False: it is there already. */
static bool go_back_to(flow *f, uint32_t number) {
  if (number >= f->next) return false;
  f->next = number;
  return true;
}

static bool repeat_alone(flow *f, uint32_t number) {
  slot_at(f, number)->resend = true;
  f->resends++;
  return true;
}

/* `tries` limits the repeats of a packet in a row. A packet that has used them up waits for its time-out, as without
 * the notice, so a burst of losses ends no run that time-outs would bring to its end. */
static void heed_switch(transport *t, flow *f, uint32_t number) {
  slot *s = slot_at(f, number);
  s->informed = 0;
  if (!is_outstanding(s) || s->informs == (uint32_t)t->config->tries) return;
  if (!(goes_back(t) ? go_back_to(f, number) : repeat_alone(f, number))) return;
  f->credit.extra++;
  s->informs++;
  f->informs = true;
  t->counts.informed++;
}

static void heed_switches(transport *t, ripstop_agent_context *on, flow *f) {
  const uint64_t now = ripstop_agent_now(on);
  for (uint32_t i = f->base; i < f->most; i++)
    if (slot_at(f, i)->informed && slot_at(f, i)->informed <= now) heed_switch(t, f, i);
}

/* An answer ends the row of repeats of every packet of the flow, as it ends the row of time-outs. */
static void forget_repeats(flow *f) {
  if (!f->informs) return;
  for (uint32_t i = f->base; i < f->most; i++) slot_at(f, i)->informs = 0;
  f->informs = false;
}

void transport_alarm(transport *t, ripstop_agent_context *on, uint32_t what) {
  if ((what & ALARM_PULL) == ALARM_PULL) {
    pulls_ring(t, on, what & ~ALARM_PULL);
    return;
  }
  flow *f = &t->flow[what & ~ALARM_PULL];
  if (what & ALARM_PACE)
    f->paced = false;
  else if (what & ALARM_INFORM)
    heed_switches(t, on, f);
  else
    time_out(t, on, f);
  if (!t->given_up) sender_offer(t, on, f);
}

/* ------------------------------------------------------------------ answers */

/* False: it was answered while it waited here once more. */
static bool leave(transport *t, ripstop_agent_context *on, flow *f, uint32_t number) {
  if (number < f->base) return false;
  slot_at(f, number)->left = ripstop_agent_now(on) - 1;
  slot_at(f, number)->clock = clock_of(t, f, ripstop_agent_now(on) - 1);
  if (f->rings == FLOW_NEVER) set_timer(t, on, f);
  return true;
}

void sender_gone(transport *t, ripstop_agent_context *on, const packet_record *p) {
  leave(t, on, &t->flow[p->flow], p->number);
}

bool sender_left(transport *t, ripstop_agent_context *on, const packet_record *p, transport_message *started) {
  flow *f = &t->flow[p->flow];
  if (!leave(t, on, f, p->number)) return false;
  flow_message *m = message_of(f, p->number);
  if (m->started || p->number != m->first) return false;
  m->started = true;
  *started = m->message;
  return true;
}

/* Returns how many packets this answers for the first time: only this one. */
static uint32_t mark_acknowledged(flow *f, uint32_t number) {
  slot *s = slot_at(f, number);
  const bool first = !s->acknowledged;
  f->resends -= s->resend;
  f->beyond += first;
  s->resend = false;
  s->acknowledged = true;
  return first;
}

/* Marks all packets before `next` as answered. */
static uint32_t advance(flow *f, uint32_t next) {
  uint32_t count = 0;
  for (; f->base < next; f->base++, f->beyond--) count += mark_acknowledged(f, f->base);
  if (f->next < f->base) f->next = f->base;
  while (f->oldest < f->messages && f->message[f->oldest].first + f->message[f->oldest].packets <= f->base) f->oldest++;
  return count;
}

/* Ends a row of time-outs: no packet waits as long as before, neither those in flight nor the next to leave. */
static void end_row(transport *t, ripstop_agent_context *on, flow *f) {
  f->expiries = 0;
  f->rings = FLOW_NEVER;
  set_timer(t, on, f);
}

/* The answer to a packet that was sent once measures a round trip. */
static void measure_trip(transport *t, ripstop_agent_context *on, flow *f, const packet_record *p) {
  if (!measures(t) || p->kind != RECORD_ACK || p->number < f->base) return;
  const slot *s = slot_at(f, p->number);
  if (s->acknowledged || s->repeated || s->left == FLOW_NEVER) return;
  const bool doubled = f->doublings > 0;
  round_trip_add(&f->trip, ripstop_agent_now(on) - s->left);
  if (s->clock > f->newest) f->newest = s->clock;
  f->doublings = 0;
  if (doubled) end_row(t, on, f);
}

/* Unless this was the answer to an earlier copy. */
static void send_cut_again(flow *f, uint32_t number) {
  if (number >= f->base && is_outstanding(slot_at(f, number))) repeat_alone(f, number);
}

void sender_answered(transport *t, ripstop_agent_context *on, const packet_record *p) {
  flow *f = &t->flow[p->flow];
  if (p->kind == RECORD_NOTE) {
    rate_notified(&f->rate, t->config, ripstop_agent_now(on));
    return;
  }
  pulls_received(f, p->pulls);
  if (p->kind == RECORD_PULL) {
    sender_offer(t, on, f);
    return;
  }
  measure_trip(t, on, f, p);
  uint32_t news = advance(f, p->next);
  const bool cut = trims(t) && p->kind == RECORD_NAK;
  if (!goes_back(t) && !cut && p->number >= f->base) news += mark_acknowledged(f, p->number);
  if (news) forget_repeats(f);
  if (news || cut) f->losing = false, f->last_acknowledged = clock_of(t, f, ripstop_agent_now(on));
  if (cut) send_cut_again(f, p->number);
  if ((news || cut) && f->expiries) end_row(t, on, f);
  rate_answered(&f->rate, t->config, news, p->number, f->most, p->marked || cut);
  if (goes_back(t) && p->kind == RECORD_NAK && p->next == f->base && f->base < f->next) go_back(f);
  sender_offer(t, on, f);
}
