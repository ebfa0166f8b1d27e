/* Links that corrupt flits: the numbers of corrupted packets lie in exact binomial intervals, they are those of the
 * links that have errors, they are the same on any number of threads, and the account balances in every organisation of
 * a switch. */
#include <math.h>

#include "run_workload.h"
#include "scene.h"

/* ------------------------------------------------------------------ counts */

/* The probability that at most k of n independent trials succeed. */
static double at_most(uint64_t k, uint64_t n, double p) {
  double sum = 0;
  for (uint64_t i = 0; i <= k; i++)
    sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) + (double)i * log(p) +
               (double)(n - i) * log1p(-p));
  return sum;
}

/* Two-sided test at 1 in a million: a right program fails one of the cases below once in thousands of seeds. */
static void is_likely(uint64_t k, uint64_t n, double p, const char *what) {
  static const double rare = 5e-7;
  const double low = at_most(k, n, p), high = k ? 1 - at_most(k - 1, n, p) : 1;
  if (low < rare || high < rare)
    fail_msg("%s: %llu of %llu with probability %g: %g, %g", what, (unsigned long long)k, (unsigned long long)n, p, low,
             high);
}

static double lost_of(const ripstop_run_result *r) { return ripstop_run_result_value(r, "lost.errors"); }

/* Every packet crosses `links` links, each flit of it each of them. All that left their network interface have been
 * delivered or lost at the end, but for those in flight. */
static void counts_are_binomial(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method, *pattern;
    uint32_t links;
    unsigned flits;
    double p;
  } cases[] = {{"kary-ntree:k=16,n=1", "updown", "uniform", 2, 1, 0.02},
               {"kary-ntree:k=16,n=1", "updown", "uniform", 2, 16, 0.001},
               {"kary-ntree:k=16,n=1", "updown", "uniform", 2, 64, 0.002},
               {"kary-ntree:k=4,n=2", "updown", "bit-complement", 4, 16, 0.002},
               {"kary-ntree:k=16,n=1", "updown", "uniform", 2, 5, 0.3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      char options[160], errors[32];
      snprintf(options, sizeof options, "load=0.2 packet=%u cycles=20000 pattern=%s", cases[i].flits, cases[i].pattern);
      snprintf(errors, sizeof errors, "%g", cases[i].p);
      scene *s = scene_open(cases[i].fabric, cases[i].method, options);
      s->sim.seed = seed;
      s->sim.switch_.flit_errors = errors;
      ripstop_run_result r = scene_run(s);
      const uint64_t lost = (uint64_t)lost_of(&r), sure = r.account.delivered + lost;
      assert_int_equal(r.account.lost, lost);
      assert_int_equal(r.verdict, RIPSTOP_STEADY);
      assert_true(lost > 100);
      is_likely(lost, sure, -expm1(cases[i].links * cases[i].flits * log1p(-cases[i].p)), cases[i].fabric);
      ripstop_run_result_free(&r);
      scene_close(s);
    }
}

/* Errors do not come in bursts, and do not keep a rhythm: of the packets of one link the number between two corrupted
 * ones is geometric, with the mean 1 / p and the variance (1 - p) / p^2. */
static void gaps_are_geometric(void **state) {
  (void)state;
  enum { FLITS = 4, MOST = 20000 };
  static const double p = 0.01;
  scene *s = scene_open("mesh:2,p=1", "minimal", "load=0.9 packet=4 cycles=80000 pattern=neighbour process=periodic");
  static bool there[MOST];
  s->sim.switch_.flit_errors = "0 0--1~0.01";
  s->sim.losses = 0;
  ripstop_run_result r = scene_run(s);
  uint64_t most = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    const uint64_t number = s->delivered[i].packet / 2; /* two streams: stream + 2 number */
    if (s->delivered[i].source || number >= MOST) continue;
    there[number] = true;
    if (number > most) most = number;
  }
  double gaps = 0, sum = 0, squares = 0;
  for (uint64_t i = 0, last = 0; i < most; i++)
    if (!there[i]) {
      const double gap = (double)(i - last);
      if (last) gaps++, sum += gap, squares += gap * gap;
      last = i;
    }
  const double lost = -expm1(FLITS * log1p(-p)), mean = sum / gaps, variance = squares / gaps - mean * mean;
  assert_true(gaps > 500);
  assert_true(fabs(mean * lost - 1) < 4 / sqrt(gaps));
  assert_true(fabs(variance * lost * lost / (1 - lost) - 1) < 4 * sqrt(8 / gaps)); /* kurtosis of a geometric: 9 */
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* ------------------------------------------------------------------ which links */

static double lost_with(const char *errors, const char *options) {
  scene *s = scene_open("kary-ntree:k=4,n=2", "updown", options);
  s->sim.switch_.flit_errors = errors;
  ripstop_run_result r = scene_run(s);
  const double lost = lost_of(&r);
  ripstop_run_result_free(&r);
  scene_close(s);
  return lost;
}

static void links_have_errors_of_their_own(void **state) {
  (void)state;
  const char *options = "load=0.3 cycles=16000";
  assert_true(isnan(lost_with("0", options)));         /* no such value */
  assert_true(isnan(lost_with("0 0/0/4~0", options))); /* no link has any */
  assert_true(lost_with("0 end:0.0~1", "load=0.3 cycles=4000 pattern=hotspot:end=0,share=1") > 200);
  const double one = lost_with("0 0/0/4~0.01", options), all = lost_with("0.01", options);
  const double group = lost_with("0 0/0/*~0.01", options);
  if (one < 20 || group < 2 * one || all < 4 * group) fail_msg("%g, %g, %g", one, group, all);
  assert_true(lost_with("0.01 0/0/*~0", options) < all);
}

