/* test_report_pairs.c - how often intervals of pairs, and of peaks, cover the truth, over many made-up experiments
 * whose truth is known; and how much narrower pairs make them. Seeds are fixed. */
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "invented.h"

enum { COUNTS = 8, SAMPLES = 6, EXPERIMENTS = 150, LEAST = 132 /* four deviations below 95 % */ };

static const char text[] =
    "title: t\n"
    "fabric: kary-ntree:k=4,n=2\n"
    "method: [updown, misroute]\n"
    "faults: {count: [0, 1, 2, 3, 4, 5, 6, 7], samples: 6}\n"
    "traffic: {load: 0.2}\n"
    "figures:\n"
    "  - {id: hill, x: faults.count, y: accepted}\n"
    "  - {id: flat, x: faults.count, y: latency.mean}\n"
    "  - {id: top, x: faults.count, y: hops.mean}\n"
    "  - {id: lone, x: faults.count, y: latency.p50}\n"
    "  - {id: more, x: faults.count, y: accepted, difference: {method: updown}}\n"
    "  - {id: over, x: faults.count, y: accepted, relative: {method: updown}}\n"
    "  - {id: later, x: faults.count, y: accepted, difference: {faults.count: 0}}\n"
    "  - {id: broken, x: faults.count, y: not-tolerated, difference: {method: updown}}\n"
    "claims:\n"
    "  - {id: difference, says: s, figure: hill, curve: {method: misroute}, measure: {difference: [0, 7]}, published: "
    "0}\n"
    "  - {id: slope, says: s, figure: hill, curve: {method: misroute}, measure: {slope: [3, 7]}, published: 0}\n"
    "  - {id: loss, says: s, figure: hill, curve: {method: misroute}, measure: {loss: [3, 7]}, published: 0}\n"
    "  - {id: more, says: s, figure: more, curve: {method: misroute}, measure: {value: 5}, published: 0}\n"
    "  - {id: more-slope, says: s, figure: more, curve: {method: misroute}, measure: {slope: [0, 7]}, published: 0}\n"
    "  - {id: over-slope, says: s, figure: over, curve: {method: misroute}, measure: {slope: [0, 7]}, published: 0}\n"
    "  - {id: hill, says: s, figure: hill, curve: {method: updown}, measure: {peak: all}, published: 0}\n"
    "  - {id: flat, says: s, figure: flat, curve: {method: updown}, measure: {peak: all}, published: 0}\n"
    "  - {id: top, says: s, figure: top, curve: {method: updown}, measure: {peak: all}, published: 0}\n"
    "  - {id: hill-over, says: s, figure: hill, curve: {method: misroute}, measure: {peak: all, relative: {method: "
    "updown}}, published: 0}\n"
    "  - {id: flat-over, says: s, figure: flat, curve: {method: misroute}, measure: {peak: all, relative: {method: "
    "updown}}, published: 0}\n"
    "  - {id: flat-more, says: s, figure: flat, curve: {method: misroute}, measure: {peak: all, difference: {method: "
    "updown}}, published: 0}\n"
    "  - {id: lone, says: s, figure: lone, curve: {method: updown}, measure: {peak: all}, published: 0}\n"
    "  - {id: lone-over, says: s, figure: lone, curve: {method: misroute}, measure: {peak: all, relative: {method: "
    "updown}}, published: 0}\n"
    "  - {id: broken, says: s, figure: broken, curve: {method: misroute}, measure: {value: 0}, published: 0}\n"
    "  - {id: top-over, says: s, figure: top, curve: {method: misroute}, measure: {peak: all, relative: {method: "
    "updown}}, published: 0}\n";

/* The true mean over all runs. updown: a hill, a plain, a hill with a flat top; misroute has a tenth more. */
static const double shape[3][COUNTS] = {{0.70, 0.80, 0.87, 0.90, 0.88, 0.82, 0.75, 0.66},
                                        {0.80, 0.80, 0.80, 0.80, 0.80, 0.80, 0.80, 0.80},
                                        {0.70, 0.78, 0.80, 0.80, 0.795, 0.80, 0.74, 0.60}};
static const double more = 1.1, own_noise = 0.01, shared_noise = 0.04;
static const char *const names[] = {"accepted", "latency.mean", "hops.mean"};

