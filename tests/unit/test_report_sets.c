/* test_report_sets.c - figures and claims over fault sets and schedules, drawn and given. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "invented.h"
#include "papers/ledger.h"

static ripstop_value (*value_of)(const ripstop_run *);

static const ripstop_outcome *invent(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_NEW(arena, ripstop_value);
  *value = value_of(run);
  *o = (ripstop_outcome){.verdict = "steady", .faults = "", .values = 1, .value = value};
  return o;
}

/* Runs with one value. */
static fixture *open_text(const char *text, ripstop_value (*of)(const ripstop_run *)) {
  value_of = of;
  return invented_open(text, invent);
}

static const ripstop_plot *figure_of(const fixture *f, size_t figure) {
  return ripstop_plot_figure(f->arena, &f->data, &f->spec->figure[figure]);
}

/* ------------------------------------------------------------------ schedules */

#define EXPERIMENT "fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\ntraffic: {load: 0.2}\n"

static const char schedules[] = EXPERIMENT
    "faults: {schedule: [\"\", \"random:1,from=10\"], samples: 3}\n"
    "figures:\n"
    "  - {id: change, x: traffic.load, y: accepted, by: [method, faults.schedule], change: {faults.schedule: \"\"}}\n"
    "  - {id: heat, kind: heatmap, x: traffic.load, y: accepted, by: [method, faults.schedule],\n"
    "     change: {faults.schedule: \"\"}}\n"
    "  - {id: place, x: traffic.load, y: accepted, by: method, where: {faults.schedule: \"random:1,from=10\"},\n"
    "     rank: highest}\n"
    "claims:\n"
    "  - {id: falls, says: s, figure: change, curve: {method: updown, faults.schedule: \"random:1,from=10\"},\n"
    "     measure: {value: 0.2}, published: -20, tolerance: 1}\n";

/* 1 without a failure; with one .8 under updown, .9 under misroute; samples 0, 1, 2 differ by a thousandth. */
static ripstop_value carried(const ripstop_run *run) {
  double loss = !run->rule ? 0 : strncmp(run->method, "misroute", 8) != 0 ? 0.2 : 0.1;
  return (ripstop_value){"accepted", "flits/node/cycle", 1 - loss + 0.001 * ((double)run->sample - 1), 0.125};
}

/* The effect of a random schedule, against runs of the same samples in which nothing fails. */
static void changes_are_against_no_schedule(void **state) {
  (void)state;
  fixture *f = open_text(schedules, carried);
  const ripstop_plot *change = figure_of(f, 0), *heat = figure_of(f, 1);
  static const char *const labels[] = {"updown, schedule none", "updown, schedule random:1,from=10",
                                       "misroute, schedule none", "misroute, schedule random:1,from=10"};
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
  assert_int_equal(ripstop_claim_judge(&f->data, &f->spec->claim[0]).finding, RIPSTOP_REPRODUCED);
  invented_close(f);
}

static void places_are_reported_within_a_draw(void **state) {
  (void)state;
  fixture *f = open_text(schedules, carried);
  const ripstop_plot *place = figure_of(f, 2);
  assert_int_equal(place->curves, 2);
  const ripstop_estimate updown = place->curve[0].point[0].y, misroute = place->curve[1].point[0].y;
  assert_true(updown.low == 2 && updown.high == 2);
  assert_true(misroute.low == 1 && misroute.high == 1);
  invented_close(f);
}

/* ------------------------------------------------------------------ one fault set */

/* Falls by a tenth with each failed part, and depends on nothing else; its own interval is .01 wide on each side. */
static ripstop_value falling(const ripstop_run *run) {
  double parts = run->faults ? run->faults->links : run->fault_count;
  return (ripstop_value){"accepted", "flits/node/cycle", 1 - 0.1 * parts, 0.01};
}

