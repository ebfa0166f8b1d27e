/* test_report.c - figures, claims and pages over outcomes that are known by formula. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "invented.h"

static const char text[] =
    "title: \"A <script>alert('x')</script> & more\"\n"
    "about: \"5 > 4 \\\"quoted\\\"\"\n"
    "fabric: kary-ntree:k=2,n=2\n"
    "method: [updown, 'misroute']\n"
    "faults: {count: [0, 1, 2, 4], samples: 3}\n"
    "traffic: {load: [0.2, 0.9]}\n"
    "measure: {confidence: 0.9, window: 100}\n"
    "figures:\n"
    "  - {id: plain, title: 'it''s `date` & <b>', x: faults.count, y: accepted, ymin: 0}\n"
    "  - {id: low, x: faults.count, y: accepted, where: {traffic.load: 0.2}}\n"
    "  - {id: relative, x: faults.count, y: accepted, relative: {faults.count: 0}}\n"
    "  - {id: against, x: faults.count, y: accepted, relative: {method: updown}}\n"
    "  - {id: steady, x: faults.count, y: accepted, where: {verdict: [steady]}}\n"
    "  - {id: share, x: faults.count, y: verdict.deadlocked}\n"
    "  - {id: words, x: method, y: accepted, by: [faults.count, traffic.load]}\n"
    "  - {id: none, x: faults.count, y: control.settling}\n"
    "  - {id: time, x: cycle, y: accepted, by: [method, traffic.load], where: {faults.count: 0}}\n"
    "tables:\n"
    "  - {id: rows, title: A table, rows: faults.count, value: accepted, columns: [method, traffic.load]}\n"
    "claims:\n"
    "  - {id: value, says: s, figure: plain, curve: {method: updown, traffic.load: 0.2}, measure: {value: 2}, "
    "published: 0.8, tolerance: 0.05}\n"
    "  - {id: ratio, says: s, figure: plain, curve: {method: updown, traffic.load: 0.2}, measure: {ratio: [4, 0]}, "
    "published: 0.1}\n"
    "  - {id: slope, says: s, figure: low, curve: {method: misroute}, measure: {slope: [0, 4]}, published: -0.05, "
    "tolerance: 1e-9}\n"
    "  - {id: loss, says: s, figure: low, curve: {method: updown}, measure: {loss: [0, 2]}, published: 0.1, compare: "
    "at-most, tolerance: 0.01}\n"
    "  - {id: most, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 0.9, compare: "
    "at-most}\n"
    "  - {id: least, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 0.9, compare: "
    "at-least}\n"
    "  - {id: share, says: s, figure: low, curve: {method: misroute}, measure: {share: deadlocked, between: [1, 4]}, "
    "published: 0.5}\n"
    "  - {id: wide, says: s, figure: low, curve: {method: updown}, measure: {value: 2}, published: 0.802, tolerance: "
    "0.001}\n"
    "  - {id: most-2, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 0.99, "
    "compare: "
    "at-most}\n"
    "  - {id: least-2, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 1.01, "
    "compare: "
    "at-least, tolerance: 0.005}\n"
    "  - {id: most-3, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 0.99, "
    "compare: "
    "at-most, tolerance: 0.011}\n"
    "  - {id: one-bad, says: s, figure: low, curve: {method: misroute}, measure: {share: deadlocked, between: [0, "
    "2]}, "
    "published: 0, compare: at-most}\n"
    "  - {id: no-bad, says: s, figure: low, curve: {method: misroute}, measure: {share: deadlocked, between: [0, "
    "1]}, "
    "published: 0, compare: at-most}\n"
    "  - {id: not-all, says: s, figure: low, curve: {method: misroute}, measure: {share: steady, between: [0, "
    "2]}, "
    "published: 1, compare: at-least}\n"
    "  - {id: peak, says: s, figure: low, curve: {method: updown}, measure: {peak: all}, published: 1, tolerance: "
    "0.05}\n"
    "  - {id: peak-w, says: s, figure: words, curve: {faults.count: 2, traffic.load: 0.2}, measure: {peak: "
    "all, relative: {faults.count: 0}}, published: 0.9, tolerance: 0.05}\n"
    "  - {id: peak-s, says: s, figure: low, curve: {method: misroute}, measure: {peak: [2, 4], relative: "
    "{method: updown}}, published: 1.125}\n"
    "  - {id: peak-t, says: s, figure: time, curve: {method: updown, traffic.load: 0.2}, measure: {peak: "
    "all}, published: 0.9}\n"
    "  - {id: peak-0, says: s, figure: low, curve: {method: misroute}, measure: {peak: [5, 9]}, published: 1}\n"
    "  - {id: nowhere, says: s, figure: time, curve: {method: updown, traffic.load: 0.2}, measure: {value: 999999}, "
    "published: 0.5}\n";

/* updown: 1 - f/10, misroute: 1 - f/20; samples 0, 1, 2 differ by -0.01, 0, +0.01. Load 0.9 carries half as much. */
static double formula(const ripstop_run *run) {
  bool misroute = !strncmp(ripstop_run_key(run, "method"), "misroute", 8);
  double scale = !strcmp(ripstop_run_key(run, "traffic.load"), "0.9") ? 0.5 : 1;
  return scale * (1 - run->fault_count / (misroute ? 20.0 : 10.0) + 0.01 * ((double)run->sample - 1));
}

