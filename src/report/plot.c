/* plot.c - a figure's query: outcomes into curves and points.
 *
 * Two passes over the runs: which x values and curves there are, then the samples of every point. The runs stand in the
 * order of the file's lists, and so do the curves.
 *
 * Time: runs x (curves + values); memory: a number per sample. */
#include "report/query.h"

#include "base/memory.h"
#include "base/statistics.h"
#include "experiment/inner_runs.h"
#include "experiment/shown.h"
#include "report/drift.h"
#include "report/judging.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The samples of a point. */
struct cell {
  double *sample;
  const ripstop_run **of; /* the samples' runs */
  size_t count, room;
  double half;      /* the last sample's own */
  double known;     /* sum over the samples of 1 / half */
  bool drawn;       /* some run's faults are random: its zeros say nothing about other faults */
  double steps;     /* sum over the samples, of loads that are searched for: how far each may be off */
  size_t successes; /* verdict figures: samples that are 1 */
  size_t certain;   /* samples that nothing random has a part in */
  double confidence;
  double at; /* sum over the samples */
  drift drift[DRIFT_QUANTITIES];
};

static const char none[] = "none"; /* no fault set, no schedule */

const char *plot_setting(const ripstop_setting *setting) { return *setting->written ? setting->written : none; }

const char *plot_written(const ripstop_runs *runs, const char *key, const char *text) {
  const ripstop_axis *axis = ripstop_spec_axis(runs->spec, key);
  if (!*text) return none;
  for (size_t i = 0; axis && i < axis->count; i++)
    if (ripstop_runs_is(runs, &axis->setting[i], text)) return axis->setting[i].written;
  return text;
}

/* ------------------------------------------------------------------ which runs */

/* But for its verdict. */
static bool asks_for(const query *q, const ripstop_run *run) {
  for (size_t i = 0; i < q->figure->filters; i++) {
    const ripstop_filter *filter = &q->figure->filter[i];
    if (strcmp(filter->key, "verdict") &&
        !shown_passes(q->data->runs, filter, ripstop_run_key_written(run, filter->key)))
      return false;
  }
  return true;
}

static bool is_shown(const query *q, size_t at, const ripstop_outcome *outcome) {
  return ripstop_figure_shows(q->data->runs, q->figure, &q->data->runs->run[at], outcome);
}

const ripstop_outcome *query_next(const query *q, size_t *at) {
  for (; *at < q->data->runs->count; ++*at) {
    const ripstop_outcome *outcome = q->data->outcome[*at];
    if (outcome && (q->series ? is_shown(q, *at, outcome) : asks_for(q, &q->data->runs->run[*at]))) return outcome;
  }
  return NULL;
}

/* ------------------------------------------------------------------ samples */

double plot_confidence(const ripstop_run *run) {
  return query_number(ripstop_run_key(run, run->kind == RIPSTOP_RUN_PROVE ? "prove.confidence" : "measure.confidence"));
}

/* A load that is searched for is known to a step: half of it bounds the error of each run, however many there are. */
static double step_of(const ripstop_value *value) {
  return !strcmp(value->name, "saturation.load") && !isnan(value->half) ? value->half : 0;
}

static void add_sample(query *q, cell *c, const ripstop_run *run, double value, double half) {
  size_t room = c->room;
  if (isnan(value)) return;
  c->sample = query_grown(q->arena, c->sample, c->count, &c->room, sizeof *c->sample);
  c->of = query_grown(q->arena, c->of, c->count, &room, sizeof(const ripstop_run *));
  c->of[c->count] = run;
  c->sample[c->count++] = value;
  c->half = half;
  c->known += 1 / half;
  c->drawn |= ripstop_run_is_sampled(run);
  c->successes += value == 1;
  c->confidence = plot_confidence(run);
}

static size_t verdict_index(const ripstop_outcome *outcome) {
  size_t i = 0;
  while (strcmp(ripstop_outcome_words[i], outcome->verdict)) i++;
  return i;
}

/* A deadlock ends a run: its numbers are of the cycles up to there. */
static bool is_cut_short(const ripstop_outcome *outcome) {
  return !strcmp(outcome->verdict, ripstop_verdict_words[RIPSTOP_DEADLOCKED]);
}