static uint64_t experiment; /* which of the made-up ones */

/* A sample of a normal distribution, by Box and Muller. */
static double normal(uint32_t purpose, uint64_t index) {
  uint32_t word[4];
  ripstop_random_block(experiment, purpose, index, 0, word);
  return sqrt(-2 * log((word[0] + 0.5) * 0x1p-32)) * cos(6.283185307179586 * (word[1] + 0.5) * 0x1p-32);
}

static bool is_misroute(const ripstop_run *run) { return !strncmp(run->method, "misroute", 8); }

/* A sample's faults and traffic are as good or bad for all of its runs. */
static const ripstop_outcome *invent(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(arena, 5, ripstop_value);
  double scale = is_misroute(run) ? more : 1;
  double shared = shared_noise * normal(1, run->sample);
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t index = ((uint64_t)run->sample * COUNTS + run->fault_count) * 2 + is_misroute(run);
    double y = shape[i][run->fault_count] * scale + shared + own_noise * normal(2 + i, index);
    value[i] = (ripstop_value){names[i], "flits/node/cycle", y, 0.02};
    if (i == 1)
      value[4] =
          (ripstop_value){"latency.p50", "flits/node/cycle", 0.8 * scale + shared_noise * normal(5, index), 0.02};
  }
  bool broken = normal(1, run->sample) + (is_misroute(run) ? 0.5 : 0) > 0; /* faults that break updown break misroute */
  value[3] = (ripstop_value){"not-tolerated", "0 or 1", broken, NAN};
  *o = (ripstop_outcome){.verdict = "steady", .faults = "", .values = 5, .value = value, .seconds = 1};
  return o;
}

static const ripstop_claim *claim_of(const fixture *f, const char *id) {
  for (size_t i = 0; i < f->spec->claims; i++)
    if (!strcmp(f->spec->claim[i].id, id)) return &f->spec->claim[i];
  fail_msg("no claim %s", id);
  return NULL;
}

typedef struct score {
  const char *id;
  double truth;
  double most_width; /* mean half width at most */
  unsigned covered;
  double half;
} score;

static void look(const fixture *f, score *s) {
  ripstop_estimate e = ripstop_claim_judge(&f->data, claim_of(f, s->id)).measured;
  if (!(e.low <= e.mean && e.mean <= e.high)) fail_msg("%s: %g is not in %g to %g", s->id, e.mean, e.low, e.high);
  s->covered += e.low <= s->truth && s->truth <= e.high;
  s->half += (e.high - e.low) / 2 / EXPERIMENTS;
}

static double slope_of(const double *y, size_t from, size_t to) {
  double middle = (double)(from + to) / 2, sum = 0, squares = 0;
  for (size_t x = from; x <= to; x++) {
    sum += ((double)x - middle) * y[x];
    squares += ((double)x - middle) * ((double)x - middle);
  }
  return sum / squares;
}

/* True if the highest point's own interval covers the highest truth. */
static unsigned own_covers(const fixture *f, const char *id, double truth) {
  const ripstop_curve *curve = &plot_of(f, id)->curve[0];
  const ripstop_point *best = &curve->point[0];
  for (size_t x = 1; x < COUNTS; x++)
    if (curve->point[x].y.mean > best->y.mean) best = &curve->point[x];
  return best->y.low <= truth && truth <= best->y.high;
}

/* Unpaired, every number of six samples has a half width of 2.57 * 0.041 / sqrt 6 = 0.043, a difference of two 0.061.
 */
