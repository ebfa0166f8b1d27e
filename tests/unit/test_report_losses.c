/* test_report_losses.c - points whose runs lost packets are marked wherever they are shown, with the largest share; and
 * so is every value that is relative to such a point or measured on it. */
#include <math.h>

#include "invented.h"
#include "report/plot.h"

static const char text[] =
    "fabric: kary-ntree:k=2,n=2\n"
    "method: [updown, misroute]\n"
    "faults: {count: [0, 2], samples: 3}\n"
    "traffic: {load: saturation}\n"
    "measure: {spread: on}\n"
    "figures:\n"
    "  - {id: load, x: faults.count, y: saturation.load, by: method}\n"
    "  - {id: over, x: faults.count, y: saturation.load, by: method, relative: {method: updown}}\n"
    "  - {id: more, x: faults.count, y: accepted, by: method, change: {faults.count: 0}}\n"
    "  - {id: word, x: faults.count, y: verdict.lossy, by: method}\n"
    "  - {id: map, kind: heatmap, x: faults.count, y: accepted, by: method}\n"
    "  - {id: cdf, kind: cdf, y: latency, by: method, where: {faults.count: 2}}\n"
    "tables:\n"
    "  - {id: rows, rows: faults.count, value: accepted, columns: method}\n"
    "agreements:\n"
    "  - {id: wanted, goals: [{figure: rows, at: 2, best: highest}]}\n"
    "claims:\n"
    "  - {id: lossy, says: s, figure: load, curve: {method: updown}, measure: {ratio: [2, 0]}, published: 1}\n"
    "  - {id: whole, says: s, figure: load, curve: {method: misroute}, measure: {ratio: [2, 0]}, published: 1}\n"
    "  - {id: peak, says: s, figure: load, curve: {method: misroute}, measure: {peak: [2, 2], relative: {method: "
    "updown}}, published: 1}\n";

/* Only updown loses: with two failed links a tenth in the first sample and a quarter in the others. */
static const ripstop_outcome *invent(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(arena, 16, ripstop_value);
  const bool lossy = !strcmp(run->method, "updown") && run->fault_count == 2;
  const double lost = !lossy ? 0 : run->sample ? 0.25 : 0.1;
  value[0] = (ripstop_value){"saturation.load", "flits/node/cycle", 0.5 + 0.01 * (double)run->sample, 0.01};
  value[1] = (ripstop_value){"accepted", "flits/node/cycle", 0.5 + 0.01 * (double)run->sample, 0.01};
  value[2] = (ripstop_value){"lost.share", "1", lost, NAN};
  value[3] = (ripstop_value){"latency.p50", "cycles", 50, NAN};
  value[4] = (ripstop_value){"latency.p99", "cycles", 99, NAN};
  *o =
      (ripstop_outcome){.verdict = lossy ? "lossy" : "steady", .faults = "", .values = 5, .value = value, .seconds = 1};
  return o;
}

static const ripstop_point *point_of(const fixture *f, const char *id, size_t curve, size_t x) {
  return &plot_of(f, id)->curve[curve].point[x];
}

static void cell_is(const ripstop_point *point, const char *end) {
  ripstop_text cell = {0};
  plot_print_cell(&cell, point);
  const size_t length = strlen(end);
  assert_true(cell.length >= length);
  assert_string_equal(cell.data + cell.length - length, end);
  ripstop_text_free(&cell);
}

static void points_have_the_largest_share(void **state) {
  (void)state;
  fixture *f = invented_open(text, invent);
  static const char *const figures[] = {"load", "more", "word", "map", "rows"};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    assert_float_equal(point_of(f, figures[i], 0, 1)->lost, 0.25, 1e-12);
    assert_float_equal(point_of(f, figures[i], 0, 0)->lost, 0, 0);
    assert_float_equal(point_of(f, figures[i], 1, 1)->lost, 0, 0);
    assert_float_equal(plot_lost(plot_of(f, figures[i])), 0.25, 1e-12);
  }
  const ripstop_plot *cdf = plot_of(f, "cdf");
  for (size_t x = 0; x < cdf->xs; x++) assert_float_equal(cdf->curve[0].point[x].lost, 0.25, 1e-12);
  cell_is(point_of(f, "load", 0, 1), " ‡ (25 % lost)");
  cell_is(point_of(f, "rows", 0, 1), " ‡");
  invented_close(f);
}

