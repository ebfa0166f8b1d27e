/* test_report.c - figures and claims over outcomes that are known by formula. */
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "experiment/inner_runs.h"
#include "report/plot.h"
#include "reported.h"

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
  assert_string_equal(plot->xlabel, "failed links");
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

/* The relative widths of other samples add in quadrature. */
static void other_samples_are_not_paired(void **state) {
  const fixture *f = *state;
  const ripstop_outcome **some = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < f->runs->count; i++) {
    const ripstop_run *run = &f->runs->run[i];
    if (run->sample == (run->fault_count ? 2 : 0)) some[i] = f->data.outcome[i];
  }
  fixture other = *f;
  other.data.outcome = some;
  const ripstop_plot *plot = plot_of(&other, "relative");
  const ripstop_point *over = point_of(plot_of(&other, "plain"), "updown, load 0.2", "4"),
                      *under = point_of(plot_of(&other, "plain"), "updown, load 0.2", "0");
  double a = (over->y.high - over->y.mean) / over->y.mean, b = (under->y.high - under->y.mean) / under->y.mean;
  const ripstop_point *p = point_of(plot, "updown, load 0.2", "4");
  near(p->y.mean, 0.61 / 0.99);
  near(p->y.high - p->y.mean, 0.61 / 0.99 * sqrt(a * a + b * b));
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
    bool all; /* true if all points have such runs */
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
  assert_int_equal(ripstop_figure_check(f->runs, &figure, f->data.outcome[0], &err), 0);
  figure.y = "acepted";
  assert_int_equal(ripstop_figure_check(f->runs, &figure, f->data.outcome[0], &err), -1);
  assert_string_equal(err.text, "x.yaml:9: figure 'plain': a run has no value 'acepted'; did you mean 'accepted'?");
  size_t shown[2] = {0}; /* numbers of 48 runs: those with load 0.2, those that were steady */
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

/* The first sample of misroute with two faults alone is .89, with the run's own interval. */
static void peaks_over_other_samples_are_not_paired(void **state) {
  const fixture *f = *state;
  const ripstop_outcome **some = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < f->runs->count; i++) {
    const ripstop_run *run = &f->runs->run[i];
    bool gone = run->sample > 0 && run->fault_count == 2 && !strncmp(run->method, "misroute", 8);
    some[i] = gone ? NULL : f->data.outcome[i];
  }
  ripstop_data data = {.runs = f->runs, .outcome = some};
  double a = 0.125 / 0.89, b = 2.9199855804 * 0.01 / sqrt(3) / 0.8;
  ripstop_estimate e = ripstop_claim_judge(&data, claim_of(f, "peak-s")).measured;
  assert_true(fabs(e.mean - 0.89 / 0.8) < 1e-9);
  assert_true(fabs(e.high - e.mean - 0.89 / 0.8 * sqrt(a * a + b * b)) < 1e-9);
  assert_true(fabs(e.low - 1) <
              1e-9); /* relative to the fault-free peaks, which are a rival and the same in each pair */
}

/* Two samples: the mean has no interval, and says that more are needed; nothing is decided by it. */
static void two_samples_are_too_few(void **state) {
  const fixture *f = *state;
  const ripstop_outcome **some = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < f->runs->count; i++)
    if (f->runs->run[i].sample < 2) some[i] = f->data.outcome[i];
  ripstop_data data = {.runs = f->runs, .outcome = some};
  fixture two = *f;
  two.data = data;
  const ripstop_point *p = point_of(plot_of(&two, "plain"), "updown, load 0.2", "4");
  assert_int_equal(p->runs, 2);
  assert_true(isinf(p->y.low) && isinf(p->y.high));
  ripstop_text cell = {0};
  plot_print_point(&cell, p);
  assert_string_equal(cell.data, "0.595 §");
  assert_string_equal(plot_why_none(p), "more samples are needed");
  ripstop_text_free(&cell);
  ripstop_judgement j = ripstop_claim_judge(&data, claim_of(f, "value"));
  assert_int_equal(j.finding, RIPSTOP_CANNOT_BE_TOLD);
  assert_true(isinf(j.measured.low) && !j.too_short);
  plot_print_measured(&cell, &j);
  assert_non_null(strstr(cell.data, " §"));
  ripstop_text_free(&cell);
}

/* A claim that was measured on single runs that are too short has the other mark; with an interval it has none. */
static void claims_on_short_runs_have_their_mark(void **state) {
  const fixture *f = *state;
  ripstop_judgement j = ripstop_claim_judge(&f->data, claim_of(f, "value"));
  ripstop_text cell = {0};
  plot_print_measured(&cell, &j);
  assert_null(strstr(cell.data, "§"));
  j.too_short = true; /* only beside an interval without ends */
  ripstop_text_free(&cell);
  plot_print_measured(&cell, &j);
  assert_null(strstr(cell.data, "¶"));
  ripstop_text_free(&cell);
  j.measured = (ripstop_estimate){0.5, -INFINITY, INFINITY};
  j = ripstop_claim_judge_again(claim_of(f, "value"), &j, true);
  plot_print_measured(&cell, &j);
  assert_string_equal(cell.data, "0.5 ¶");
  ripstop_text_free(&cell);
}

/* Two samples that happen to be equal are no certainty: the same mark, and beside the other marks. The second sample
 * is made the first once more. */
static void two_equal_samples_are_too_few(void **state) {
  const fixture *f = *state;
  const ripstop_outcome **some = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < f->runs->count; i++)
    for (size_t first = 0; first < f->runs->count && f->runs->run[i].sample < 2; first++) {
      const ripstop_run *a = &f->runs->run[i], *b = &f->runs->run[first];
      ripstop_settings one, other;
      if (ripstop_run_settings(a, f->arena, &one) || ripstop_run_settings(b, f->arena, &other)) continue;
      if (b->sample == 0 && a->fault_count == b->fault_count && !strcmp(a->method, b->method) &&
          one.simulation.traffic.load == other.simulation.traffic.load)
        some[i] = f->data.outcome[first];
    }
  fixture two = *f;
  two.data = (ripstop_data){.runs = f->runs, .outcome = some};
  ripstop_point p = *point_of(plot_of(&two, "plain"), "updown, load 0.2", "4");
  assert_int_equal(p.runs, 2);
  assert_true(p.sample[0] == p.sample[1]);
  p.lost = 0.01;
  ripstop_text cell = {0};
  plot_print_point(&cell, &p);
  assert_string_equal(cell.data, "0.59 ‡ §");
  ripstop_text_free(&cell);
  assert_int_equal(ripstop_claim_judge(&two.data, claim_of(f, "value")).finding, RIPSTOP_CANNOT_BE_TOLD);
}

int main(void) {
  const struct CMUnitTest tests[] = {
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
      cmocka_unit_test(two_samples_are_too_few),
      cmocka_unit_test(claims_on_short_runs_have_their_mark),
      cmocka_unit_test(two_equal_samples_are_too_few),
  };
  return RUN_GROUP(tests, open_fixture, close_fixture);
}