/* A value is marked if it rests on one random fault set or schedule, and not otherwise. */
static void only_one_sampled_set_is_one_set(void **state) {
  (void)state;
  static const struct {
    const char *faults, *more;
    bool one_set;
  } cases[] = {
      {"{count: 2}", "", true},
      {"{count: 0}", "", false},
      {"{count: 2, samples: 2}", "", false},
      {"{count: 2}", "seed: [1, 2]\n", false}, /* another seed has another set */
      {"{set: 0/0/2}", "", false},             /* a set that the author gives is no sample */
      {"{set: 0/0/2, samples: 3}", "", false},
      {"{count: 1, samples: all}", "", false},
      {"{count: 4, samples: all}", "", false}, /* there is one */
      {"{schedule: \"0/0/2@50\"}", "", false},
      {"{schedule: \"random:1,from=10\"}", "", true},
      {"{schedule: \"random:1,from=10\", samples: 2}", "", false},
      {"{set: 0/0/2, schedule: \"random:1,from=10\"}", "", true},
      {"{schedule: \"trace:x.trace\"}", "", false}, /* the same in every sample */
  };
  FILE *trace = fopen("x.trace", "w"); /* beside x.yaml */
  assert_non_null(trace);
  fputs("0/0/2 5 -\n", trace);
  fclose(trace);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    snprintf(text, sizeof text, EXPERIMENT "faults: %s\n%sfigures: [{id: a, x: method, y: accepted}]\n",
             cases[i].faults, cases[i].more);
    fixture *f = open_text(text, falling);
    const ripstop_plot *plot = figure_of(f, 0);
    for (size_t x = 0; x < 2; x++)
      if (plot->curve[0].point[x].one_set != cases[i].one_set) fail_msg("%s", cases[i].faults);
    invented_close(f);
  }
  remove("x.trace");
}

/* Points of one set have no interval in the page's live figures either. */
static void live_points_of_one_set_have_no_interval(void **state) {
  (void)state;
  static const char *const faults[] = {"{count: 2}", "{set: 0/0/2}"};
  static const char *const interval[] = {"\"low\":null,\"high\":null", "\"low\":0.89,\"high\":0.91"};
  for (int i = 0; i < 2; i++) {
    char text[512];
    snprintf(text, sizeof text, EXPERIMENT "faults: %s\nfigures: [{id: a, x: method, y: accepted}]\n", faults[i]);
    fixture *f = open_text(text, falling);
    ripstop_text live = {0};
    plot_live(&live, figure_of(f, 0));
    if (!strstr(live.data, interval[i])) fail_msg("%s: %s", faults[i], live.data);
    ripstop_text_free(&live);
    invented_close(f);
  }
}

static void programs_draw_their_faults(void **state) {
  (void)state;
  for (int faults = 0; faults < 2; faults++) {
    char text[512];
    snprintf(text, sizeof text,
             "fabric: torus:8x8\nmethod: immunet\nprogram: {kernel: \"fft:points=4096\", faults: %d}\n"
             "figures: [{id: a, x: method, y: accepted}]\n",
             faults);
    fixture *f = open_text(text, falling);
    assert_int_equal(figure_of(f, 0)->curve[0].point[0].one_set, faults);
    invented_close(f);
  }
}

static const char one_sample[] = EXPERIMENT
    "faults: {count: [0, 1, 2]}\n"
    "figures:\n"
    "  - {id: by-count, x: faults.count, y: accepted}\n"
    "  - {id: change, x: faults.count, y: accepted, change: {faults.count: 0}}\n"
    "  - {id: against, x: faults.count, y: accepted, relative: {faults.count: 2}}\n"
    "  - {id: share, x: faults.count, y: verdict.steady}\n"
    "claims:\n"
    "  - {id: none-dead, says: s, figure: by-count, curve: {method: updown}, measure: {value: 0}, published: 1}\n"
    "  - {id: value, says: s, figure: by-count, curve: {method: updown}, measure: {value: 1}, published: 0.9}\n"
    "  - {id: wrong, says: s, figure: by-count, curve: {method: updown}, measure: {value: 1}, published: 0.2}\n"
    "  - {id: ratio, says: s, figure: by-count, curve: {method: updown}, measure: {ratio: [0, 1]}, published: 1}\n"
    "  - {id: slope, says: s, figure: by-count, curve: {method: updown}, measure: {slope: [0, 2]}, published: -0.1}\n"
    "  - {id: loss, says: s, figure: by-count, curve: {method: updown}, measure: {loss: [0, 2]}, published: 0.1}\n"
    "  - {id: peak, says: s, figure: by-count, curve: {method: updown}, measure: {peak: [1, 2]}, published: 0.9}\n"
    "  - {id: peak-0, says: s, figure: by-count, curve: {method: updown}, measure: {peak: all}, published: 1}\n"
    "  - {id: share, says: s, figure: share, curve: {method: updown}, measure: {share: steady}, published: 1}\n"
    "  - {id: nothing, says: s, figure: by-count, curve: {method: updown}, measure: {peak: [5, 9]}, published: 1}\n"
    "agreements:\n"
    "  - {id: kept, title: Kept, terms: [{figure: by-count, at: 1, at-least: 0.5}],\n"
    "     goals: [{figure: by-count, at: 0, best: highest}]}\n"
    "  - {id: broken, title: Broken, terms: [{figure: by-count, at: 1, at-least: 0.95}],\n"
    "     goals: [{figure: by-count, at: 0, best: highest}]}\n"
    "  - {id: sure, title: Sure, terms: [{figure: by-count, at: 0, at-least: 0.5}],\n"
    "     goals: [{figure: by-count, at: 0, best: highest}]}\n";

