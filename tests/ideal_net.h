/* ideal_net.h - a network for the machine of src/programs that is no network: every packet takes its flits, a fixed
 * latency and up to `jitter` cycles more, so that any two packets may overtake each other; each is lost with
 * probability `loss`, and the first `lost_first` in any case. The other construction beside the simulated network. */
#ifndef RIPSTOP_TESTS_IDEAL_NET_H
#define RIPSTOP_TESTS_IDEAL_NET_H

#include <stdlib.h>

#include "check.h"
#include "programs/machine.h"
#include "ripstop/plugin/kernel.h"

typedef struct ideal_event {
  uint64_t cycle, order;
  ripstop_agent_packet agent_packet;
  enum { IDEAL_ALARM, IDEAL_LOST, IDEAL_DELIVERED } kind;
} ideal_event;

typedef struct ideal_net {
  uint64_t latency, jitter;
  double loss;
  uint64_t lost_first;
  ripstop_stream stream;
  uint64_t now, order, delivered;
  ideal_event *event; /* unsorted: there are few */
  size_t events, room;
  bool over;
} ideal_net;

static inline void ideal_add(ideal_net *n, ideal_event e) {
  if (n->events == n->room) {
    n->room = n->room ? 2 * n->room : 256;
    n->event = ripstop_realloc(n->event, n->room, sizeof *n->event);
  }
  e.order = n->order++;
  n->event[n->events++] = e;
}

static inline uint64_t ideal_now(void *self) { return ((ideal_net *)self)->now; }
static inline void ideal_finish(void *self) { ((ideal_net *)self)->over = true; }
static inline void ideal_alarm(void *self, uint64_t cycle) {
  ideal_net *n = self;
  assert_true(cycle > n->now);
  ideal_add(n, (ideal_event){.cycle = cycle, .kind = IDEAL_ALARM});
}
static inline void ideal_send(void *self, const ripstop_agent_packet *agent_packet) {
  ideal_net *n = self;
  bool lost = ripstop_stream_unit(&n->stream) < n->loss || n->lost_first;
  if (n->lost_first) n->lost_first--;
  uint64_t cycle =
      n->now + n->latency + agent_packet->flits + ripstop_stream_below(&n->stream, (uint32_t)n->jitter + 1);
  ideal_add(n,
            (ideal_event){.cycle = cycle, .agent_packet = *agent_packet, .kind = lost ? IDEAL_LOST : IDEAL_DELIVERED});
}

/* Runs the machine to its end. Few events are open at once, so each step looks at all of them. */
static inline void ideal_run(ideal_net *n, ripstop_machine *machine, uint64_t seed) {
  net network = {.self = n, .now = ideal_now, .send = ideal_send, .alarm = ideal_alarm, .finish = ideal_finish};
  n->stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
  machine_start(machine, &network);
  while (!n->over) {
    size_t first = 0;
    if (!n->events) fail_msg("nothing is in transit, and the program has not ended");
    for (size_t i = 1; i < n->events; i++) {
      const ideal_event *a = &n->event[i], *b = &n->event[first];
      if (a->cycle < b->cycle || (a->cycle == b->cycle && a->order < b->order)) first = i;
    }
    ideal_event e = n->event[first];
    n->event[first] = n->event[--n->events];
    n->now = e.cycle;
    if (e.kind == IDEAL_ALARM) machine_alarm(machine);
    if (e.kind == IDEAL_LOST) machine_lost(machine, &e.agent_packet);
    if (e.kind == IDEAL_DELIVERED) machine_delivered(machine, &e.agent_packet), n->delivered++;
  }
  ripstop_free(n->event);
}

#endif
