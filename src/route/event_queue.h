/* event_queue.h - pending events of a protocol's switches and its messages in flight, for the two runners of protocols:
 * the simulator on its links (simulate/control.c) and the virtual network (proto/network.c).
 *
 * Events are taken in the order (cycle, node, kind, port or timer, order), which docs/model.md prescribes: at a node in
 * a cycle, link events come first, then messages by port, then timers by number; otherwise equal events come in the
 * order in which they were sent or set. So the order of a cycle's steps does not depend on the history of the queue. */
#ifndef ROUTE_EVENT_QUEUE_H
#define ROUTE_EVENT_QUEUE_H

#include <stdalign.h>
#include <stddef.h>

#include "ripstop/plugin/method.h"

enum { RIPSTOP_MESSAGE_BYTES = 256 }; /* longest message */

typedef struct ripstop_due {
  uint64_t cycle;
  uint64_t order;        /* ripstop_event_queue_order */
  uint32_t node, number; /* port or timer */
  ripstop_event_kind kind;
  uint32_t message; /* index of the message; other kinds: RIPSTOP_NONE */
  size_t cause;     /* the runner's: the change to which it attributes this event */
} ripstop_due;

/* A message without its bytes. The runner owns the fields, and `next` only while the message is kept. */
typedef struct ripstop_envelope {
  uint64_t order; /* order of sending */
  uint64_t start; /* cycle in which it takes its link */
  uint32_t flits;
  uint32_t next; /* next in a queue of the runner */
} ripstop_envelope;

typedef struct ripstop_event_queue {
  ripstop_due *heap; /* [items] */
  size_t items, room;
  ripstop_envelope *envelope; /* [messages] */
  uint8_t *message;           /* [messages * message_size] */
  size_t message_size;
  uint32_t messages, free;
  uint64_t order;
  bool settling;  /* ripstop_event_queue_settle runs, or will */
  uint64_t clock; /* then: the time of the present step */
  ripstop_arena *arena;
} ripstop_event_queue;

/* For the protocol of the plan's method, which must have one. Memory grows and comes from the arena. -1: messages are
 * too long. */
int ripstop_event_queue_open(ripstop_event_queue *event_queue, ripstop_arena *arena, const ripstop_plan *plan,
                             ripstop_error *err);

static inline uint64_t ripstop_event_queue_order(ripstop_event_queue *event_queue) { return event_queue->order++; }
void ripstop_event_queue_put(ripstop_event_queue *event_queue, ripstop_due due);
/* Puts an event that is no message, and assigns its order. */
void ripstop_event_queue_schedule(ripstop_event_queue *event_queue, ripstop_due due);
ripstop_due ripstop_event_queue_take(ripstop_event_queue *event_queue); /* the first event; the queue must not be
                                                                         * empty */
/* Removes the events for which `stays` returns false. It may drop their messages. */
void ripstop_event_queue_filter(ripstop_event_queue *event_queue, bool (*stays)(void *runner, const ripstop_due *due),
                                void *runner);

/* Copies the message, and assigns an order but puts it in no queue. Returns its index. */
uint32_t ripstop_event_queue_keep(ripstop_event_queue *event_queue, const void *message);
void ripstop_event_queue_drop(ripstop_event_queue *event_queue, uint32_t message);
/* The bytes are valid until the next ripstop_event_queue_keep. */
static inline void *ripstop_event_queue_message(const ripstop_event_queue *event_queue, uint32_t message) {
  return event_queue->message + (size_t)message * event_queue->message_size;
}

/* The bytes of a message that a step receives. */
typedef struct ripstop_message {
  alignas(max_align_t) uint8_t bytes[RIPSTOP_MESSAGE_BYTES];
} ripstop_message;

/* The input of a step, from an event taken from the queue. The message is dropped; its bytes are copied to *copy, since
 * the step may send messages. */
ripstop_event ripstop_event_queue_event(ripstop_event_queue *event_queue, const ripstop_due *due, uint64_t cycle,
                                        ripstop_message *copy);

/* Protocols with `settled` (ripstop_proto) know parts that are down from the start: the steps and messages about them
 * happen before cycle 0, in the order of their delays. Runs all pending events and their consequences, except timers.
 * -1: this does not end. */
int ripstop_event_queue_settle(ripstop_event_queue *event_queue, void (*step)(void *runner, const ripstop_due *due),
                               void *runner, const ripstop_plan *plan, ripstop_error *err);

#endif
