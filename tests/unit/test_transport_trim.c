/* The transport `trim` on a network of its own: senders on one switch send to one receiver, and the switch cuts a
 * packet that finds no room. Nothing of the engine is here, so counts of packets and cycles come from these few lines
 * alone.
 *
 * A cycle is a flit. Each sender has a link of one flit a cycle to the switch, with a delay of DELAY cycles. The switch
 * has a queue of `room` packets towards the receiver, and one of headers that goes first. Answers take 2 DELAY cycles
 * and never meet. Chosen transmissions of any kind are lost. */
#include "workload/pulls.c"
#include "workload/rate.c"
#include "workload/receiver.c"
#include "workload/round_trip.c"
#include "workload/sender.c"
#include "workload/transport.c"

#include "check.h"
#include "ripstop/plugin/base.h"

enum { DELAY = 50, FLITS = 64, SENDERS_MAX = 64, QUEUE_MAX = 65536 };

typedef struct sent_packet {
  ripstop_agent_packet packet;
  uint64_t at; /* cycle of its arrival where it goes next */
} sent_packet;

typedef struct line { /* first in, first out */
  sent_packet *at;
  size_t first, count;
} line;

typedef struct alarm_at {
  uint64_t cycle, what;
} alarm_at;

struct ripstop_agent_context {
  uint64_t now;
  uint32_t senders, room;
  transport *transport;
  line interface[SENDERS_MAX + 1], wire[SENDERS_MAX + 1], queue, headers, link, answers;
  uint64_t busy[SENDERS_MAX + 1], link_busy;
  uint64_t taken_at[SENDERS_MAX + 1]; /* the cycle in which its sender is notified of a departure; 0: none */
  ripstop_agent_packet taken[SENDERS_MAX + 1];
  alarm_at alarm[4096];
  size_t alarms;
  uint64_t lose_of, arrived; /* every lose_of-th transmission is lost; 0: none */
  uint64_t lose_pulls;       /* the first requests are lost, so many */
  /* counts for tests */
  uint64_t departures, cuts, data_flits, pulls, last_pull, least_gap, first_again, messages;
  uint64_t nak_at, again_at, since_nak; /* sender 1: its first NAK, its first repeat, its packets in between */
  ripstop_arena *arena;
};
typedef struct ripstop_agent_context net;

static void push_line(net *n, line *l, ripstop_agent_packet p, uint64_t at) {
  if (!l->at) l->at = ripstop_arena_array(n->arena, QUEUE_MAX, sizeof *l->at);
  assert_true(l->first + l->count < QUEUE_MAX);
  l->at[l->first + l->count++] = (sent_packet){p, at};
}

static sent_packet pop_line(line *l) {
  l->count--;
  return l->at[l->first++];
}

static const sent_packet *front(const line *l) { return l->count ? &l->at[l->first] : NULL; }

static bool is_lost(net *n) { return n->lose_of && ++n->arrived % n->lose_of == 0; }

/* ------------------------------------------------------------------ calls of the transport */

uint64_t ripstop_agent_now(const ripstop_agent_context *n) { return n->now; }

void ripstop_agent_send(ripstop_agent_context *n, const ripstop_agent_packet *p) {
  if (p->source) {
    push_line(n, &n->interface[p->source], *p, 0);
    return;
  }
  if (n->transport->record[p->tag].kind == RECORD_PULL) {
    if (n->pulls++ && n->now - n->last_pull < n->least_gap) n->least_gap = n->now - n->last_pull;
    n->last_pull = n->now;
  }
  push_line(n, &n->answers, *p, n->now + 2 * DELAY);
}

void ripstop_agent_alarm(ripstop_agent_context *n, uint64_t cycle, uint64_t alarm) {
  assert_true(cycle > n->now || n->now == 0);
  assert_true(n->alarms < sizeof n->alarm / sizeof *n->alarm);
  n->alarm[n->alarms++] = (alarm_at){cycle, alarm};
}

/* ------------------------------------------------------------------ a cycle */

static void take_answers(net *n) {
  while (front(&n->answers) && front(&n->answers)->at <= n->now) {
    const sent_packet s = pop_line(&n->answers);
    transport_message there;
    const bool pull = n->transport->record[s.packet.tag].kind == RECORD_PULL;
    if (is_lost(n) || (pull && n->lose_pulls && n->lose_pulls--)) {
      transport_lost(n->transport, n, &s.packet);
      continue;
    }
    const packet_record p = n->transport->record[s.packet.tag];
    if (p.kind == RECORD_NAK && n->transport->flow[p.flow].source == 1 && !n->nak_at) n->nak_at = n->now;
    transport_delivered(n->transport, n, &s.packet, &there);
  }
}

static void take_data(net *n) {
  while (front(&n->link) && front(&n->link)->at <= n->now) {
    sent_packet s = pop_line(&n->link);
    transport_message there;
    if (is_lost(n))
      transport_lost(n->transport, n, &s.packet);
    else
      n->messages += transport_delivered(n->transport, n, &s.packet, &there);
  }
}

