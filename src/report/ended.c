/* ended.c - how the runs behind the figures ended. A figure leaves runs out, by its filters or because they have no
 * such number; here all of them are counted, so that a curve of the few that went well is seen to be one. */
#include "report/ended.h"

#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "report/judging.h"
#include "report/page.h"
#include "report/query.h"

/* ------------------------------------------------------------------ a table of points */

static const char *name_of(const ripstop_plot *plot, size_t curve) {
  return *plot->curve[curve].label ? plot->curve[curve].label : plot->ylabel;
}

static void head(ripstop_text *out, const ripstop_plot *plot) {
  page_open_table(out, plot->figure->title);
  page_element(out, "<thead><tr><th>", plot->xlabel, "</th>");
  for (size_t c = 0; c < plot->curves; c++) page_element(out, "<th>", name_of(plot, c), "</th>");
  page_put(out, "</tr></thead><tbody>\n");
}

static void row(ripstop_text *out, const ripstop_plot *plot, size_t x,
                void (*print)(ripstop_text *, const ripstop_point *)) {
  page_element(out, "<tr><th scope=\"row\">", plot->x[x].label, "</th>");
  for (size_t c = 0; c < plot->curves; c++) {
    RIPSTOP_LOCAL_TEXT(text);
    print(&text, &plot->curve[c].point[x]);
    page_element(out, "<td>", text.data ? text.data : "", "</td>");
  }
  page_put(out, "</tr>\n");
}

void report_points(ripstop_text *out, const ripstop_plot *plot, void (*print)(ripstop_text *, const ripstop_point *)) {
  head(out, plot);
  for (size_t x = 0; x < plot->xs; x++) row(out, plot, x, print);
  page_close_table(out);
}

static void verdict_cell(ripstop_text *out, const ripstop_point *point) { plot_print_verdicts(out, point->verdict); }

/* ------------------------------------------------------------------ reasons */

/* The runs of each verdict, and what the first of them says that says something. */
typedef struct ending {
  size_t runs[RIPSTOP_OUTCOMES];
  const char *reason[RIPSTOP_OUTCOMES];
} ending;

static void add(ending *to, const ripstop_outcome *outcome) {
  for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) {
    if (strcmp(outcome->verdict, ripstop_outcome_words[v]) != 0) continue;
    to->runs[v]++;
    if (!to->reason[v]) to->reason[v] = outcome->reason;
  }
}

/* The rest of a row. */
static void count_and_reason(ripstop_text *out, const ending *of, size_t verdict) {
  ripstop_text_add(out, "<td>%zu</td>", of->runs[verdict]);
  page_element(out, "<td class=\"words\">", of->reason[verdict] ? of->reason[verdict] : "", "</td></tr>\n");
}

static void all_rows(ripstop_text *out, const ripstop_data *data) {
  ending all = {0};
  for (size_t i = 0; i < data->runs->count; i++)
    if (data->outcome[i]) add(&all, data->outcome[i]);
  page_put(out, "<h2>How the runs ended</h2>\n");
  page_open_table(out, "How the runs ended");
  page_put(out,
           "<thead><tr><th>verdict</th><th>runs</th><th class=\"words\">the first says</th></tr></thead><tbody>\n");
  for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) {
    if (!all.runs[v]) continue;
    page_element(out, "<tr><th scope=\"row\">", ripstop_outcome_words[v], "</th>");
    count_and_reason(out, &all, v);
  }
  page_close_table(out);
}

/* Curves, or of words the points of curves: methods along the axis are not for the same fabrics. */
static bool is_of_points(const ripstop_plot *plot) { return !plot->numeric; }

static size_t groups_of(const ripstop_plot *plot) { return plot->curves * (is_of_points(plot) ? plot->xs : 1); }

