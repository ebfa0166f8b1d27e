/* outage.c - see outage.h. */
#include "simulate/outage.h"

#include <math.h>

#include "simulate/control.h"
#include "simulate/core.h"
#include "simulate/reconfiguration.h"

/* A run that no agent ends counts as recovered when nothing is lost in the last of so many equal parts of the time
 * since the change. */
enum { QUIET = 20 };

void outage_open(run *r) {
  uint32_t *last_delivery = RIPSTOP_ARRAY(r->arena, r->fabric->ends, uint32_t);
  for (uint32_t i = 0; i < r->shape->parts; i++)
    r->part[i].measure.outage = (outage){.change = RIPSTOP_NONE, .last_delivery = last_delivery};
  if (r->goods)
    r->goods->outage =
        (outage){.change = RIPSTOP_NONE, .last_delivery = RIPSTOP_ARRAY(r->arena, r->fabric->ends, uint32_t)};
}

void outage_change(run *r) {
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    outage *o = &r->part[i].measure.outage;
    if (o->change == RIPSTOP_NONE) o->change = r->part->now;
  }
  if (r->goods) r->goods->outage.change = r->part->measure.outage.change;
}

/* The last cycle in which a switch got new candidates; 0: none did. */
static uint32_t last_candidates(const run *r) {
  uint64_t last = 0;
  for (uint32_t node = r->fabric->ends; node < r->fabric->nodes; node++) {
    uint64_t cycle = control_renewed(r, node);
    if (cycle != UINT64_MAX && cycle > last) last = cycle;
  }
  return (uint32_t)last;
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

outage_times outage_of(const run *r) {
  uint32_t change = r->part->measure.outage.change, now = r->part->now, good = change;
  outage sum = {0};
  if (change == RIPSTOP_NONE) return (outage_times){NAN, NAN, NAN};
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    const outage *o = &r->part[i].measure.outage;
    sum.stall = later(sum.stall, o->stall);
    sum.before = later(sum.before, o->before);
    good = later(good, o->lost);
  }
  if (r->goods) sum = r->goods->outage;
  good = later(good, last_candidates(r));
  if (r->stop && r->stop->stops) good = later(good, r->stop->since);
  bool never = r->deadlocked || (r->stop && r->stop->phase != RUNNING);
  bool doubtful = !r->finished && (uint64_t)(now - good) * QUIET < now - change;
  return (outage_times){sum.stall, sum.before, never || (good > change && doubtful) ? NAN : (double)(good - change)};
}
