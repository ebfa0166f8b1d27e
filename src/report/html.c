/* html.c - an experiment as one page: no outside resources, everything that comes from a file escaped. It is whole
 * without scripts; with them its figures are live (live.js). The page's own ids have a dot, which ids of figures, those
 * of a file, cannot have. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "draw/escape.h"
#include "experiment/presets.h"
#include "report/deadlocked_run.h"
#include "report/drift.h"
#include "report/ended.h"
#include "report/judging.h"
#include "report/live.js.h"
#include "report/page.h"
#include "report/plot.h"

enum { SERIES_CURVES_MAX = 7 }; /* so that a picture of time series by default stays readable */

typedef struct page {
  const ripstop_data *data;
  const ripstop_spec *spec;
  ripstop_text *out;
  ripstop_error *err;
  bool undrawn; /* there is no gnuplot, and `err` says so */
  bool live;    /* some figure has numbers for the script */
} page;

/* ------------------------------------------------------------------ pieces */

static void put(const page *p, const char *text) { page_put(p->out, text); }

static void element(const page *p, const char *open, const char *text, const char *close) {
  page_element(p->out, open, text, close);
}

static void note(const page *p, const plot_mark *mark, double lost) {
  RIPSTOP_LOCAL_TEXT(text);
  plot_print_note(&text, mark, lost);
  element(p, "<p class=\"note\">", mark->sign, " ");
  element(p, "", text.data, "</p>\n");
}

static void notes(const page *p, const ripstop_plot *plot) {
  for (const plot_mark *mark = plot_marks; mark->sign; mark++)
    if (plot_has(plot, mark)) note(p, mark, plot_lost(plot));
}

/* ------------------------------------------------------------------ head */

static void count_verdicts(const page *p, size_t verdict[RIPSTOP_OUTCOMES], size_t *done, double *seconds) {
  for (size_t i = 0; i < p->data->runs->count; i++) {
    const ripstop_outcome *outcome = p->data->outcome[i];
    if (!outcome) continue;
    ++*done;
    *seconds += outcome->seconds;
    for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) verdict[v] += !strcmp(outcome->verdict, ripstop_outcome_words[v]);
  }
}

/* Among runs with such values: how many drifted while they were measured, or began before they had settled. */
static void transients(const page *p) {
  size_t told = 0, drifting = 0, unsettled = 0;
  for (size_t i = 0; i < p->data->runs->count; i++) {
    const ripstop_outcome *outcome = p->data->outcome[i];
    if (!outcome || !ripstop_outcome_value(outcome, "accepted.drift")) continue;
    const ripstop_value *settled = ripstop_outcome_value(outcome, "warmup.settled");
    told++;
    drifting += drift_of_run(outcome);
    unsettled += settled && settled->value == 0;
  }
  if (!told) return;
  ripstop_text_add(p->out,
                   "<p class=\"facts\">In %zu of %zu runs throughput or latency in the network differs between the two "
                   "halves of the measured cycles by more than its interval (by chance alone in %.0f of 100). ",
                   drifting, told, 100 * (1 - pow(plot_confidence(&p->data->runs->run[0]), DRIFT_STEADY)));
  put(p, "Points whose runs do so together are marked.</p>\n");
  if (unsettled)
    ripstop_text_add(p->out, "<p class=\"note\">%zu runs had not settled when the longest warm-up ended.</p>\n",
                     unsettled);
}

static void late(const page *p) {
  const ripstop_axis *schedule = ripstop_spec_axis(p->spec, "faults.schedule");
  for (size_t i = 0; schedule && i < schedule->count; i++) {
    RIPSTOP_LOCAL_TEXT(text);
    plot_print_late(&text, p->data, &schedule->setting[i]);
    if (text.length) element(p, "<p class=\"note\">", text.data, ".</p>\n");
  }
}