static void group_rows(ripstop_text *out, const ripstop_plot *plot, size_t group, const ending *of) {
  for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) {
    if (!of->reason[v]) continue;
    page_put(out, "<tr><th scope=\"row\">");
    if (is_of_points(plot)) page_element(out, "", plot->x[group / plot->curves].label, "");
    if (is_of_points(plot) && plot->curves > 1) page_put(out, ", ");
    if (plot->curves > 1) page_element(out, "", plot->curve[group % plot->curves].label, "");
    page_put(out, is_of_points(plot) || plot->curves > 1 ? "</th>" : "all</th>");
    page_element(out, "<td class=\"plain\">", ripstop_outcome_words[v], "</td>");
    count_and_reason(out, of, v);
  }
}

/* A row for each curve and verdict. */
static void reasons(ripstop_text *out, const ripstop_data *data, ripstop_arena *arena, ripstop_plot *plot) {
  query q = {.data = data, .figure = plot->figure, .arena = arena, .plot = plot};
  const size_t groups = groups_of(plot);
  ending *by_group = RIPSTOP_ARRAY(arena, groups, ending);
  bool any = false;
  for (size_t i = 0; i < data->runs->count; i++) {
    if (!data->outcome[i]) continue;
    const ripstop_run *run = &data->runs->run[i];
    const size_t curve = query_curve(&q, run), x = is_of_points(plot) ? query_row(&q, run) : 0;
    if (curve == plot->curves || x == plot->xs) continue;
    add(&by_group[x * plot->curves + curve], data->outcome[i]);
    any |= data->outcome[i]->reason != NULL;
  }
  ripstop_text_free(&q.x);
  if (!any) return;
  page_put(out, "<details><summary>what they say</summary>\n");
  page_open_table(out, "What the runs say");
  page_put(out, "<thead><tr><th>runs of</th><th class=\"words\">verdict</th><th>runs</th><th class=\"words\">the first "
                "says</th></tr></thead><tbody>\n");
  for (size_t g = 0; g < groups; g++) group_rows(out, plot, g, &by_group[g]);
  page_close_table(out);
  page_put(out, "</details>\n");
}

/* ------------------------------------------------------------------ the section */

static bool same_query(const ripstop_figure *a, const ripstop_figure *b) {
  if (strcmp(a->x, b->x) || a->bys != b->bys || a->mores != b->mores || a->filters || b->filters) return false;
  for (size_t i = 0; i < a->mores; i++)
    if (strcmp(a->more[i], b->more[i])) return false;
  for (size_t i = 0; i < a->bys; i++)
    if (strcmp(a->by[i], b->by[i])) return false;
  return true;
}

/* In a series each curve has a row. */
static ripstop_figure without_series(ripstop_figure figure) {
  if (plot_is_of_keys(&figure) || !figure.bys) return figure;
  figure.x = figure.by[0];
  figure.by++, figure.bys--, figure.kind = RIPSTOP_FIGURE_CURVES;
  return figure;
}

static bool is_reported(const ripstop_spec *spec, size_t number, const ripstop_figure *figure) {
  bool told = !plot_is_of_keys(figure);
  for (size_t j = 0; j < number; j++) {
    ripstop_figure other = without_series(spec->figure[j]);
    other.filters = 0;
    told |= same_query(figure, &other);
  }
  return told;
}

static void figures(ripstop_text *out, const ripstop_data *data) {
  const ripstop_spec *spec = data->runs->spec;
  const char *title = "<p class=\"facts\">All runs at each point, those that a figure leaves out included:</p>\n";
  for (size_t i = 0; i < spec->figures; i++) {
    ripstop_figure all = without_series(spec->figure[i]);
    all.filters = 0, all.relative = NULL, all.at = NULL;
    if (is_reported(spec, i, &all)) continue;
    page_put(out, title);
    title = "";
    RIPSTOP_LOCAL_ARENA(arena);
    ripstop_plot plot = *ripstop_plot_figure(arena, data, &all);
    report_points(out, &plot, verdict_cell);
    reasons(out, data, arena, &plot);
  }
}

void report_ended(ripstop_text *out, const ripstop_data *data) {
  size_t done = 0;
  for (size_t i = 0; i < data->runs->count; i++) done += data->outcome[i] != NULL;
  if (!done) return;
  all_rows(out, data);
  figures(out, data);
}
