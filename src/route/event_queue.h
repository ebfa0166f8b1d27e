/* event queue.h - what is due for the switches of a protocol, and the messages that are under way: for whoever runs
 * one, the simulator on its links (simulate/control.c) or the virtual network (proto/network.c).
 *
 * Things come off the event queue by (cycle, node, kind, port or timer, order), which is the order of steps that
 * docs/model.md prescribes: of a node's things in a cycle link events go first, then messages by port, then timers by
 * number; what is equal in all that goes in the order in which it was sent or set. So the steps of a cycle have one
 * order whatever happened before. */
#ifndef ROUTE_EVENT_QUEUE_H
#define ROUTE_EVENT_QUEUE_H

#include <stdalign.h>
#include <stddef.h>

#include "ripstop/plugin/method.h"

enum { RIPSTOP_MESSAGE_BYTES = 256 }; /* of a message, at most */

typedef struct ripstop_due {
  uint64_t cycle;
  uint64_t order;        /* ripstop_event_queue_order */
  uint32_t node, number; /* port or timer */
  ripstop_event_kind kind;
  uint32_t message; /* its place among the messages; other kinds: RIPSTOP_NONE */
  size_t cause;     /* the runner's own: what it goes back to */
} ripstop_due;

/* A message without its bytes; the runner's own but for `next`, which is the runner's as long as the
 * message is kept. */
typedef struct ripstop_envelope {
  uint64_t order; /* of sending */
  uint64_t start; /* cycle in which it takes its link */
  uint32_t flits;
  uint32_t next; /* of a queue that the runner makes */
} ripstop_envelope;

typedef struct ripstop_event_queue {
  ripstop_due *heap; /* [items] */
  size_t items, room;
  ripstop_envelope *envelope; /* [messages] */
  uint8_t *message;           /* [messages * message_size] */
  size_t message_size;
  uint32_t messages, free;
  uint64_t order;
  bool settling;  /* ripstop_event_queue_settle is at work, or is to come */
  uint64_t clock; /* then: when the step at hand would happen */
  ripstop_arena *arena;
} ripstop_event_queue;

/* For the protocol of the plan's method, which has one; all memory is from the arena, as more is needed. -1: its
 * messages are too long. */
int ripstop_event_queue_open(ripstop_event_queue *event_queue, ripstop_arena *arena, const ripstop_plan *plan,
                             ripstop_error *err);

static inline uint64_t ripstop_event_queue_order(ripstop_event_queue *event_queue) { return event_queue->order++; }
void ripstop_event_queue_put(ripstop_event_queue *event_queue, ripstop_due due);
ripstop_due ripstop_event_queue_take(ripstop_event_queue *event_queue); /* the first; there is one */
/* Keeps what `stays` says. It may drop messages. */
void ripstop_event_queue_filter(ripstop_event_queue *event_queue, bool (*stays)(void *runner, const ripstop_due *due),
                                void *runner);

/* Copies the message; with an order, and in no queue. Returns its place. */
uint32_t ripstop_event_queue_keep(ripstop_event_queue *event_queue, const void *message);
void ripstop_event_queue_drop(ripstop_event_queue *event_queue, uint32_t message);
/* Until the next ripstop_event_queue_keep. */
static inline void *ripstop_event_queue_message(const ripstop_event_queue *event_queue, uint32_t message) {
  return event_queue->message + (size_t)message * event_queue->message_size;
}

/* The bytes of a message that a step is told of. */
typedef struct ripstop_message {
  alignas(max_align_t) uint8_t bytes[RIPSTOP_MESSAGE_BYTES];
} ripstop_message;

/* The input of a step, from a thing that has come off the event queue. Its message is dropped, and its bytes live in
 * *copy, since the step may send. */
ripstop_event ripstop_event_queue_event(ripstop_event_queue *event_queue, const ripstop_due *due, uint64_t cycle,
                                        ripstop_message *copy);

/* What is dead from the start is old news to a protocol that says so (ripstop_proto.settled): the steps and messages
 * that follow from it happen before cycle 0, in the order that their delays give. All that is due now is done, and what
 * comes of it; timers wait. -1: it does not come to an end. */
int ripstop_event_queue_settle(ripstop_event_queue *event_queue, void (*step)(void *runner, const ripstop_due *due),
                               void *runner, const ripstop_plan *plan, ripstop_error *err);

#endif