static void intervals_cover_the_truth(void **state) {
  (void)state;
  double tenth[COUNTS];
  for (size_t i = 0; i < COUNTS; i++) tenth[i] = 0.1 * shape[0][i];
  score scores[] = {{.id = "difference", .truth = more * (0.70 - 0.66), .most_width = 0.018},
                    {.id = "slope", .truth = more * slope_of(shape[0], 3, 7), .most_width = 0.005},
                    {.id = "loss", .truth = -slope_of(shape[0], 3, 7) / 0.70, .most_width = 0.007},
                    {.id = "more", .truth = 0.1 * shape[0][5], .most_width = 0.018},
                    {.id = "more-slope", .truth = slope_of(tenth, 0, 7), .most_width = 0.003},
                    {.id = "over-slope", .truth = 0, .most_width = 0.004},
                    {.id = "hill", .truth = 0.90, .most_width = 0.06},
                    {.id = "flat", .truth = 0.80, .most_width = 0.06},
                    {.id = "top", .truth = 0.80, .most_width = 0.06},
                    {.id = "hill-over", .truth = more, .most_width = 0.06},
                    {.id = "flat-over", .truth = more, .most_width = 0.06},
                    {.id = "flat-more", .truth = 0.08, .most_width = 0.06},
                    {.id = "top-over", .truth = more, .most_width = 0.06},
                    {.id = "lone", .truth = 0.80, .most_width = 0.06},
                    {.id = "lone-over", .truth = more, .most_width = 0.15},
                    {.id = "broken", .truth = 0.6914625 - 0.5, .most_width = 0.45}};
  enum { SCORES = sizeof scores / sizeof *scores };
  unsigned own = 0;
  fixture *f = invented_open(text, invent);
  for (experiment = 0; experiment < EXPERIMENTS; experiment++) {
    ripstop_arena *arena = ripstop_arena_new();
    const ripstop_outcome **outcome = RIPSTOP_ARRAY(arena, f->runs->count, const ripstop_outcome *);
    for (size_t i = 0; i < f->runs->count; i++) outcome[i] = invent(arena, &f->runs->run[i]);
    f->data.outcome = outcome;
    for (size_t i = 0; i < SCORES; i++) look(f, &scores[i]);
    own += own_covers(f, "lone", 0.80);
    ripstop_arena_free(arena);
  }
  invented_close(f);
  print_message("of 'lone' the chosen point's own interval: %.1f %%\n", 100.0 * own / EXPERIMENTS);
  assert_true(own < LEAST); /* the own interval covers too rarely, so peak.c has another */
  for (size_t i = 0; i < SCORES; i++) {
    print_message("%-12s %5.1f %% cover, mean half width %.4f\n", scores[i].id, 100.0 * scores[i].covered / EXPERIMENTS,
                  scores[i].half);
    if (scores[i].covered < LEAST) fail_msg("%s: %u of %d cover", scores[i].id, scores[i].covered, EXPERIMENTS);
    if (scores[i].half > scores[i].most_width) fail_msg("%s: +- %g", scores[i].id, scores[i].half);
  }
}

/* A difference has the unit of its value, and is reported sample by sample; the difference to itself has no unit and no
 * uncertainty. */
static void differences_have_units_and_pairs(void **state) {
  (void)state;
  experiment = 7;
  fixture *f = invented_open(text, invent);
  const ripstop_plot *plot = plot_of(f, "more"), *hill = plot_of(f, "hill"), *later = plot_of(f, "later");
  assert_string_equal(plot->unit, "flits/node/cycle");
  assert_string_equal(plot->ylabel, "accepted, difference to method = updown (flits/node/cycle)");
  assert_int_equal(plot->curves, 2);
  for (size_t x = 0; x < COUNTS; x++) {
    const ripstop_point *p = &plot->curve[1].point[x], *a = &hill->curve[1].point[x], *b = &hill->curve[0].point[x];
    assert_true(fabs(p->y.mean - (a->y.mean - b->y.mean)) < 1e-12);
    for (size_t i = 0; i < SAMPLES; i++) assert_true(p->sample[i] == a->sample[i] - b->sample[i]);
    assert_true(fabs(p->y.high - p->y.mean - ripstop_mean_half_width(p->sample, SAMPLES, 0.95)) < 1e-12);
    assert_true(plot->curve[0].point[x].y.low == 0 && plot->curve[0].point[x].y.high == 0);
  }
  assert_true(later->curve[0].point[0].y.mean == 0 && later->curve[0].point[0].y.high == 0);
  assert_true(fabs(later->curve[0].point[3].y.mean -
                   (hill->curve[0].point[3].y.mean - hill->curve[0].point[0].y.mean)) < 1e-12);
  invented_close(f);
}

