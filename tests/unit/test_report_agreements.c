/* test_report_agreements.c - parts of a product, changes, places, heatmaps and service agreements, over outcomes that
 * are known by formula. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "invented.h"
#include "report/plot.h"

#define HEAD                              \
  "fabric: kary-ntree:k=2,n=2\n"          \
  "method: [updown, misroute, uturn]\n"   \
  "faults: {count: [0, 2], samples: 4}\n" \
  "traffic: {load: [0.2, 0.9]}\n"         \
  "switch: {in_queue: [2, 4]}\n"
#define ONLY                                               \
  "only:\n"                                                \
  "  - {method: [updown, misroute], switch.in_queue: 2}\n" \
  "  - {method: uturn, switch.in_queue: 4}\n"

static const char text[] = HEAD ONLY
    "measure: {affected: on}\n"
    "figures:\n"
    "  - {id: map, kind: heatmap, x: traffic.load, y: accepted, by: [method, faults.count], change: {faults.count: "
    "0}}\n"
    "  - {id: other, kind: heatmap, x: traffic.load, y: affected.latency.mean, by: [method, faults.count], change: "
    "{faults.count: 0}, base: latency.mean}\n"
    "  - {id: first, kind: heatmap, x: traffic.load, y: latency.mean, by: method, where: {faults.count: 2}, rank: "
    "lowest}\n"
    "  - {id: last, x: traffic.load, y: latency.mean, by: method, where: {faults.count: 2}, rank: highest}\n"
    "  - {id: tail, x: faults.count, y: latency.p99, by: method, where: {traffic.load: 0.2}}\n"
    "tables:\n"
    "  - {id: loss, rows: faults.count, value: accepted, columns: method, where: {traffic.load: 0.2}, change: "
    "{faults.count: 0}}\n"
    "  - {id: wait, rows: faults.count, value: latency.mean, columns: method, where: {traffic.load: 0.2}}\n"
    "agreements:\n"
    "  - id: strict\n"
    "    terms:\n"
    "      - {figure: loss, at: 2, at-least: -20}\n"
    "      - {figure: wait, at: 2, at-most: 31}\n"
    "    goals:\n"
    "      - {figure: loss, at: 2, best: highest}\n"
    "      - {figure: wait, at: 2, best: lowest}\n"
    "  - id: lax\n"
    "    title: Anything goes\n"
    "    goals:\n"
    "      - {figure: wait, at: 2, best: lowest}\n"
    "  - id: quick\n"
    "    terms:\n"
    "      - {figure: wait, at: 2, at-most: 30}\n"
    "    goals:\n"
    "      - {figure: loss, at: 2, best: highest}\n"
    "  - id: slow\n"
    "    goals:\n"
    "      - {figure: loss, at: 2, best: highest}\n"
    "      - {figure: wait, at: 2, best: highest}\n"
    "  - id: together\n"
    "    goals:\n"
    "      - {figure: tail, at: 2, best: lowest}\n";

static int method_of(const ripstop_run *run) {
  const char *name = ripstop_run_key(run, "method");
  return !strncmp(name, "updown", 6) ? 0 : !strncmp(name, "misroute", 8) ? 1 : 2;
}

/* Without faults 1 and 10; with two faults updown carries 0.5, misroute 0.75, uturn 0.9, samples differing by at most
 * 0.003. Latencies of updown are the lowest but in the last sample; those of misroute and uturn are equal in the first
 * one. */
static double accepted(const ripstop_run *run) {
  static const double with_faults[] = {0.5, 0.75, 0.9};
  return run->fault_count ? with_faults[method_of(run)] + 0.001 * run->sample : 1 + 0.001 * run->sample;
}

static double latency(const ripstop_run *run) {
  static const double with_faults[3][4] = {{20, 21, 22, 33}, {30, 31, 32, 30}, {30, 30.5, 31, 31.5}};
  return run->fault_count ? with_faults[method_of(run)][run->sample] : 10;
}

