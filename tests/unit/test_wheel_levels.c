/* test_wheel_levels.c - the second level of the event wheel: each event comes out once and in its cycle, however far
 * ahead it was posted, and the rows of the second level are used again. */
#include <string.h>

#include "check.h"
#include "ripstop/plugin/base.h"
#include "simulate/wheel.h"

enum { SIZE = 64, SPANS = 8, CHUNKS = 4096, ROWS = 3000, EVENTS = 40000 };

static sim_event *bucket[SIZE][BUCKETS];
static chunk chunks[CHUNKS];
static distant_row row[ROWS];
static uint32_t first[SPANS], due[EVENTS];
static bool seen[EVENTS];

/* Takes the events of this cycle, as core.c does; returns how many they were, without GATHER. */
static uint32_t take(wheel *w, uint32_t now) {
  uint32_t count = 0;
  bool gather = false;
  for (uint32_t number = 0; number < BUCKETS; number++)
    for (sim_event *end = wheel_take(w, now, number); end;) {
      chunk *c = chunk_before(end);
      for (const sim_event *event = c->event; event < end; event++) {
        if (event_kind_of(*event) == GATHER) {
          assert_false(gather);
          gather = true;
          continue;
        }
        assert_int_equal(due[event->detail], now);
        assert_false(seen[event->detail]);
        seen[event->detail] = true;
        count++;
      }
      end = wheel_drop(w, c);
    }
  if (gather) wheel_gather(w, now);
  return count;
}

/* A few cycles ahead, about the wheel's size, some turns of the ring, or very far. */
static uint32_t any_distance(ripstop_stream *random) {
  static const uint32_t bounds[] = {4, 2 * SIZE, SPANS * SIZE, 20000};
  return 1 + ripstop_stream_below(random, bounds[ripstop_stream_below(random, 4)]);
}

static void count(void *context, uint32_t cycle, const sim_event *event) {
  uint32_t *pending = context;
  if (event_kind_of(*event) == GATHER) return;
  assert_int_equal(due[event->detail], cycle);
  ++*pending;
}

static void every_event_comes_in_its_cycle(void **state) {
  (void)state;
  ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  wheel w;
  uint32_t posted = 0, taken = 0;
  wheel_open(&w, SIZE, bucket, chunks, CHUNKS);
  wheel_open_distant(&w, row, ROWS, first, SPANS);
  for (uint32_t now = 0; taken < EVENTS; now++) {
    taken += take(&w, now);
    for (uint32_t i = ripstop_stream_below(&random, 3); i-- && posted < EVENTS && posted - taken < ROWS; posted++) {
      static const event_kind kinds[] = {ARRIVE, LEAVE, SPACE, DELIVER};
      due[posted] = now + any_distance(&random);
      wheel_post_distant(&w, now, due[posted], make_event(kinds[posted % 4], 0, posted));
    }
    if (now % 997 == 0) {
      uint32_t pending = 0;
      wheel_each(&w, now + 1, UINT32_MAX, count, &pending);
      assert_int_equal(pending, posted - taken);
    }
  }
  assert_int_equal(w.posted, EVENTS);
  assert_int_equal(w.distant.count, 0);
}

/* One event a million cycles ahead costs a reminder a span and nothing else. */
static void a_million_cycles_ahead(void **state) {
  (void)state;
  wheel w;
  memset(seen, 0, sizeof seen);
  memset(bucket, 0, sizeof bucket);
  wheel_open(&w, SIZE, bucket, chunks, CHUNKS);
  wheel_open_distant(&w, row, 1, first, SPANS);
  due[0] = 1000063;
  wheel_post_distant(&w, 63, due[0], make_event(ARRIVE, 0, 0));
  for (uint32_t now = 64; now <= due[0]; now++) assert_int_equal(take(&w, now), now == due[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_event_comes_in_its_cycle),
      cmocka_unit_test(a_million_cycles_ahead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