/* The interval of a share is as wide as few samples leave it, even if all agree. */
static void shares_keep_a_width(void **state) {
  (void)state;
  for (experiment = 0; experiment < 20; experiment++) {
    fixture *f = invented_open(text, invent);
    const ripstop_plot *plot = plot_of(f, "broken");
    const ripstop_point *p = &plot->curve[1].point[0];
    assert_string_equal(plot->unit, "share of runs");
    assert_true(p->y.low >= -1 && p->y.high <= 1 && p->y.low <= p->y.mean && p->y.mean <= p->y.high);
    assert_true(p->y.high - p->y.low > 0.3); /* six samples that agree prove nothing */
    assert_true(p->y.mean >= 0);
    invented_close(f);
  }
}

static const char zeros_text[] =
    "title: t\n"
    "fabric: kary-ntree:k=4,n=2\n"
    "method: [updown, misroute]\n"
    "faults: {count: [0, 1, 2], samples: 6}\n"
    "traffic: {load: 0.2}\n"
    "figures:\n"
    "  - {id: own, x: faults.count, y: lost.share}\n"
    "  - {id: more, x: faults.count, y: lost.share, difference: {method: updown}}\n"
    "  - {id: over, x: faults.count, y: lost.share, over: accepted}\n"
    "  - {id: same, x: faults.count, y: accepted, difference: {method: updown}}\n"
    "claims:\n"
    "  - {id: value, says: s, figure: own, curve: {method: misroute}, measure: {value: 1}, published: 0}\n"
    "  - {id: over, says: s, figure: over, curve: {method: misroute}, measure: {value: 1}, published: 0}\n"
    "  - {id: difference, says: s, figure: own, curve: {method: misroute}, measure: {difference: [0, 2]}, published: "
    "0}\n"
    "  - {id: slope, says: s, figure: own, curve: {method: misroute}, measure: {slope: [0, 2]}, published: 0}\n"
    "  - {id: peak, says: s, figure: own, curve: {method: misroute}, measure: {peak: all}, published: 0}\n"
    "  - {id: peaks, says: s, figure: own, curve: {method: misroute}, measure: {peak: all, difference: {method: "
    "updown}},"
    " published: 0}\n"
    "  - {id: more, says: s, figure: more, curve: {method: misroute}, measure: {value: 1}, published: 0}\n"
    "  - {id: same, says: s, figure: same, curve: {method: misroute}, measure: {value: 1}, published: 0}\n";

/* Nothing is lost, and both methods accept the same. */
static const ripstop_outcome *invent_zeros(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(arena, 2, ripstop_value);
  value[0] = (ripstop_value){"lost.share", "1", 0, 0.001};
  value[1] = (ripstop_value){"accepted", "flits/node/cycle", 0.2 + 0.01 * normal(1, run->sample), 0.02};
  *o = (ripstop_outcome){.verdict = "steady", .faults = "", .values = 2, .value = value, .seconds = 1};
  return o;
}

/* Six random fault sets without a loss bound the share by 1 - 0.025^(1/6) = 0.459 (Clopper and Pearson), six runs
 * without faults by the packets of all: 0.001 / 6. What is computed of such points has a width as well. */
static void zeros_are_no_certainty(void **state) {
  (void)state;
  fixture *f = invented_open(zeros_text, invent_zeros);
  const double bound = 1 - pow(0.025, 1.0 / SAMPLES), intact = 0.001 / SAMPLES;
  const double half = hypot(bound, intact) / 2;
  const struct {
    const char *id;
    double low, high;
  } right[] = {{"value", 0, bound},
               {"difference", -bound, intact},
               {"slope", -half, half},
               {"peak", 0, bound},
               {"more", -bound, bound}};
  for (size_t i = 0; i < f->spec->claims; i++) {
    ripstop_estimate e = ripstop_claim_judge(&f->data, &f->spec->claim[i]).measured;
    if (e.low == e.high) fail_msg("%s: %g from %g to %g", f->spec->claim[i].id, e.mean, e.low, e.high);
  }
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    ripstop_estimate e = ripstop_claim_judge(&f->data, claim_of(f, right[i].id)).measured;
    print_message("%s: %g from %g to %g\n", right[i].id, e.mean, e.low, e.high);
    assert_true(e.mean == 0 && fabs(e.low - right[i].low) < 1e-9 && fabs(e.high - right[i].high) < 1e-9);
  }
  invented_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_cover_the_truth),
                                     cmocka_unit_test(differences_have_units_and_pairs),
                                     cmocka_unit_test(shares_keep_a_width), cmocka_unit_test(zeros_are_no_certainty)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
