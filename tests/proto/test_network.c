/* test_network.c - the virtual network against the simulator: without load both take the same steps in the same cycles,
 * whatever fails and returns; and what spread, loss, order and the seed do to the messages.
 *
 * The protocol is the flood of tests/unit/test_simulate_control.methods, which keeps a record of every step. */
#include "ripstop/kit/protocol.h"
#include "scene.h"
#include "simulate/run_result.h"
#include "unit/test_simulate_control.methods/flood_log.h"

flood_record flood_log[FLOOD_RECORDS];
uint32_t flood_records;
uint64_t flood_sent;

static flood_record other_log[FLOOD_RECORDS];
static uint32_t other_records;
static uint64_t other_sent;

/* Puts the last run's record aside. */
static void keep_record(void) {
  assert_true(flood_records < FLOOD_RECORDS);
  memcpy(other_log, flood_log, flood_records * sizeof *flood_log);
  other_records = flood_records;
  other_sent = flood_sent;
}

static void forget(void) { flood_records = 0, flood_sent = 0; }

static bool same_record(void) {
  if (flood_records != other_records || flood_sent != other_sent) return false;
  for (uint32_t i = 0; i < flood_records; i++) {
    const flood_record *a = &flood_log[i], *b = &other_log[i];
    if (a->cycle != b->cycle || a->node != b->node || a->number != b->number || a->kind != b->kind ||
        a->learned != b->learned)
      return false;
  }
  return true;
}

/* Runs the scene's protocol up to a cycle and returns what was counted. */
static ripstop_network_count run(const scene *s, ripstop_network_options options, uint64_t limit) {
  ripstop_error err;
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  options.schedule = &s->schedule;
  forget();
  ripstop_network *n = ripstop_network_open(run_setup.plan, &options, &err);
  if (!n || ripstop_network_run(n, limit, &err) < 0) fail_msg("%s", err.text);
  ripstop_network_count all = ripstop_network_count_all(n);
  if (strstr(s->method, "settled"))
    assert_true(all.sent < flood_sent); /* without the messages before cycle 0 */
  else
    assert_int_equal(all.sent, flood_sent);
  ripstop_network_free(n);
  stand_close(&run_setup);
  return all;
}

static void assert_as_simulated(scene *s, uint64_t cycles) {
  forget();
  ripstop_run_result result = scene_run(s);
  keep_record();
  assert_int_equal(run(s, (ripstop_network_options){0}, cycles).sent,
                   ripstop_run_result_value(&result, "control.messages"));
  assert_true(flood_records > 0);
  assert_true(same_record());
  ripstop_run_result_free(&result);
}

/* Repaired while it is alive, a switch goes on as it is, whatever else happens in that cycle. */
static void a_switch_that_is_alive_is_not_started_again(void **state) {
  (void)state;
  static const char *const methods[] = {"test-flood", "test-flood-flits:beat=13,delay=7"};
  static const char *const with[] = {"0.0/0@50 switch:2.2+@50", "switch:2.2+@50 0.0/0@50"};
  for (size_t i = 0; i < 4; i++) {
    scene *s = scene_open("torus:4x4", methods[i / 2], "load=0 cycles=200");
    scene_schedule(s, "0.0/0@50");
    uint64_t sent = run(s, (ripstop_network_options){0}, 200).sent;
    keep_record();
    scene_schedule(s, with[i % 2]);
    assert_int_equal(run(s, (ripstop_network_options){0}, 200).sent, sent);
    assert_true(flood_records > 0 && same_record());
    assert_as_simulated(s, 200);
    scene_close(s);
  }
}

/* Parts fail and return at random, often several in one cycle. */
static void draw_schedule(scene *s, uint64_t index, uint32_t count, uint32_t cycles) {
  const ripstop_fabric *f = s->fabric;
  ripstop_stream random = ripstop_stream_open(7, RIPSTOP_RANDOM_TEST, index);
  ripstop_change *change = RIPSTOP_ARRAY(s->arena, count, ripstop_change);
  uint8_t *down = RIPSTOP_ARRAY(s->arena, f->links + f->nodes, uint8_t);
  uint64_t cycle = 0;
  for (uint32_t i = 0; i < count; i++) {
    bool is_switch = ripstop_stream_below(&random, 4) == 0;
    uint32_t id = is_switch ? f->ends + ripstop_stream_below(&random, ripstop_fabric_switches(f))
                            : ripstop_stream_below(&random, f->links);
    uint8_t *state = &down[id + (is_switch ? f->links : 0)];
    change[i] = (ripstop_change){.cycle = cycle, .id = id, .is_switch = is_switch, .up = *state};
    *state = !*state;
    if (ripstop_stream_below(&random, 2)) cycle += ripstop_stream_below(&random, 2 * cycles / count);
  }
  s->schedule = (ripstop_schedule){.count = count, .change = change};
}