/* With four faults misroute deadlocks, in the last sample with two as well; updown never does. */
static const char *verdict(const ripstop_run *run) {
  bool misroute = !strncmp(ripstop_run_key(run, "method"), "misroute", 8);
  bool dead = misroute && (run->fault_count == 4 || (run->fault_count == 2 && run->sample == 2));
  return ripstop_outcome_words[dead ? RIPSTOP_DEADLOCKED : RIPSTOP_STEADY];
}

static const ripstop_outcome *invent(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(arena, 3, ripstop_value);
  value[0] = (ripstop_value){"accepted", "flits/node/cycle", formula(run), 0.125};
  value[1] = (ripstop_value){"run.cycles", "cycles", 250, NAN};
  value[2] = (ripstop_value){"dead", "0 or 1", strcmp(verdict(run), "deadlocked") == 0, NAN};
  ripstop_window *window = RIPSTOP_ARRAY(arena, 3, ripstop_window);
  for (size_t i = 0; i < 3; i++) window[i] = (ripstop_window){.cycle = 100 * i, .delivered_flits = 200, .latency = NAN};
  *o = (ripstop_outcome){.verdict = verdict(run),
                         .reason = "queue <a> waits for <b>",
                         .faults = "0/0/2",
                         .values = 3,
                         .value = value,
                         .windows = 3,
                         .window = window,
                         .seconds = 1};
  return o;
}

static int open_fixture(void **state) {
  *state = invented_open(text, invent);
  return 0;
}

static const ripstop_point *point_of(const ripstop_plot *plot, const char *label, const char *x) {
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t i = 0; i < plot->xs; i++)
      if (!strcmp(plot->curve[c].label, label) && !strcmp(plot->x[i].text, x)) return &plot->curve[c].point[i];
  fail_msg("no point %s at %s", label, x);
  return NULL;
}

static void near(double a, double b) {
  if (!(fabs(a - b) <= 1e-12)) fail_msg("%.15g is not %.15g", a, b);
}

static void points_are_means_with_t_intervals(void **state) {
  const fixture *f = *state;
  const ripstop_plot *plot = plot_of(f, "plain");
  assert_int_equal(plot->curves, 4);
  assert_int_equal(plot->xs, 4);
  assert_true(plot->numeric);
  assert_string_equal(plot->unit, "flits/node/cycle");
  assert_string_equal(plot->xlabel, "dead links");
  const char *const labels[] = {"updown, load 0.2", "updown, load 0.9", "misroute, load 0.2", "misroute, load 0.9"};
  for (int c = 0; c < 4; c++) assert_string_equal(plot->curve[c].label, labels[c]);
  const ripstop_point *p = point_of(plot, "updown, load 0.2", "4");
  assert_int_equal(p->runs, 3);
  near(p->y.mean, 0.6);
  /* t(0.95; 2 degrees) = 2.9199855804; standard error 0.01 / sqrt 3 */
  assert_true(fabs((p->y.high - p->y.mean) - 2.9199855804 * 0.01 / sqrt(3)) < 1e-9);
  near(point_of(plot, "misroute, load 0.9", "4")->y.mean, 0.4);
}

static void filters_leave_runs_out(void **state) {
  const fixture *f = *state;
  assert_int_equal(plot_of(f, "low")->curves, 2);
  const ripstop_plot *plot = plot_of(f, "steady");
  const ripstop_point *two = point_of(plot, "misroute, load 0.2", "2");
  assert_int_equal(two->runs, 2);
  near(two->y.mean, 0.9 - 0.005);
  assert_int_equal(point_of(plot, "misroute, load 0.2", "4")->runs, 0);
  assert_int_equal(point_of(plot, "updown, load 0.2", "4")->runs, 3);
}

static void one_run_has_its_own_interval(void **state) {
  const fixture *f = *state;
  const ripstop_outcome **one = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  one[0] = f->data.outcome[0];
  ripstop_data data = {.runs = f->runs, .outcome = one};
  const ripstop_plot *plot = ripstop_plot_figure(f->arena, &data, &f->spec->figure[0]);
  assert_int_equal(plot->xs * plot->curves, 1);
  near(plot->curve[0].point[0].y.high - plot->curve[0].point[0].y.low, 0.25);
}