/* Samples differ by tens, methods in each by 1 and a little. */
static double tail(const ripstop_run *run) { return 10 * run->sample + (1 + 0.01 * run->sample) * method_of(run); }

static const ripstop_outcome *invent(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(arena, 4, ripstop_value);
  value[0] = (ripstop_value){"accepted", "flits/node/cycle", accepted(run), NAN};
  value[1] = (ripstop_value){"latency.mean", "cycles", latency(run), NAN};
  value[2] = (ripstop_value){"latency.p99", "cycles", tail(run), NAN};
  value[3] = (ripstop_value){"affected.latency.mean", "cycles", 2 * latency(run), NAN};
  *o = (ripstop_outcome){.verdict = "steady", .faults = "", .values = run->fault_count ? 4 : 3, .value = value};
  return o;
}

static int open_fixture(void **state) {
  *state = invented_open(text, invent);
  return 0;
}

static void near(double a, double b) {
  if (!(fabs(a - b) <= 1e-9)) fail_msg("%.15g is not %.15g", a, b);
}

static void only_the_parts_are_run(void **state) {
  const fixture *f = *state;
  assert_int_equal(f->runs->count, 3 * 2 * 2 * 4); /* methods, loads, counts, samples; one length of queues each */
  for (size_t i = 0; i < f->runs->count; i++) {
    const ripstop_run *run = &f->runs->run[i];
    assert_string_equal(ripstop_run_key(run, "switch.in_queue"), method_of(run) == 2 ? "4" : "2");
  }
}

static void changes_are_in_percent(void **state) {
  const fixture *f = *state;
  static const double mean[] = {0.5015, 0.7515, 0.9015};
  const ripstop_plot *map = plot_of(f, "map"), *loss = plot_of(f, "loss");
  assert_int_equal(map->curves, 3); /* without those that they are relative to */
  assert_int_equal(loss->xs, 2);
  assert_string_equal(map->unit, "%");
  for (size_t c = 0; c < 3; c++) {
    near(map->curve[c].point[0].y.mean, 100 * (mean[c] / 1.0015 - 1));
    near(loss->curve[c].point[1].y.mean, 100 * (mean[c] / 1.0015 - 1));
    near(loss->curve[c].point[0].y.mean, 0);
    assert_true(loss->curve[c].point[1].y.low < loss->curve[c].point[1].y.mean);
  }
  assert_string_equal(map->curve[2].label, "uturn");
}

/* Fault-free runs have no affected.latency.mean: it is compared with the latency of all. */
static void another_value_may_be_the_base(void **state) {
  const ripstop_plot *plot = plot_of(*state, "other");
  assert_int_equal(plot->curves, 3);
  near(plot->curve[0].point[0].y.mean, 100 * (2 * 24.0 / 10 - 1));
  near(plot->curve[2].point[1].y.mean, 100 * (2 * 30.75 / 10 - 1));
}

static void places_are_reported_sample_by_sample(void **state) {
  const ripstop_plot *first = plot_of(*state, "first"), *last = plot_of(*state, "last");
  static const double lowest[] = {(1 + 1 + 1 + 3) / 4.0, (2.5 + 3 + 3 + 1) / 4.0, (2.5 + 2 + 2 + 2) / 4.0};
  for (size_t c = 0; c < 3; c++) {
    near(first->curve[c].point[0].y.mean, lowest[c]);
    near(last->curve[c].point[0].y.mean, 4 - lowest[c]);
    assert_true(first->curve[c].point[0].y.high > lowest[c]);
  }
  assert_string_equal(first->unit, "place");
}

