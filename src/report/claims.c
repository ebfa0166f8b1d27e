/* claims.c - published against measured. */
#include <math.h>
#include <string.h>

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

static const ripstop_point *point_at(const ripstop_plot *plot, const ripstop_curve *curve, double x) {
  for (size_t i = 0; i < plot->xs; i++)
    if (plot->x[i].at == x && curve->point[i].runs) return &curve->point[i];
  return NULL;
}

static ripstop_estimate at(const ripstop_plot *plot, const ripstop_curve *curve, double x) {
  const ripstop_point *point = point_at(plot, curve, x);
  return point ? point->y : nothing;
}

static ripstop_estimate ratio(ripstop_arena *arena, const ripstop_plot *plot, const ripstop_curve *curve,
                              const ripstop_claim *claim) {
  const ripstop_point *over = point_at(plot, curve, claim->from), *under = point_at(plot, curve, claim->to);
  return over && under ? plot_quotient(arena, over, under) : nothing;
}

static ripstop_estimate first(const ripstop_plot *plot, const ripstop_curve *curve) {
  for (size_t i = 0; i < plot->xs; i++)
    if (curve->point[i].runs) return curve->point[i].y;
  return nothing;
}

static bool counts(const ripstop_plot *plot, const ripstop_curve *curve, const ripstop_claim *claim, size_t i) {
  return curve->point[i].runs && plot->x[i].at >= claim->from && plot->x[i].at <= claim->to;
}

/* Least squares over the points of the range, each the same weight: slope = sum c_i y_i with c_i = (x_i - mean x) / sum
 * of squares; the interval adds the points' half widths, weighted by c_i, in quadrature. Both ends must be there. */
static ripstop_estimate slope(const ripstop_plot *plot, const ripstop_curve *curve, const ripstop_claim *claim) {
  if (isnan(at(plot, curve, claim->from).mean) || isnan(at(plot, curve, claim->to).mean)) return nothing;
  double count = 0, sum = 0, squares = 0, slope_sum = 0, variance = 0;
  for (size_t i = 0; i < plot->xs; i++)
    if (counts(plot, curve, claim, i)) count++, sum += plot->x[i].at;
  for (size_t i = 0; i < plot->xs; i++)
    if (counts(plot, curve, claim, i)) squares += (plot->x[i].at - sum / count) * (plot->x[i].at - sum / count);
  if (squares == 0) return nothing;
  for (size_t i = 0; i < plot->xs; i++)
    if (counts(plot, curve, claim, i)) {
      double c = (plot->x[i].at - sum / count) / squares;
      double half = (curve->point[i].y.high - curve->point[i].y.low) / 2;
      slope_sum += c * curve->point[i].y.mean;
      variance += c * c * half * half;
    }
  return (ripstop_estimate){slope_sum, slope_sum - sqrt(variance), slope_sum + sqrt(variance)};
}

static ripstop_estimate loss(const ripstop_plot *plot, const ripstop_curve *curve, const ripstop_claim *claim) {
  ripstop_estimate fall = slope(plot, curve, claim);
  fall = (ripstop_estimate){-fall.mean, -fall.high, -fall.low};
  /* A slope near zero has no relative width: divide by the mean, then widen by the divisor's own. */
  ripstop_estimate base = first(plot, curve);
  double value = fall.mean / base.mean, half = (fall.high - fall.low) / 2 / base.mean;
  double more = value * (base.high - base.low) / 2 / base.mean;
  half = isnan(more) ? half : sqrt(half * half + more * more);
  return isfinite(value) ? (ripstop_estimate){value, value - half, value + half} : nothing;
}

static ripstop_estimate share(const ripstop_data *data, const ripstop_plot *plot, const ripstop_curve *curve,
                              const ripstop_claim *claim) {
  size_t runs = 0, hits = 0, word = 0;
  while (strcmp(ripstop_outcome_words[word], claim->verdict)) word++;
  for (size_t i = 0; i < plot->xs; i++) {
    if (plot->x[i].at < claim->from || plot->x[i].at > claim->to) continue;
    for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) runs += curve->point[i].verdict[v];
    hits += curve->point[i].verdict[word];
  }
  if (!runs) return nothing;
  ripstop_interval wilson = ripstop_wilson(hits, runs, plot_confidence(&data->runs->run[0]));
  return (ripstop_estimate){(double)hits / (double)runs, wilson.low, wilson.high};
}

/* The point of the range with the highest mean; NULL: the curve has none there, or is none. */
static const ripstop_point *highest(const ripstop_plot *plot, const ripstop_curve *curve, const ripstop_claim *claim) {
  const ripstop_point *best = NULL;
  for (size_t i = 0; curve && i < plot->xs; i++)
    if (counts(plot, curve, claim, i) && (!best || curve->point[i].y.mean > best->y.mean)) best = &curve->point[i];
  return best;
}

static ripstop_estimate peak(ripstop_arena *arena, const ripstop_plot *plot, const ripstop_curve *curve,
                             const ripstop_claim *claim) {
  const ripstop_point *own = highest(plot, curve, claim);
  if (!own || !claim->relative) return own ? own->y : nothing;
  const ripstop_point *other = highest(plot, find_curve(plot, claim, claim->relative), claim);
  if (!other) return nothing;
  return plot_quotient(arena, own, other);
}