static void a_quotient_is_of_one_set_if_a_part_is(void **state) {
  (void)state;
  fixture *f = open_text(one_sample, falling);
  static const struct {
    size_t figure;
    bool one_set[3];
  } cases[] = {{0, {false, true, true}}, {1, {false, true, true}}, {2, {true, true, true}}, {3, {false, false, false}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t x = 0; x < 3; x++)
      assert_int_equal(figure_of(f, cases[i].figure)->curve[0].point[x].one_set, cases[i].one_set[x]);
  invented_close(f);
}

/* Whatever their numbers say; shares count runs, and are judged by how many there are. */
static void claims_on_one_set_cannot_be_told(void **state) {
  (void)state;
  static const struct {
    const char *id;
    bool one_set;
    ripstop_finding finding;
  } expected[] = {{"none-dead", false, RIPSTOP_REPRODUCED}, {"value", true, RIPSTOP_CANNOT_BE_TOLD},
                  {"wrong", true, RIPSTOP_CANNOT_BE_TOLD},  {"ratio", true, RIPSTOP_CANNOT_BE_TOLD},
                  {"slope", true, RIPSTOP_CANNOT_BE_TOLD},  {"loss", true, RIPSTOP_CANNOT_BE_TOLD},
                  {"peak", true, RIPSTOP_CANNOT_BE_TOLD},   {"peak-0", false, RIPSTOP_REPRODUCED},
                  {"share", false, RIPSTOP_REPRODUCED},     {"nothing", false, RIPSTOP_NO_DATA}};
  fixture *f = open_text(one_sample, falling);
  assert_int_equal(f->spec->claims, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < f->spec->claims; i++) {
    ripstop_judgement j = ripstop_claim_judge(&f->data, &f->spec->claim[i]);
    assert_string_equal(f->spec->claim[i].id, expected[i].id);
    if (j.finding != expected[i].finding || j.judged != expected[i].finding || j.one_set != expected[i].one_set)
      fail_msg("%s: %s", expected[i].id, ripstop_finding_words[j.finding]);
    assert_false(j.contradicts); /* "wrong" would, by its number */
  }
  invented_close(f);
}

static void nobody_surely_keeps_an_agreement_with_one_set(void **state) {
  (void)state;
  fixture *f = open_text(one_sample, falling);
  static const ripstop_grade keeps[] = {RIPSTOP_GRADE_UNSURE, RIPSTOP_GRADE_UNSURE, RIPSTOP_GRADE_YES};
  for (size_t i = 0; i < 3; i++) {
    ripstop_judged_curve *candidate;
    assert_int_equal(ripstop_agreement_judge(f->arena, &f->data, &f->spec->agreement[i], &candidate), 2);
    assert_int_equal(candidate[0].keeps, keeps[i]);
  }
  invented_close(f);
}

/* ------------------------------------------------------------------ pages and tables */

static size_t count(const char *in, const char *what) {
  size_t n = 0;
  for (const char *at = in; (at = strstr(at, what)); at += strlen(what)) n++;
  return n;
}

#define NOTE "† one random fault set: an interval here is of that set, not over fault sets"

static void terminals_have_a_dagger(void **state) {
  (void)state;
  fixture *f = open_text(one_sample, falling);
  char *out = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&out, &length);
  ripstop_report_text(file, &f->data);
  fclose(file);
  assert_non_null(strstr(out, "\n  failed links            updown          misroute\n"
                              "  0                1.000 ± 0.010     1.000 ± 0.010\n"
                              "  1              0.900 ± 0.010 †   0.900 ± 0.010 †\n"));
  assert_int_equal(count(out, "\n  " NOTE "\n"), 5); /* three figures and two agreements, not the shares */
  assert_int_equal(count(out, "cannot be told: one fault set\n"), 6);
  free(out);
  invented_close(f);
}

