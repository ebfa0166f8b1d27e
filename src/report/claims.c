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

/* A claim on its figure, and what any point that was looked at is marked with. */
typedef struct look {
  ripstop_arena *arena;
  const ripstop_claim *claim;
  const ripstop_plot *plot;
  const ripstop_curve *curve;
  bool drifts, one_set;
} look;

static const ripstop_point *look_at(look *l, const ripstop_point *point) {
  l->drifts |= point->drifts != 0;
  l->one_set |= point->one_set;
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

static ripstop_estimate ratio(look *l) {
  const ripstop_point *over = point_at(l, l->claim->from), *under = point_at(l, l->claim->to);
  return over && under ? plot_quotient(l->arena, over, under) : nothing;
}

static ripstop_estimate first(look *l) {
  for (size_t i = 0; i < l->plot->xs; i++)
    if (l->curve->point[i].runs) return look_at(l, &l->curve->point[i])->y;
  return nothing;
}

static bool counts(const look *l, const ripstop_curve *curve, size_t i) {
  return curve->point[i].runs && l->plot->x[i].at >= l->claim->from && l->plot->x[i].at <= l->claim->to;
}

/* Least squares over the points of the range, each the same weight: slope = sum c_i y_i with c_i = (x_i - mean x) / sum
 * of squares; the interval adds the points' half widths, weighted by c_i, in quadrature. Both ends must be there. */
static ripstop_estimate slope(look *l) {
  const ripstop_plot *plot = l->plot;
  if (isnan(at(l, l->claim->from).mean) || isnan(at(l, l->claim->to).mean)) return nothing;
  double count = 0, sum = 0, squares = 0, slope_sum = 0, variance = 0;
  for (size_t i = 0; i < plot->xs; i++)
    if (counts(l, l->curve, i)) count++, sum += plot->x[i].at;
  for (size_t i = 0; i < plot->xs; i++)
    if (counts(l, l->curve, i)) squares += (plot->x[i].at - sum / count) * (plot->x[i].at - sum / count);
  if (squares == 0) return nothing;
  for (size_t i = 0; i < plot->xs; i++)
    if (counts(l, l->curve, i)) {
      double c = (plot->x[i].at - sum / count) / squares;
      ripstop_estimate y = look_at(l, &l->curve->point[i])->y;
      double half = (y.high - y.low) / 2;
      slope_sum += c * y.mean;
      variance += c * c * half * half;
    }
  return (ripstop_estimate){slope_sum, slope_sum - sqrt(variance), slope_sum + sqrt(variance)};
}

static ripstop_estimate loss(look *l) {
  ripstop_estimate fall = slope(l);
  fall = (ripstop_estimate){-fall.mean, -fall.high, -fall.low};
  /* A slope near zero has no relative width: divide by the mean, then widen by the divisor's own. */
  ripstop_estimate base = first(l);
  double value = fall.mean / base.mean, half = (fall.high - fall.low) / 2 / base.mean;
  double more = value * (base.high - base.low) / 2 / base.mean;
  half = isnan(more) ? half : sqrt(half * half + more * more);
  return isfinite(value) ? (ripstop_estimate){value, value - half, value + half} : nothing;
}

static ripstop_estimate share(const look *l) {
  size_t runs = 0, hits = 0, word = 0;
  while (strcmp(ripstop_outcome_words[word], l->claim->verdict)) word++;
  for (size_t i = 0; i < l->plot->xs; i++) {
    if (l->plot->x[i].at < l->claim->from || l->plot->x[i].at > l->claim->to) continue;
    for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) runs += l->curve->point[i].verdict[v];
    hits += l->curve->point[i].verdict[word];
  }
  if (!runs) return nothing;
  ripstop_interval wilson = ripstop_wilson(hits, runs, plot_confidence(&l->plot->runs->run[0]));
  return (ripstop_estimate){(double)hits / (double)runs, wilson.low, wilson.high};
}

/* The point of the range with the highest mean; NULL: the curve has none there, or is none. */
static const ripstop_point *highest(const look *l, const ripstop_curve *curve) {
  const ripstop_point *best = NULL;
  for (size_t i = 0; curve && i < l->plot->xs; i++)
    if (counts(l, curve, i) && (!best || curve->point[i].y.mean > best->y.mean)) best = &curve->point[i];
  return best;
}

static ripstop_estimate peak(look *l) {
  const ripstop_point *own = highest(l, l->curve), *other = NULL;
  if (!own || !l->claim->relative) return own ? look_at(l, own)->y : nothing;
  other = highest(l, find_curve(l->plot, l->claim, l->claim->relative));
  return other ? plot_quotient(l->arena, look_at(l, own), look_at(l, other)) : nothing;
}

static ripstop_estimate measure(look *l) {
  if (!l->curve) return nothing;
  switch (l->claim->kind) {
  case RIPSTOP_CLAIM_VALUE:
    return at(l, l->claim->from);
  case RIPSTOP_CLAIM_RATIO:
    return ratio(l);
  case RIPSTOP_CLAIM_SLOPE:
    return slope(l);
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
  ripstop_judgement j = {.measured = before->measured, .drifts = before->drifts};
  j.judged = isnan(j.measured.mean) ? RIPSTOP_NO_DATA : judge(claim, j.measured);
  j.one_set = before->one_set && j.judged != RIPSTOP_NO_DATA;
  if (j.one_set) j.judged = RIPSTOP_CANNOT_BE_TOLD;
  j.finding = j.judged;
  if (j.judged != RIPSTOP_NO_DATA && claim->finding == RIPSTOP_CANNOT_BE_TOLD) j.finding = RIPSTOP_CANNOT_BE_TOLD;
  bool opposite = (claim->finding == RIPSTOP_REPRODUCED && j.judged == RIPSTOP_DIFFERS) ||
                  (claim->finding == RIPSTOP_DIFFERS && j.judged == RIPSTOP_REPRODUCED);
  j.contradicts = opposite && whole;
  return j;
}

static bool is_whole(const ripstop_data *data) {
  bool whole = !data->runs->spec->variant.quick && !data->runs->spec->variant.sets;
  for (size_t i = 0; i < data->runs->count && whole; i++) whole = data->outcome[i] != NULL;
  return whole;
}

ripstop_judgement ripstop_claim_judge(const ripstop_data *data, const ripstop_claim *claim) {
  ripstop_arena *arena = ripstop_arena_new();
  look l = {.arena = arena, .claim = claim, .plot = ripstop_plot_figure(arena, data, claim->figure)};
  l.curve = find_curve(l.plot, claim, NULL);
  ripstop_judgement j = {.measured = measure(&l)};
  j.drifts = l.drifts, j.one_set = l.one_set;
  ripstop_arena_free(arena);
  return ripstop_claim_judge_again(claim, &j, is_whole(data));
}