static ripstop_estimate measure(ripstop_arena *arena, const ripstop_data *data, const ripstop_plot *plot,
                                const ripstop_claim *claim) {
  const ripstop_curve *curve = find_curve(plot, claim, NULL);
  if (!curve) return nothing;
  switch (claim->kind) {
  case RIPSTOP_CLAIM_VALUE:
    return at(plot, curve, claim->from);
  case RIPSTOP_CLAIM_RATIO:
    return ratio(arena, plot, curve, claim);
  case RIPSTOP_CLAIM_SLOPE:
    return slope(plot, curve, claim);
  case RIPSTOP_CLAIM_LOSS:
    return loss(plot, curve, claim);
  case RIPSTOP_CLAIM_SHARE:
    return share(data, plot, curve, claim);
  case RIPSTOP_CLAIM_PEAK:
    return peak(arena, plot, curve, claim);
  }
  return nothing;
}

static bool is_measured_at(const ripstop_plot *plot, const ripstop_curve *curve, const ripstop_claim *claim, size_t i) {
  double x = plot->x[i].at;
  switch (claim->kind) {
  case RIPSTOP_CLAIM_VALUE:
    return x == claim->from;
  case RIPSTOP_CLAIM_RATIO:
    return x == claim->from || x == claim->to;
  case RIPSTOP_CLAIM_SLOPE:
  case RIPSTOP_CLAIM_LOSS:
    return counts(plot, curve, claim, i);
  case RIPSTOP_CLAIM_PEAK:
    return &curve->point[i] == highest(plot, curve, claim);
  case RIPSTOP_CLAIM_SHARE:
    return false; /* how runs ended */
  }
  return false;
}

/* Whether a point that the claim is measured at is one of a transient. */
static bool drifts(const ripstop_plot *plot, const ripstop_curve *curve, const ripstop_claim *claim) {
  bool any = false;
  for (size_t i = 0; curve && i < plot->xs; i++)
    any |= curve->point[i].runs && curve->point[i].drifts && is_measured_at(plot, curve, claim, i);
  return any;
}

/* ------------------------------------------------------------------ findings */

/* A number with a tolerance may exceed it by its interval, which then leaves things open; without one the interval is
 * all there is. */
static ripstop_finding judge_about(const ripstop_claim *claim, ripstop_estimate e) {
  double off = fabs(e.mean - claim->published);
  bool inside = e.low <= claim->published && e.high >= claim->published;
  if (off <= claim->tolerance) return RIPSTOP_REPRODUCED;
  if (claim->tolerance == 0) return inside ? RIPSTOP_REPRODUCED : RIPSTOP_DIFFERS;
  return inside ? RIPSTOP_CANNOT_BE_TOLD : RIPSTOP_DIFFERS;
}

/* From `best` to `worst` as the claim has it, turned such that less is better. Where the interval begins at the mean,
 * all runs said the same and none broke the claim, however few they were. */
static ripstop_finding judge_bound(const ripstop_claim *claim, double best, double mean, double worst, double bound) {
  bool all_alike = best == mean;
  if (best > bound + claim->tolerance) return RIPSTOP_DIFFERS;
  return (all_alike ? mean : worst) <= bound + claim->tolerance ? RIPSTOP_REPRODUCED : RIPSTOP_CANNOT_BE_TOLD;
}

static ripstop_finding judge(const ripstop_claim *claim, ripstop_estimate e) {
  double low = isnan(e.low) ? e.mean : e.low, high = isnan(e.high) ? e.mean : e.high;
  if (claim->compare == RIPSTOP_COMPARE_ABOUT) return judge_about(claim, (ripstop_estimate){e.mean, low, high});
  if (claim->compare == RIPSTOP_COMPARE_AT_MOST) return judge_bound(claim, low, e.mean, high, claim->published);
  return judge_bound(claim, -high, -e.mean, -low, -claim->published);
}

static bool is_whole(const ripstop_data *data) {
  bool whole = !data->runs->spec->variant.quick && !data->runs->spec->variant.sets;
  for (size_t i = 0; i < data->runs->count && whole; i++) whole = data->outcome[i] != NULL;
  return whole;
}

ripstop_judgement ripstop_claim_judge(const ripstop_data *data, const ripstop_claim *claim) {
  ripstop_arena *arena = ripstop_arena_new();
  const ripstop_plot *plot = ripstop_plot_figure(arena, data, claim->figure);
  ripstop_judgement j = {.measured = measure(arena, data, plot, claim),
                         .drifts = drifts(plot, find_curve(plot, claim, NULL), claim)};
  if (claim->relative) j.drifts |= drifts(plot, find_curve(plot, claim, claim->relative), claim);
  ripstop_arena_free(arena);
  j.judged = j.finding = isnan(j.measured.mean) ? RIPSTOP_NO_DATA : judge(claim, j.measured);
  if (j.judged != RIPSTOP_NO_DATA && claim->finding == RIPSTOP_CANNOT_BE_TOLD) j.finding = RIPSTOP_CANNOT_BE_TOLD;
  bool opposite = (claim->finding == RIPSTOP_REPRODUCED && j.judged == RIPSTOP_DIFFERS) ||
                  (claim->finding == RIPSTOP_DIFFERS && j.judged == RIPSTOP_REPRODUCED);
  j.contradicts = opposite && is_whole(data);
  return j;
}