static void relative_figures_divide(void **state) {
  const fixture *f = *state;
  const ripstop_plot *plot = plot_of(f, "relative");
  near(point_of(plot, "updown, load 0.9", "4")->y.mean, 0.6);
  near(point_of(plot, "updown, load 0.9", "0")->y.high, 1);
  const ripstop_point *p = point_of(plot, "updown, load 0.2", "4");
  /* Sample by sample 0.6 + 0.01 e over 1 + 0.01 e: what is left of 0.01 e is 1 - 0.6 of it. */
  double half = 2.9199855804 * 0.01 / sqrt(3);
  assert_true(fabs((p->y.high - p->y.mean) - 0.4 * half) < 1e-9);
  near(point_of(plot_of(f, "against"), "misroute, load 0.2", "4")->y.mean, 0.8 / 0.6);
}

/* Of other samples the relative widths add in quadrature. */
static void other_samples_are_not_paired(void **state) {
  const fixture *f = *state;
  const ripstop_outcome **some = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < f->runs->count; i++) {
    const ripstop_run *run = &f->runs->run[i];
    if (run->sample != (run->fault_count ? 0 : 2)) some[i] = f->data.outcome[i];
  }
  fixture other = *f;
  other.data.outcome = some;
  const ripstop_plot *plot = plot_of(&other, "relative");
  const ripstop_point *over = point_of(plot_of(&other, "plain"), "updown, load 0.2", "4"),
                      *under = point_of(plot_of(&other, "plain"), "updown, load 0.2", "0");
  double a = (over->y.high - over->y.mean) / over->y.mean, b = (under->y.high - under->y.mean) / under->y.mean;
  const ripstop_point *p = point_of(plot, "updown, load 0.2", "4");
  near(p->y.mean, 0.605 / 0.995);
  near(p->y.high - p->y.mean, 0.605 / 0.995 * sqrt(a * a + b * b));
}

static void verdicts_are_shares_with_wilson_intervals(void **state) {
  const fixture *f = *state;
  const ripstop_point *p = point_of(plot_of(f, "share"), "misroute, load 0.2", "2");
  near(p->y.mean, 1.0 / 3);
  ripstop_interval wilson = ripstop_wilson(1, 3, 0.9);
  near(p->y.low, wilson.low);
  near(p->y.high, wilson.high);
  assert_int_equal(p->verdict[RIPSTOP_DEADLOCKED], 1);
  assert_int_equal(p->verdict[RIPSTOP_STEADY], 2);
}

/* A value that is 0 or 1 is a share like that of a verdict; none of three is not certainly none. */
static void values_of_0_and_1_are_shares(void **state) {
  const fixture *f = *state;
  static const char *const counts[] = {"0", "2", "4"};
  const ripstop_plot *share = plot_of(f, "share");
  ripstop_figure figure = *share->figure;
  figure.y = "dead";
  const ripstop_plot *dead = ripstop_plot_figure(f->arena, &f->data, &figure);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    const ripstop_estimate a = point_of(dead, "misroute, load 0.2", counts[i])->y,
                           b = point_of(share, "misroute, load 0.2", counts[i])->y;
    assert_true(a.mean == b.mean && a.low == b.low && a.high == b.high && a.low < a.high);
  }
}

