/* test_report_searched.c - a load that is searched for is known to half a step, however many samples end in the same
 * one: no interval of such loads is narrower, alone, against each other, or in a claim. */
#include "invented.h"
#include "report/plot.h"

enum { SAMPLES = 8 };
static const double step = 0.016, updown = 0.5, misroute = 0.75;

static const char text[] =
    "title: t\n"
    "fabric: kary-ntree:k=4,n=2\n"
    "method: [updown, misroute]\n"
    "faults: {count: [0, 1], samples: 8}\n"
    "traffic: {load: saturation}\n"
    "figures:\n"
    "  - {id: load, x: faults.count, y: saturation.load}\n"
    "  - {id: accepted, x: faults.count, y: saturation.accepted}\n"
    "  - {id: more, x: faults.count, y: saturation.load, difference: {method: updown}}\n"
    "  - {id: over, x: faults.count, y: saturation.load, relative: {method: updown}}\n"
    "  - {id: change, x: faults.count, y: saturation.load, change: {method: updown}}\n"
    "claims:\n"
    "  - {id: near, says: s, figure: load, curve: {method: updown}, measure: {value: 1}, compare: at-least, published: "
    "0.51}\n"
    "  - {id: far, says: s, figure: load, curve: {method: updown}, measure: {value: 1}, compare: at-least, published: "
    "0.52}\n"
    "  - {id: fall, says: s, figure: load, curve: {method: updown}, measure: {difference: [0, 1]}, published: 0}\n";

/* Without faults all samples are the same run; with a failed link all end in the same step. */
static const ripstop_outcome *invent(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(arena, 2, ripstop_value);
  const double load = strcmp(run->method, "updown") != 0 ? misroute : updown;
  value[0] = (ripstop_value){"saturation.load", "flits/node/cycle", load, step};
  value[1] = (ripstop_value){"saturation.accepted", "flits/node/cycle", load, 0.001};
  *o = (ripstop_outcome){.verdict = "steady", .faults = "", .values = 2, .value = value, .seconds = 1};
  return o;
}

static void half_is(const fixture *f, const char *id, size_t curve, double mean, double half) {
  const ripstop_point *point = &plot_of(f, id)->curve[curve].point[1];
  assert_int_equal(point->runs, SAMPLES);
  assert_float_equal(point->y.mean, mean, 1e-6);
  assert_float_equal(point->y.low, mean - half, 1e-6);
  assert_float_equal(point->y.high, mean + half, 1e-6);
  if (half == 0) return;
  const ripstop_estimate wide = plot_at_confidence(point, 0.999); /* a step is no matter of confidence */
  assert_float_equal(wide.high - wide.low, 2 * half, 1e-6);
}

static ripstop_judgement judged(const fixture *f, size_t claim) {
  return ripstop_claim_judge(&f->data, &f->spec->claim[claim]);
}

static void intervals_have_the_step(void **state) {
  (void)state;
  fixture *f = invented_open(text, invent);
  half_is(f, "load", 0, updown, step);
  half_is(f, "load", 1, misroute, step);
  half_is(f, "accepted", 0, updown, 0);
  half_is(f, "more", 1, misroute - updown, 2 * step);
  half_is(f, "over", 1, misroute / updown, step * (1 + misroute / updown) / updown);
  half_is(f, "change", 1, 100 * (misroute / updown - 1), 100 * step * (1 + misroute / updown) / updown);
  assert_int_equal(judged(f, 0).judged, RIPSTOP_CANNOT_BE_TOLD);
  assert_int_equal(judged(f, 1).judged, RIPSTOP_DIFFERS);
  const ripstop_estimate fall = judged(f, 2).measured;
  assert_float_equal(fall.high - fall.low, 4 * step, 1e-6);
  invented_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_have_the_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
