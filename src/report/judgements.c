/* judgements.c - published against measured. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/statistics.h"
#include "report/judging.h"
#include "report/plot.h"

const char *const plot_compare_words[] = {
    [RIPSTOP_COMPARE_ABOUT] = "", [RIPSTOP_COMPARE_AT_MOST] = "at most ", [RIPSTOP_COMPARE_AT_LEAST] = "at least "};

static const ripstop_estimate nothing = {NAN, NAN, NAN};

static bool passes(const ripstop_plot *plot, const ripstop_curve *curve, const ripstop_filter *filter) {
  for (size_t i = 0; i < plot->figure->bys; i++)
    if (!strcmp(plot->figure->by[i], filter->key) &&
        !ripstop_runs_is(plot->runs, filter->setting[0], curve->setting[i]))
      return false;
  return true;
}

/* The claim's curve, or the one that differs from it in the key `but`. */
static bool is_meant(const ripstop_plot *plot, const ripstop_curve *curve, const ripstop_claim *claim,
                     const ripstop_filter *but) {
  for (size_t f = 0; f < claim->filters; f++)
    if ((!but || strcmp(claim->filter[f].key, but->key) != 0) && !passes(plot, curve, &claim->filter[f])) return false;
  return !but || passes(plot, curve, but);
}

static const ripstop_curve *find_curve(const ripstop_plot *plot, const ripstop_claim *claim,
                                       const ripstop_filter *but) {
  for (size_t c = 0; c < plot->curves; c++)
    if (is_meant(plot, &plot->curve[c], claim, but)) return &plot->curve[c];
  return NULL;
}

/* A claim on its figure, and what any point that was looked at is marked with. */
typedef struct look {
  ripstop_arena *arena;
  const ripstop_claim *claim;
  const ripstop_plot *plot;
  const ripstop_curve *curve;
  bool drifts, one_set, too_short;
  double lost;
} look;

static const ripstop_point *look_at(look *l, const ripstop_point *point) {
  l->drifts |= point->drifts != 0;
  l->one_set |= point->one_set;
  l->too_short |= plot_is_too_short(point);
  l->lost = fmax(l->lost, point->lost);
  return point;
}

static const ripstop_point *point_at(look *l, double x) {
  for (size_t i = 0; i < l->plot->xs; i++)
    if (l->plot->x[i].at == x && l->curve->point[i].runs) return look_at(l, &l->curve->point[i]);
  return NULL;
}

static ripstop_estimate at(look *l, double x) {
  const ripstop_point *point = point_at(l, x);
  return point ? point->y : nothing;
}

static ripstop_estimate ends(look *l, plot_contrast *contrast) {
  const ripstop_point *one = point_at(l, l->claim->from), *other = point_at(l, l->claim->to);
  return one && other ? contrast(l->arena, one, other).y : nothing;
}

static const ripstop_point *first(look *l) {
  for (size_t i = 0; i < l->plot->xs; i++)
    if (l->curve->point[i].runs) return look_at(l, &l->curve->point[i]);
  return NULL;
}

static bool counts(const look *l, const ripstop_curve *curve, size_t i) {
  return curve->point[i].runs && l->plot->x[i].at >= l->claim->from && l->plot->x[i].at <= l->claim->to;
}

/* The points of the range on a curve; NULL is none. */
static size_t points_of(const look *l, const ripstop_curve *curve, const ripstop_point **point, double *x) {
  size_t count = 0;
  for (size_t i = 0; curve && i < l->plot->xs; i++)
    if (counts(l, curve, i)) x[count] = l->plot->x[i].at, point[count++] = &curve->point[i];
  return count;
}

/* Least squares over the points of the range, each the same weight: slope = sum c_i y_i with c_i = (x_i - mean x) / sum
 * of squares, times `sign`. Both ends must be there. */
