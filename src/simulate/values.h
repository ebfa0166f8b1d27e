/* values.h - the list of numbers with units that a simulation comes to, while it is made. */
#ifndef SIMULATE_VALUES_H
#define SIMULATE_VALUES_H

#include "base/histogram.h"
#include "ripstop/simulate.h"

typedef struct values {
  ripstop_arena *arena;
  ripstop_value *value;
  size_t count, room;
} values;

/* `name` and `unit` stay as they are as long as the arena; `half`: NAN without an interval. */
void values_add(values *v, const char *name, const char *unit, double value, double half);

/* distributions.c: quantiles of latencies, named `prefix` and a word of ripstop_quantiles, but for those that are
 * values without measure.spread, and those beyond the packets that there are. */
void spread_latency(values *v, const char *prefix, const ripstop_histogram *latency);
/* How the use of links and the service of end nodes are spread, and each link's use: as far as `measure` asks for it.
 * `cycles`: that were measured. */
struct ripstop_simulation;
void spread_links(values *v, const struct ripstop_simulation *r, double cycles);

#endif