static const char *page_of(const fixture *f) {
  ripstop_text page = {0};
  ripstop_error err = {0};
  if (ripstop_report_html(&f->data, "ripstop report", NULL, &page, &err)) fail_msg("%s", err.text);
  const char *copy = ripstop_arena_text(f->arena, page.data);
  ripstop_text_free(&page);
  return copy;
}

/* A band is a surface that one can see through: there is none round a point of one set. */
static void pages_draw_no_interval(void **state) {
  (void)state;
#define BAND    "fill-opacity = '0.14"
#define PICTURE "figures: [{id: a, x: faults.count, y: accepted, where: {faults.count: [1, 2]}}]\n"
  fixture *one = open_text(EXPERIMENT "faults: {count: [1, 2]}\n" PICTURE, falling);
  fixture *all = open_text(EXPERIMENT "faults: {count: [1, 2], samples: all}\n" PICTURE, falling);
  const char *marked = page_of(one), *bands = page_of(all);
  assert_int_equal(count(marked, "one fault set: no interval"), 2); /* in the legend, and as the name of its marks */
  assert_int_equal(count(marked, "<p class=\"note\">" NOTE "</p>"), 1);
  assert_int_equal(count(marked, "0.900 ± 0.010 †</td>"), 2);
  assert_int_equal(count(bands, "one fault set") + count(bands, "†"), 0);
  assert_int_equal(count(marked, BAND), 0);
  invented_close(one);
  invented_close(all);
  fixture *given = open_text(EXPERIMENT "faults: {set: [0/0/2, 0/0/2 0/0/3]}\n"
                                        "figures: [{id: a, x: faults.count, y: accepted}]\n",
                             falling);
  assert_true(count(page_of(given), BAND) > 0);
  invented_close(given);
}

static void csv_has_a_column(void **state) {
  (void)state;
  fixture *f = open_text(one_sample, falling);
  ripstop_error err;
  static const struct {
    const char *name, *head, *with, *without;
  } files[] = {
      {"by-count", "faults.count,method,accepted,low,high,unit,runs,one-set,no-interval,steady,",
       "1,updown,0.9,0.89,0.91,flits/node/cycle,1,1,,1,", "0,updown,1,0.99,1.01,flits/node/cycle,1,0,,1,"},
      {"claims", "claim,compare,published,tolerance,measured,low,high,one-set,finding,",
       "value,about,0.9,0,0.9,0.89,0.91,1,cannot be told,", "none-dead,about,1,0,1,0.99,1.01,0,reproduced,"},
      {"kept", "candidate,\"by-count at 1, at least 0.5\",low,high,one-set,lost-share,",
       "updown,0.9,0.89,0.91,1,0,1,0.99,1.01,0,0,unsure,yes", "candidate,"},
  };
  assert_int_equal(mkdir("csv", 0700), 0);
  assert_int_equal(ripstop_report_csv(&f->data, "csv", &err), 0);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[64], text[8192];
    snprintf(path, sizeof path, "csv/%s.csv", files[i].name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_int_equal(strncmp(text, files[i].head, strlen(files[i].head)), 0);
    if (!strstr(text, files[i].with) || !strstr(text, files[i].without)) fail_msg("%s", text);
  }
  invented_close(f);
}

