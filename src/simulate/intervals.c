/* intervals.c - half the width of the confidence interval of one run's value, from its batches.
 *
 * docs/model.md, "Intervals", has the rules, their sources and the measured coverage; tests/bench/coverage.c measures
 * it. Invariants: the event loop does nothing for an interval but close batches, and every half width is NAN, INFINITY
 * (intervals.h) or at least 0. */
#include "simulate/intervals.h"
#include "base/statistics.h"

#include <math.h>
#include <string.h>

/* A run says nothing about the spread of a latency unless it is many times as long as the mean latency, whatever its
 * batches look like. All batches of a shorter run contain the same packets in the queues, so a slow change stays
 * invisible. Near saturation a queue needs about (its latency / a service)^2 services to forget its length (Whitt,
 * "Planning queueing simulations", Management Science 35, 1989). The mean latency decides for the quantiles as well: a
 * rule on the quantile itself would accept the runs in which it came out low. A saturated network forgets sooner,
 * because full queues bound its state; there the latency in the network decides. The factors are measured: with them at
 * least 90 % of the intervals cover; with half of them 60 to 85 % near saturation. */
static const double LONG = 240, LONG_SATURATED = 100; /* latencies in a run */

/* Just above saturation the latency in the network rises for tens of thousands of cycles, or wanders. A rise has a
 * least-squares slope of 3 to 11 standard errors (5 and 95 % of 300 runs); wandering gives half widths of 10 % or more.
 * In a steady state 95 % of the slopes are below 2.7 standard errors, and half widths are at most 2 %. */
static const double GROWS = 3, RESTS = 0.05;

extent extent_of(const measure *m, const run *r) {
  double cycles = m->start == RIPSTOP_NONE || r->part->now <= m->start ? 1 : (double)(r->part->now - m->start);
  double share = m->start == RIPSTOP_NONE ? 0 : cycles / (double)m->config->cycles;
  return (extent){.cycles = cycles,
                  .node_cycles = cycles * (double)r->fabric->ends,
                  .batches = (size_t)(share * (double)m->config->batches)};
}

static batch batch_of(const measure *m, const value_group *g, size_t b, batch_value value) {
  batch sum = {0};
  for (uint32_t k = 0; k < g->tallies; k++) {
    const batch *one = &m->batch[g->tally[k] * (size_t)m->config->batches + b];
    sum.packets += one->packets;
    sum.flits += one->flits;
    sum.latency += value == NETWORK_LATENCY ? one->network_latency : one->latency;
  }
  return sum;
}

size_t read_batches(const measure *m, const run *r, const value_group *g, batch_value value, double *mean) {
  size_t whole = extent_of(m, r).batches;
  double cycles = (double)m->config->cycles / (double)m->config->batches;
  for (size_t b = 0; b < whole; b++) {
    batch sum = batch_of(m, g, b, value);
    if (value == FLOW)
      mean[b] = (double)sum.flits / cycles / (double)r->fabric->ends;
    else
      mean[b] = sum.packets ? (double)sum.latency / (double)sum.packets : NAN;
  }
  return whole;
}

/* ------------------------------------------------------------------ throughput */

double half_of_batches(const measure *m, const double *value, size_t count) {
  return ripstop_batches_half_width(value, count, ripstop_mean(value, count), m->config->confidence);
}

/* None among so many packets is no certainty: the bound of Clopper and Pearson for the share that may exist, as if the
 * packets were independent ("rule of three"). */
double bound_of_none(const measure *m, double packets) {
  return ripstop_clopper_pearson(0, (uint64_t)packets, m->config->confidence).high;
}

/* No delivered packet belongs to the group: the bound of its share. */
static double flow_bound(const measure *m, const run *r) {
  uint64_t packets = 0, flits = 0;
  for (uint32_t k = 0; k < m->group[0].tallies; k++) {
    packets += m->tally[m->group[0].tally[k]].sum.packets;
    flits += m->tally[m->group[0].tally[k]].sum.flits;
  }
  double all = (double)flits / extent_of(m, r).node_cycles;
  return packets ? all * bound_of_none(m, (double)packets) : INFINITY;
}

double half_of_flow(const measure *m, const run *r, const value_group *g, const packet_sums *sum, double *scratch) {
  double half = half_of_batches(m, scratch, read_batches(m, r, g, FLOW, scratch));
  return sum->flits || isnan(half) ? half : flow_bound(m, r);
}

/* ------------------------------------------------------------------ latency */

/* A least-squares line through equally spaced numbers. */
typedef struct line {
  double mean, slope;
  double error; /* standard error of the slope */
} line;

static line line_through(const double *number, size_t count) {
  double middle = ((double)count - 1) / 2, squares = 0, rest = 0;
  line l = {.mean = ripstop_mean(number, count)};
  for (size_t i = 0; i < count; i++) {
    l.slope += ((double)i - middle) * number[i];
    squares += ((double)i - middle) * ((double)i - middle);
  }
  if (squares > 0) l.slope /= squares;
  for (size_t i = 0; i < count; i++) rest += pow(number[i] - l.mean - l.slope * ((double)i - middle), 2);
  l.error = count > 2 ? sqrt(rest / ((double)count - 2) / squares) : INFINITY;
  return l;
}

static double sum_of(const packet_sums *sum, batch_value value) {
  return (double)(value == NETWORK_LATENCY ? sum->network_latency : sum->latency);
}