/* Their intervals reach into each other, those of their differences do not reach 0. */
static void candidates_are_compared_as_pairs(void **state) {
  const fixture *f = *state;
  ripstop_judged_curve *candidate;
  assert_int_equal(ripstop_agreement_judge(f->arena, &f->data, &f->spec->agreement[4], &candidate), 3);
  assert_true(candidate[0].measured[0]->y.high > candidate[2].measured[0]->y.low);
  const ripstop_grade frontier[] = {RIPSTOP_GRADE_YES, RIPSTOP_GRADE_NO, RIPSTOP_GRADE_NO};
  for (size_t i = 0; i < 3; i++) assert_int_equal(candidate[i].frontier, frontier[i]);
}

static void agreements_have_a_frontier(void **state) {
  const fixture *f = *state;
  ripstop_judged_curve *candidate;
  /* Latencies: 24 +- 9.6, 30.75 +- 1.5, 30.75 +- 1.03: updown surely loses too much, the others may wait too long. */
  assert_int_equal(ripstop_agreement_judge(f->arena, &f->data, &f->spec->agreement[0], &candidate), 3);
  const ripstop_grade keeps[] = {RIPSTOP_GRADE_NO, RIPSTOP_GRADE_NO, RIPSTOP_GRADE_UNSURE};
  for (size_t i = 0; i < 3; i++) assert_int_equal(candidate[i].keeps, keeps[i]);
  assert_int_equal(candidate[0].frontier, RIPSTOP_GRADE_NO);
  assert_int_equal(candidate[2].frontier, RIPSTOP_GRADE_YES);
  near(candidate[2].measured[1]->y.mean, 30.75);
  assert_string_equal(candidate[1].label, "misroute");
  /* Without terms: updown waits the least by its mean, but its interval reaches the others'. */
  assert_int_equal(ripstop_agreement_judge(f->arena, &f->data, &f->spec->agreement[1], &candidate), 3);
  for (size_t i = 0; i < 3; i++) assert_int_equal(candidate[i].keeps, RIPSTOP_GRADE_YES);
  assert_int_equal(candidate[0].frontier, RIPSTOP_GRADE_YES);
  assert_int_equal(candidate[1].frontier, RIPSTOP_GRADE_UNSURE);
}

/* Latencies as above. A bound inside all three intervals: no method surely breaks the agreement, only updown keeps it
 * by its mean, and those that do not are no rivals, though they lose less. */
static void a_bound_inside_an_interval_decides_nothing(void **state) {
  const fixture *f = *state;
  ripstop_judged_curve *candidate;
  assert_int_equal(ripstop_agreement_judge(f->arena, &f->data, &f->spec->agreement[2], &candidate), 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(candidate[i].keeps, RIPSTOP_GRADE_UNSURE);
    assert_int_equal(candidate[i].frontier, i == 0 ? RIPSTOP_GRADE_YES : RIPSTOP_GRADE_NO);
  }
}

/* Two goals. misroute surely beats updown in one, but updown's interval reaches misroute's in the other; uturn beats
 * misroute in one and is its equal in the other. */
static void to_be_beaten_takes_all_goals(void **state) {
  const fixture *f = *state;
  ripstop_judged_curve *candidate;
  assert_int_equal(ripstop_agreement_judge(f->arena, &f->data, &f->spec->agreement[3], &candidate), 3);
  assert_true(candidate[1].measured[1]->y.low > candidate[0].measured[1]->y.mean);
  assert_true(candidate[1].measured[1]->y.low < candidate[0].measured[1]->y.high);
  const ripstop_grade frontier[] = {RIPSTOP_GRADE_UNSURE, RIPSTOP_GRADE_UNSURE, RIPSTOP_GRADE_YES};
  for (size_t i = 0; i < 3; i++) assert_int_equal(candidate[i].frontier, frontier[i]);
}

/* A field for each value of x in each row, at its place, with its mean. */
static void a_heatmap_has_all_fields(void **state) {
  const ripstop_plot *map = plot_of(*state, "map");
  const plot_sheet sheet = plot_alone(&map);
  ripstop_text script = {0}, names = {0};
  plot_script(&script, &sheet, &plot_page, &names);
  assert_int_equal(map->xs, 2);
  for (size_t c = 0; c < map->curves; c++)
    for (size_t x = 0; x < map->xs; x++) {
      char field[100];
      snprintf(field, sizeof field, "\n%zu %zu %.17g \"", x, c, map->curve[c].point[x].y.mean);
      if (!strstr(script.data, field)) fail_msg("no%s in %s", field, script.data);
    }
  ripstop_text_free(&script);
  ripstop_text_free(&names);
}