static void head(const page *p, const char *home) {
  page_open(p->out, p->spec->title, home);
  if (*p->spec->about) element(p, "<p>", p->spec->about, "</p>\n");
  size_t verdict[RIPSTOP_OUTCOMES] = {0}, done = 0;
  double seconds = 0;
  count_verdicts(p, verdict, &done, &seconds);
  ripstop_text_add(p->out, "<p class=\"facts\">%zu runs", done);
  if (done) {
    RIPSTOP_LOCAL_TEXT(words);
    plot_print_verdicts(&words, verdict);
    element(p, ": ", words.data, "");
  }
  ripstop_text_add(p->out, " · %.3g s of processor time · ripstop %s, model %d%s</p>\n</header>\n", seconds,
                   RIPSTOP_VERSION, RIPSTOP_MODEL_VERSION, p->spec->variant.quick ? " · quick variant" : "");
  transients(p);
  if (done < p->data->runs->count)
    ripstop_text_add(p->out, "<p class=\"note\">%zu of %zu runs are not done yet.</p>\n", p->data->runs->count - done,
                     p->data->runs->count);
  late(p);
}

/* ------------------------------------------------------------------ claims */

static void cause(const page *p, const ripstop_claim *claim) {
  RIPSTOP_LOCAL_TEXT(text);
  plot_print_cause(&text, claim);
  if (text.data) element(p, "<br><small>Cause: ", text.data, "</small>");
}

static void claim_row(const page *p, const ripstop_claim *claim) {
  ripstop_judgement j = ripstop_claim_judge(p->data, claim);
  element(p, "<tr><th scope=\"row\">", claim->id, "</th>");
  element(p, "<td class=\"words\">", claim->says, "");
  if (claim->reading) element(p, "<br><small>Reading: ", claim->reading, "</small>");
  if (claim->chosen_after) put(p, "<br><small>Chosen after seeing results.</small>");
  if (claim->why) element(p, "<br><small>Why: ", claim->why, "</small>");
  cause(p, claim);
  element(p, "</td><td class=\"plain\">", claim->paper ? claim->paper->key : "", " ");
  element(p, "", claim->paper ? claim->place : "", "</td><td>");
  put(p, plot_compare_words[claim->compare]);
  plot_print_number(p->out, claim->published);
  put(p, "</td><td>");
  plot_print_measured(p->out, &j);
  if (j.drifts) put(p, "<br><small>in a transient</small>");
  if (j.lost > 0) {
    put(p, " ‡<br><small>");
    plot_print_losses(p->out, j.lost);
    put(p, "</small>");
  }
  put(p, "</td><td>");
  plot_put_finding(p->out, claim, &j);
  put(p, "</td></tr>\n");
}

static void claims(const page *p) {
  if (!p->spec->claims) return;
  put(p, "<h2 id=\"page.claims\">Published against measured</h2>\n");
  page_open_table(p->out, "Published against measured");
  put(p, "<thead><tr><th>claim</th><th class=\"words\">says</th>"
         "<th class=\"words\">place</th><th>published</th><th>measured</th><th>finding</th></tr></thead><tbody>\n");
  for (size_t i = 0; i < p->spec->claims; i++) claim_row(p, &p->spec->claim[i]);
  page_close_table(p->out);
}

/* ------------------------------------------------------------------ agreements */

static void candidate_row(const page *p, const ripstop_agreement *wanted, const ripstop_judged_curve *candidate) {
  static const char *const badge[] = {
      [RIPSTOP_GRADE_YES] = "badge good", [RIPSTOP_GRADE_UNSURE] = "badge", [RIPSTOP_GRADE_NO] = "badge bad"};
  const ripstop_grade grade[] = {candidate->keeps, candidate->frontier};
  element(p, "<tr><th scope=\"row\">", candidate->label, "</th>");
  for (size_t i = 0; i < wanted->terms + wanted->goals; i++) {
    put(p, "<td>");
    plot_print_point(p->out, candidate->measured[i]);
    put(p, "</td>");
  }
  for (size_t i = 0; i < 2; i++)
    ripstop_text_add(p->out, "<td><span class=\"%s\">%s</span></td>", badge[grade[i]], ripstop_grade_words[grade[i]]);
  put(p, "</tr>\n");
}