static void note_loss(ripstop_point *point, double share) {
  if (share > point->lost) point->lost = share;
}

/* The losses of a run mark all its numbers, whatever they measure. */
static void note_losses(ripstop_point *point, const ripstop_outcome *outcome) {
  const ripstop_value *lost = ripstop_outcome_value(outcome, "lost.share");
  if (lost) note_loss(point, lost->value);
}

static void note_window(ripstop_point *point, const ripstop_window *w) {
  if (w->lost) note_loss(point, w->lost < w->generated ? (double)w->lost / (double)w->generated : 1);
}

/* Not drawn is one of all sets, a given one, or none. */
bool plot_is_certain(const ripstop_run *run, const char *name) {
  bool drawn = !run->faults && run->fault_count;
  return !drawn && ripstop_value_is_of_plan(run, name);
}

/* The factor to a figure's unit: values in cycles are shown in microseconds where links have a rate. */
static double factor_of(const query *q, const char **unit) {
  static const double microseconds = 1e6;
  const double cycle = ripstop_scale_cycle(&q->data->runs->spec->scale);
  if (!(cycle > 0) || strcmp(*unit, "cycles") != 0) return 1;
  *unit = "us";
  return cycle * microseconds;
}

/* The place of the sample that was added last. */
static void add_place(query *q, cell *c, const ripstop_outcome *outcome) {
  const ripstop_value *at = q->figure->at ? ripstop_outcome_value(outcome, q->figure->at) : NULL;
  const char *unit = at ? at->unit : "";
  const double factor = factor_of(q, &unit);
  c->at += at ? at->value * factor : NAN;
  if (at) q->plot->at_unit = unit;
}

static void add_run(query *q, size_t number, const ripstop_outcome *outcome) {
  const ripstop_run *run = &q->data->runs->run[number];
  size_t curve = query_curve(q, run), x = query_row(q, run);
  cell *c = &q->cell[curve * q->plot->xs + x];
  if (!is_shown(q, number, outcome)) {
    q->plot->curve[curve].point[x].left_out++;
    return;
  }
  q->plot->curve[curve].point[x].verdict[verdict_index(outcome)]++;
  note_losses(&q->plot->curve[curve].point[x], outcome);
  if (q->shares) {
    add_sample(q, c, run, !strcmp(outcome->verdict, q->figure->y + strlen("verdict.")), NAN);
    add_place(q, c, outcome);
    return;
  }
  const ripstop_value *value = ripstop_outcome_value(outcome, q->figure->y);
  if (!value) return;
  const ripstop_value *over = q->figure->over ? ripstop_outcome_value(outcome, q->figure->over) : NULL;
  double divisor = over ? over->value : 1;
  if (q->figure->over && (!over || divisor == 0)) return;
  q->plot->unit = over ? "" : value->unit;
  divisor /= factor_of(q, &q->plot->unit);
  q->plot->curve[curve].point[x].cut_short |= is_cut_short(outcome) && strcmp(value->unit, "0 or 1") != 0;
  add_sample(q, c, run, value->value / divisor, value->half / divisor);
  c->steps += step_of(value) / fabs(divisor);
  if (!isnan(value->value / divisor)) add_place(q, c, outcome);
  if (!isnan(value->value) && drift_concerns(run, value->name)) drift_add(c->drift, q->arena, outcome, value->name);
  c->certain +=
      !isnan(value->value) && plot_is_certain(run, value->name) && (!over || plot_is_certain(run, over->name));
}

/* The last window may be cut short by the end of the run. */
static double window_accepted(const ripstop_run *run, const ripstop_outcome *outcome, const ripstop_window *w) {
  const ripstop_value *cycles = ripstop_outcome_value(outcome, "run.cycles");
  double length = query_number(ripstop_run_key(run, "measure.window"));
  if (cycles && cycles->value - (double)w->cycle < length) length = cycles->value - (double)w->cycle;
  return (double)w->delivered_flits / length / (double)run->fabric->ends;
}