static void steps_are_the_simulators(void **state) {
  (void)state;
  static const char *const fabrics[] = {"torus:4x4", "mport-ntree:m=4,n=3", "kary-ntree:k=3,n=2", "kns:k=3,n=2"};
  static const char *const methods[] = {"test-flood",
                                        "test-flood:beat=13,delay=7",
                                        "test-flood:beat=40,delay=0,timers=9",
                                        "test-flood-flits",
                                        "test-flood-flits:beat=2,delay=4",
                                        "test-flood-flits:beat=30,delay=100",
                                        "test-flood-mixed:beat=7,delay=6"};
  uint64_t index = 0;
  for (size_t f = 0; f < sizeof fabrics / sizeof *fabrics; f++)
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
      for (uint32_t count = 1; count <= 40; count += 13) {
        scene *s = scene_open(fabrics[f], methods[m], "load=0 cycles=600");
        draw_schedule(s, index++, count, 500);
        assert_as_simulated(s, 600);
        scene_close(s);
      }
}

static void so_they_are_with_parts_failed_from_the_beginning(void **state) {
  (void)state;
  static const char *const methods[] = {"test-flood-flits:beat=17", "test-flood-settled:beat=17,timers=4"};
  for (size_t i = 0; i < 2; i++) {
    scene *s = scene_open("torus:4x4", methods[i], "load=0 cycles=400");
    scene_break(s, "0.0/1 2.1/0 switch:3.3");
    scene_schedule(s, "0.0/0@50 3.2/0@50 2.1/1@50 switch:1.1@90 1.1/0@91 switch:1.1+@91 1.1/0+@91");
    assert_as_simulated(s, 400);
    scene_close(s);
  }
}

/* The schedule of the next tests: two links fail, one returns; the beats keep the links busy. */
static scene *busy_scene(void) {
  scene *s = scene_open("torus:4x4", "test-flood:beat=5,delay=3", "load=0");
  scene_schedule(s, "1.1/0@50 2.2/1@57 1.1/0+@100");
  return s;
}

static bool same_again(ripstop_network_options options, ripstop_network_options again) {
  scene *s = busy_scene();
  run(s, options, 300);
  keep_record();
  run(s, again, 300);
  scene_close(s);
  return same_record();
}

static void the_seed_alone_decides(void **state) {
  (void)state;
  ripstop_network_options spread = {.spread = 9, .seed = 5}, loss = {.loss = 0.2, .seed = 5};
  ripstop_network_options other_spread = {.spread = 9, .seed = 6}, other_loss = {.loss = 0.2, .seed = 6};
  assert_true(same_again(spread, spread));
  assert_true(same_again(loss, loss));
  assert_false(same_again(spread, other_spread));
  assert_false(same_again(loss, other_loss));
  assert_true(
      same_again((ripstop_network_options){.seed = 5}, (ripstop_network_options){.seed = 6}));  /* nothing is drawn */
  assert_true(same_again((ripstop_network_options){.delay = 3}, (ripstop_network_options){0})); /* the protocol's own */
  assert_false(same_again((ripstop_network_options){.delay = 4}, (ripstop_network_options){0}));
}

static void a_share_of_the_messages_is_lost(void **state) {
  (void)state;
  scene *s = busy_scene();
  ripstop_network_count none = run(s, (ripstop_network_options){0}, 3000);
  ripstop_network_count some = run(s, (ripstop_network_options){.loss = 0.25, .seed = 1}, 3000);
  ripstop_network_count all = run(s, (ripstop_network_options){.loss = 1}, 3000);
  assert_in_range(none.lost, 0, 20); /* with the links that died */
  double share = (double)some.lost / (double)some.sent;
  assert_true(some.sent > 30000 && share > 0.24 && share < 0.26);
  assert_int_equal(all.lost, all.sent);
  assert_int_equal(all.arrived, 0);
  assert_true(all.last_arrival == RIPSTOP_NEVER);
  scene_close(s);
}

