/* event_queue.c - a heap of pending events, and a pool of messages with a list of free entries. */
#include "route/event_queue.h"

#include <string.h>

#include "base/binary_heap.h"
#include "base/growing.h"

enum { FIRST_ROOM = 256, SETTLING_STEPS = 1 << 28 };

int ripstop_event_queue_open(ripstop_event_queue *a, ripstop_arena *arena, const ripstop_plan *plan,
                             ripstop_error *err) {
  const ripstop_proto *proto = plan->method->proto;
  *a = (ripstop_event_queue){
      .message_size = proto->message_size, .free = RIPSTOP_NONE, .settling = proto->settled, .arena = arena};
  return proto->message_size <= RIPSTOP_MESSAGE_BYTES
             ? 0
             : ripstop_fail(err, "method %s: messages of at most %d bytes", plan->method->name, RIPSTOP_MESSAGE_BYTES);
}

/* ------------------------------------------------------------------ the heap */

static int rank(ripstop_event_kind kind) { return kind == RIPSTOP_EVENT_TIMER ? 2 : kind == RIPSTOP_EVENT_MESSAGE; }

static bool before(const ripstop_due *a, const ripstop_due *b) {
  if (a->cycle != b->cycle) return a->cycle < b->cycle;
  if (a->node != b->node) return a->node < b->node;
  if (rank(a->kind) != rank(b->kind)) return rank(a->kind) < rank(b->kind);
  if (a->number != b->number) return a->number < b->number;
  return a->order < b->order;
}

RIPSTOP_HEAP(heap, ripstop_due, before)

void ripstop_event_queue_put(ripstop_event_queue *a, ripstop_due due) {
  RIPSTOP_GROW_IN(a->arena, a->heap, a->items, a->room);
  heap_up(a->heap, a->items++, due);
}

void ripstop_event_queue_schedule(ripstop_event_queue *a, ripstop_due due) {
  due.order = ripstop_event_queue_order(a);
  due.message = RIPSTOP_NONE;
  ripstop_event_queue_put(a, due);
}

ripstop_due ripstop_event_queue_take(ripstop_event_queue *a) { return heap_take(a->heap, &a->items); }

void ripstop_event_queue_filter(ripstop_event_queue *a, bool (*stays)(void *runner, const ripstop_due *due),
                                void *runner) {
  size_t kept = 0;
  for (size_t i = 0; i < a->items; i++)
    if (stays(runner, &a->heap[i])) a->heap[kept++] = a->heap[i];
  if (kept == a->items) return;
  a->items = kept;
  for (size_t i = kept / 2; i-- > 0;) heap_down(a->heap, kept, i, a->heap[i]);
}

/* ------------------------------------------------------------------ messages */

static void add_places(ripstop_event_queue *a) {
  uint32_t more = a->messages ? 2 * a->messages : FIRST_ROOM;
  a->message = ripstop_arena_realloc(a->arena, a->message, more, a->message_size);
  a->envelope = ripstop_arena_realloc(a->arena, a->envelope, more, sizeof *a->envelope);
  for (uint32_t i = a->messages; i < more; i++) a->envelope[i].next = i + 1 < more ? i + 1 : RIPSTOP_NONE;
  a->free = a->messages;
  a->messages = more;
}

uint32_t ripstop_event_queue_keep(ripstop_event_queue *a, const void *message) {
  if (a->free == RIPSTOP_NONE) add_places(a);
  uint32_t place = a->free;
  a->free = a->envelope[place].next;
  a->envelope[place] = (ripstop_envelope){.order = ripstop_event_queue_order(a), .next = RIPSTOP_NONE};
  memcpy(ripstop_event_queue_message(a, place), message, a->message_size);
  return place;
}

void ripstop_event_queue_drop(ripstop_event_queue *a, uint32_t message) {
  a->envelope[message].next = a->free;
  a->free = message;
}

/* ------------------------------------------------------------------ steps */

ripstop_event ripstop_event_queue_event(ripstop_event_queue *a, const ripstop_due *due, uint64_t cycle,
                                        ripstop_message *copy) {
  ripstop_event event = {.kind = due->kind, .cycle = cycle};
  if (due->kind == RIPSTOP_EVENT_TIMER)
    event.timer = due->number;
  else
    event.port = due->number;
  if (due->kind != RIPSTOP_EVENT_MESSAGE) return event;
  memcpy(copy->bytes, ripstop_event_queue_message(a, due->message), a->message_size);
  ripstop_event_queue_drop(a, due->message);
  event.message = copy->bytes;
  return event;
}

int ripstop_event_queue_settle(ripstop_event_queue *a, void (*step)(void *runner, const ripstop_due *due), void *runner,
                               const ripstop_plan *plan, ripstop_error *err) {
  ripstop_due *timer = NULL;
  size_t timers = 0, room = 0;
  for (uint32_t steps = 0; a->items && steps < SETTLING_STEPS; steps++) {
    ripstop_due due = ripstop_event_queue_take(a);
    if (due.kind != RIPSTOP_EVENT_TIMER) {
      a->clock = due.cycle;
      step(runner, &due);
      continue;
    }
    RIPSTOP_GROW_IN(a->arena, timer, timers, room);
    timer[timers++] = due;
  }
  bool settled = a->items == 0;
  for (size_t i = 0; i < timers; i++) ripstop_event_queue_put(a, timer[i]);
  ripstop_free(timer);
  a->settling = false;
  return settled ? 0 : ripstop_fail(err, "method %s: its switches exchange messages without end", plan->method->name);
}
