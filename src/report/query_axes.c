/* query_axes.c - which x values and curves a figure's runs have, in which order, and where a run stands among them. */
#include "base/local.h"
#include "report/query.h"

#include <math.h>
#include <string.h>

/* The run's value of the figure's x. If x has several keys, it is valid until the next call. */
static const char *x_text(query *q, const ripstop_run *run) {
  if (!q->figure->mores) return ripstop_run_key(run, q->figure->x);
  q->x.length = 0;
  ripstop_text_add(&q->x, "%s", ripstop_run_key(run, q->figure->x));
  for (size_t i = 0; i < q->figure->mores; i++)
    ripstop_text_add(&q->x, ", %s", ripstop_run_key(run, q->figure->more[i]));
  return q->x.data;
}

void *query_grown(ripstop_arena *arena, void *old, size_t count, size_t *room, size_t size) {
  if (count < *room) return old;
  *room = *room ? 2 * *room : 16;
  void *more = ripstop_arena_array(arena, *room, size);
  if (count) memcpy(more, old, count * size);
  return more;
}

size_t query_place(const ripstop_plot *plot, double at) {
  size_t low = 0, high = plot->xs;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (plot->x[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Every key that x has, of this run. */
static const char *const *x_settings(query *q, const ripstop_run *run) {
  const char **setting = RIPSTOP_ARRAY(q->arena, 1 + q->figure->mores, const char *);
  setting[0] = ripstop_run_key(run, q->figure->x);
  for (size_t i = 0; i < q->figure->mores; i++) setting[1 + i] = ripstop_run_key(run, q->figure->more[i]);
  return setting;
}

static void add_number(query *q, double at, const ripstop_run *run) {
  ripstop_plot *plot = q->plot;
  size_t here = query_place(plot, at);
  if (here < plot->xs && plot->x[here].at == at) return;
  plot->x = query_grown(q->arena, plot->x, plot->xs, &q->xs_room, sizeof *plot->x);
  memmove(plot->x + here + 1, plot->x + here, (plot->xs - here) * sizeof *plot->x);
  const char *text = q->series ? ripstop_arena_printf(q->arena, "%.0f", at) : ripstop_run_key(run, q->figure->x);
  plot->x[here] = (ripstop_x){.text = text, .label = text, .at = at};
  if (!q->series) plot->x[here].setting = x_settings(q, run);
  plot->xs++;
}

static const char *label_of(const query *q, const char *const *setting) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "%s", plot_written(q->data->runs, q->figure->x, setting[0]));
  for (size_t i = 0; i < q->figure->mores; i++)
    ripstop_text_add(&text, ", %s", plot_written(q->data->runs, q->figure->more[i], setting[1 + i]));
  const char *label = ripstop_arena_text(q->arena, text.data);
  return label;
}

static void add_word(query *q, const ripstop_run *run) {
  ripstop_plot *plot = q->plot;
  const char *text = x_text(q, run);
  for (size_t i = 0; i < plot->xs; i++)
    if (!strcmp(plot->x[i].text, text)) return;
  plot->x = query_grown(q->arena, plot->x, plot->xs, &q->xs_room, sizeof *plot->x);
  const char *const *setting = x_settings(q, run);
  plot->x[plot->xs] = (ripstop_x){.text = q->figure->mores ? ripstop_arena_text(q->arena, text) : setting[0],
                                  .label = label_of(q, setting),
                                  .setting = setting,
                                  .at = (double)plot->xs};
  plot->xs++;
}

static bool all_numbers(const query *q) {
  double number;
  ripstop_error ignored;
  for (size_t at = 0; query_next(q, &at); at++)
    if (ripstop_parse_real(ripstop_run_key(&q->data->runs->run[at], q->figure->x), &number, &ignored)) return false;
  return true;
}

double query_number(const char *text) {
  double number = NAN;
  ripstop_error ignored;
  ripstop_parse_real(text, &number, &ignored);
  return number;
}

size_t query_row(query *q, const ripstop_run *run) {
  const char *text = x_text(q, run);
  if (q->plot->numeric) return query_place(q->plot, query_number(text));
  size_t i = 0;
  while (i < q->plot->xs && strcmp(q->plot->x[i].text, text)) i++;
  return i;
}

size_t query_curve(const query *q, const ripstop_run *run) {
  for (size_t c = 0; c < q->plot->curves; c++) {
    size_t same = 0;
    while (same < q->figure->bys && !strcmp(q->plot->curve[c].setting[same], ripstop_run_key(run, q->figure->by[same])))
      same++;
    if (same == q->figure->bys) return c;
  }
  return q->plot->curves;
}

static void add_curve(query *q, const ripstop_run *run) {
  ripstop_plot *plot = q->plot;
  if (query_curve(q, run) < plot->curves) return;
  const char **setting = RIPSTOP_ARRAY(q->arena, q->figure->bys + 1, const char *);
  for (size_t i = 0; i < q->figure->bys; i++) setting[i] = ripstop_run_key(run, q->figure->by[i]);
  plot->curve = query_grown(q->arena, plot->curve, plot->curves, &q->curves_room, sizeof *plot->curve);
  plot->curve[plot->curves++] = (ripstop_curve){.label = "", .setting = setting};
}

/* The index of a value in the axis' list. */
static size_t rank_of(const query *q, const char *key, const char *text) {
  const ripstop_axis *axis = ripstop_spec_axis(q->data->runs->spec, key);
  size_t i = 0;
  while (axis && i < axis->count && !ripstop_runs_is(q->data->runs, &axis->setting[i], text)) i++;
  return i;
}

static bool comes_before(const query *q, const ripstop_x *one, const ripstop_x *other) {
  for (size_t k = 0; k <= q->figure->mores; k++) {
    const char *key = k ? q->figure->more[k - 1] : q->figure->x;
    size_t a = rank_of(q, key, one->setting[k]), b = rank_of(q, key, other->setting[k]);
    if (a != b) return a < b;
  }
  return false;
}

/* Rows of several keys stand by the first of them, then by the next. */
static void sort_rows(query *q) {
  ripstop_x *x = q->plot->x;
  for (size_t i = 1; i < q->plot->xs; i++) {
    const ripstop_x own = x[i];
    size_t at = i;
    for (; at > 0 && comes_before(q, &own, &x[at - 1]); at--) x[at] = x[at - 1];
    x[at] = own;
  }
  for (size_t i = 0; i < q->plot->xs; i++) x[i].at = (double)i;
}

void query_axes(query *q) {
  const bool cdf = plot_is_cdf(q->figure);
  q->plot->numeric = q->series || cdf || (!q->figure->mores && all_numbers(q));
  if (cdf) query_shares(q);
  const ripstop_outcome *outcome;
  for (size_t at = 0; (outcome = query_next(q, &at)); at++) {
    const ripstop_run *run = &q->data->runs->run[at];
    if (q->series)
      for (size_t w = 0; w < outcome->windows; w++) add_number(q, (double)outcome->window[w].cycle, run);
    else if (!cdf && q->plot->numeric)
      add_number(q, query_number(ripstop_run_key(run, q->figure->x)), run);
    else if (!cdf)
      add_word(q, run);
    if (!q->series || outcome->windows) add_curve(q, run);
  }
  if (q->figure->mores) sort_rows(q);
}