static void ledgers_say_why(void **state) {
  (void)state;
  fixture *f = open_text(one_sample, falling);
  ripstop_claim_row row[2];
  for (size_t i = 0; i < 2; i++)
    row[i] = (ripstop_claim_row){.spec = f->spec,
                                 .claim = &f->spec->claim[i],
                                 .judgement = ripstop_claim_judge(&f->data, &f->spec->claim[i]),
                                 .basis = ripstop_claim_basis(&f->data, &f->spec->claim[i], 0),
                                 .model = RIPSTOP_MODEL_VERSION};
  ripstop_ledger ledger = {.rows = 2, .row = row};
  ripstop_error err;
  char *out = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&out, &length);
  ripstop_ledger_text(file, &ledger);
  fclose(file);
  ripstop_text json = {0};
  assert_int_equal(ripstop_ledger_json(&json, &ledger, &err), 0);
  assert_non_null(strstr(out, "none-dead; published 1, measured 1.000 ± 0.010: holds\n"));
  assert_non_null(strstr(out, "value; published 0.9, measured 0.900 ± 0.010: cannot be told: one fault set\n"));
  const char *of_one = strstr(json.data, "\"one_set\": true"), *of_all = strstr(json.data, "\"one_set\": false");
  assert_non_null(of_one);
  assert_non_null(of_all);
  assert_ptr_equal(strstr(of_one, "\"judged\""), strstr(of_one, "\"judged\": \"cannot be told\""));
  assert_ptr_equal(strstr(of_all, "\"judged\""), strstr(of_all, "\"judged\": \"reproduced\""));
  ripstop_text_free(&json);
  free(out);
  invented_close(f);
}

/* ------------------------------------------------------------------ changes after the end */

static ripstop_value lasting(const ripstop_run *run) {
  const bool first = !strcmp(ripstop_run_key(run, "method"), "updown");
  return (ripstop_value){"run.cycles", "cycles", first ? 100 : 60, NAN};
}

static const char *text_of(const fixture *f) {
  char *out = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&out, &length);
  ripstop_report_text(file, &f->data);
  fclose(file);
  const char *copy = ripstop_arena_text(f->arena, out);
  free(out);
  return copy;
}

/* Runs of 100 cycles, 0 to 99, before shorter ones. A random schedule has options that say when it ends. */
static void changes_after_the_end_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *schedule, *said; /* NULL: nothing */
  } cases[] = {{"0/0/2@99", NULL},
               {"trace:y.trace,unit=10",
                "trace:y.trace,unit=10: 3 of 4 changes come after cycle 99, the last of its runs, and never happen"},
               {"trace:y.trace", NULL},
               {"random:1,from=50", NULL}};
  FILE *trace = fopen("y.trace", "w");
  assert_non_null(trace);
  fputs("0/0/2 9 10\n0/0/3 11 12\n", trace);
  fclose(trace);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512], said[256];
    snprintf(text, sizeof text, EXPERIMENT "faults: {schedule: [\"\", \"%s\"]}\n", cases[i].schedule);
    fixture *f = open_text(text, lasting);
    const char *out = text_of(f), *page = page_of(f);
    if (cases[i].said) {
      snprintf(said, sizeof said, "\n%s\n", cases[i].said);
      if (count(out, said) != 1) fail_msg("%s", out);
      snprintf(said, sizeof said, "<p class=\"note\">%s.</p>", cases[i].said);
      assert_int_equal(count(page, said), 1);
    } else {
      assert_int_equal(count(out, "never happen") + count(page, "never happen"), 0);
    }
    invented_close(f);
  }
  remove("y.trace");
}

/* ------------------------------------------------------------------ a folder of their own */

static char folder[] = "/tmp/ripstop-sets-XXXXXX";

static int enter_folder(void **state) {
  (void)state;
  return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int leave_folder(void **state) {
  (void)state;
  DIR *csv = opendir("csv");
  for (struct dirent *entry; csv && (entry = readdir(csv));) {
    char path[300];
    snprintf(path, sizeof path, "csv/%s", entry->d_name);
    if (entry->d_name[0] != '.') remove(path);
  }
  if (csv) closedir(csv);
  rmdir("csv");
  return chdir("/") || rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_are_against_no_schedule),
      cmocka_unit_test(places_are_reported_within_a_draw),
      cmocka_unit_test(only_one_sampled_set_is_one_set),
      cmocka_unit_test(live_points_of_one_set_have_no_interval),
      cmocka_unit_test(programs_draw_their_faults),
      cmocka_unit_test(a_quotient_is_of_one_set_if_a_part_is),
      cmocka_unit_test(claims_on_one_set_cannot_be_told),
      cmocka_unit_test(nobody_surely_keeps_an_agreement_with_one_set),
      cmocka_unit_test(terminals_have_a_dagger),
      cmocka_unit_test(pages_draw_no_interval),
      cmocka_unit_test(csv_has_a_column),
      cmocka_unit_test(ledgers_say_why),
      cmocka_unit_test(changes_after_the_end_are_reported),
  };
  return RUN_GROUP(tests, enter_folder, leave_folder);
}
