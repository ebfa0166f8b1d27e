/* test_event_queue.c - what is due comes in the order that docs/model.md prescribes, whatever the order in which it was
 * put there; messages keep their bytes while others come and go; settling leaves timers where they are, and ends. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "route/event_queue.h"

typedef struct stage {
  ripstop_arena *arena;
  ripstop_proto proto;
  ripstop_method method;
  ripstop_plan plan;
  ripstop_event_queue event_queue;
} stage;

static void open_stage(stage *s, size_t message_size) {
  ripstop_error err;
  *s = (stage){.arena = ripstop_arena_new(), .proto = {.message_size = message_size, .settled = true}};
  s->method = (ripstop_method){.name = "toy", .proto = &s->proto};
  s->plan = (ripstop_plan){.method = &s->method};
  assert_int_equal(ripstop_event_queue_open(&s->event_queue, s->arena, &s->plan, &err), 0);
}

static ripstop_due due(ripstop_event_queue *a, uint64_t cycle, uint32_t node, ripstop_event_kind kind,
                       uint32_t number) {
  return (ripstop_due){.cycle = cycle,
                       .order = ripstop_event_queue_order(a),
                       .node = node,
                       .kind = kind,
                       .number = number,
                       .message = RIPSTOP_NONE};
}

/* By the words of the model; 0: only the order of sending decides. */
static int compare(const ripstop_due *a, const ripstop_due *b) {
  static const int rank[] = {[RIPSTOP_EVENT_LINK_DOWN] = 0,
                             [RIPSTOP_EVENT_LINK_UP] = 0,
                             [RIPSTOP_EVENT_MESSAGE] = 1,
                             [RIPSTOP_EVENT_TIMER] = 2};
  if (a->cycle != b->cycle) return a->cycle < b->cycle ? -1 : 1;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (rank[a->kind] != rank[b->kind]) return rank[a->kind] - rank[b->kind];
  return a->number == b->number ? 0 : a->number < b->number ? -1 : 1;
}

static bool is_even(void *runner, const ripstop_due *it) {
  (void)runner;
  return it->cycle % 2 == 0;
}

enum { THINGS = 2000 };

/* Few different values, so that each tie is met often. */
static void fill(ripstop_event_queue *a) {
  static const ripstop_event_kind kinds[] = {RIPSTOP_EVENT_TIMER, RIPSTOP_EVENT_LINK_UP, RIPSTOP_EVENT_MESSAGE,
                                             RIPSTOP_EVENT_LINK_DOWN};
  uint64_t x = 1;
  for (int i = 0; i < THINGS; i++) {
    x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    ripstop_event_queue_put(a, due(a, x >> 40 & 7, x >> 44 & 3, kinds[x >> 50 & 3], x >> 56 & 3));
  }
}

static void empty_in_order(ripstop_event_queue *a, size_t count) {
  ripstop_due last = {0};
  assert_int_equal(a->items, count);
  for (size_t i = 0; i < count; i++) {
    ripstop_due next = ripstop_event_queue_take(a);
    int side = i ? compare(&last, &next) : -1;
    if (side > 0 || (side == 0 && last.order >= next.order)) fail_msg("thing %zu comes too late", i);
    last = next;
  }
  assert_int_equal(a->items, 0);
}

static void in_the_order_of_the_model(void **state) {
  (void)state;
  stage s;
  open_stage(&s, 4);
  fill(&s.event_queue);
  empty_in_order(&s.event_queue, THINGS);
  fill(&s.event_queue);
  size_t even = 0;
  for (size_t i = 0; i < s.event_queue.items; i++) even += s.event_queue.heap[i].cycle % 2 == 0;
  ripstop_event_queue_filter(&s.event_queue, is_even, NULL);
  assert_in_range(even, 1, THINGS - 1);
  empty_in_order(&s.event_queue, even);
  ripstop_arena_free(s.arena);
}