/* A value relative to a lossy method has the mark, whichever of the two carries more. */
static void comparisons_have_the_mark_of_either_side(void **state) {
  (void)state;
  fixture *f = invented_open(text, invent);
  assert_float_equal(point_of(f, "over", 1, 1)->lost, 0.25, 1e-12);
  cell_is(point_of(f, "over", 1, 1), " ‡");
  assert_float_equal(point_of(f, "over", 1, 0)->lost, 0, 0);
  const double lost[] = {0.25, 0, 0.25};
  for (size_t i = 0; i < 3; i++)
    assert_float_equal(ripstop_claim_judge(&f->data, &f->spec->claim[i]).lost, lost[i], 1e-12);
  ripstop_judgement again = {.measured = {1, 1, 1}, .lost = 0.25};
  assert_float_equal(ripstop_claim_judge_again(&f->spec->claim[0], &again, true).lost, 0.25, 0);
  ripstop_judged_curve *candidate;
  size_t count = ripstop_agreement_judge(f->arena, &f->data, &f->spec->agreement[0], &candidate);
  assert_int_equal(count, 2);
  assert_float_equal(plot_candidates_lost(candidate, count, 1), 0.25, 1e-12);
  assert_float_equal(plot_candidates_lost(candidate + 1, 1, 1), 0, 0);
  invented_close(f);
}

static size_t times(const char *page, const char *part) {
  size_t count = 0;
  for (; (page = strstr(page, part)); page++) count++;
  return count;
}

/* All that has the mark says what it means, and how much was lost; the script of live figures has the signs. */
static void pages_and_pictures_say_how_much(void **state) {
  (void)state;
  static const char note[] = "<p class=\"note\">‡ with lost packets: at most 25 % of "
                             "the packets that network interfaces took</p>";
  fixture *f = invented_open(text, invent);
  ripstop_text page = {0}, script = {0}, names = {0};
  ripstop_error err = {0};
  if (ripstop_report_html(&f->data, "", NULL, &page, &err)) fail_msg("%s", err.text);
  assert_int_equal(times(page.data, note), 8); /* six figures, a table, an agreement */
  assert_int_equal(times(page.data, "<small>up to 25 % of packets lost</small>"), 2);
  assert_true(times(page.data, "\"signs\":\"‡\"") >= 4);
  const ripstop_plot *plot = plot_of(f, "map");
  plot_script(&script, &(plot_sheet){.id = "map", .plots = 1, .columns = 1, .plot = &plot}, &plot_page, &names);
  assert_non_null(strstr(script.data, "‡ with lost packets"));
  ripstop_text_free(&names), ripstop_text_free(&script), ripstop_text_free(&page);
  invented_close(f);
}

/* A window is marked by what it lost itself. */
static const ripstop_outcome *invent_windows(ripstop_arena *arena, const ripstop_run *run) {
  (void)run;
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_window *window = RIPSTOP_ARRAY(arena, 3, ripstop_window);
  for (size_t i = 0; i < 3; i++)
    window[i] = (ripstop_window){.cycle = 100 * i, .generated = 10, .delivered = 8, .lost = 2 * (i == 1), .latency = 5};
  window[2].generated = 0, window[2].lost = 1;
  *o = (ripstop_outcome){.verdict = "lossy", .faults = "", .windows = 3, .window = window, .seconds = 1};
  return o;
}

static void windows_have_their_own(void **state) {
  (void)state;
  fixture *f = invented_open("fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.2}\n"
                             "measure: {cycles: 400, window: 100}\nfaults: {schedule: \"0/0/2@50\"}\n"
                             "figures: [{id: all, x: cycle, y: delivered}]\n",
                             invent_windows);
  const ripstop_plot *plot = plot_of(f, "all");
  assert_int_equal(plot->xs, 3);
  assert_float_equal(plot->curve[0].point[0].lost, 0, 0);
  assert_float_equal(plot->curve[0].point[1].lost, 0.2, 1e-12);
  assert_float_equal(plot->curve[0].point[2].lost, 1, 0);
  invented_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_have_the_largest_share), cmocka_unit_test(comparisons_have_the_mark_of_either_side),
      cmocka_unit_test(pages_and_pictures_say_how_much), cmocka_unit_test(windows_have_their_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