static double window_value(const query *q, const ripstop_run *run, const ripstop_outcome *outcome,
                           const ripstop_window *w) {
  const char *y = q->figure->y;
  const char *unit = "cycles";
  if (!strcmp(y, "latency")) return w->latency * factor_of(q, &unit);
  if (!strcmp(y, "accepted")) return window_accepted(run, outcome, w);
  return (double)(!strcmp(y, "generated")   ? w->generated
                  : !strcmp(y, "injected")  ? w->injected
                  : !strcmp(y, "delivered") ? w->delivered
                                            : w->lost);
}

static void add_series(query *q, const ripstop_run *run, const ripstop_outcome *outcome) {
  size_t curve = query_curve(q, run);
  q->plot->window = query_number(ripstop_run_key(run, "measure.window"));
  for (size_t w = 0; w < outcome->windows; w++) {
    size_t x = query_place(q->plot, (double)outcome->window[w].cycle);
    cell *c = &q->cell[curve * q->plot->xs + x];
    q->plot->curve[curve].point[x].verdict[verdict_index(outcome)]++;
    q->plot->curve[curve].point[x].cut_short |= is_cut_short(outcome);
    note_window(&q->plot->curve[curve].point[x], &outcome->window[w]);
    add_sample(q, c, run, window_value(q, run, outcome, &outcome->window[w]), NAN);
  }
}

/* A sample at each share for which the run has the quantile. */
static void add_quantiles(query *q, size_t number, const ripstop_outcome *outcome) {
  const ripstop_run *run = &q->data->runs->run[number];
  const bool shown = is_shown(q, number, outcome);
  size_t curve = query_curve(q, run);
  for (size_t x = 0; x < q->plot->xs; x++) {
    ripstop_point *point = &q->plot->curve[curve].point[x];
    const ripstop_value *value = ripstop_outcome_value(outcome, query_quantile(q, x));
    if (!value || isnan(value->value)) continue;
    point->left_out += !shown;
    if (!shown) continue;
    point->verdict[verdict_index(outcome)]++;
    point->cut_short |= is_cut_short(outcome);
    note_losses(point, outcome);
    q->plot->unit = value->unit;
    const double factor = factor_of(q, &q->plot->unit);
    add_sample(q, &q->cell[curve * q->plot->xs + x], run, value->value * factor, value->half * factor);
  }
}

/* Each curve has only the shares that all of its runs have: means over fewer runs at one share than at the next would
 * be no distribution. */
static void keep_shares(query *q) {
  const size_t xs = q->plot->xs;
  for (size_t c = 0; c < q->plot->curves; c++) {
    cell *own = q->cell + c * xs;
    size_t most = 0;
    for (size_t x = 0; x < xs; x++) most = own[x].count > most ? own[x].count : most;
    for (size_t x = 0; x < xs; x++) {
      ripstop_point *point = &q->plot->curve[c].point[x];
      if (own[x].count == most) continue;
      own[x] = (cell){0};
      *point = (ripstop_point){.left_out = point->left_out};
    }
  }
}

static void mark_changes(query *q) {
  const ripstop_run **run = RIPSTOP_ARRAY(q->arena, q->data->runs->count + 1, const ripstop_run *);
  const ripstop_outcome *outcome;
  size_t runs = 0;
  for (size_t at = 0; (outcome = query_next(q, &at)); at++)
    if (outcome->windows) run[runs++] = &q->data->runs->run[at];
  plot_mark_changes(q->arena, q->plot, run, runs);
}

static const char *series_unit(const char *y) {
  if (!strcmp(y, "latency")) return "cycles";
  return !strcmp(y, "accepted") ? "flits/node/cycle" : "packets/window";
}

static void collect(query *q) {
  ripstop_plot *plot = q->plot;
  q->cell = RIPSTOP_ARRAY(q->arena, plot->curves * plot->xs + 1, cell);
  for (size_t c = 0; c < plot->curves; c++) plot->curve[c].point = RIPSTOP_ARRAY(q->arena, plot->xs + 1, ripstop_point);
  plot->unit = q->shares ? "share of runs" : q->series ? series_unit(q->figure->y) : "";
  factor_of(q, &plot->unit);
  const ripstop_outcome *outcome;
  for (size_t at = 0; (outcome = query_next(q, &at)); at++)
    if (plot_is_cdf(q->figure))
      add_quantiles(q, at, outcome);
    else if (q->series)
      add_series(q, &q->data->runs->run[at], outcome);
    else
      add_run(q, at, outcome);
  if (plot_is_cdf(q->figure)) keep_shares(q);
}