static void agreement(const page *p, const ripstop_agreement *wanted) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_judged_curve *candidate;
  size_t count = ripstop_agreement_judge(arena, p->data, wanted, &candidate);
  element(p, "<h2>", wanted->title, "</h2>\n");
  page_open_table(p->out, wanted->title);
  put(p, "<thead><tr><td></td>");
  for (size_t i = 0; i < wanted->terms + wanted->goals; i++) {
    RIPSTOP_LOCAL_TEXT(text);
    plot_print_term(&text, &wanted->term[i]);
    element(p, "<th>", text.data, "</th>");
  }
  put(p, "<th>keeps it</th><th>frontier</th></tr></thead><tbody>\n");
  for (size_t i = 0; i < count; i++) candidate_row(p, wanted, &candidate[i]);
  page_close_table(p->out);
  const size_t parts = wanted->terms + wanted->goals;
  for (const plot_mark *mark = plot_marks; mark->sign; mark++)
    if (plot_candidates_have(candidate, count, parts, mark))
      note(p, mark, plot_candidates_lost(candidate, count, parts));
}

/* ------------------------------------------------------------------ figures */

static void unmarked(const page *p, const ripstop_plot *plot) {
  if (plot->unmarked)
    ripstop_text_add(p->out,
                     "<p class=\"note\">Faults and repairs at %zu more cycles are not drawn: not all runs of the "
                     "picture have them, or it has no room.</p>\n",
                     plot->unmarked);
}

/* Nothing without gnuplot. */
static int still(page *p, const ripstop_plot *plot) {
  if (p->undrawn) return 0;
  size_t before = p->out->length;
  element(p, "<div class=\"still\" role=\"region\" tabindex=\"0\" aria-label=\"", plot->figure->title, "\">");
  const plot_sheet sheet = plot_alone(&plot);
  int status = plot_svg(&sheet, &plot_page, p->out, p->err);
  p->undrawn = status == PLOT_UNDRAWN;
  if (p->undrawn) p->out->length = before;
  if (!status) put(p, "</div>\n");
  if (!status || p->undrawn) return 0;
  return ripstop_fail_at(p->err, "%s:%d: figure '%s'", p->spec->file, plot->figure->line, plot->figure->id);
}

/* Without a drawing the page has its script, or the table alone. */
static void report_undrawn(const page *p, bool live) {
  if (live) put(p, "<noscript>");
  element(p, "<p class=\"note\">The figure is not drawn: ", p->err->text, ".</p>");
  put(p, live ? "</noscript>\n" : "\n");
}

static int live_drawing(page *p, const ripstop_plot *plot) {
  element(p, "<figure data-id=\"", plot->figure->id, "\">");
  int status = still(p, plot);
  if (p->undrawn) report_undrawn(p, true);
  plot_live(p->out, plot);
  p->live = true;
  put(p, "</figure>\n");
  return status;
}

static int field_drawing(page *p, const ripstop_plot *plot) {
  size_t before = p->out->length;
  put(p, "<figure>");
  int status = still(p, plot);
  put(p, "</figure>\n");
  if (p->undrawn) p->out->length = before, report_undrawn(p, false);
  return status;
}

static int drawing(page *p, const ripstop_plot *plot) {
  bool live = plot->figure->kind != RIPSTOP_FIGURE_HEATMAP;
  int status = live ? live_drawing(p, plot) : field_drawing(p, plot);
  unmarked(p, plot);
  return status;
}

static int figure(page *p, const ripstop_figure *wanted) {
  RIPSTOP_LOCAL_ARENA(arena);
  const ripstop_plot *plot = ripstop_plot_figure(arena, p->data, wanted);
  element(p, "<h2 id=\"", wanted->id, "\">");
  element(p, "", wanted->title, "</h2>\n");
  int status = 0;
  if (!plot_points(plot)) {
    put(p, "<p class=\"note\">No run gives a point here.");
    if (plot_left_out(plot)) ripstop_text_add(p->out, " %zu are left out for their verdict.", plot_left_out(plot));
    put(p, "</p>\n");
  } else {
    bool series = !plot_is_of_keys(wanted);
    if (!wanted->table_only)
      status = drawing(p, plot);
    else
      element(p, "<p class=\"facts\">", plot->ylabel, "</p>\n");
    if (!status && series) put(p, "<details><summary>the numbers</summary>\n");
    if (!status) report_points(p->out, plot, plot_print_cell);
    if (!status && series) put(p, "</details>\n");
    if (!status) notes(p, plot);
  }
  return status;
}