static ripstop_point slope(look *l, double sign) {
  const ripstop_point **point = RIPSTOP_ARRAY(l->arena, l->plot->xs, const ripstop_point *);
  double *x = RIPSTOP_ARRAY(l->arena, l->plot->xs, double), squares = 0;
  size_t count = points_of(l, l->curve, point, x);
  double mean = ripstop_mean(x, count);
  for (size_t i = 0; i < count; i++) squares += (x[i] - mean) * (x[i] - mean);
  if (!point_at(l, l->claim->from) || !point_at(l, l->claim->to) || squares == 0) return (ripstop_point){.y = nothing};
  for (size_t i = 0; i < count; i++) {
    x[i] = sign * (x[i] - mean) / squares;
    look_at(l, point[i]);
  }
  return plot_sum(l->arena, point, x, count);
}

static ripstop_estimate loss(look *l) {
  ripstop_point fall = slope(l, -1);
  const ripstop_point *base = first(l);
  return isnan(fall.y.mean) || !base ? nothing : plot_quotient(l->arena, &fall, base).y;
}

static ripstop_estimate share(look *l) {
  size_t runs = 0, hits = 0, word = 0;
  while (strcmp(ripstop_outcome_words[word], l->claim->verdict)) word++;
  for (size_t i = 0; i < l->plot->xs; i++) {
    if (l->plot->x[i].at < l->claim->from || l->plot->x[i].at > l->claim->to) continue;
    for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) runs += l->curve->point[i].verdict[v];
    hits += l->curve->point[i].verdict[word];
    l->lost = fmax(l->lost, l->curve->point[i].lost);
  }
  if (!runs) return nothing;
  ripstop_interval wilson = ripstop_wilson(hits, runs, plot_confidence(&l->plot->runs->run[0]));
  return (ripstop_estimate){(double)hits / (double)runs, wilson.low, wilson.high};
}

static void look_at_highest(look *l, const ripstop_point *const *point, size_t count) {
  const ripstop_point *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (!best || point[i]->y.mean > best->y.mean) best = point[i];
  if (best) look_at(l, best);
}

static ripstop_estimate peak(look *l) {
  const ripstop_point **own = RIPSTOP_ARRAY(l->arena, 2 * l->plot->xs, const ripstop_point *);
  const ripstop_point **other = own + l->plot->xs;
  double *x = RIPSTOP_ARRAY(l->arena, l->plot->xs, double);
  size_t owns = points_of(l, l->curve, own, x), others = 0;
  look_at_highest(l, own, owns);
  if (!l->claim->relative) return plot_peak(l->arena, own, owns);
  others = points_of(l, find_curve(l->plot, l->claim, l->claim->relative), other, x);
  look_at_highest(l, other, others);
  bool difference = l->claim->against == RIPSTOP_AGAINST_DIFFERENCE;
  return plot_peaks(l->arena, difference ? plot_difference : plot_quotient, own, owns, other, others);
}

static ripstop_estimate measure(look *l) {
  if (!l->curve) return nothing;
  switch (l->claim->kind) {
  case RIPSTOP_CLAIM_VALUE:
    return at(l, l->claim->from);
  case RIPSTOP_CLAIM_RATIO:
    return ends(l, plot_quotient);
  case RIPSTOP_CLAIM_DIFFERENCE:
    return ends(l, plot_difference);
  case RIPSTOP_CLAIM_SLOPE:
    return slope(l, 1).y;
  case RIPSTOP_CLAIM_LOSS:
    return loss(l);
  case RIPSTOP_CLAIM_SHARE:
    return share(l);
  case RIPSTOP_CLAIM_PEAK:
    return peak(l);
  }
  return nothing;
}

/* ------------------------------------------------------------------ findings */

/* With a tolerance the whole interval must lie within it, and differs when none of it does; without one the interval is
 * all there is. */