static void messages_keep_their_bytes(void **state) {
  (void)state;
  enum { MOST = 900 };
  stage s;
  uint32_t place[MOST];
  open_stage(&s, sizeof(uint64_t));
  for (uint64_t i = 0; i < MOST; i++) place[i] = ripstop_event_queue_keep(&s.event_queue, &i);
  for (uint32_t i = 0; i < MOST; i += 3) ripstop_event_queue_drop(&s.event_queue, place[i]);
  uint32_t places = s.event_queue.messages;
  for (uint64_t i = 0; i < MOST; i += 3) place[i] = ripstop_event_queue_keep(&s.event_queue, &i);
  assert_int_equal(s.event_queue.messages, places); /* in the places that were free */
  for (uint64_t i = 0; i < MOST; i++) {
    uint64_t kept;
    memcpy(&kept, ripstop_event_queue_message(&s.event_queue, place[i]), sizeof kept);
    assert_int_equal(kept, i);
    assert_int_equal(s.event_queue.envelope[place[i]].order, i % 3 ? i : MOST + i / 3);
    assert_int_equal(s.event_queue.envelope[place[i]].next, RIPSTOP_NONE);
  }
  ripstop_due it = due(&s.event_queue, 5, 2, RIPSTOP_EVENT_MESSAGE, 1);
  it.message = place[7];
  ripstop_message copy;
  ripstop_event event = ripstop_event_queue_event(&s.event_queue, &it, 9, &copy);
  uint64_t other = 0, told;
  assert_int_equal(ripstop_event_queue_keep(&s.event_queue, &other),
                   place[7]); /* it was dropped, and its bytes were copied */
  memcpy(&told, event.message, sizeof told);
  assert_int_equal(told, 7);
  assert_true(event.kind == RIPSTOP_EVENT_MESSAGE && event.port == 1 && event.cycle == 9);
  it = due(&s.event_queue, 5, 2, RIPSTOP_EVENT_TIMER, 3);
  event = ripstop_event_queue_event(&s.event_queue, &it, 5, &copy);
  assert_true(event.timer == 3 && !event.message);
  ripstop_arena_free(s.arena);
}

static void long_messages_are_refused(void **state) {
  (void)state;
  stage s;
  ripstop_error err;
  open_stage(&s, RIPSTOP_MESSAGE_BYTES);
  s.proto.message_size++;
  assert_int_equal(ripstop_event_queue_open(&s.event_queue, s.arena, &s.plan, &err), -1);
  assert_string_equal(err.text, "method toy: messages of at most 256 bytes");
  ripstop_arena_free(s.arena);
}

/* Each message below 10 brings the next one and a timer, two cycles later. */
static void chat(void *runner, const ripstop_due *it) {
  stage *s = runner;
  ripstop_message copy;
  ripstop_event event = ripstop_event_queue_event(&s->event_queue, it, 0, &copy);
  uint32_t number;
  memcpy(&number, event.message, sizeof number);
  assert_int_equal(s->event_queue.clock, it->cycle);
  assert_true(s->event_queue.settling);
  if (++number > 10) return;
  ripstop_due next = due(&s->event_queue, s->event_queue.clock + 2, 0, RIPSTOP_EVENT_MESSAGE, 0);
  next.message = ripstop_event_queue_keep(&s->event_queue, &number);
  ripstop_event_queue_put(&s->event_queue, next);
  ripstop_event_queue_put(&s->event_queue, due(&s->event_queue, 3, 0, RIPSTOP_EVENT_TIMER, number));
}

static void settling_leaves_the_timers(void **state) {
  (void)state;
  stage s;
  ripstop_error err;
  open_stage(&s, sizeof(uint32_t));
  assert_true(s.event_queue.settling);
  uint32_t first = 0;
  ripstop_due it = due(&s.event_queue, 1, 0, RIPSTOP_EVENT_MESSAGE, 0);
  it.message = ripstop_event_queue_keep(&s.event_queue, &first);
  ripstop_event_queue_put(&s.event_queue, it);
  assert_int_equal(ripstop_event_queue_settle(&s.event_queue, chat, &s, &s.plan, &err), 0);
  assert_false(s.event_queue.settling);
  assert_int_equal(s.event_queue.clock, 21);
  assert_int_equal(s.event_queue.items, 10);
  for (uint32_t i = 1; i <= 10; i++) assert_int_equal(ripstop_event_queue_take(&s.event_queue).number, i);
  ripstop_arena_free(s.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_the_order_of_the_model), cmocka_unit_test(messages_keep_their_bytes),
      cmocka_unit_test(long_messages_are_refused), cmocka_unit_test(settling_leaves_the_timers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
