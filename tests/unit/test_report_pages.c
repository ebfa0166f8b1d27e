/* test_report_pages.c - pages, tables, CSV and JSON of outcomes that are known by formula, and what of outcomes they
 * look at. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/needs.h"
#include "report/plot.h"
#include "reported.h"

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
  assert_int_equal(count(page.data, "<script type=\"application/json\">"), 8); /* the script and its data */
  assert_int_equal(count(page.data, "<script"), 8 + 1);
  assert_non_null(strstr(page.data, "\"title\":\"it's `date` & \\u003cb>\""));
  assert_int_equal(count(page.data, "src="), 0);
  assert_int_equal(count(page.data, "url(") - count(page.data, "url(#"), 0);
  assert_non_null(strstr(page.data, "A &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; more"));
  assert_non_null(strstr(page.data, "queue &lt;a&gt; waits for &lt;b&gt;"));
  assert_non_null(strstr(page.data, "ripstop report &#39;a &amp; b &lt;x&gt;&#39;"));
  assert_non_null(strstr(page.data, "No run gives a point here."));
  assert_non_null(strstr(page.data, "does not hold"));
  assert_non_null(strstr(page.data, "2 steady, 1 deadlocked"));
  assert_int_equal(count(page.data, "<p class=\"note\">* with runs that deadlocked"), 6);
  assert_true(count(page.data, " *</td>") > 7);
  assert_true(count(page.data, "with deadlocked runs") >= 5); /* in legends of pictures */
  ripstop_text_free(&page);
}