static ripstop_finding judge_about(const ripstop_claim *claim, ripstop_estimate e) {
  double least = claim->published - claim->tolerance, most = claim->published + claim->tolerance;
  if (isinf(e.low) || isinf(e.high)) return RIPSTOP_CANNOT_BE_TOLD;
  if (e.high < least || e.low > most) return RIPSTOP_DIFFERS;
  bool within = e.low >= least && e.high <= most;
  return within || claim->tolerance == 0 ? RIPSTOP_REPRODUCED : RIPSTOP_CANNOT_BE_TOLD;
}

/* From `best` to `worst` as the claim has it, turned such that less is better. Where the interval begins at the mean
 * all runs said the same; if that is the bound itself (no deadlock, every set), none broke the claim, however few they
 * were. */
static ripstop_finding judge_bound(const ripstop_claim *claim, double best, double mean, double worst, double bound) {
  bool none_broke_it = best == mean && mean == bound;
  if (best > bound + claim->tolerance) return RIPSTOP_DIFFERS;
  return none_broke_it || worst <= bound + claim->tolerance ? RIPSTOP_REPRODUCED : RIPSTOP_CANNOT_BE_TOLD;
}

static ripstop_finding judge(const ripstop_claim *claim, ripstop_estimate e) {
  double low = isnan(e.low) ? e.mean : e.low, high = isnan(e.high) ? e.mean : e.high;
  if (claim->compare == RIPSTOP_COMPARE_ABOUT) return judge_about(claim, (ripstop_estimate){e.mean, low, high});
  if (claim->compare == RIPSTOP_COMPARE_AT_MOST) return judge_bound(claim, low, e.mean, high, claim->published);
  return judge_bound(claim, -high, -e.mean, -low, -claim->published);
}

ripstop_judgement ripstop_claim_judge_again(const ripstop_claim *claim, const ripstop_judgement *before, bool whole) {
  ripstop_judgement j = {
      .measured = before->measured, .drifts = before->drifts, .too_short = before->too_short, .lost = before->lost};
  j.judged = isnan(j.measured.mean) ? RIPSTOP_NO_DATA : judge(claim, j.measured);
  j.one_set = before->one_set && j.judged != RIPSTOP_NO_DATA;
  if (j.one_set) j.judged = RIPSTOP_CANNOT_BE_TOLD;
  j.finding = j.judged;
  if (j.judged != RIPSTOP_NO_DATA && claim->finding == RIPSTOP_CANNOT_BE_TOLD) j.finding = RIPSTOP_CANNOT_BE_TOLD;
  bool opposite = (claim->finding == RIPSTOP_REPRODUCED && j.judged == RIPSTOP_DIFFERS) ||
                  (claim->finding == RIPSTOP_DIFFERS && j.judged == RIPSTOP_REPRODUCED);
  j.whole = whole;
  j.contradicts = opposite && whole;
  return j;
}

static bool is_whole(const ripstop_data *data) {
  bool whole = !data->runs->spec->variant.quick && !data->runs->spec->variant.sets;
  for (size_t i = 0; i < data->runs->count && whole; i++) whole = data->outcome[i] != NULL;
  return whole;
}

/* "lost", "lost.share", "saturation.lost": the measured number says itself what was lost. */
static bool is_of_losses(const char *value) {
  const char *dot = strrchr(value, '.');
  return !strncmp(value, "lost", strlen("lost")) || (dot && !strcmp(dot, ".lost"));
}

ripstop_judgement ripstop_claim_judge(const ripstop_data *data, const ripstop_claim *claim) {
  RIPSTOP_LOCAL_ARENA(arena);
  look l = {.arena = arena, .claim = claim, .plot = ripstop_plot_figure(arena, data, claim->figure)};
  l.curve = find_curve(l.plot, claim, NULL);
  ripstop_judgement j = {.measured = measure(&l)};
  j.drifts = l.drifts, j.one_set = l.one_set, j.too_short = l.too_short;
  j.lost = is_of_losses(claim->figure->y) ? 0 : l.lost;
  return ripstop_claim_judge_again(claim, &j, is_whole(data));
}
