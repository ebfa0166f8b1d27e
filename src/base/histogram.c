/* histogram.c - a log-linear histogram; layout and guarantees are in the header.
 *
 * Only buckets from the lowest value's to the highest one's can be nonzero. Only these are visited: most histograms
 * use a small part of their 34 KiB. */
#include "base/histogram.h"

#include "base/bits.h"

#include <math.h>
#include <string.h>

#define HALF ((uint64_t)1 << RIPSTOP_HISTOGRAM_SUB_BITS) /* buckets per power of two */
#define LAST (((uint64_t)1 << RIPSTOP_HISTOGRAM_BITS) - 1)

/* A value's highest SUB_BITS + 1 bits, a number from HALF to 2 * HALF - 1, after `shift` lower bits were dropped; each
 * shift takes HALF buckets, and the values below HALF come before those of shift 0. */
static size_t bucket_of(uint64_t value) {
  if (value < 2 * HALF) return (size_t)value;
  if (value > LAST) value = LAST;
  unsigned shift = ripstop_log2_64(value) - RIPSTOP_HISTOGRAM_SUB_BITS;
  return (size_t)(shift * HALF + (value >> shift));
}

static uint64_t highest_in(size_t bucket) {
  if (bucket < 2 * HALF) return bucket;
  unsigned shift = (unsigned)(bucket / HALF) - 1;
  return (((uint64_t)bucket - shift * HALF + 1) << shift) - 1;
}

void ripstop_histogram_add(ripstop_histogram *histogram, uint64_t value) {
  if (!histogram->count || value < histogram->min) histogram->min = value;
  if (value > histogram->max) histogram->max = value;
  histogram->count++;
  histogram->sum += value;
  histogram->bucket[bucket_of(value)]++;
}

void ripstop_histogram_merge(ripstop_histogram *into, const ripstop_histogram *from) {
  if (!from->count) return;
  if (!into->count || from->min < into->min) into->min = from->min;
  if (from->max > into->max) into->max = from->max;
  into->count += from->count;
  into->sum += from->sum;
  for (size_t i = bucket_of(from->min), last = bucket_of(from->max); i <= last; i++) into->bucket[i] += from->bucket[i];
}

void ripstop_histogram_clear(ripstop_histogram *histogram) {
  if (!histogram->count) return;
  size_t first = bucket_of(histogram->min), last = bucket_of(histogram->max);
  memset(&histogram->bucket[first], 0, (last - first + 1) * sizeof *histogram->bucket);
  histogram->count = histogram->sum = histogram->min = histogram->max = 0;
}

double ripstop_histogram_mean(const ripstop_histogram *histogram) {
  return histogram->count ? (double)histogram->sum / (double)histogram->count : NAN;
}

double ripstop_histogram_quantile(const ripstop_histogram *histogram, double q) {
  if (!histogram->count) return NAN;
  uint64_t rank = (uint64_t)ceil(q * (double)histogram->count); /* rank of the requested value, from 1 */
  if (rank < 1) rank = 1;
  uint64_t seen = 0;
  for (size_t i = bucket_of(histogram->min); i + 1 < RIPSTOP_HISTOGRAM_BUCKETS; i++) {
    seen += histogram->bucket[i];
    uint64_t value = highest_in(i);
    if (seen >= rank) return (double)(value < histogram->max ? value : histogram->max);
  }
  return (double)histogram->max;
}

/* The values of a bucket lie from `low` to `high`; its first and last bucket may hold only numbers from the minimum
 * to the maximum. */
static double spread_in(const ripstop_histogram *h, size_t bucket, double share) {
  double low = fmax((double)h->min, bucket ? (double)highest_in(bucket - 1) + 1 : 0);
  double high =
      bucket + 1 < RIPSTOP_HISTOGRAM_BUCKETS ? fmin((double)h->max, (double)highest_in(bucket)) : (double)h->max;
  return low - 0.5 + share * (high - low + 1);
}

double ripstop_histogram_smooth_quantile(const ripstop_histogram *histogram, double q) {
  if (!histogram->count) return NAN;
  double rank = q * (double)histogram->count, seen = 0;
  for (size_t i = bucket_of(histogram->min), last = bucket_of(histogram->max); i <= last; i++) {
    double here = (double)histogram->bucket[i];
    if (here > 0 && seen + here >= rank) return spread_in(histogram, i, (rank - seen) / here);
    seen += here;
  }
  return (double)histogram->max + 0.5;
}