static void runs_that_are_not_done_are_reported(void **state) {
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

/* The note that a page without a script has for a figure that is not drawn. */
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

/* No script draws a field, so it gets no empty box; and a figure may be called as a part of the page is. */
static void without_gnuplot_a_field_is_a_note_and_a_table(void **state) {
  (void)state;
  fixture *f = invented_open("fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\nfaults: {count: [0, 1]}\n"
                             "traffic: {load: 0.2}\nfigures:\n"
                             "  - {id: channels, x: faults.count, y: accepted, by: method, kind: heatmap}\n",
                             invent);
  ripstop_text page = {0};
  write_without_gnuplot(f, &page);
  assert_int_equal(count(page.data, undrawn), 2); /* also the note of the series, which the script draws */
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
  assert_string_equal(line,
                      "faults.count,method,accepted,low,high,unit,runs,one-set,no-interval,steady,saturated,deadlocked,"
                      "lossy,does-not-apply,error,proved,disconnected,left-out,lost-share\n");
  assert_non_null(fgets(line, sizeof line, file));
  assert_true(!strncmp(line, "0,updown", 8) && strstr(line, ",flits/node/cycle,3,0,,3,0,0,0,0,0,0,0,0,0\n"));
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
  assert_non_null(strstr(out, "\n  failed links          updown          misroute\n"
                              "  0              1.000 ± 0.017     1.000 ± 0.017\n"));
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

/* ------------------------------------------------------------------ marks of faults in series */

/* The outcome without the series that no figure shows. */
static const ripstop_outcome *without_the_rest(const fixture *f, const ripstop_outcome *from, bool page, bool first) {
  ripstop_outcome *o = RIPSTOP_NEW(f->arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(f->arena, from->values + 1, ripstop_value);
  *o = *from;
  o->values = 0, o->value = value;
  for (size_t i = 0; i < from->values; i++)
    if (report_needs(f->spec, page, from->value[i].name)) value[o->values++] = from->value[i];
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
  assert_true(report_needs(f->spec, false, "accepted.drift") && report_needs_windows(f->spec));
  assert_true(!report_needs(f->spec, false, "latency.drift") && report_needs(f->spec, true, "latency.drift"));
  assert_true(dropped > 0);
}

/* A series of runs with different schedules marks only the faults that all of them have, and counts the rest; it has
 * twelve marks at most. */
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
static void what_is_sampled_is_marked_too(void **state) {
  (void)state;
  fixture *f =
      invented_open("fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.2}\n"
                    "measure: {cycles: 400, window: 100}\nfaults: {schedule: \"random:1,from=50\", samples: 3}\n"
                    "figures: [{id: all, x: cycle, y: accepted}]\n",
                    invent);
  const ripstop_plot *plot = plot_of(f, "all");
  assert_int_equal(plot->marks, 1);
  assert_int_equal(plot->unmarked, 0);
  assert_int_equal(plot->mark[0].cycle, 50);
  invented_close(f);
}

/* This program leaves jansson its own memory. Rows of several keys are written key by key. */
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

/* Only the second of two curves comes below ymax: that is where the axis ends. */
static void an_axis_ends_where_it_should(void **state) {
  (void)state;
  fixture *f = invented_open("fabric: kary-ntree:k=2,n=2\nmethod: [misroute, updown]\nfaults: {count: [0, 1]}\n"
                             "traffic: {load: 0.2}\nfigures:\n"
                             "  - {id: low, x: faults.count, y: accepted, ymax: 0.9375}\n"
                             "  - {id: deep, x: faults.count, y: accepted, ymax: 0.875}\n",
                             invent);
  static const char *const ranges[] = {"\nset yrange [:0.9375]\n", "\nset yrange [:]\n"};
  for (size_t i = 0; i < 2; i++) {
    const ripstop_plot *plot = plot_of(f, i ? "deep" : "low");
    const plot_sheet sheet = plot_alone(&plot);
    ripstop_text script = {0}, names = {0};
    plot_script(&script, &sheet, &plot_page, &names);
    if (!strstr(script.data, ranges[i])) fail_msg("not%sbut %s", ranges[i], script.data);
    ripstop_text_free(&script);
    ripstop_text_free(&names);
  }
  invented_close(f);
}

/* misroute cannot be used: its runs are done, and have no numbers. */
static const ripstop_outcome *refuse_misroute(ripstop_arena *arena, const ripstop_run *run) {
  if (strncmp(ripstop_run_key(run, "method"), "misroute", 8) != 0) return invent(arena, run);
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  *o = (ripstop_outcome){.verdict = "does-not-apply", .reason = "it is no tree", .faults = ""};
  return o;
}

static void csv_counts_runs_without_numbers(void **state) {
  (void)state;
  fixture *f = invented_open("fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\nfaults: {count: 1, samples: 3}\n"
                             "traffic: {load: 0.2}\nfigures: [{id: words, x: method, y: accepted}]\n",
                             refuse_misroute);
  char *out = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&out, &length);
  plot_csv(file, plot_of(f, "words"));
  fclose(file);
  assert_int_equal(count(out, "\n"), 3);
  const char *row = strstr(out, "misroute");
  assert_non_null(row);
  assert_string_equal(strchr(row, '"'),
                      "\",,,,flits/node/cycle,0,0,,0,0,0,0,3,0,0,0,0,0\n"); /* no mean, no runs with it */
  free(out);
  invented_close(f);
}

/* A line ends at a blank, else behind a sign between words or parts of a word, else at the full width; none but the
 * last is shorter than a third of the width. */
static void texts_are_broken_into_lines(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t letters;
    const char *lines;
  } known[] = {{"", 10, ""},
               {" one two three", 8, "one two\nthree"},
               {"alpha,beta=gamma", 8, "alpha,\nbeta=\ngamma"},
               {"up down(fast)", 9, "up down(\nfast)"},
               {"updown.fast-path", 8, "updown.\nfast-\npath"},
               {"off 0.1234567", 7, "off\n0.12345\n67"},  /* not within a number */
               {"a,bcdefghijklm", 9, "a,bcdefgh\nijklm"}, /* not after two letters */
               {"öäüöä", 4, "öäüö\nä"},
               {"fourfour", 1, "four\nfour"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    ripstop_text lines = {0};
    size_t breaks = count(known[i].lines, "\n");
    assert_int_equal(plot_lines(&lines, known[i].text, known[i].letters), breaks + 1);
    assert_int_equal(plot_count_lines(known[i].text, known[i].letters), breaks + 1);
    assert_string_equal(lines.data, known[i].lines);
    ripstop_text_free(&lines);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_broken_into_lines),
      cmocka_unit_test(an_axis_ends_where_it_should),
      cmocka_unit_test(csv_counts_runs_without_numbers),
      cmocka_unit_test(what_nobody_looks_at_is_not_needed),
      cmocka_unit_test(pictures_that_gnuplot_would_refuse),
      cmocka_unit_test(what_is_sampled_is_marked_too),
      cmocka_unit_test(pages_are_whole_and_escaped),
      cmocka_unit_test(runs_that_are_not_done_are_reported),
      cmocka_unit_test(without_gnuplot_a_page_has_its_tables),
      cmocka_unit_test(without_gnuplot_a_field_is_a_note_and_a_table),
      cmocka_unit_test(csv_has_every_point),
      cmocka_unit_test(series_mark_what_all_runs_have),
      cmocka_unit_test(figures_are_json),
      cmocka_unit_test(terminals_get_aligned_tables),
  };
  return RUN_GROUP(tests, open_fixture, close_fixture);
}