/* Numbers of deadlocked runs are marked wherever they are in, and nowhere else. */
static void points_of_deadlocked_runs_are_marked(void **state) {
  const fixture *f = *state;
  static const struct {
    const char *id;
    bool all; /* of the points that have such runs */
  } cases[] = {{"plain", true}, {"low", true},     {"relative", true}, {"rows", true},
               {"words", true}, {"steady", false}, {"share", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ripstop_plot *plot = plot_of(f, cases[i].id);
    size_t marked = 0;
    for (size_t c = 0; c < plot->curves; c++)
      for (size_t x = 0; x < plot->xs; x++) {
        const ripstop_point *point = &plot->curve[c].point[x];
        assert_int_equal(point->cut_short, cases[i].all && point->verdict[RIPSTOP_DEADLOCKED] > 0);
        marked += point->cut_short;
      }
    assert_true((marked > 0) == cases[i].all);
  }
  const ripstop_plot *against = plot_of(f, "against"); /* relative to updown, which never deadlocks */
  for (size_t x = 0; x < against->xs; x++) assert_int_equal(against->curve[0].point[x].cut_short, false);
}

static void words_keep_their_order(void **state) {
  const fixture *f = *state;
  const ripstop_plot *plot = plot_of(f, "words");
  assert_false(plot->numeric);
  assert_string_equal(plot->x[0].label, "updown");
  assert_string_equal(plot->x[1].label, "misroute");
  assert_string_equal(plot->curve[0].label, "faults 0, load 0.2");
}

/* 200 flits in 100 cycles on 4 end nodes; the last window is 50 cycles long. */
static void series_know_their_windows(void **state) {
  const fixture *f = *state;
  const ripstop_plot *plot = plot_of(f, "time");
  assert_int_equal(plot->xs, 3);
  near(point_of(plot, "updown, load 0.2", "100")->y.mean, 0.5);
  near(point_of(plot, "updown, load 0.2", "200")->y.mean, 1);
}

static void odd_values_are_noticed(void **state) {
  const fixture *f = *state;
  ripstop_error err;
  ripstop_figure figure = f->spec->figure[0];
  assert_int_equal(ripstop_figure_check(&f->data, &figure, f->data.outcome[0], &err), 0);
  figure.y = "acepted";
  assert_int_equal(ripstop_figure_check(&f->data, &figure, f->data.outcome[0], &err), -1);
  assert_string_equal(err.text, "x.yaml:9: figure 'plain': a run has no value 'acepted'; did you mean 'accepted'?");
  size_t shown[2] = {0}; /* of 48 runs: those with load 0.2, those that were steady */
  for (size_t i = 0; i < f->runs->count; i++) {
    shown[0] += ripstop_figure_shows(f->runs, plot_of(f, "low")->figure, &f->runs->run[i], f->data.outcome[i]);
    shown[1] += ripstop_figure_shows(f->runs, plot_of(f, "steady")->figure, &f->runs->run[i], f->data.outcome[i]);
  }
  assert_int_equal(shown[0], 24);
  assert_int_equal(shown[1], 40);
}

static void claims_are_judged(void **state) {
  const fixture *f = *state;
  const struct {
    const char *id;
    double measured;
    ripstop_finding finding;
  } expected[] = {{"value", 0.8, RIPSTOP_REPRODUCED},     {"ratio", 0.6, RIPSTOP_DIFFERS},
                  {"slope", -0.05, RIPSTOP_REPRODUCED},   {"loss", 0.1, RIPSTOP_REPRODUCED},
                  {"most", 1, RIPSTOP_DIFFERS},           {"least", 1, RIPSTOP_REPRODUCED},
                  {"share", 4.0 / 9, RIPSTOP_REPRODUCED}, {"wide", 0.8, RIPSTOP_CANNOT_BE_TOLD},
                  {"most-2", 1, RIPSTOP_CANNOT_BE_TOLD},  {"least-2", 1, RIPSTOP_CANNOT_BE_TOLD},
                  {"most-3", 1, RIPSTOP_CANNOT_BE_TOLD},  {"one-bad", 1.0 / 9, RIPSTOP_DIFFERS},
                  {"no-bad", 0, RIPSTOP_REPRODUCED},      {"not-all", 8.0 / 9, RIPSTOP_DIFFERS},
                  {"peak", 1, RIPSTOP_REPRODUCED},        {"peak-w", 0.9, RIPSTOP_REPRODUCED},
                  {"peak-s", 1.125, RIPSTOP_REPRODUCED},  {"peak-t", 1, RIPSTOP_DIFFERS},
                  {"peak-0", NAN, RIPSTOP_NO_DATA},       {"nowhere", NAN, RIPSTOP_NO_DATA}};
  assert_int_equal(f->spec->claims, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < f->spec->claims; i++) {
    ripstop_judgement j = ripstop_claim_judge(&f->data, &f->spec->claim[i]);
    ripstop_estimate e = j.measured;
    assert_string_equal(f->spec->claim[i].id, expected[i].id);
    assert_int_equal(j.finding, expected[i].finding);
    if (isnan(expected[i].measured))
      assert_true(isnan(e.mean));
    else
      near(e.mean, expected[i].measured);
  }
}

/* Every point of a curve has the half width h. What a sample has more than another it has at all points, so nothing of
 * it is in a slope; of a loss of 0.1 the divisor's is left. A ratio of 0.6 is paired, see above. */
static void claims_have_intervals(void **state) {
  const fixture *f = *state;
  const double h = 2.9199855804 * 0.01 / sqrt(3);
  const struct {
    const char *id;
    double half;
  } expected[] = {{"value", h}, {"ratio", 0.4 * h}, {"slope", 0}, {"loss", 0.1 * h}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    ripstop_estimate e = ripstop_claim_judge(&f->data, &f->spec->claim[i]).measured;
    assert_string_equal(f->spec->claim[i].id, expected[i].id);
    if (fabs(e.high - e.mean - expected[i].half) > 1e-9 || fabs(e.mean - e.low - expected[i].half) > 1e-9)
      fail_msg("%s: %g to %g around %g, not +- %g", expected[i].id, e.low, e.high, e.mean, expected[i].half);
  }
}

static const ripstop_claim *claim_of(const fixture *f, const char *id) {
  for (size_t i = 0; i < f->spec->claims; i++)
    if (!strcmp(f->spec->claim[i].id, id)) return &f->spec->claim[i];
  fail_msg("no claim %s", id);
  return NULL;
}

static void has_half(const ripstop_data *data, const ripstop_claim *claim, double mean, double half) {
  ripstop_estimate e = ripstop_claim_judge(data, claim).measured;
  if (fabs(e.mean - mean) > 1e-9 || fabs(e.high - e.mean - half) > 1e-9 || fabs(e.mean - e.low - half) > 1e-9)
    fail_msg("%s: %.12g, %.12g to %.12g, not %g +- %g", claim->id, e.mean, e.low, e.high, mean, half);
}

/* With two faults misroute has .89, .9 and .91 and updown .79, .8 and .81: of each sample .9 / .8 times the latter
 * taken from the former there remain .00125, 0 and -.00125, the more so of a divisor of .8. The fault-free peak is
 * updown's or misroute's, which have the same, that of two faults misroute's: .89, .9, .91 less .9 times .99, 1, 1.01.
 * As there are two rivals for the former, the upper end errs half as often: t(0.975; 2 degrees) = 4.3026527297. */
static void peaks_are_compared_sample_by_sample(void **state) {
  const fixture *f = *state;
  const double t = 2.9199855804;
  has_half(&f->data, claim_of(f, "peak"), 1, t * 0.01 / sqrt(3));
  has_half(&f->data, claim_of(f, "peak-s"), 1.125, t * 0.00125 / sqrt(3) / 0.8);
  ripstop_estimate e = ripstop_claim_judge(&f->data, claim_of(f, "peak-w")).measured;
  assert_true(fabs(e.mean - 0.9) < 1e-9);
  assert_true(fabs(e.low - (0.9 - t * 0.001 / sqrt(3))) < 1e-9);
  assert_true(fabs(e.high - (0.9 + 4.3026527297 * 0.001 / sqrt(3))) < 1e-9);
}

/* Without the last sample of misroute with two faults, .89 and .9 are left; t(0.95; 1 degree) = 6.3137515147. */
static void peaks_over_other_samples_are_not_paired(void **state) {
  const fixture *f = *state;
  const ripstop_outcome **some = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < f->runs->count; i++) {
    const ripstop_run *run = &f->runs->run[i];
    bool gone = run->sample == 2 && run->fault_count == 2 && !strncmp(run->method, "misroute", 8);
    some[i] = gone ? NULL : f->data.outcome[i];
  }
  ripstop_data data = {.runs = f->runs, .outcome = some};
  double a = 6.3137515147 * 0.005 / 0.895, b = 2.9199855804 * 0.01 / sqrt(3) / 0.8;
  has_half(&data, claim_of(f, "peak-s"), 0.895 / 0.8, 0.895 / 0.8 * sqrt(a * a + b * b));
}

