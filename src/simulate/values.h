/* values.h - the list of a simulation's values with units, while it is built. */
#ifndef SIMULATE_VALUES_H
#define SIMULATE_VALUES_H

#include "base/histogram.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/kit/values.h"

typedef struct values {
  ripstop_arena *arena;
  ripstop_value *value;
  size_t count, room;
} values;

/* `name` is one of ripstop_quantities, which has its unit, and must live as long as the arena; `half`: NAN without an
 * interval. */
void values_add(values *v, const char *name, double value, double half);

/* distributions.c: adds quantiles of latencies, named `prefix` and a word of ripstop_quantiles, except those that are
 * always values and those beyond the number of packets. */
void spread_latency(values *v, const char *prefix, const ripstop_histogram *latency);
/* Adds the distribution of link use and of the service of end nodes, and each link's use, as `measure` requests.
 * `cycles`: measured ones. */
struct ripstop_simulation;
void spread_links(values *v, const struct ripstop_simulation *r, double cycles);

#endif