/* A row for each candidate with its terms and goals, and no more rows. Runs of blanks are compared as one. */
static void a_terminal_shows_an_agreement(void **state) {
  const fixture *f = *state;
  char *page = NULL, shown[2000] = "";
  size_t length = 0, letters = 0;
  FILE *file = open_memstream(&page, &length);
  ripstop_report_text(file, &f->data);
  fclose(file);
  const char *at = strstr(page, "\nAnything goes\n");
  assert_non_null(at);
  for (; *at && strncmp(at, "\n  0 of 3", 9) != 0; at++)
    if (*at != ' ' || at[1] != ' ') shown[letters++] = *at;
  assert_string_equal(shown, "\nAnything goes\n wait at 2, lowest best keeps it frontier\n"
                             " updown 24.0 ± 9.6 yes yes\n misroute 30.8 ± 1.5 yes unsure\n"
                             " uturn 30.8 ± 1.0 yes unsure");
  free(page);
}

static void all_reports_report_it(void **state) {
  const fixture *f = *state;
  char *page = NULL;
  size_t length = 0;
  ripstop_error err;
  FILE *file = open_memstream(&page, &length);
  ripstop_report_text(file, &f->data);
  fclose(file);
  assert_non_null(strstr(page, "\nAnything goes\n"));
  assert_non_null(strstr(page, "loss at 2, at least -20"));
  assert_non_null(strstr(page, "  2 of 3 candidates break it\n"));
  free(page);
  ripstop_text html = {0};
  if (ripstop_report_html(&f->data, "ripstop", NULL, &html, &err)) fail_msg("%s", err.text);
  assert_non_null(strstr(html.data, "<h2>Anything goes</h2>"));
  assert_non_null(strstr(html.data, "<span class=\"badge bad\">no</span>"));
  const char *map = strstr(html.data, "<h2 id=\"map\">");
  assert_non_null(map);
  const char *number = strstr(map, "-49.9"), *end = strstr(map, "</figure>"); /* in the field, not in the table below */
  assert_true(number && number < end);
  ripstop_text_free(&html);
}

/* ------------------------------------------------------------------ refusals */