/* ------------------------------------------------------------------ points */

static bool is_share(const query *q) { return q->shares || !strcmp(q->plot->unit, "0 or 1"); }

static bool all_are(const cell *c, double number) {
  for (size_t i = 0; i < c->count; i++)
    if (c->sample[i] != number) return false;
  return c->count > 0;
}

/* An interval ends where the value's range does. */
static ripstop_estimate within_range(const query *q, ripstop_estimate e) {
  bool is_signed = ripstop_value_has_sign(q->figure->y) || q->figure->rank;
  if (!is_signed && e.mean >= 0 && isfinite(e.low)) e.low = fmax(e.low, 0);
  if (!is_signed && !strcmp(q->plot->unit, "share") && isfinite(e.high)) e.high = fmin(e.high, 1);
  return e;
}

/* Half the interval of zeros alone. If all runs have the same faults, the bound of each run is in proportion to 1 /
 * (its count), and these add up. With random faults only the number of runs matters. In a unit that has no bound two
 * zeros are too few, as two of any other value. */
static double half_of_zeros(const query *q, const cell *c) {
  if (!c->drawn && c->known > 0) return 1 / c->known;
  const double bound = ripstop_zeros_at_most(q->plot->unit, c->count, c->confidence);
  return isnan(bound) && c->count == 2 ? INFINITY : bound;
}

static ripstop_estimate estimate(const query *q, const cell *c) {
  ripstop_estimate e = {NAN, NAN, NAN};
  if (!c->count) return e;
  e.mean = ripstop_mean(c->sample, c->count);
  if (q->whole && c->certain == c->count)
    return (ripstop_estimate){e.mean, e.mean, e.mean}; /* all sets are in it: exact */
  if (is_share(q)) {
    ripstop_interval wilson = ripstop_wilson(c->successes, c->count, c->confidence);
    return (ripstop_estimate){e.mean, wilson.low, wilson.high};
  }
  double half = c->half;
  if (c->count > 1) half = ripstop_mean_half_width(c->sample, c->count, c->confidence) + c->steps / (double)c->count;
  if (c->count > 1 && all_are(c, 0)) half = half_of_zeros(q, c);
  e.low = e.mean - half, e.high = e.mean + half;
  return within_range(q, e);
}

/* True if two runs have the same faults, drawn or given, and the same traffic, but for what a figure tells apart. */
static bool same_sample(const ripstop_run *one, const ripstop_run *other) {
  return one->seed == other->seed && one->sample == other->sample &&
         !strcmp(ripstop_run_key(one, "faults.set"), ripstop_run_key(other, "faults.set"));
}

/* The place of a sample among the same samples of all curves at one x: 1 and one more for each that is better, half a
 * place for each that is equal. */
static double place_of(const query *q, size_t curve, size_t x, size_t sample) {
  const cell *own = &q->cell[curve * q->plot->xs + x];
  double place = 1, sign = q->figure->rank == RIPSTOP_BEST_HIGHEST ? 1 : -1;
  for (size_t c = 0; c < q->plot->curves; c++) {
    const cell *other = &q->cell[c * q->plot->xs + x];
    for (size_t i = 0; c != curve && i < other->count; i++) {
      double ahead = sign * (other->sample[i] - own->sample[sample]);
      if (same_sample(other->of[i], own->of[sample])) place += ahead > 0 ? 1 : ahead == 0 ? 0.5 : 0;
    }
  }
  return place;
}

/* Time: the samples of an x squared. */
static void make_places(query *q) {
  ripstop_plot *plot = q->plot;
  cell *places = RIPSTOP_ARRAY(q->arena, plot->curves * plot->xs + 1, cell);
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const cell *from = &q->cell[c * plot->xs + x];
      cell *to = &places[c * plot->xs + x];
      *to = *from;
      to->half = NAN, to->steps = 0;
      to->sample = RIPSTOP_ARRAY(q->arena, from->count + 1, double);
      for (size_t i = 0; i < from->count; i++) to->sample[i] = place_of(q, c, x, i);
    }
  q->cell = places;
  plot->unit = "place";
}