/* ------------------------------------------------------------------ pages */

static size_t count(const char *in, const char *what) {
  size_t n = 0;
  for (const char *at = in; (at = strstr(at, what)); at += strlen(what)) n++;
  return n;
}

/* The balance of elements, by a reader that knows nothing of how the page was made. */
static void check_elements(const char *html) {
  static const char *const void_elements[] = {"meta", "!DOCTYPE", "br", NULL};
  char open[64][32];
  size_t depth = 0;
  for (const char *at = html; (at = strchr(at, '<')); at++) {
    if (!strncmp(at, "<!--", 4)) {
      at = strstr(at, "-->");
      continue;
    }
    if (!strncmp(at, "<script", 7)) {
      at = strstr(at, "</script>");
      assert_non_null(at);
      continue;
    }
    const char *end = strchr(at, '>'), *name = at + 1 + (at[1] == '/');
    assert_non_null(end);
    size_t length = strcspn(name, " \t\n>/");
    bool is_void = end[-1] == '/';
    for (size_t i = 0; void_elements[i]; i++)
      is_void |= strlen(void_elements[i]) == length && !strncmp(name, void_elements[i], length);
    if (is_void) continue;
    assert_true(length < 32);
    if (at[1] != '/') {
      assert_true(depth < 64);
      snprintf(open[depth++], 32, "%.*s", (int)length, name);
    } else {
      assert_true(depth > 0);
      char close[32];
      snprintf(close, sizeof close, "%.*s", (int)length, name);
      assert_string_equal(open[--depth], close);
    }
  }
  assert_int_equal(depth, 0);
}

static void pages_are_whole_and_escaped(void **state) {
  const fixture *f = *state;
  ripstop_error err = {0};
  ripstop_text page = {0};
  int status = ripstop_report_html(&f->data, "ripstop report 'a & b <x>'", NULL, &page, &err);
  assert_string_equal(err.text, "");
  assert_int_equal(status, 0);
  check_elements(page.data);
  assert_int_equal(count(page.data, "<svg"), 8);                               /* nine figures, one of them empty */
  assert_int_equal(count(page.data, "<script type=\"application/json\">"), 8); /* what a script draws, and the script */
  assert_int_equal(count(page.data, "<script"), 8 + 1);
  assert_non_null(strstr(page.data, "\"title\":\"it's `date` & \\u003cb>\""));
  assert_int_equal(count(page.data, "src="), 0);
  assert_int_equal(count(page.data, "url(") - count(page.data, "url(#"), 0);
  assert_non_null(strstr(page.data, "A &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; more"));
  assert_non_null(strstr(page.data, "queue &lt;a&gt; waits for &lt;b&gt;"));
  assert_non_null(strstr(page.data, "ripstop report &#39;a &amp; b &lt;x&gt;&#39;"));
  assert_non_null(strstr(page.data, "No run gives a point here."));
  assert_non_null(strstr(page.data, "differs"));
  assert_non_null(strstr(page.data, "2 steady, 1 deadlocked"));
  assert_int_equal(count(page.data, "<p class=\"note\">* with runs that deadlocked"), 6);
  assert_true(count(page.data, " *</td>") > 7);
  assert_true(count(page.data, "with deadlocked runs") >= 5); /* in legends of pictures */
  ripstop_text_free(&page);
}

