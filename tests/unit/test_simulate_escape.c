/* test_simulate_escape.c - switch.escape: when a head requests a candidate of a higher rank. docs/model.md, "Rounds";
 * tests/differential holds the engine to that page on random cases.
 *
 * The fabric has four leaf switches of four end nodes each and four spines. All end nodes of a leaf send to one other
 * leaf as fast as they can, and a packet may go up by four ports, of ranks 0 to 3. */
#include "ripstop/fabric.h"
#include "scene.h"

static const char *const traffic = "pattern=bit-complement load=1 packet=8 process=periodic warmup=2000 cycles=4000";

static double accepted(const char *method, const char *options) {
  scene *s = scene_open("kary-ntree:k=4,n=2", method, traffic);
  scene_set(s, options);
  ripstop_run_result result = scene_run(s);
  double value = ripstop_run_result_value(&result, "accepted");
  ripstop_run_result_free(&result);
  scene_close(s);
  return value;
}

static void a_busy_link_with_room_is_waited_for(void **state) {
  (void)state;
  static const char *const methods[] = {"test-climb", "test-climb:back=on"};
  for (size_t i = 0; i < 2; i++) {
    const double open = accepted(methods[i], "in_queue=20 escape=open");
    const double exhausted = accepted(methods[i], "in_queue=20 escape=exhausted");
    assert_true(open > 0.9);
    /* The spine of rank 0 sends on as fast as it receives, so it always has room: one link serves four end nodes. */
    assert_true(exhausted > 0.2499 && exhausted < 0.2501);
  }
}

/* With one place behind each port a granted packet leaves no room: the next head takes the next port at once, and only
 * the last cycles of a packet, when its place is free again before its link, show the difference. */
static void a_full_queue_is_not_waited_for(void **state) {
  (void)state;
  const double open = accepted("test-climb", "in_queue=1 credit=20 escape=open");
  const double exhausted = accepted("test-climb", "in_queue=1 credit=20 escape=exhausted");
  assert_true(open > 0.25);
  assert_true(same_bits(open, exhausted)); /* the place is never free while its link is busy */
}

/* The space of output queues counts, and XOFF says that there is none. */
static void every_kind_of_space_counts(void **state) {
  (void)state;
  static const struct {
    const char *options;
    bool exhausted; /* at times there is no space behind the first port, and heads take the others */
  } cases[] = {{"out_queue=16", false},
               {"out_queue=1", true},
               {"flow=xonxoff in_queue=40", false},
               {"flow=xonxoff in_queue=2 xoff=2 xon=2", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scene *s = scene_open("kary-ntree:k=4,n=2", "test-climb", traffic);
    scene_set(s, cases[i].options);
    scene_set(s, "escape=exhausted");
    ripstop_run_result result = scene_run(s);
    const double value = ripstop_run_result_value(&result, "accepted");
    assert_true(cases[i].exhausted ? value > 0.3 : value > 0.2499 && value < 0.2501);
    assert_int_equal(result.account.lost, 0);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

static double accepted_by(const char *fabric, const char *method, const char *dead, const char *escape) {
  scene *s = scene_open(fabric, method, "load=1 packet=16 warmup=3000 cycles=6000");
  if (escape) scene_set(s, escape);
  if (dead) scene_break(s, dead);
  ripstop_run_result result = scene_run(s);
  double value = ripstop_run_result_value(&result, "accepted");
  ripstop_run_result_free(&result);
  scene_close(s);
  return value;
}

/* At load 1. After the link's failure Immunet's ring is long, so packets that enter it early cost throughput. */
static void a_method_names_its_own_rule(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method, *dead, *own, *other;
  } cases[] = {{"torus:8x8", "immunet", "0.0/0", "escape=exhausted", "escape=open"},
               {"torus:8x8", "minimal-adaptive", NULL, "escape=exhausted", "escape=open"},
               {"torus:8x8", "ordered", "0.0/0", "escape=exhausted", "escape=open"},
               {"kary-ntree:k=4,n=2", "valleys", NULL, "escape=open", "escape=exhausted"},
               {"hyperx:4x4,p=4", "hyperx-dal", NULL, "escape=open", "escape=exhausted"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double value = accepted_by(cases[i].fabric, cases[i].method, cases[i].dead, NULL);
    assert_true(same_bits(value, accepted_by(cases[i].fabric, cases[i].method, cases[i].dead, cases[i].own)));
    assert_false(same_bits(value, accepted_by(cases[i].fabric, cases[i].method, cases[i].dead, cases[i].other)));
  }
  const double open = accepted_by("torus:8x8", "immunet", "0.0/0", "escape=open");
  assert_true(accepted_by("torus:8x8", "immunet", "0.0/0", NULL) > open + 0.03);
}

static double use_of(const ripstop_run_result *result, const char *link) {
  return ripstop_run_result_value(result, link);
}

/* Two bundles of one rank are open most of the time at a low load: the selection function picks among both, and the
 * ports of higher ranks stay idle. */
static void bundles_of_one_rank_share_the_load(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=4,n=2", "test-climb:pairs=on",
                        "pattern=bit-complement load=0.1 packet=8 in_queue=20 escape=exhausted links=on warmup=500 "
                        "cycles=20000");
  ripstop_run_result result = scene_run(s);
  const double first = use_of(&result, "link-use.0/0/4>1/0"), second = use_of(&result, "link-use.0/0/5>1/1");
  assert_true(first + second > 0.38 && first + second < 0.42);
  assert_true(second > 0.4 * (first + second) && first > 0.4 * (first + second));
  assert_true(use_of(&result, "link-use.0/0/6>1/2") == 0);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_busy_link_with_room_is_waited_for), cmocka_unit_test(a_full_queue_is_not_waited_for),
      cmocka_unit_test(every_kind_of_space_counts), cmocka_unit_test(bundles_of_one_rank_share_the_load),
      cmocka_unit_test(a_method_names_its_own_rule)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
