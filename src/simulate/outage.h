/* outage.h - the cost of a run's first change for its users: how long an end node received nothing, and how long until
 * the network had recovered (docs/model.md, "What is counted").
 *
 * Each part keeps its own counters, and an end node belongs to one part, so that no part writes what another reads. */
#ifndef SIMULATE_OUTAGE_H
#define SIMULATE_OUTAGE_H

#include "ripstop/plugin/base.h"

struct ripstop_simulation;

typedef struct outage {
  uint32_t change;         /* cycle of the first change; RIPSTOP_NONE: none */
  uint32_t *last_delivery; /* [ends], shared by all parts: 1 + the cycle of the last packet; 0: none */
  uint32_t before, stall;  /* longest gaps that have ended, before the change and from it on */
  uint32_t lost;           /* 1 more than the cycle of the last loss; 0: none */
} outage;

/* Opens the counters of all parts; before the first cycle. */
void outage_open(struct ripstop_simulation *r);
/* Call it in the cycle of a change. */
void outage_change(struct ripstop_simulation *r);

static inline void outage_delivered(outage *o, uint32_t end, uint32_t cycle) {
  uint32_t since = o->last_delivery[end];
  o->last_delivery[end] = cycle + 1;
  if (cycle < o->change) {
    if (since && cycle + 1 - since > o->before) o->before = cycle + 1 - since;
    return;
  }
  if (since <= o->change) since = o->change + 1;
  if (cycle + 1 - since > o->stall) o->stall = cycle + 1 - since;
}

static inline void outage_lost(outage *o, uint32_t cycle) { o->lost = cycle + 1; }

/* In cycles; all NAN without a change. `good`: time to recovery; NAN if it may never have happened. */
typedef struct outage_times {
  double stall, before, good;
} outage_times;
outage_times outage_of(const struct ripstop_simulation *r);

#endif