static void runs_that_are_not_done_are_told(void **state) {
  const fixture *f = *state;
  ripstop_error err = {0};
  ripstop_text page = {0};
  const ripstop_outcome **none = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  ripstop_data data = {.runs = f->runs, .outcome = none};
  assert_int_equal(ripstop_report_html(&data, "", NULL, &page, &err), 0);
  check_elements(page.data);
  assert_non_null(strstr(page.data, "48 of 48 runs are not done yet."));
  ripstop_text_free(&page);
}

static void write_without_gnuplot(const fixture *f, ripstop_text *page) {
  ripstop_error err;
  const char *known = getenv("PATH");
  char *path = strdup(known ? known : "");
  setenv("PATH", "/nonexistent", 1);
  assert_int_equal(ripstop_report_html(&f->data, "", NULL, page, &err), 1);
  setenv("PATH", path, 1);
  free(path);
  assert_non_null(strstr(err.text, "gnuplot-nox"));
  check_elements(page->data);
}

/* What tells without a script that a figure is not drawn. */
static const char undrawn[] = "<p class=\"note\">The figure is not drawn: the program gnuplot is missing";

static void without_gnuplot_a_page_has_its_tables(void **state) {
  ripstop_text page = {0};
  write_without_gnuplot(*state, &page);
  assert_true(count(page.data, undrawn) > 1);
  assert_int_equal(count(page.data, undrawn), count(page.data, "<noscript>"));
  assert_int_equal(count(page.data, undrawn), count(page.data, "<figure"));
  assert_null(strstr(page.data, "<svg"));
  assert_non_null(strstr(page.data, "<table>"));
  ripstop_text_free(&page);
}

/* No script draws a field, so no frame is left for it; and a figure may be called as a part of the page is. */
static void without_gnuplot_a_field_is_a_note_and_a_table(void **state) {
  (void)state;
  fixture *f = invented_open("fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\nfaults: {count: [0, 1]}\n"
                             "traffic: {load: 0.2}\nfigures:\n"
                             "  - {id: channels, x: faults.count, y: accepted, by: method, kind: heatmap}\n",
                             invent);
  ripstop_text page = {0};
  write_without_gnuplot(f, &page);
  assert_int_equal(count(page.data, undrawn), 2); /* of the series, too, which the script draws */
  assert_int_equal(count(page.data, "<noscript>"), 1);
  assert_int_equal(count(page.data, "<figure"), 1);
  assert_int_equal(count(page.data, "id=\"channels\""), 1);
  assert_non_null(strstr(page.data, "<table>"));
  ripstop_text_free(&page);
  invented_close(f);
}

static void csv_has_every_point(void **state) {
  const fixture *f = *state;
  ripstop_error err;
  char folder[] = "/tmp/ripstop-report-XXXXXX", path[200], line[500];
  assert_non_null(mkdtemp(folder));
  assert_int_equal(ripstop_report_csv(&f->data, folder, &err), 0);
  snprintf(path, sizeof path, "%s/low.csv", folder);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, "faults.count,method,accepted,low,high,unit,runs,one-set,steady,saturated,deadlocked,"
                            "disconnected,does-not-apply,error,proved,left-out\n");
  assert_non_null(fgets(line, sizeof line, file));
  assert_true(!strncmp(line, "0,updown", 8) && strstr(line, ",flits/node/cycle,3,0,3,0,0,0,0,0,0,0\n"));
  fclose(file);
  snprintf(path, sizeof path, "%s/runs.csv", folder);
  file = fopen(path, "r");
  assert_non_null(file);
  int lines = 0;
  for (int c; (c = getc(file)) != EOF;) lines += c == '\n';
  assert_int_equal(lines, 1 + 48 * 3); /* a line for each value of a run */
  fclose(file);
  for (size_t i = 0; i < f->spec->figures; i++) {
    snprintf(path, sizeof path, "%s/%s.csv", folder, f->spec->figure[i].id);
    assert_int_equal(remove(path), 0);
  }
  snprintf(path, sizeof path, "%s/runs.csv", folder);
  remove(path);
  snprintf(path, sizeof path, "%s/claims.csv", folder);
  remove(path);
  assert_int_equal(rmdir(folder), 0);
}