/* The contribution of each whole batch to the mean over packets: a batch counts by its number of packets. */
static void read_shares(const measure *m, const run *r, const value_group *g, const packet_sums *sum, batch_value value,
                        double *share) {
  size_t whole = extent_of(m, r).batches;
  double latency = sum_of(sum, value) / (double)sum->packets, packets = (double)sum->packets / (double)whole;
  for (size_t b = 0; b < whole; b++) {
    batch one = batch_of(m, g, b, value);
    share[b] = ((double)one.latency - latency * (double)one.packets) / packets;
    if (fabs(share[b]) < 1e-12 * latency) share[b] = 0; /* rounding */
  }
}

static bool is_long(const measure *m, const run *r, const packet_sums *sum, batch_value value) {
  double cycles = extent_of(m, r).cycles, packets = (double)sum->packets;
  if (cycles * packets >= LONG * (double)sum->latency) return true;
  return m->saturated && value == NETWORK_LATENCY && cycles * packets >= LONG_SATURATED * (double)sum->network_latency;
}

static bool is_at_rest(const measure *m, const double *share, size_t count, double latency) {
  const line l = line_through(share, count);
  return l.slope <= GROWS * l.error && half_of_batches(m, share, count) <= RESTS * latency;
}

/* True if the run is long enough for this latency of the group and the latency does not grow with the run. Fills
 * `share`. */
static bool is_bounded(const measure *m, const run *r, const value_group *g, const packet_sums *sum, batch_value value,
                       double *share) {
  read_shares(m, r, g, sum, value, share);
  if (!is_long(m, r, sum, value)) return false;
  return !m->saturated || is_at_rest(m, share, extent_of(m, r).batches, sum_of(sum, value) / (double)sum->packets);
}

/* The spread of a latency grows with the latency. A run with a low latency thus finds too small a spread, and most
 * intervals that miss lie below the truth. So the interval is symmetric on a logarithmic scale (Bartlett, "The use of
 * transformations", Biometrics 3, 1947); this is its longer side. */
static double longer_side(double latency, double half) {
  return isfinite(half) && latency > 0 ? latency * expm1(half / latency) : half;
}

double half_of_latency(const measure *m, const run *r, const value_group *g, const packet_sums *sum, batch_value value,
                       double *scratch) {
  size_t whole = extent_of(m, r).batches;
  if (whole < 2) return NAN;
  if (!is_bounded(m, r, g, sum, value, scratch)) return INFINITY;
  return longer_side(sum_of(sum, value) / (double)sum->packets, half_of_batches(m, scratch, whole));
}

/* ------------------------------------------------------------------ quantiles */

/* A quantile of integers jumps, and batches that all have the same one do not make it certain. So batches give smooth
 * quantiles, and the interval extends to the integers that theirs touches, and at least to half a cycle. */
static double to_whole_cycles(double quantile, double smooth, double half) {
  return fmax(0.5, fmax(round(smooth + half) - quantile, quantile - round(smooth - half)));
}

/* Logarithms of the batches' quantiles; false if a batch has no packets. */
static bool read_sections(const double *section, size_t count, double *logarithm) {
  for (size_t b = 0; b < count; b++) logarithm[b] = log(section[b]);
  for (size_t b = 0; b < count; b++)
    if (isnan(logarithm[b])) return false;
  return true;
}

/* Sectioning (Nakayama, "Confidence intervals for quantiles using sectioning when applying variance-reduction
 * techniques", ACM TOMACS 24, 2014): the interval spans the batches' quantiles around the quantile of all, so that the
 * bias of short batches widens it. On a logarithmic scale, as above. */
double half_of_quantile(const measure *m, const run *r, const value_group *g, const packet_sums *sum,
                        const double *section, const ripstop_histogram *all, double q, double *scratch) {
  size_t whole = extent_of(m, r).batches;
  double smooth = ripstop_histogram_smooth_quantile(all, q);
  if (whole < 2) return NAN;
  if (!is_bounded(m, r, g, sum, LATENCY, scratch) || !read_sections(section, whole, scratch)) return INFINITY;
  double half = smooth * expm1(ripstop_sections_half_width(scratch, whole, log(smooth), m->config->confidence));
  return isfinite(half) ? to_whole_cycles(ripstop_histogram_quantile(all, q), smooth, half) : half;
}

/* ------------------------------------------------------------------ drift */

static void remove_line(double *number, size_t count) {
  const line l = line_through(number, count);
  for (size_t i = 0; i < count; i++) number[i] -= l.mean + l.slope * ((double)i - ((double)count - 1) / 2);
}

/* The second half of the measured cycles against the first, minus 1. Each batch is compared with the one half of them
 * later, so that drift inside the halves does not blur the result. If the drift bends, these changes form a line; the
 * interval is that of the changes without this line, because drift would otherwise count as correlated noise and hide
 * itself. */
void add_drift(values *v, const char *name, const measure *m, const run *r, const value_group *g, batch_value value,
               double *scratch) {
  size_t half = read_batches(m, r, g, value, scratch) / 2, pairs = 0;
  double first = 0;
  for (size_t b = 0; b < half; b++) {
    const double before = scratch[b], change = scratch[half + b] - before;
    if (isnan(change)) continue; /* a short batch without packets */
    first += before;
    scratch[pairs++] = change;
  }
  first /= (double)pairs;
  double change = ripstop_mean(scratch, pairs) / first;
  if (pairs < 2 || !isfinite(change)) return;
  remove_line(scratch, pairs);
  values_add(v, name, change, ripstop_residuals_half_width(scratch, pairs, m->config->confidence) / first);
}