static void note_departures(net *n) {
  for (uint32_t i = 1; i <= n->senders; i++) {
    transport_message started;
    if (!n->taken_at[i] || n->taken_at[i] > n->now) continue;
    n->taken_at[i] = 0;
    transport_taken(n->transport, n, &n->taken[i], &started);
  }
}

static void ring_alarms(net *n) {
  for (size_t i = 0; i < n->alarms; i++)
    if (n->alarm[i].cycle <= n->now) {
      const uint32_t what = (uint32_t)n->alarm[i].what;
      n->alarm[i--] = n->alarm[--n->alarms];
      transport_alarm(n->transport, n, what);
    }
}

/* A network interface begins to send a packet. */
static void leave_interface(net *n, uint32_t i) {
  if (!front(&n->interface[i]) || n->busy[i] > n->now) return;
  const sent_packet s = pop_line(&n->interface[i]);
  const packet_record p = n->transport->record[s.packet.tag];
  n->busy[i] = n->now + s.packet.flits;
  n->departures++;
  if (i == 1 && n->nak_at && !n->again_at) {
    n->since_nak++;
    if (n->transport->flow[p.flow].ring[p.number & (n->transport->flow[p.flow].room - 1)].repeated)
      n->again_at = n->now;
  }
  n->taken[i] = s.packet;
  n->taken_at[i] = n->now + 1;
  push_line(n, &n->wire[i], s.packet, n->now + DELAY + s.packet.flits);
}

static void enter_switch(net *n, uint32_t i) {
  while (front(&n->wire[i]) && front(&n->wire[i])->at <= n->now) {
    sent_packet s = pop_line(&n->wire[i]);
    if (n->queue.count < n->room) {
      push_line(n, &n->queue, s.packet, 0);
      continue;
    }
    s.packet.cut = true;
    s.packet.flits = 1;
    n->cuts++;
    push_line(n, &n->headers, s.packet, 0);
  }
}

static void leave_switch(net *n) {
  line *l = n->headers.count ? &n->headers : &n->queue;
  if (!l->count || n->link_busy > n->now) return;
  const sent_packet s = pop_line(l);
  if (!s.packet.cut) n->data_flits += s.packet.flits;
  n->link_busy = n->now + s.packet.flits;
  push_line(n, &n->link, s.packet, n->now + DELAY + s.packet.flits);
}

static void run_cycle(net *n) {
  take_data(n);
  take_answers(n);
  note_departures(n);
  ring_alarms(n);
  for (uint32_t i = 1; i <= n->senders; i++) leave_interface(n, i);
  for (uint32_t k = 0; k < n->senders; k++) enter_switch(n, 1 + (uint32_t)((n->now + k) % n->senders));
  leave_switch(n);
  n->now++;
}

/* ------------------------------------------------------------------ a run */

typedef struct result {
  uint64_t cycles;
  transport_counts counts;
  net *net;
} result;

/* All senders send a message of so many packets; until all are there. */
static result run_with_losses(ripstop_arena *arena, uint32_t senders, uint32_t packets, uint32_t room, bool pull,
                              uint64_t lose_of, uint64_t lose_pulls) {
  ripstop_workload_config *config = RIPSTOP_NEW(arena, ripstop_workload_config);
  net *n = RIPSTOP_NEW(arena, net);
  char fabric[64];
  ripstop_error err;
  assert_int_equal(ripstop_options_parse(arena, "workload", ripstop_workload_options, config,
                                         pull ? "jobs=x,transport=trim,timeout_min=20000"
                                              : "jobs=x,transport=trim,pull=off,timeout_min=20000",
                                         &err),
                   0);
  snprintf(fabric, sizeof fabric, "kary-ntree:k=%u,n=1", SENDERS_MAX + 1);
  ripstop_fabric *f = ripstop_fabric_open(fabric, &err);
  ripstop_view *view = ripstop_view_new(f, NULL);
  *n = (net){.senders = senders,
             .room = room,
             .lose_of = lose_of,
             .lose_pulls = lose_pulls,
             .least_gap = UINT64_MAX,
             .arena = arena};
  n->transport = transport_open(config, view, 1, 0, arena);
  transport_bound(n->transport, 20000);
  if (pull) transport_pull(n->transport, (4 * DELAY + FLITS + 1 + FLITS - 1) / FLITS + 1);
  const transport_message m = {.full = FLITS, .last = FLITS};
  for (uint32_t i = 1; i <= senders; i++) transport_send(n->transport, n, (transport_pair){i, 0, 0}, packets, &m);
  while (n->messages < senders && n->now < 100000000) run_cycle(n);
  const result r = {n->now - 1, transport_count(n->transport), n};
  assert_true(n->messages == senders && transport_is_right(n->transport));
  ripstop_view_free(view);
  ripstop_fabric_free(f);
  return r;
}

static result run_incast(ripstop_arena *arena, uint32_t senders, uint32_t packets, uint32_t room, bool pull,
                         uint64_t lose_of) {
  return run_with_losses(arena, senders, packets, room, pull, lose_of, 0);
}

/* The receiver's link is busy with data from the first packet to the last, but for the headers of what was cut: those
 * are of the first windows alone, since requests come at the rate of the link. Each cut packet is repeated once, and no
 * other. */