static void terminals_get_aligned_tables(void **state) {
  const fixture *f = *state;
  char *out = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&out, &length);
  assert_non_null(file);
  ripstop_report_text(file, &f->data);
  fclose(file);
  assert_non_null(strstr(out, "\n  dead links          updown          misroute\n"
                              "  0            1.000 ± 0.017     1.000 ± 0.017\n"));
  assert_non_null(strstr(out, "  * with runs that deadlocked: their numbers end where they stood still\n"));
  assert_non_null(strstr(out, "loss        at most 0.1"));
  assert_non_null(strstr(out, "48 of 48 runs: 40 steady, 8 deadlocked\n"));
  free(out);
}

/* gnuplot has no picture where an axis begins above all points or ends below them, and takes what stands at a tic for a
 * format: the label of a field's only curve is its value's, "change in %". */
static void pictures_that_gnuplot_would_refuse(void **state) {
  (void)state;
  static const char figures[] =
      "fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\n"
      "faults: {count: [0, 1]}\ntraffic: {load: 0.2}\nmeasure: {window: 100}\nfigures:\n"
      "  - {id: high, x: faults.count, y: accepted, ymin: 30}\n"
      "  - {id: deep, x: faults.count, y: accepted, ymax: 0.001}\n"
      "  - {id: tics, x: faults.count, y: accepted, change: {method: updown}, kind: heatmap}\n";
  fixture *f = invented_open(figures, invent);
  ripstop_text page = {0};
  ripstop_error err = {0};
  if (ripstop_report_html(&f->data, "", NULL, &page, &err)) fail_msg("%s", err.text);
  ripstop_text_free(&page);
  invented_close(f);
}

/* ------------------------------------------------------------------ what is looked at */

