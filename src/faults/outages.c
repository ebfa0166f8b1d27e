/* outages.c - from outages to a schedule: a part is down while any of its outages is a failure; otherwise it has the
 * lowest rate of its outages. So each change changes something. */
#include "faults/outages.h"

#include <stdlib.h>

#include "base/growing.h"

static bool add(ripstop_outages *o, const ripstop_outage *what, double from, double until) {
  const double last = (double)RIPSTOP_OUTAGE_LAST;
  o->full = o->full || o->said++ == RIPSTOP_OUTAGES_MAX;
  if (o->full) return false;
  if (!(from <= last)) return true;
  uint64_t begin = (uint64_t)from, end = until <= last ? (uint64_t)until : RIPSTOP_FOREVER;
  if (end <= begin) return true; /* over within its cycle */
  RIPSTOP_GROW(o->list, o->count, o->room);
  ripstop_outage *next = &o->list[o->count];
  *next = *what;
  next->from = begin, next->until = end, next->order = o->count++;
  return true;
}

bool ripstop_outages_add(ripstop_outages *o, uint32_t id, bool is_switch, double from, double until) {
  return add(o, &(ripstop_outage){.id = id, .is_switch = is_switch}, from, until);
}

bool ripstop_outages_add_slow(ripstop_outages *o, uint32_t link, uint16_t rate, double from, double until) {
  return add(o, &(ripstop_outage){.id = link, .rate = rate}, from, until);
}

/* ------------------------------------------------------------------ ends of outages */

/* First an outage that begins or (`up`) ends; then the change of its part, with its position among the outages. */
typedef struct step {
  ripstop_change change;
  uint32_t order;
} step;

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_part(const void *a, const void *b) {
  const step *x = a, *y = b;
  if (x->change.is_switch != y->change.is_switch) return x->change.is_switch ? 1 : -1;
  if (x->change.id != y->change.id) return compare(x->change.id, y->change.id);
  return x->change.cycle != y->change.cycle ? compare(x->change.cycle, y->change.cycle) : compare(x->order, y->order);
}

static int by_time(const void *a, const void *b) {
  const step *x = a, *y = b;
  return x->change.cycle != y->change.cycle ? compare(x->change.cycle, y->change.cycle) : compare(x->order, y->order);
}

/* An outage without end ends in the cycle RIPSTOP_FOREVER. */
static size_t take_ends(const ripstop_outages *o, const ripstop_view *start, step *out) {
  size_t count = 0;
  for (uint32_t i = 0; i < o->count; i++) {
    const ripstop_outage *one = &o->list[i];
    if (!(one->is_switch ? start->node_up[one->id] : start->link_up[one->id])) continue;
    ripstop_change change = {.cycle = one->from, .id = one->id, .rate = one->rate, .is_switch = one->is_switch};
    out[count++] = (step){.change = change, .order = one->order};
    change.cycle = one->until, change.up = true;
    out[count++] = (step){.change = change, .order = one->order};
  }
  return count;
}

/* ------------------------------------------------------------------ changes of parts */

/* The outages of a part at a moment. */
typedef struct troubles {
  uint32_t at[RIPSTOP_RATE_FULL]; /* outages of each rate */
  uint32_t count, order;          /* order: that of the outage that began it */
  uint16_t worst;
} troubles;

static void take(troubles *t, const step *s) {
  const uint16_t rate = s->change.rate;
  if (s->change.up) {
    t->at[rate]--, t->count--;
  } else {
    if (!t->count) t->order = s->order;
    if (rate < t->worst) t->worst = rate;
    t->at[rate]++, t->count++;
  }
  while (t->worst < RIPSTOP_RATE_FULL && !t->at[t->worst]) t->worst++;
}

static bool same_moment(const step *a, const step *b) {
  return a->change.is_switch == b->change.is_switch && a->change.id == b->change.id &&
         a->change.cycle == b->change.cycle;
}

/* Turns ends of outages, sorted by part and time, into changes. Returns their number. After the last outage of a part
 * it has none. */
static size_t settle(step *steps, size_t count) {
  troubles *t = ripstop_realloc(NULL, 1, sizeof *t);
  *t = (troubles){.worst = RIPSTOP_RATE_FULL};
  size_t kept = 0;
  for (size_t i = 0; i < count;) {
    step now = steps[i];
    const uint16_t before = t->worst;
    while (i < count && same_moment(&now, &steps[i])) take(t, &steps[i++]);
    if (t->worst == before || now.change.cycle == RIPSTOP_FOREVER) continue;
    now.change.up = t->worst > 0;
    now.change.rate = t->worst < RIPSTOP_RATE_FULL ? t->worst : 0;
    now.order = t->order;
    steps[kept++] = now;
  }
  ripstop_free(t);
  return kept;
}

static void sort(step *steps, size_t count, int (*order)(const void *, const void *)) {
  if (count) qsort(steps, count, sizeof *steps, order);
}

void ripstop_outages_settle(const ripstop_outages *o, ripstop_arena *arena, const ripstop_fabric *fabric,
                            const ripstop_faults *faults, ripstop_schedule *out) {
  ripstop_view *start = ripstop_view_new(fabric, faults);
  step *steps = ripstop_realloc(NULL, 2 * (size_t)o->count + 1, sizeof *steps);
  size_t count = take_ends(o, start, steps);
  sort(steps, count, by_part);
  count = settle(steps, count);
  sort(steps, count, by_time);
  ripstop_change *change = RIPSTOP_ARRAY(arena, count, ripstop_change);
  for (size_t i = 0; i < count; i++) change[i] = steps[i].change;
  *out = (ripstop_schedule){.count = count, .change = change};
  ripstop_free(steps);
  ripstop_view_free(start);
}