static void an_incast_takes_the_time_of_one_link(void **state) {
  (void)state;
  static const uint32_t senders[] = {1, 2, 4, 16, 64};
  for (size_t i = 0; i < sizeof senders / sizeof *senders; i++) {
    ripstop_arena *arena = ripstop_arena_new();
    const uint32_t packets = 100;
    const result r = run_incast(arena, senders[i], packets, 8, true, 0);
    const uint64_t data = (uint64_t)senders[i] * packets * FLITS, path = 2 * DELAY + FLITS;
    const uint64_t window = r.net->transport->first_window;
    assert_int_equal(r.net->data_flits, data);
    assert_true(r.counts.trimmed == r.net->cuts && r.counts.repeats == r.net->cuts && r.counts.naks == r.net->cuts);
    assert_true(r.counts.timeouts == 0 && r.counts.duplicates == 0);
    assert_true(r.net->cuts <= senders[i] * window);
    assert_int_equal(r.net->departures, (uint64_t)senders[i] * packets + r.net->cuts);
    assert_true(r.counts.pulls <= (uint64_t)senders[i] * packets + r.net->cuts);
    assert_true(r.net->least_gap >= FLITS);
    const uint64_t least = path + data, most = least + r.net->cuts + 2 * path + 2 * DELAY + 8 * FLITS;
    if (r.cycles < least || r.cycles > most)
      fail_msg("%u senders: %llu cycles, not %llu to %llu", senders[i], (unsigned long long)r.cycles,
               (unsigned long long)least, (unsigned long long)most);
    ripstop_arena_free(arena);
  }
}

/* A cut packet goes before new data: only the two packets that are in the interface already can leave before it. */
static void what_was_cut_goes_first(void **state) {
  (void)state;
  for (int pull = 0; pull < 2; pull++) {
    ripstop_arena *arena = ripstop_arena_new();
    const result r = run_incast(arena, 16, 100, 4, pull, 0);
    assert_true(r.net->nak_at > 0 && r.net->again_at >= r.net->nak_at);
    assert_true(r.net->since_nak <= 1 + 2);
    ripstop_arena_free(arena);
  }
}

/* Without requests a window of each sender is in flight all the time, and most packets are cut, but none is lost. */
static void without_requests_senders_go_on_too_fast(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  const result on = run_incast(arena, 16, 200, 8, true, 0), off = run_incast(arena, 16, 200, 8, false, 0);
  assert_true(off.counts.pulls == 0 && off.counts.timeouts == 0);
  assert_true(off.net->cuts > 5 * on.net->cuts);
  assert_int_equal(off.net->departures, 16 * 200 + off.net->cuts);
  ripstop_arena_free(arena);
}

/* Packets, headers, answers and requests are lost: time-outs bring all of it again. */
static void lost_requests_and_headers_are_made_up_for(void **state) {
  (void)state;
  static const uint64_t lose_of[] = {3, 7, 10, 37, 101};
  uint64_t timeouts = 0;
  for (size_t i = 0; i < sizeof lose_of / sizeof *lose_of; i++)
    for (int pull = 0; pull < 2; pull++)
      for (uint32_t senders = 1; senders <= 9; senders += 4) {
        ripstop_arena *arena = ripstop_arena_new();
        const result r = run_incast(arena, senders, 60, 4, pull, lose_of[i]);
        timeouts += r.counts.timeouts;
        for (uint32_t k = 0; k < r.net->transport->flows && pull; k++) {
          const pull_sender *a = &r.net->transport->flow[k].credit;
          assert_true(a->sent <= a->unsolicited + a->extra + a->pulled);
        }
        ripstop_arena_free(arena);
      }
  assert_true(timeouts > 100);
}

/* The requests of a window are lost, or all of a run. The answers to later packets have their number, so no sender
 * waits for a time-out, and the rate hardly changes. */
static void answers_make_up_for_lost_requests(void **state) {
  (void)state;
  for (uint32_t packets = 50; packets <= 800; packets *= 4) {
    ripstop_arena *arena = ripstop_arena_new();
    const result all = run_with_losses(arena, 1, packets, 8, true, 0, UINT64_MAX);
    const result some = run_with_losses(arena, 1, packets, 8, true, 0, all.net->transport->first_window);
    const result none = run_incast(arena, 1, packets, 8, true, 0);
    assert_true(none.counts.timeouts == 0 && some.counts.timeouts == 0 && all.counts.timeouts == 0);
    assert_true(all.counts.pulls == none.counts.pulls && all.counts.repeats == 0);
    assert_true(none.cycles <= some.cycles && some.cycles <= all.cycles);
    assert_true(all.cycles <= none.cycles + none.cycles / 2);
    ripstop_arena_free(arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_incast_takes_the_time_of_one_link), cmocka_unit_test(what_was_cut_goes_first),
      cmocka_unit_test(without_requests_senders_go_on_too_fast),
      cmocka_unit_test(lost_requests_and_headers_are_made_up_for), cmocka_unit_test(answers_make_up_for_lost_requests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
