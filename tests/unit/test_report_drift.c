/* test_report_drift.c - points, claims and pages of runs that still changed while they were measured. */
#include <math.h>
#include <string.h>

#include "invented.h"

static const char text[] =
    "title: t\n"
    "fabric: kary-ntree:k=2,n=2\n"
    "method: misroute\n"
    "faults: {count: [0, 1, 2, 4], samples: 4}\n"
    "traffic: {load: 0.2}\n"
    "figures:\n"
    "  - {id: plain, x: faults.count, y: accepted}\n"
    "  - {id: hops, x: faults.count, y: hops.mean}\n"
    "  - {id: messages, x: faults.count, y: control.messages}\n"
    "  - {id: tail, x: faults.count, y: latency.p99}\n"
    "  - {id: network, x: faults.count, y: network-latency.mean}\n"
    "  - {id: use, x: faults.count, y: link-use.mean}\n"
    "  - {id: share, x: faults.count, y: verdict.steady}\n"
    "  - {id: relative, x: faults.count, y: accepted, relative: {faults.count: 4}}\n"
    "claims:\n"
    "  - {id: still, says: s, figure: plain, measure: {value: 0}, published: 1, tolerance: 1}\n"
    "  - {id: moving, says: s, figure: hops, measure: {value: 4}, published: 1, tolerance: 1}\n"
    "  - {id: ratio, says: s, figure: plain, measure: {ratio: [0, 4]}, published: 1, tolerance: 1}\n"
    "  - {id: slope, says: s, figure: plain, measure: {slope: [0, 4]}, published: 1, tolerance: 1}\n"
    "  - {id: short, says: s, figure: plain, measure: {slope: [0, 2]}, published: 1, tolerance: 1}\n"
    "  - {id: flow, says: s, figure: plain, measure: {value: 2}, published: 1, tolerance: 1}\n"
    "  - {id: wait, says: s, figure: network, measure: {value: 2}, published: 20, tolerance: 9}\n"
    "  - {id: ended, says: s, figure: share, measure: {share: steady}, published: 1}\n";

/* Changes and spread of a point's four samples: level 1 + spread * (-1.5, -0.5, 0.5, 1.5), an interval of spread * 1.29
 * * 3.18 / 2 = 2.05 spread. */
typedef struct series {
  double change[4], spread;
} series;

enum { COUNTS = 5 };
static const series of_count[COUNTS] = {
    [0] = {{-0.01, 0.01, -0.01, 0.01}, 0.001},        /* none */
    [1] = {{-0.020, -0.021, -0.020, -0.021}, 0.02},   /* certain, but less than the point's own interval */
    [2] = {{-0.09, 0.02, -0.05, 0.01}, 0.001},        /* may be noise */
    [4] = {{-0.020, -0.021, -0.020, -0.021}, 0.001}}; /* certain, and more than the interval */

static ripstop_value *add(ripstop_value *v, const char *name, double value, double half) {
  *v = (ripstop_value){name, "1", value, half};
  return v + 1;
}

/* Throughput may have noise only, and latency in the network none. */
static double network_change(const ripstop_run *run) { return run->fault_count == 2 ? 0.5 : 0; }

static const ripstop_outcome *invent(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(arena, 16, ripstop_value), *end = value;
  const series *s = &of_count[run->fault_count];
  end = add(end, "accepted", 1 + s->spread * ((double)run->sample - 1.5), 0.01);
  end = add(end, "accepted.drift", s->change[run->sample], 0.015);
  end = add(end, "network-latency.mean", 20 + (double)run->sample, 1);
  end = add(end, "network-latency.drift", network_change(run), 0.001);
  end = add(end, "latency.mean", 30 + 0.01 * (double)run->sample, 1);
  end = add(end, "latency.drift", 0.02 + 0.0001 * (double)run->sample, 0.001); /* everywhere, but seldom shown */
  end = add(end, "latency.p99", 90, 1);
  end = add(end, "hops.mean", 4, NAN);
  end = add(end, "link-use.mean", 0.3, NAN);
  end = add(end, "control.messages", 7, NAN);
  end = add(end, "warmup.settled", run->fault_count != 4, NAN);
  *o = (ripstop_outcome){
      .verdict = "steady", .faults = "", .values = (size_t)(end - value), .value = value, .seconds = 1};
  return o;
}