/* When what one port sent arrives, in the order in which it was sent. */
typedef struct channel_log {
  uint32_t node, port, sent;
  uint64_t arrives[4096];
} channel_log;

static void watch_channel(void *context, const ripstop_trace_event *trace) {
  channel_log *log = context;
  if (trace->kind == RIPSTOP_SAW_SENT && trace->node == log->node && trace->port == log->port)
    log->arrives[log->sent++] = trace->arrives;
}

static uint32_t overtakings(ripstop_network_options options, uint64_t *longest) {
  scene *s = scene_open("torus:4x4", "test-flood:beat=2,delay=3", "load=0");
  channel_log log = {.node = s->fabric->ends + 5, .port = 2};
  options.watch = watch_channel;
  options.context = &log;
  run(s, options, 2000);
  uint32_t overtaken = 0;
  *longest = 0;
  for (uint32_t i = 0; i < log.sent; i++) { /* beat i is sent in cycle 2 * (i + 1) */
    uint64_t delay = log.arrives[i] - 2 * (i + 1);
    assert_true(delay >= 3);
    if (delay > *longest) *longest = delay;
    overtaken += i > 0 && log.arrives[i] < log.arrives[i - 1];
  }
  assert_true(log.sent > 900);
  scene_close(s);
  return overtaken;
}

static void messages_overtake_on_request_only(void **state) {
  (void)state;
  uint64_t longest;
  assert_int_equal(overtakings((ripstop_network_options){0}, &longest), 0);
  assert_int_equal(longest, 3);
  assert_int_equal(overtakings((ripstop_network_options){.spread = 10}, &longest), 0);
  assert_int_equal(longest, 13); /* waiting for those before does not add up */
  assert_in_range(overtakings((ripstop_network_options){.spread = 10, .reorder = true}, &longest), 250,
                  350); /* 36 in 121 */
  assert_int_equal(longest, 13);
}

static void a_schedule_of_another_fabric_is_refused(void **state) {
  (void)state;
  static const ripstop_change no_link = {.cycle = 5, .id = 999}, no_switch = {.cycle = 5, .id = 3, .is_switch = true},
                              backwards[] = {{.cycle = 9, .id = 20}, {.cycle = 5, .id = 21}};
  static const ripstop_schedule wrong[] = {{1, &no_link}, {1, &no_switch}, {2, backwards}};
  static const size_t change[] = {0, 0, 1};
  scene *s = scene_open("torus:4x4", "immunet", "");
  stand run_setup = stand_on(s->fabric, s->method, NULL);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ripstop_error err;
    assert_null(ripstop_network_open(run_setup.plan, &(ripstop_network_options){.schedule = &wrong[i]}, &err));
    assert_string_equal(
        err.text, ripstop_arena_printf(s->arena, "schedule: change %zu names no part of this fabric or is out of order",
                                       change[i]));
  }
  stand_close(&run_setup);
  scene_close(s);
}

static void no_network_without_a_protocol(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *tree = ripstop_fabric_open("kary-ntree:k=2,n=2", &err);
  stand run_setup = stand_on(tree, "updown", NULL);
  assert_null(ripstop_network_open(run_setup.plan, NULL, &err));
  assert_string_equal(err.text, "method updown has no protocol: its switches exchange no messages");
  stand_close(&run_setup);
  ripstop_fabric_free(tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_the_simulators),
                                     cmocka_unit_test(so_they_are_with_parts_failed_from_the_beginning),
                                     cmocka_unit_test(a_switch_that_is_alive_is_not_started_again),
                                     cmocka_unit_test(a_schedule_of_another_fabric_is_refused),
                                     cmocka_unit_test(the_seed_alone_decides),
                                     cmocka_unit_test(a_share_of_the_messages_is_lost),
                                     cmocka_unit_test(messages_overtake_on_request_only),
                                     cmocka_unit_test(no_network_without_a_protocol)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
