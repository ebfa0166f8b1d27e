/* test_parts.c - an event for a node of another part goes to that part's outbox, and from there into its wheel; one for
 * a node of its own goes into its wheel at once. */
#include "check.h"
#include "simulate/core.h"

enum { SIZE = 8, CHUNKS = 4 };

typedef struct run_setup {
  sim_event *bucket[SIZE][BUCKETS];
  chunk chunk[CHUNKS];
  wheel wheel;
} run_setup;

static void make(run_setup *g) {
  *g = (run_setup){.bucket = {{0}}};
  wheel_open(&g->wheel, SIZE, g->bucket, g->chunk, CHUNKS);
}

typedef struct seen {
  uint32_t count, cycle;
  sim_event event;
} seen;

static void see(void *context, uint32_t cycle, const sim_event *event) {
  seen *s = context;
  *s = (seen){.count = s->count + 1, .cycle = cycle, .event = *event};
}

static seen due(const wheel *w) {
  seen s = {0};
  wheel_each(w, 0, SIZE, see, &s);
  return s;
}

static void events_go_where_their_node_is(void **state) {
  (void)state;
  run_setup own, other;
  struct posted posted[2];
  outbox boxes[2] = {{0}, {.posted = posted, .room = 2}};
  output outputs[2] = {{.part = 0}, {.part = 1}};
  make(&own);
  make(&other);
  part t = {.shape = {.parts = 2, .output = outputs}, .wheel = own.wheel, .outbox = boxes};
  post_beyond(&t, 0, 3, SPACE, 7, 1);
  assert_int_equal(boxes[1].count, 0);
  seen here = due(&t.wheel);
  assert_int_equal(here.count, 1);
  assert_int_equal(here.cycle, 3);
  assert_int_equal(event_subject(here.event), 7);
  post_beyond(&t, 1, 5, ARRIVE, 9, 2);
  assert_int_equal(due(&t.wheel).count, 1);
  assert_int_equal(boxes[1].count, 1);
  outbox_empty(&boxes[1], &other.wheel);
  assert_int_equal(boxes[1].count, 0);
  seen there = due(&other.wheel);
  assert_int_equal(there.count, 1);
  assert_int_equal(there.cycle, 5);
  assert_int_equal(event_kind_of(there.event), ARRIVE);
  assert_int_equal(event_subject(there.event), 9);
  assert_int_equal(there.event.detail, 2);
  assert_int_equal(other.wheel.posted, 1);
  post_beyond(&t, 1, 6, SPACE, 3, 1); /* counts where it is reported, when it is free */
  outbox_empty(&boxes[1], &other.wheel);
  assert_int_equal(due(&other.wheel).count, 2);
  assert_int_equal(other.wheel.posted, 1);
}

/* In whatever order, and by whichever part, the work is done: by cycle, then what happens in decisions last, then by
 * node and queue. */
static void the_first_failure_has_the_smallest_place(void **state) {
  (void)state;
  static const uint8_t owner[] = {0, 0, 0, 0, 0, 0, 1, 1};
  const shape s = {.parts = 2, .owner = owner};
  part parts[2] = {{.now = 4, .failure.cycle = RIPSTOP_NONE},
                   {.now = 4, .failure.cycle = RIPSTOP_NONE, .decides = true}};
  run r = {.part = parts, .shape = &s};
  ripstop_error err;
  assert_false(run_failed(&r));
  ripstop_fail(run_fail(&r, 6, 0), "in decisions");
  assert_true(run_failed(&r));
  assert_int_equal(run_report(&r, &err), -1);
  assert_string_equal(err.text, "in decisions");
  parts[1].now = 3;
  ripstop_fail(run_fail(&r, 7, 2), "earlier");
  parts[0].now = 3;
  ripstop_fail(run_fail(&r, 5, 1), "second");
  assert_null(run_fail(&r, 5, 1));
  ripstop_fail(run_fail(&r, 5, 0), "first");
  assert_null(run_fail(&r, 5, 1));
  run_report(&r, &err);
  assert_string_equal(err.text, "first");
  parts[0].failure.step = 1;
  parts[1].failure.step = 0;
  run_report(&r, &err);
  assert_string_equal(err.text, "earlier");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(events_go_where_their_node_is),
                                     cmocka_unit_test(the_first_failure_has_the_smallest_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