/* ------------------------------------------------------------------ time series */

static bool shows_series(const page *p) {
  for (size_t i = 0; i < p->spec->figures; i++)
    if (!strcmp(p->spec->figure[i].x, "cycle")) return true;
  return false;
}

static size_t varying_keys(const page *p, const char **by) {
  size_t count = 0;
  for (size_t i = 0; i < p->spec->axes; i++)
    if (p->spec->axis[i].count > 1 && strcmp(p->spec->axis[i].key, "seed")) by[count++] = p->spec->axis[i].key;
  return count;
}

/* Runs with windows are drawn against time even if no figure requests it. */
static int series(page *p) {
  bool any = false;
  for (size_t i = 0; i < p->data->runs->count; i++) any |= p->data->outcome[i] && p->data->outcome[i]->windows;
  if (!any || shows_series(p)) return 0;
  RIPSTOP_LOCAL_ARENA(arena);
  const char **by = RIPSTOP_ARRAY(arena, p->spec->axes, const char *);
  ripstop_figure wanted = {.id = "time-series",
                           .title = "Throughput against time",
                           .x = "cycle",
                           .y = "accepted",
                           .ymin = 0,
                           .ymax = NAN,
                           .by = by,
                           .bys = varying_keys(p, by)};
  ripstop_plot plot = *ripstop_plot_figure(arena, p->data, &wanted);
  put(p, "<h2>Throughput against time</h2>\n");
  if (plot.curves > SERIES_CURVES_MAX) {
    ripstop_text_add(p->out, "<p>The first %d of %zu curves.</p>\n", SERIES_CURVES_MAX, plot.curves);
    plot.curves = SERIES_CURVES_MAX;
  }
  int status = plot_points(&plot) ? drawing(p, &plot) : 0;
  if (!status) notes(p, &plot);
  return status;
}

/* ------------------------------------------------------------------ channels and buffers */

static bool any_has(const page *p, const char *value) {
  bool any = false;
  for (size_t i = 0; i < p->data->runs->count && !any; i++)
    any = p->data->outcome[i] && ripstop_outcome_value(p->data->outcome[i], value);
  return any;
}

/* "4 packets"; "2 or 4 packets". Nothing for "0" alone. */
static void buffers(const page *p, const char *key, const char *what) {
  const ripstop_axis *size = ripstop_spec_axis(p->spec, key), *unit = ripstop_spec_axis(p->spec, "switch.unit");
  const char *of_preset[RIPSTOP_PRESETS_MOST];
  const size_t defaults = size->of_preset ? preset_values(p->spec, size, of_preset) : 0;
  const size_t count = defaults ? defaults : size->count;
  for (size_t i = 0; i < count; i++) {
    const char *value = defaults ? of_preset[i] : plot_setting(&size->setting[i]);
    if (count == 1 && !strcmp(value, "0")) return;
    if (i == 0) put(p, what);
    element(p, i ? " or " : " ", value, "");
  }
  if (unit->count == 1) element(p, " ", plot_setting(&unit->setting[0]), "");
}

/* The preset of the switch, and which of the permitted candidates heads request. */
static void selections(const page *p) {
  RIPSTOP_LOCAL_TEXT(used);
  ripstop_spec_own(p->spec, "switch.preset", &used);
  element(p, "; preset of the switch (<code>switch.preset</code>): ", used.data, "");
  ripstop_spec_own(p->spec, "switch.selection", &used);
  element(p, "; selection function (<code>switch.selection</code>): ", used.data, "");
  if (ripstop_spec_own(p->spec, "switch.escape", &used))
    element(p, "; when heads request candidates of a higher rank (<code>switch.escape</code>): ", used.data, "");
}

/* Nothing that was measured has a part in it: no marks. */
static void channels_cell(ripstop_text *out, const ripstop_point *point) { plot_print_estimate(out, point->y); }