/* Every packet is lost on its first link, and no end node gets any. */
static void nothing_passes_where_each_flit_is_corrupted(void **state) {
  (void)state;
  static const char *const queues[] = {"queues=input", "queues=voq", "queues=output"};
  for (size_t i = 0; i < 3; i++) {
    char options[96];
    snprintf(options, sizeof options, "load=0.3 cycles=4000 %s", queues[i]);
    scene *s = scene_open("kary-ntree:k=4,n=2", "updown", options);
    s->sim.switch_.flit_errors = "1";
    ripstop_run_result r = scene_run(s);
    assert_true(r.account.delivered == 0 && r.account.lost > 1000 && r.account.in_flight == 0);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

static void wrong_texts_are_refused(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"1.5", "switch.flit_errors: 1.5 is no probability from 0 to 1"},
      {"-1", "switch.flit_errors: -1 is no probability from 0 to 1"},
      {"0 0/0/9~0.1", "switch.flit_errors: no link '0/0/9' in kary-ntree:k=4,n=2; did you mean '0/0/4'?"},
      {"0 switch:0/0~0.1", "switch.flit_errors: 'switch:0/0~0.1': only links have errors"},
      {"x", "switch.flit_errors: 'x' is not a number"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err;
    scene *s = scene_open("kary-ntree:k=4,n=2", "updown", "load=0.3");
    s->sim.switch_.flit_errors = cases[i][0];
    assert_int_equal(scene_check(s, &err), -1);
    assert_string_equal(err.text, cases[i][1]);
    scene_close(s);
  }
}

/* ------------------------------------------------------------------ the same everywhere */

/* In one part and in three, once on two threads, with faults, a protocol, in-transit packets, slow links and every
 * organisation. scene_run checks that what was delivered is what is counted, and the engine that the account balances.
 */
static void threads_change_nothing(void **state) {
  (void)state;
  static const char *const cases[][4] = {
      {"kary-ntree:k=4,n=3", "updown", "queues=input", "0/0.0/4@300 0/0.0/4+@600"},
      {"kary-ntree:k=4,n=3", "updown", "queues=voq selection=deal", "0/0.0/5~0.25@200"},
      {"kary-ntree:k=4,n=3", "updown", "queues=output in_queue=unlimited", ""},
      {"kary-ntree:k=4,n=3", "updown", "out_queue=4 speedup=2", "0/0.0/4@300"},
      {"kary-ntree:k=4,n=3", "updown", "flow=xonxoff in_queue=12", ""},
      {"kns:k=4,n=2", "intermediate-nodes", "queues=input", ""},
      {"torus:6x6", "immunet", "queues=input", "0.0/0@400"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char options[160];
    snprintf(options, sizeof options, "load=0.4 packet=8 cycles=1000 %s", cases[i][2]);
    scene *s = scene_open(cases[i][0], cases[i][1], options);
    s->sim.switch_.flit_errors = "0.0005 0/0.*/*~0.002";
    if (!strstr(cases[i][0], "tree")) s->sim.switch_.flit_errors = "0.0005 */0~0.002";
    scene_schedule(s, cases[i][3]);
    ripstop_run_result one = scene_run(s);
    if (lost_of(&one) < 20) fail_msg("%s %s: %g lost", cases[i][0], cases[i][2], lost_of(&one));
    s->sim.threads = i ? 1 : 2;
    s->sim.parts = 3;
    ripstop_run_result many = scene_run(s);
    if (many.values != one.values) fail_msg("%s %s", cases[i][0], cases[i][2]);
    for (size_t k = 0; k < one.values; k++)
      if (!same_bits(one.value[k].value, many.value[k].value))
        fail_msg("%s %s: %s", cases[i][0], cases[i][2], one.value[k].name);
    ripstop_run_result_free(&many);
    ripstop_run_result_free(&one);
    scene_close(s);
  }
}

/* A transport brings what was corrupted again, answers too. */
static void transports_repeat_what_was_corrupted(void **state) {
  (void)state;
  static const char *const kinds[] = {"transport=none",      "transport=go-back-n",
                                      "transport=selective", "transport=selective,order=any",
                                      "transport=trim",      "transport=trim,pull=off"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char options[160];
    snprintf(options, sizeof options, "packet=64,%s%s", kinds[i], i ? ",timeout_min=4000" : "");
    const setting s = {"kary-ntree:k=4,n=2", "updown", "alltoall:bytes=2048", options, "", 1, 1, 8};
    ripstop_run_result r = play_with(&s, &(extra){.switch_ = "flit_errors=0.0005"});
    assert_true(the_value(&r, "workload.complete") == 1);
    assert_true(the_value(&r, "lost.errors") > 100 && the_value(&r, "message.repeats") > 100);
    ripstop_run_result_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_binomial),
                                     cmocka_unit_test(gaps_are_geometric),
                                     cmocka_unit_test(links_have_errors_of_their_own),
                                     cmocka_unit_test(nothing_passes_where_each_flit_is_corrupted),
                                     cmocka_unit_test(wrong_texts_are_refused),
                                     cmocka_unit_test(threads_change_nothing),
                                     cmocka_unit_test(transports_repeat_what_was_corrupted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