/* The point that `point` of `curve` is divided by: the same but for one key; NULL: there is none. */
static const ripstop_point *reference(const query *q, const ripstop_point *old, size_t curve, size_t x) {
  const ripstop_filter *relative = q->figure->relative;
  const ripstop_plot *plot = q->plot;
  const ripstop_setting *wanted = relative->setting[0];
  if (!strcmp(relative->key, q->figure->x)) {
    for (size_t i = 0; i < plot->xs; i++)
      if (ripstop_runs_is(plot->runs, wanted, plot->x[i].text)) return &old[curve * plot->xs + i];
    return NULL;
  }
  for (size_t c = 0; c < plot->curves; c++) {
    bool same = true;
    for (size_t i = 0; i < q->figure->bys; i++) {
      const char *there = plot->curve[c].setting[i];
      same &= !strcmp(q->figure->by[i], relative->key) ? ripstop_runs_is(plot->runs, wanted, there)
                                                       : !strcmp(there, plot->curve[curve].setting[i]);
    }
    if (same) return &old[c * plot->xs + x];
  }
  return NULL;
}

/* A quotient as a change in percent. */
static void in_percent(ripstop_arena *arena, ripstop_point *point) {
  ripstop_estimate e = point->y;
  point->y = (ripstop_estimate){100 * (e.mean - 1), 100 * (e.low - 1), 100 * (e.high - 1)};
  point->within *= 100;
  double *sample = point->sample ? RIPSTOP_ARRAY(arena, point->runs, double) : NULL;
  for (size_t i = 0; sample && i < point->runs; i++) sample[i] = 100 * (point->sample[i] - 1);
  point->sample = sample;
}

/* A point against itself: nothing is uncertain. */
static ripstop_point own_reference(ripstop_arena *arena, const ripstop_point *point, double number) {
  double *sample = RIPSTOP_ARRAY(arena, point->runs, double);
  for (size_t i = 0; i < point->runs; i++) sample[i] = number;
  return (ripstop_point){.runs = point->runs,
                         .y = {number, number, number},
                         .sample = sample,
                         .of = point->of,
                         .confidence = point->confidence,
                         .freedom = point->freedom};
}

/* Removes the number, but keeps verdicts and marks. */
static void replace(ripstop_point *point, const ripstop_point *by) {
  point->runs = isnan(by->y.mean) ? 0 : point->runs;
  point->y = by->y, point->share = by->share;
  point->confidence = by->confidence, point->freedom = by->freedom, point->within = by->within;
  point->sample = by->sample, point->of = by->sample ? by->of : NULL;
}

/* The points as they are, or of the value `base` over the same runs: [curves * xs]. */
static const ripstop_point *references(const query *q) {
  const ripstop_plot *plot = q->plot;
  ripstop_point *old = RIPSTOP_ARRAY(q->arena, plot->curves * plot->xs + 1, ripstop_point);
  ripstop_figure figure = *q->figure;
  figure.y = figure.base, figure.relative = NULL;
  const ripstop_plot *from = figure.base ? ripstop_plot_figure(q->arena, q->data, &figure) : plot;
  for (size_t c = 0; c < plot->curves; c++)
    if (plot->xs) memcpy(old + c * plot->xs, from->curve[c].point, plot->xs * sizeof *old);
  return old;
}

static void make_relative(query *q) {
  bool difference = q->figure->against == RIPSTOP_AGAINST_DIFFERENCE;
  ripstop_plot *plot = q->plot;
  const ripstop_point *old = references(q);
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      ripstop_point *point = &plot->curve[c].point[x];
      const ripstop_point *base = reference(q, old, c, x);
      if (!point->runs) continue;
      point->cut_short |= base && base->cut_short;
      point->drifts |= base ? base->drifts : 0;
      point->one_set |= base && base->one_set;
      if (base) note_loss(point, base->lost);
      ripstop_point told = {.y = {NAN, NAN, NAN}};
      if (base == &old[c * plot->xs + x] && !q->figure->base)
        told = own_reference(q->arena, point, difference ? 0 : 1);
      else if (base && base->runs)
        told = (difference ? plot_difference : plot_quotient)(q->arena, point, base);
      if (q->figure->against == RIPSTOP_AGAINST_CHANGE) in_percent(q->arena, &told);
      replace(point, &told);
    }
  if (difference && is_share(q)) plot->unit = "share of runs";
  if (!difference) plot->unit = q->figure->against == RIPSTOP_AGAINST_CHANGE ? "%" : "";
}