static void mistakes_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *rest, *message;
  } cases[] = {
      {"only: a\n", "x.yaml:6: only must be a list, each item starting with '- '"},
      {"only: [{faults.count: 2}]\n", "x.yaml:6: only: faults.count cannot be fixed here"},
      {"only: [{metod: updown}]\n", "x.yaml:6: key 'metod' is unknown; did you mean 'method'?"},
      {"figures: [{id: a, x: traffic.load, y: accepted, by: [method, faults.count]}]\n",
       "x.yaml:6: 'a' would mix 2 values of switch.in_queue: put it into x, by (columns) or where"},
      {"only: [{method: updown, switch.in_queue: 2}, {method: updown, switch.in_queue: 4}]\n"
       "figures: [{id: a, x: traffic.load, y: accepted, by: [method, faults.count]}]\n",
       "x.yaml:7: 'a' would mix 2 values of switch.in_queue: put it into x, by (columns) or where"},
      {ONLY "figures: [{id: a, x: traffic.load, y: accepted, by: [faults.count]}]\n",
       "x.yaml:9: 'a' would mix 3 values of method: put it into x, by (columns) or where"},
      {ONLY "figures: [{id: a, kind: heatmp, x: method, y: accepted}]\n",
       "x.yaml:9: kind 'heatmp' is unknown; did you mean 'heatmap'?"},
      {ONLY "figures: [{id: a, x: method, y: accepted, rank: best}]\n",
       "x.yaml:9: rank 'best' is unknown; known here: none, highest, lowest"},
      {ONLY "figures: [{id: a, x: method, y: accepted, rank: highest, change: {faults.count: 0}}]\n",
       "x.yaml:9: rank: places cannot be relative to others"},
      {ONLY "figures: [{id: a, x: method, y: verdict.steady, rank: highest}]\n",
       "x.yaml:9: rank: neither series nor verdicts have places"},
      {ONLY "figures: [{id: a, x: method, y: accepted, base: offered}]\n",
       "x.yaml:9: base goes with relative, change or difference only"},
      {ONLY "figures: [{id: a, x: method, y: accepted, relative: {faults.count: 0}, change: {faults.count: 0}}]\n",
       "x.yaml:9: only one of relative, change and difference"},
      {ONLY "figures: [{id: a, x: method, y: accepted}]\nagreements: [{id: a, goals: [{figure: a, at: uturn, best: "
            "lowest}]}]\n",
       "x.yaml:10: the id 'a' is taken in line 9"},
      {ONLY "agreements: [{id: b}]\n", "x.yaml:9: an agreement needs goals"},
      {ONLY "agreements: [{id: b, goals: [{figure: a}]}]\n", "x.yaml:9: figure 'a' is unknown; known here: nothing"},
      {ONLY "figures: [{id: a, x: method, y: accepted}]\nagreements: [{id: b, goals: [{figure: a, best: lowest}]}]\n",
       "x.yaml:10: a goal needs the key 'at', a value of method"},
      {ONLY "figures: [{id: a, x: method, y: accepted}]\nagreements: [{id: b, goals: [{figure: a, at: uturn}]}]\n",
       "x.yaml:10: a goal needs best: highest or best: lowest"},
      {ONLY "figures: [{id: a, x: method, y: accepted}]\nagreements: [{id: b, terms: [{figure: a, at: uturn}], goals: "
            "[{figure: a, at: uturn, best: lowest}]}]\n",
       "x.yaml:10: a term needs either at-most or at-least"},
      {ONLY "figures: [{id: a, x: method, y: accepted}]\nagreements: [{id: b, terms: [{figure: a, at: uturn, at-most: "
            "2, at-least: 1}], goals: [{figure: a, at: uturn, best: lowest}]}]\n",
       "x.yaml:10: a term needs either at-most or at-least"},
      {ONLY "figures: [{id: a, x: method, y: accepted}, {id: c, x: faults.count, y: accepted}]\nagreements: [{id: b, "
            "goals: [{figure: a, at: uturn, best: lowest}, {figure: c, at: 2, best: lowest}]}]\n",
       "x.yaml:10: agreement 'b': the figures 'a' and 'c' have curves by different keys"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {.text = "nothing"};
    char yaml[2048];
    snprintf(yaml, sizeof yaml, "%s%s", HEAD, cases[i].rest);
    ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", yaml, strlen(yaml), NULL, &err);
    assert_null(spec);
    assert_string_equal(err.text, cases[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_the_parts_are_run),
                                     cmocka_unit_test(changes_are_in_percent),
                                     cmocka_unit_test(another_value_may_be_the_base),
                                     cmocka_unit_test(places_are_reported_sample_by_sample),
                                     cmocka_unit_test(agreements_have_a_frontier),
                                     cmocka_unit_test(candidates_are_compared_as_pairs),
                                     cmocka_unit_test(a_bound_inside_an_interval_decides_nothing),
                                     cmocka_unit_test(to_be_beaten_takes_all_goals),
                                     cmocka_unit_test(a_heatmap_has_all_fields),
                                     cmocka_unit_test(a_terminal_shows_an_agreement),
                                     cmocka_unit_test(all_reports_report_it),
                                     cmocka_unit_test(mistakes_are_reported)};
  return cmocka_run_group_tests_name("agreements", tests, open_fixture, close_fixture);
}