/* The values that each method was given. */
static void channels(const page *p) {
  static const char *const by[] = {"fabric"};
  const ripstop_figure wanted = {.id = "channels",
                                 .title = "Channels and buffers",
                                 .x = "method",
                                 .y = "channels",
                                 .ymin = NAN,
                                 .ymax = NAN,
                                 .by = by,
                                 .bys = ripstop_spec_axis(p->spec, "fabric")->count > 1,
                                 .ylabel = "channels on a link",
                                 .table_only = true};
  if (p->spec->kind == RIPSTOP_RUN_PROVE || !any_has(p, wanted.y)) return;
  RIPSTOP_LOCAL_ARENA(arena);
  put(p, "<h2 id=\"page.channels\">Channels and buffers</h2>\n<p class=\"facts\">");
  buffers(p, "switch.in_queue", "Each channel of a link has a queue at its end, with room for");
  buffers(p, "switch.out_queue", "; output queues hold");
  selections(p);
  put(p, ". Virtual channels on every link:</p>\n");
  report_points(p->out, ripstop_plot_figure(arena, p->data, &wanted), channels_cell);
}

/* ------------------------------------------------------------------ examples and the end */

static void example(const page *p, const char *verdict, const char *title) {
  for (size_t i = 0; i < p->data->runs->count; i++) {
    const ripstop_outcome *outcome = p->data->outcome[i];
    if (!outcome || !outcome->reason || strcmp(outcome->verdict, verdict)) continue;
    const ripstop_run *run = &p->data->runs->run[i];
    element(p, "<h2>", title, "</h2>\n<p>");
    const char *separator = "";
    for (size_t a = 0; a < p->spec->axes; a++)
      if (p->spec->axis[a].count > 1) {
        const char *key = p->spec->axis[a].key;
        element(p, separator, key, " = ");
        element(p, "<b>", plot_written(p->data->runs, key, ripstop_run_key(run, key)), "</b>");
        separator = ", ";
      }
    element(p, separator, "sample ", "");
    draw_escape(p->out, ripstop_run_key(run, "faults.sample"));
    if (*outcome->faults) element(p, "; failed: <code>", outcome->faults, "</code>");
    put(p, "</p>\n");
    if (!strcmp(verdict, ripstop_verdict_words[RIPSTOP_DEADLOCKED])) report_deadlock(p->out, run, outcome->reason);
    element(p, "<pre class=\"wrap\">", outcome->reason, "</pre>\n");
    return;
  }
}

static void foot(const page *p, const char *command) {
  element(p, "<h2>How to make this page</h2>\n<pre tabindex=\"0\">", command, "</pre>\n");
  ripstop_text_add(p->out, "<p class=\"facts\">ripstop %s, model version %d. ", RIPSTOP_VERSION, RIPSTOP_MODEL_VERSION);
  put(p, "Points are means over fault samples; bars and bands are confidence intervals of that mean (of a single run: "
         "by batch means, and no bar where its faults were drawn). Numbers of the fault set alone have none where "
         "every set was taken.</p>\n");
  element(p, "<details open><summary>", p->spec->file, "</summary>\n");
  element(p, "<pre tabindex=\"0\">", p->spec->source, "</pre></details>\n</main>\n");
  if (p->live) put(p, "<script>\n"), put(p, ripstop_embedded_live_js), put(p, "</script>\n");
  put(p, "</body></html>\n");
}

int ripstop_report_html(const ripstop_data *data, const char *command, const char *home, ripstop_text *out,
                        ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  page p = {.data = data, .spec = data->runs->spec, .out = out, .err = err};
  head(&p, home);
  claims(&p);
  for (size_t i = 0; i < p.spec->agreements; i++) agreement(&p, &p.spec->agreement[i]);
  for (size_t i = 0; i < p.spec->figures; i++)
    if (figure(&p, &p.spec->figure[i])) return -1;
  if (series(&p) || (!p.undrawn && plot_write_panels(out, data, err) < 0)) return -1;
  report_ended(out, data);
  channels(&p);
  example(&p, "deadlocked", "A deadlock");
  example(&p, "lossy", "A disconnection");
  example(&p, "does-not-apply", "Where a method does not apply");
  example(&p, "error", "A run that failed");
  foot(&p, command);
  return p.undrawn ? 1 : 0;
}
