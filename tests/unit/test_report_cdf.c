/* test_report_cdf.c - figures of the kinds cdf and ccdf: as a plot shares against quantiles, as a picture on their
 * side; and what is refused. */
#include <math.h>

#include "invented.h"
#include "report/plot.h"

static const char text[] = "fabric: kary-ntree:k=2,n=2\n"
                           "method: [updown, misroute]\n"
                           "faults: {count: 1, samples: 3}\n"
                           "traffic: {load: 0.2}\n"
                           "measure: {spread: on}\n"
                           "figures:\n"
                           "  - {id: cdf, kind: cdf, y: latency}\n"
                           "  - {id: tail, kind: ccdf, y: latency}\n"
                           "claims:\n"
                           "  - {id: nine, says: s, figure: cdf, curve: {method: updown}, measure: {value: 0.9}, "
                           "published: 91, tolerance: 20}\n";

/* A quantile of 100 q, 1 more in the second sample and 2 in the third; misroute's are twice as long. No run has p9999,
 * and p9998 only one of the samples. */
static const ripstop_outcome *invent(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(arena, 32, ripstop_value);
  const bool misroute = !strncmp(ripstop_run_key(run, "method"), "misroute", 8);
  size_t count = 0;
  for (const ripstop_quantile *q = ripstop_quantiles; q->word; q++)
    if (strcmp(q->word, "p9999") != 0 && (strcmp(q->word, "p9998") != 0 || run->sample == 0))
      value[count++] = (ripstop_value){ripstop_arena_printf(arena, "latency.%s", q->word), "cycles",
                                       (misroute ? 2 : 1) * (100 * q->share + (double)run->sample), NAN};
  *o = (ripstop_outcome){.verdict = "steady", .faults = "", .values = count, .value = value};
  return o;
}

static void a_plot_has_the_quantiles(void **state) {
  const ripstop_plot *plot = plot_of(*state, "cdf");
  size_t all = 0;
  while (ripstop_quantiles[all].word) all++;
  assert_int_equal(plot->curves, 2);
  assert_int_equal(plot->xs, all - 2);
  assert_string_equal(plot->xlabel, "share of packets");
  assert_string_equal(plot->ylabel, "latency (cycles)");
  for (size_t x = 0; x < plot->xs; x++) {
    const ripstop_point *p = &plot->curve[1].point[x];
    assert_int_equal(p->runs, 3);
    assert_true(fabs(p->y.mean - 2 * (100 * plot->x[x].at + 1)) < 1e-9 && p->y.low < p->y.mean);
  }
}

static void a_picture_lies_on_its_side(void **state) {
  const fixture *f = *state;
  const ripstop_plot *plot = plot_of(f, "tail"), *drawn = plot_drawn(f->arena, plot);
  for (size_t x = 0; x < plot->xs; x++) {
    const ripstop_point *p = &plot->curve[0].point[x], *d = &drawn->curve[0].point[x];
    assert_true(plot_place(drawn, 0, x) == p->y.mean && d->at_high == p->y.high);
    /* Three samples a cycle apart: the interval reaches far, but not below that of the least. */
    assert_true(d->at_low >= p->y.low && d->at_low >= 0 &&
                (x == 0 || d->at_low >= drawn->curve[0].point[x - 1].at_low));
    assert_true(d->y.mean == 1 - plot->x[x].at);
  }
  assert_string_equal(drawn->ylabel, "share of packets with more");
  assert_true(plot_log_y(drawn) && !plot_log_x(drawn));
  ripstop_text script = {0}, names = {0};
  const plot_sheet sheet = plot_alone(&plot);
  plot_script(&script, &sheet, &plot_page, &names);
  assert_non_null(strstr(script.data, "$h1 << END"));
  assert_non_null(strstr(script.data, "set logscale y"));
  ripstop_text_free(&script);
  ripstop_text_free(&names);
}

static void a_claim_measures_at_a_share(void **state) {
  const fixture *f = *state;
  const ripstop_judgement j = ripstop_claim_judge(&f->data, &f->spec->claim[0]);
  assert_true(fabs(j.measured.mean - 91) < 1e-9);
  assert_int_equal(j.finding, RIPSTOP_REPRODUCED);
}

static void others_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *measure, *figure, *says;
  } bad[] = {
      {"spread: on", "kind: cdf, y: latncy", "x.yaml:6: y: 'latncy' has no quantiles; did you mean 'latency'?"},
      {"spread: on", "kind: cdf, y: latency, x: method", "x.yaml:6: x: a figure of the kind cdf has none"},
      {"spread: on", "kind: ccdf, y: sent, relative: {method: dor}", "relative: a figure of the kind ccdf has none"},
      {"spread: on", "kind: cdf", "x.yaml:6: a figure needs the key 'y'"},
      {"spread: off", "kind: cdf, y: latency", "y: no run has a value 'latency.p90' without measure.spread: on"},
      {"spread: off", "x: method, y: sent.least", "y: no run has a value 'sent.least' without measure.spread: on"},
      {"spread: on", "x: method, y: latency.p9", "did you mean 'latency.p99'?"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char file[400];
    ripstop_error err = {0};
    snprintf(file, sizeof file,
             "fabric: torus:4x4\nmethod: dor\ntraffic: {load: 0.1}\nmeasure: {%s}\nfigures:\n  - {id: a, %s}\n",
             bad[i].measure, bad[i].figure);
    assert_null(ripstop_spec_read_memory("x.yaml", file, strlen(file), NULL, &err));
    if (!strstr(err.text, bad[i].says)) fail_msg("'%s' says '%s'", bad[i].figure, err.text);
  }
}

static int open_fixture(void **state) {
  *state = invented_open(text, invent);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plot_has_the_quantiles), cmocka_unit_test(a_picture_lies_on_its_side),
      cmocka_unit_test(a_claim_measures_at_a_share), cmocka_unit_test(others_are_refused)};
  return RUN_GROUP(tests, open_fixture, close_fixture);
}
