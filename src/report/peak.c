/* peak.c - the highest point of a curve, whose place was chosen on the data that it is measured by.
 *
 * The highest of several means is too high as an estimate of the highest truth, the more so the more points are close
 * to it. So the interval is not that of the chosen point. All points have one at the wanted level: the truth's own
 * place is below the upper end of its interval, hence the truth is below the highest of the upper ends. For the lower
 * end any of the rivals, the points whose interval reaches that of the highest, may have been lifted by chance: their
 * intervals are as many times surer as they are (Bonferroni), and the truth is above the highest of their lower ends.
 * Against the peak of another curve the same holds of each pair of rivals: the largest over the own ones of the
 * smallest over the others'. Nothing is assumed of how the points depend on each other. tests/unit/test_report_pairs.c
 * counts how often such intervals cover the truth. */
#include <math.h>

#include "report/plot.h"

/* The points of a curve that may be its highest. */
typedef struct rivals {
  const ripstop_point **point;
  size_t count;
  const ripstop_point *best; /* NULL: there is no point */
} rivals;

static const ripstop_point *highest(const ripstop_point *const *point, size_t count) {
  const ripstop_point *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (!best || point[i]->y.mean > best->y.mean) best = point[i];
  return best;
}

static rivals rivals_of(ripstop_arena *arena, const ripstop_point *const *point, size_t count) {
  rivals r = {.point = RIPSTOP_ARRAY(arena, count, const ripstop_point *), .best = highest(point, count)};
  for (size_t i = 0; r.best && i < count; i++)
    if (point[i] == r.best || !(point[i]->y.high < r.best->y.low)) r.point[r.count++] = point[i];
  return r;
}

/* Errs `times` times less often. */
static double surer(const ripstop_point *point, size_t times) { return 1 - (1 - point->confidence) / (double)times; }

ripstop_estimate plot_peak(ripstop_arena *arena, const ripstop_point *const *point, size_t count) {
  rivals r = rivals_of(arena, point, count);
  ripstop_estimate peak = r.best ? r.best->y : (ripstop_estimate){NAN, NAN, NAN};
  if (isnan(peak.low)) return peak;
  peak.low = -INFINITY;
  for (size_t i = 0; i < r.count; i++) {
    peak.low = fmax(peak.low, plot_at_confidence(r.point[i], surer(r.point[i], r.count)).low);
    peak.high = fmax(peak.high, r.point[i]->y.high);
  }
  return peak;
}

ripstop_estimate plot_peaks(ripstop_arena *arena, plot_contrast *contrast, const ripstop_point *const *own, size_t owns,
                            const ripstop_point *const *other, size_t others) {
  rivals a = rivals_of(arena, own, owns), b = rivals_of(arena, other, others);
  if (!a.best || !b.best) return (ripstop_estimate){NAN, NAN, NAN};
  ripstop_estimate peaks = contrast(arena, a.best, b.best).y;
  if (isnan(peaks.low)) return peaks;
  peaks.low = peaks.high = -INFINITY;
  for (size_t i = 0; i < a.count; i++) {
    double low = INFINITY, high = INFINITY;
    for (size_t k = 0; k < b.count; k++) {
      ripstop_point pair = contrast(arena, a.point[i], b.point[k]);
      low = fmin(low, plot_at_confidence(&pair, surer(&pair, a.count)).low);
      high = fmin(high, plot_at_confidence(&pair, surer(&pair, b.count)).high);
    }
    peaks.low = fmax(peaks.low, low), peaks.high = fmax(peaks.high, high);
  }
  return peaks;
}