static int open_fixture(void **state) {
  *state = invented_open(text, invent);
  return 0;
}

static void points_that_drift_are_marked(void **state) {
  enum { NO = 0, FLOW = RIPSTOP_DRIFT_THROUGHPUT, SLOW = RIPSTOP_DRIFT_LATENCY };
  const fixture *f = *state;
  static const struct {
    const char *id;
    unsigned drifts[4]; /* with 0, 1, 2, 4 failed links */
  } cases[] = {{"plain", {NO, NO, NO, FLOW}},         {"use", {NO, NO, NO, FLOW}},    {"network", {NO, NO, SLOW, NO}},
               {"tail", {SLOW, SLOW, SLOW, SLOW}},    {"hops", {NO, NO, SLOW, FLOW}}, /* drift of both */
               {"messages", {NO, NO, NO, NO}},        {"share", {NO, NO, NO, NO}},    /* values of the whole run */
               {"relative", {FLOW, FLOW, FLOW, FLOW}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ripstop_plot *plot = plot_of(f, cases[i].id);
    assert_int_equal(plot->xs, 4);
    for (size_t x = 0; x < 4; x++) assert_int_equal(plot->curve[0].point[x].drifts, cases[i].drifts[x]);
  }
}

/* A single run is judged by its own interval: 0.01 and 0.09 against 0.015. */
static void a_point_of_one_run_has_that_run_s_interval(void **state) {
  const fixture *f = *state;
  const ripstop_outcome *const *all = f->data.outcome,
                               **one = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < f->runs->count; i++)
    if (f->runs->run[i].sample == 0) one[i] = all[i];
  fixture alone = *f;
  alone.data.outcome = one;
  const ripstop_plot *plot = plot_of(&alone, "plain");
  assert_false(plot->curve[0].point[0].drifts);
  assert_int_equal(plot->curve[0].point[2].drifts, RIPSTOP_DRIFT_THROUGHPUT);
}

static void claims_say_that_they_are_of_a_transient(void **state) {
  const fixture *f = *state;
  static const bool drifts[] = {false, true, true, true, false, false, true, false};
  assert_int_equal(f->spec->claims, 8);
  for (size_t i = 0; i < 8; i++) assert_int_equal(ripstop_claim_judge(&f->data, &f->spec->claim[i]).drifts, drifts[i]);
}

/* Runs with more than their interval: all with failed links. The page says so, tables mark points. */
static void pages_and_tables_report(void **state) {
  const fixture *f = *state;
  ripstop_error err = {0};
  ripstop_text page = {0};
  assert_int_equal(ripstop_report_html(&f->data, "make", NULL, &page, &err), 0);
  assert_non_null(strstr(page.data, "In 12 of 16 runs throughput or latency in the network differs"));
  assert_non_null(strstr(page.data, "(by chance alone in 10 of 100)"));
  assert_non_null(strstr(page.data, "4 runs had not settled when the longest warm-up ended."));
  assert_non_null(strstr(page.data, " ~</td>"));
  assert_non_null(strstr(page.data, ">~ a transient: throughput still changed"));
  assert_non_null(strstr(page.data, ">≈ a transient: latency still changed"));
  assert_non_null(strstr(page.data, " ≈</td>"));
  assert_non_null(strstr(page.data, "in a transient</small>"));
  ripstop_text_free(&page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_that_drift_are_marked), cmocka_unit_test(a_point_of_one_run_has_that_run_s_interval),
      cmocka_unit_test(claims_say_that_they_are_of_a_transient), cmocka_unit_test(pages_and_tables_report)};
  return RUN_GROUP(tests, open_fixture, close_fixture);
}
