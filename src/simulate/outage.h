/* outage.h - what the first change of a run costs those who wait: how long an end node got nothing, and how long it
 * took until all was good again (docs/model.md, "What is counted").
 *
 * Each part keeps its own; an end node is of one part, so that none writes what another reads. */
#ifndef SIMULATE_OUTAGE_H
#define SIMULATE_OUTAGE_H

#include "ripstop/base.h"

struct ripstop_simulation;

typedef struct outage {
  uint32_t change;        /* the cycle of the first change; RIPSTOP_NONE: there was none */
  uint32_t *heard;        /* [ends], of all parts: 1 more than the cycle of the last packet; 0: none */
  uint32_t before, stall; /* longest waits that have ended, before the change and from it on */
  uint32_t lost;          /* 1 more than the cycle of the last loss; 0: none */
} outage;

/* Of all parts; before the first cycle. */
void outage_open(struct ripstop_simulation *r);
/* In the cycle of a change. */
void outage_change(struct ripstop_simulation *r);

static inline void outage_heard(outage *o, uint32_t end, uint32_t cycle) {
  uint32_t since = o->heard[end];
  o->heard[end] = cycle + 1;
  if (cycle < o->change) {
    if (since && cycle + 1 - since > o->before) o->before = cycle + 1 - since;
    return;
  }
  if (since <= o->change) since = o->change + 1;
  if (cycle + 1 - since > o->stall) o->stall = cycle + 1 - since;
}

static inline void outage_lost(outage *o, uint32_t cycle) { o->lost = cycle + 1; }

/* In cycles; all NAN without a change. `good`: NAN where it may never have become so. */
typedef struct outage_times {
  double stall, before, good;
} outage_times;
outage_times outage_of(const struct ripstop_simulation *r);

#endif
