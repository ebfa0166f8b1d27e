/* intervals.h - half the width of the interval of a value of one run, from its batches (docs/model.md, "Intervals").
 * NAN: the value cannot have an interval, as there are not two whole batches. INFINITY: the run does not bound it. */
#ifndef SIMULATE_INTERVALS_H
#define SIMULATE_INTERVALS_H

#include "simulate/core.h"
#include "simulate/values.h"

/* How far a run got. A deadlock cuts a run short: it has fewer measured cycles and whole batches than requested. */
typedef struct extent {
  double cycles, node_cycles;
  size_t batches;
} extent;

typedef enum { FLOW, LATENCY, NETWORK_LATENCY } batch_value;

/* The packets of a group in all measured cycles. */
typedef struct group_sums {
  uint64_t packets, flits, hops, latency, network_latency;
} group_sums;

extent extent_of(const measure *m, const run *r);
/* Fills mean[batches] with the throughput of each whole batch, or the mean latency of its packets; NAN without any.
 * Returns the number of whole batches. */
size_t read_batches(const measure *m, const run *r, const value_group *g, batch_value value, double *mean);

/* `scratch` of all: [measure.batches]. */
double half_of_batches(const measure *m, const double *value, size_t count);
double half_of_flow(const measure *m, const run *r, const value_group *g, const group_sums *sum, double *scratch);
double half_of_latency(const measure *m, const run *r, const value_group *g, const group_sums *sum, batch_value value,
                       double *scratch);
/* `section`: the smooth quantiles of the batches, `all`: the latencies of all of them. */
double half_of_quantile(const measure *m, const run *r, const value_group *g, const group_sums *sum,
                        const double *section, const ripstop_histogram *all, double q, double *scratch);
/* Half the width for a count of 0 among so many packets, as a share of them. */
double bound_of_none(const measure *m, double packets);
/* Adds the change of a value between the halves of the measured cycles, if every half has some. */
void add_drift(values *v, const char *name, const measure *m, const run *r, const value_group *g, batch_value value,
               double *scratch);

#endif