/* The outcome without what nobody is said to look at. */
static const ripstop_outcome *without_the_rest(const fixture *f, const ripstop_outcome *from, bool page, bool first) {
  ripstop_outcome *o = RIPSTOP_NEW(f->arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(f->arena, from->values + 1, ripstop_value);
  *o = *from;
  o->values = 0, o->value = value;
  for (size_t i = 0; i < from->values; i++)
    if (ripstop_report_needs(f->spec, page, from->value[i].name)) value[o->values++] = from->value[i];
  if (!first) o->faults = "";
  if (!first && !page) o->reason = NULL;
  return o;
}

static char *table_of(const ripstop_data *data) {
  char *text_ = NULL;
  size_t length;
  FILE *file = open_memstream(&text_, &length);
  ripstop_report_text(file, data);
  fclose(file);
  return text_;
}

static ripstop_data reduce(const fixture *f, bool page, size_t *dropped) {
  const ripstop_outcome **less = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  bool seen[RIPSTOP_OUTCOMES] = {false};
  for (size_t i = 0; i < f->runs->count; i++) {
    size_t v = 0;
    while (strcmp(ripstop_outcome_words[v], f->data.outcome[i]->verdict) != 0) v++;
    less[i] = without_the_rest(f, f->data.outcome[i], page, !seen[v]);
    *dropped += f->data.outcome[i]->values - less[i]->values;
    seen[v] = true;
  }
  return (ripstop_data){.runs = f->runs, .outcome = less};
}

static void what_nobody_looks_at_is_not_needed(void **state) {
  const fixture *f = *state;
  size_t dropped = 0;
  ripstop_data for_page = reduce(f, true, &dropped), for_tables = reduce(f, false, &dropped);
  ripstop_text whole = {0}, page = {0};
  ripstop_error err;
  assert_int_equal(ripstop_report_html(&f->data, "command", NULL, &whole, &err), 0);
  assert_int_equal(ripstop_report_html(&for_page, "command", NULL, &page, &err), 0);
  assert_string_equal(whole.data, page.data);
  char *want = table_of(&f->data), *table = table_of(&for_tables);
  assert_string_equal(want, table);
  free(want), free(table);
  ripstop_text_free(&whole), ripstop_text_free(&page);
  assert_true(ripstop_report_needs(f->spec, false, "accepted.drift") && ripstop_report_needs_windows(f->spec));
  assert_true(!ripstop_report_needs(f->spec, false, "latency.drift") &&
              ripstop_report_needs(f->spec, true, "latency.drift"));
  assert_true(dropped > 0);
}

/* Of a series of runs with other schedules only what all of them have is marked, and the rest is counted; twelve marks
 * at most. */
static void series_mark_what_all_runs_have(void **state) {
  (void)state;
  static const char figures[] =
      "fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.2}\nmeasure: {cycles: 400, window: 100}\n"
      "faults: {schedule: [\"0/0/2@50\", \"0/0/2@50 0/0/2+@90\", \"0/0/2@50 0/0/2+@60 0/0/2@61 0/0/2+@62 0/0/2@63 "
      "0/0/2+@64 0/0/2@65 0/0/2+@66 0/0/2@67 0/0/2+@68 0/0/2@69 0/0/2+@70 0/0/2@71 0/0/2+@72\"]}\n"
      "figures:\n  - {id: all, x: cycle, y: accepted, by: faults.schedule}\n"
      "  - {id: two, x: cycle, y: accepted, by: faults.schedule,\n"
      "     where: {faults.schedule: [\"0/0/2@50\", \"0/0/2@50 0/0/2+@90\"]}}\n"
      "  - {id: one, x: cycle, y: accepted, where: {faults.schedule: \"0/0/2@50 0/0/2+@90\"}}\n";
  fixture *f = invented_open(figures, invent);
  static const struct {
    const char *id;
    size_t marks, unmarked;
  } cases[] = {{"all", 1, 14}, {"two", 1, 1}, {"one", 2, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ripstop_plot *plot = plot_of(f, cases[i].id);
    assert_int_equal(plot->marks, cases[i].marks);
    assert_int_equal(plot->unmarked, cases[i].unmarked);
    assert_int_equal(plot->mark[0].cycle, 50);
  }
  ripstop_text page = {0};
  ripstop_error err = {0};
  if (ripstop_report_html(&f->data, "", NULL, &page, &err)) fail_msg("%s", err.text);
  assert_non_null(strstr(page.data, "Faults and repairs at 14 more cycles are not drawn"));
  ripstop_text_free(&page);
  invented_close(f);
}

/* Other links die in each sample, but all in the same cycle. */
static void what_is_drawn_is_marked_too(void **state) {
  (void)state;
  fixture *f = invented_open("fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.2}\n"
                             "measure: {cycles: 400, window: 100}\nfaults: {schedule: \"draw:1,from=50\", samples: 3}\n"
                             "figures: [{id: all, x: cycle, y: accepted}]\n",
                             invent);
  const ripstop_plot *plot = plot_of(f, "all");
  assert_int_equal(plot->marks, 1);
  assert_int_equal(plot->unmarked, 0);
  assert_int_equal(plot->mark[0].cycle, 50);
  invented_close(f);
}

/* This program leaves jansson its own memory. Rows of several keys are told key by key. */
static void figures_are_json(void **state) {
  const fixture *f = *state;
  fixture *two =
      invented_open("fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\nfaults: {count: [0, 1]}\n"
                    "traffic: {load: 0.2}\ntables: [{id: t, rows: [method, faults.count], value: accepted}]\n",
                    invent);
  ripstop_error err = {0};
  ripstop_text json = {0};
  assert_int_equal(ripstop_report_json(&f->data, "out/x.html", &json, &err), 0);
  assert_non_null(strstr(json.data, "{\"page\":\"out/x.html\",\"experiment\":\"x.yaml\""));
  assert_non_null(strstr(json.data, "\"id\":\"low\",\"title\":\"low\",\"x\":\"faults.count\""));
  assert_int_equal(json.data[json.length - 1], '\n');
  json.length = 0;
  assert_int_equal(ripstop_report_json(&two->data, "p", &json, &err), 0);
  assert_non_null(strstr(json.data, "\"x\":[\"method\",\"faults.count\"]"));
  assert_non_null(strstr(json.data, "\"keys\":{\"method\":\"updown\",\"faults.count\":\"1\"},\"mean\":"));
  ripstop_text_free(&json);
  invented_close(two);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_nobody_looks_at_is_not_needed),
      cmocka_unit_test(pictures_that_gnuplot_would_refuse),
      cmocka_unit_test(what_is_drawn_is_marked_too),
      cmocka_unit_test(points_are_means_with_t_intervals),
      cmocka_unit_test(filters_leave_runs_out),
      cmocka_unit_test(one_run_has_its_own_interval),
      cmocka_unit_test(relative_figures_divide),
      cmocka_unit_test(other_samples_are_not_paired),
      cmocka_unit_test(verdicts_are_shares_with_wilson_intervals),
      cmocka_unit_test(values_of_0_and_1_are_shares),
      cmocka_unit_test(points_of_deadlocked_runs_are_marked),
      cmocka_unit_test(words_keep_their_order),
      cmocka_unit_test(series_know_their_windows),
      cmocka_unit_test(odd_values_are_noticed),
      cmocka_unit_test(claims_are_judged),
      cmocka_unit_test(claims_have_intervals),
      cmocka_unit_test(peaks_are_compared_sample_by_sample),
      cmocka_unit_test(peaks_over_other_samples_are_not_paired),
      cmocka_unit_test(pages_are_whole_and_escaped),
      cmocka_unit_test(runs_that_are_not_done_are_told),
      cmocka_unit_test(without_gnuplot_a_page_has_its_tables),
      cmocka_unit_test(without_gnuplot_a_field_is_a_note_and_a_table),
      cmocka_unit_test(csv_has_every_point),
      cmocka_unit_test(series_mark_what_all_runs_have),
      cmocka_unit_test(figures_are_json),
      cmocka_unit_test(terminals_get_aligned_tables),
  };
  return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