/* A heatmap has no use for the curves that its others are relative to: they are all 1, or no change at all. */
static void drop_references(query *q) {
  const ripstop_filter *relative = q->figure->relative;
  size_t kept = 0, key = 0;
  while (key < q->figure->bys && strcmp(q->figure->by[key], relative->key) != 0) key++;
  for (size_t c = 0; c < q->plot->curves && key < q->figure->bys; c++)
    if (!ripstop_runs_is(q->plot->runs, relative->setting[0], q->plot->curve[c].setting[key]))
      q->plot->curve[kept++] = q->plot->curve[c];
  if (key < q->figure->bys) q->plot->curves = kept;
}

/* Degrees of freedom: of several samples, or the least of a single run's batches. The many sets of a proof count as
 * infinitely many (1e9). */
static double freedom(const cell *c) {
  if (c->count != 1) return c->count ? (double)(c->count - 1) : NAN;
  return c->of[0]->kind == RIPSTOP_RUN_PROVE ? 1e9 : RIPSTOP_BATCHES_LEAST - 1;
}

static void make_points(query *q) {
  ripstop_plot *plot = q->plot;
  if (q->figure->rank) make_places(q);
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const cell *from = &q->cell[c * plot->xs + x];
      ripstop_point *point = &plot->curve[c].point[x];
      point->runs = from->count, point->of = from->of;
      point->at = q->figure->at && from->count ? from->at / (double)from->count : NAN;
      point->share = is_share(q);
      point->of_saturation = !q->figure->relative && !strncmp(q->figure->y, "saturation.", strlen("saturation."));
      point->sample = from->sample;
      point->within = from->count > 1 ? from->steps / (double)from->count : 0;
      point->confidence = from->confidence, point->freedom = freedom(from);
      point->y = estimate(q, from);
      point->drifts = drift_reported(from->drift, from->confidence);
      point->one_set = !is_share(q) && plot_is_one_draw(from->of, from->count);
    }
  if (q->figure->relative) make_relative(q);
  if (q->figure->relative && q->figure->kind == RIPSTOP_FIGURE_HEATMAP) drop_references(q);
}

/* ------------------------------------------------------------------ together */

static bool is_whole(const ripstop_data *data, const ripstop_figure *figure) {
  for (size_t i = 0; i < figure->filters; i++)
    if (!strcmp(figure->filter[i].key, "verdict")) return false;
  for (size_t i = 0; i < data->runs->count; i++)
    if (!data->outcome[i]) return false;
  return true;
}

const ripstop_plot *ripstop_plot_figure(ripstop_arena *arena, const ripstop_data *data, const ripstop_figure *figure) {
  RIPSTOP_GUARD(NULL, NULL);
  query q = {.data = data, .figure = figure, .arena = arena, .plot = RIPSTOP_NEW(arena, ripstop_plot)};
  q.plot->figure = figure;
  q.plot->runs = data->runs;
  q.series = !strcmp(figure->x, "cycle");
  q.shares = !strncmp(figure->y, "verdict.", strlen("verdict."));
  q.whole = is_whole(data, figure);
  query_axes(&q);
  collect(&q);
  if (q.series) mark_changes(&q);
  make_points(&q);
  if (plot_is_cdf(figure)) query_drop_shares(&q);
  plot_name(arena, q.plot);
  ripstop_text_free(&q.x);
  return q.plot;
}

/* A run is at one place of a curve, but at all shares of a CDF. */
size_t plot_left_out(const ripstop_plot *plot) {
  size_t count = 0;
  for (size_t c = 0; c < plot->curves; c++) {
    size_t sum = 0, most = 0;
    for (size_t x = 0; x < plot->xs; x++) {
      const size_t left_out = plot->curve[c].point[x].left_out;
      sum += left_out;
      if (left_out > most) most = left_out;
    }
    count += plot_is_cdf(plot->figure) ? most : sum;
  }
  return count;
}

size_t plot_points(const ripstop_plot *plot) {
  size_t count = 0;
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) count += plot->curve[c].point[x].runs > 0;
  return count;
}
