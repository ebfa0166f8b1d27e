/* intervals.h - half the width of the confidence interval of one run's value, from its batches (docs/model.md,
 * "Intervals"). NAN: fewer than two whole batches. INFINITY: the run does not bound it. */
#ifndef SIMULATE_INTERVALS_H
#define SIMULATE_INTERVALS_H

#include "simulate/core.h"
#include "simulate/values.h"

/* The extent of a run. A deadlock leaves a run with fewer measured cycles and whole batches than requested. */
typedef struct extent {
  double cycles, node_cycles;
  size_t batches;
} extent;

typedef enum { FLOW, LATENCY, NETWORK_LATENCY } batch_value;

extent extent_of(const measure *m, const run *r);
/* Fills mean[batches] with each whole batch's throughput or mean latency; NAN without packets. Returns the number of
 * whole batches. */
size_t read_batches(const measure *m, const run *r, const value_group *g, batch_value value, double *mean);

/* `scratch`: [measure.batches]. */
double half_of_batches(const measure *m, const double *value, size_t count);
double half_of_flow(const measure *m, const run *r, const value_group *g, const packet_sums *sum, double *scratch);
double half_of_latency(const measure *m, const run *r, const value_group *g, const packet_sums *sum, batch_value value,
                       double *scratch);
/* `section`: the smooth quantiles of the batches; `all`: the latencies of all batches. */
double half_of_quantile(const measure *m, const run *r, const value_group *g, const packet_sums *sum,
                        const double *section, const ripstop_histogram *all, double q, double *scratch);
/* Half the width for a count of 0 among so many packets, as a share of them. */
double bound_of_none(const measure *m, double packets);
/* Adds the change of a value between the halves of the measured cycles, if both halves have batches with packets. */
void add_drift(values *v, const char *name, const measure *m, const run *r, const value_group *g, batch_value value,
               double *scratch);

#endif
