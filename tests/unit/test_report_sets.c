/* test_report_sets.c - figures and claims over fault sets and schedules, drawn and given. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "ripstop/kit/report.h"

typedef struct fixture {
  ripstop_spec *spec;
  ripstop_runs *runs;
  ripstop_data data;
  ripstop_arena *arena;
} fixture;

/* An experiment whose runs all have made up outcomes. */
static fixture open_text(const char *text, ripstop_value (*value_of)(const ripstop_run *)) {
  ripstop_error err = {""};
  fixture f = {.arena = ripstop_arena_new()};
  f.spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), false, &err);
  f.runs = f.spec ? ripstop_expand(f.spec, &err) : NULL;
  if (!f.runs) fail_msg("%s", err.text);
  const ripstop_outcome **outcome = RIPSTOP_ARRAY(f.arena, f.runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < f.runs->count; i++) {
    ripstop_outcome *o = RIPSTOP_NEW(f.arena, ripstop_outcome);
    ripstop_value *value = RIPSTOP_NEW(f.arena, ripstop_value);
    *value = value_of(&f.runs->run[i]);
    *o = (ripstop_outcome){.verdict = "steady", .faults = "", .values = 1, .value = value};
    outcome[i] = o;
  }
  f.data = (ripstop_data){.runs = f.runs, .outcome = outcome};
  return f;
}

static void close_fixture(fixture f) {
  ripstop_runs_free(f.runs);
  ripstop_spec_free(f.spec);
  ripstop_arena_free(f.arena);
}

static const ripstop_plot *plot_of(const fixture *f, size_t figure) {
  return ripstop_plot_figure(f->arena, &f->data, &f->spec->figure[figure]);
}

/* ------------------------------------------------------------------ schedules */

#define EXPERIMENT "fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\ntraffic: {load: 0.2}\n"

static const char schedules[] = EXPERIMENT
    "faults: {schedule: [\"\", \"draw:1,from=10\"], samples: 3}\n"
    "figures:\n"
    "  - {id: change, x: traffic.load, y: accepted, by: [method, faults.schedule], change: {faults.schedule: \"\"}}\n"
    "  - {id: heat, kind: heatmap, x: traffic.load, y: accepted, by: [method, faults.schedule],\n"
    "     change: {faults.schedule: \"\"}}\n"
    "  - {id: place, x: traffic.load, y: accepted, by: method, where: {faults.schedule: \"draw:1,from=10\"},\n"
    "     rank: highest}\n"
    "claims:\n"
    "  - {id: falls, says: s, figure: change, curve: {method: updown, faults.schedule: \"draw:1,from=10\"},\n"
    "     measure: {value: 0.2}, published: -20, tolerance: 1}\n";

/* 1 without a failure; with one .8 under updown, .9 under misroute; samples 0, 1, 2 differ by a thousandth. */
static ripstop_value carried(const ripstop_run *run) {
  double loss = !run->rule ? 0 : strncmp(run->method, "misroute", 8) != 0 ? 0.2 : 0.1;
  return (ripstop_value){"accepted", "flits/node/cycle", 1 - loss + 0.001 * ((double)run->sample - 1), 0.125};
}

/* What a drawn schedule changes, against runs of the same samples in which nothing fails. */
static void changes_are_against_no_schedule(void **state) {
  (void)state;
  fixture f = open_text(schedules, carried);
  const ripstop_plot *change = plot_of(&f, 0), *heat = plot_of(&f, 1);
  static const char *const labels[] = {"updown, schedule none", "updown, schedule draw:1,from=10",
                                       "misroute, schedule none", "misroute, schedule draw:1,from=10"};
  static const double expected[] = {0, -20, 0, -10};
  assert_int_equal(change->curves, 4);
  assert_string_equal(change->ylabel, "accepted, change in % against faults.schedule = none");
  for (size_t c = 0; c < 4; c++) {
    assert_string_equal(change->curve[c].label, labels[c]);
    assert_true(fabs(change->curve[c].point[0].y.mean - expected[c]) < 1e-9);
    assert_int_equal(change->curve[c].point[0].runs, 3);
  }
  assert_int_equal(heat->curves, 2); /* not those that the others are relative to */
  assert_string_equal(heat->curve[0].label, "updown");
  assert_true(fabs(heat->curve[1].point[0].y.mean + 10) < 1e-9);
  assert_int_equal(ripstop_claim_judge(&f.data, &f.spec->claim[0]).finding, RIPSTOP_REPRODUCED);
  close_fixture(f);
}

static void places_are_told_within_a_draw(void **state) {
  (void)state;
  fixture f = open_text(schedules, carried);
  const ripstop_plot *place = plot_of(&f, 2);
  assert_int_equal(place->curves, 2);
  const ripstop_estimate updown = place->curve[0].point[0].y, misroute = place->curve[1].point[0].y;
  assert_true(updown.low == 2 && updown.high == 2);
  assert_true(misroute.low == 1 && misroute.high == 1);
  close_fixture(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_are_against_no_schedule),
      cmocka_unit_test(places_are_told_within_a_draw),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
