/* histogram.h - counts of whole numbers from 0 to 2^40 with a relative resolution of 1/128.
 *
 * Laid out as HdrHistogram does (Tene, hdrhistogram.org): the first 256 values have a bucket each; every further power
 * of two is cut into 128 buckets of equal width. Recording is O(1) and memory is fixed, so latencies of any number of
 * packets fit. Mean and extremes are exact; quantiles are exact below 256 and else at most 1/128 too high. */
#ifndef RIPSTOP_BASE_HISTOGRAM_H
#define RIPSTOP_BASE_HISTOGRAM_H

#include "ripstop/plugin/base.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

enum {
  RIPSTOP_HISTOGRAM_BITS = 40,    /* larger values are counted in the last bucket */
  RIPSTOP_HISTOGRAM_SUB_BITS = 7, /* log2 of the buckets per power of two */
  RIPSTOP_HISTOGRAM_BUCKETS =
      2 * (1 << RIPSTOP_HISTOGRAM_SUB_BITS) +
      (RIPSTOP_HISTOGRAM_BITS - RIPSTOP_HISTOGRAM_SUB_BITS - 1) * (1 << RIPSTOP_HISTOGRAM_SUB_BITS)
};

typedef struct ripstop_histogram { /* zero-initialise */
  uint64_t count, sum;             /* number and sum of the values; the sum is exact below 2^64 */
  uint64_t min, max;               /* exact; meaningless while count is 0 */
  uint64_t bucket[RIPSTOP_HISTOGRAM_BUCKETS];
} ripstop_histogram;

void ripstop_histogram_add(ripstop_histogram *histogram, uint64_t value);
/* Adds every value of `from` to `into`. */
void ripstop_histogram_merge(ripstop_histogram *into, const ripstop_histogram *from);
/* Removes all values. */
void ripstop_histogram_clear(ripstop_histogram *histogram);
double ripstop_histogram_mean(const ripstop_histogram *histogram); /* NAN if empty */
/* The smallest value that at least the share q (0 to 1) of the recorded values do not exceed, rounded up to its
 * bucket's upper end but never above the maximum. NAN if empty. */
double ripstop_histogram_quantile(const ripstop_histogram *histogram, double q);
/* The same for each whole number k spread evenly from k - 1/2 to k + 1/2 (the quantile of grouped data): it moves
 * with the shares where the other jumps from number to number. NAN if empty. */
double ripstop_histogram_smooth_quantile(const ripstop_histogram *histogram, double q);

RIPSTOP_END

#endif
