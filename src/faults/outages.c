/* outages.c - from outages to a schedule: a part is down while some outage has it down, so each change changes
 * something. */
#include "faults/outages.h"

#include <stdlib.h>

bool ripstop_outages_add(ripstop_outages *o, uint32_t id, bool is_switch, double from, double until) {
  double last = (double)RIPSTOP_OUTAGE_LAST;
  o->full = o->full || o->said++ == RIPSTOP_OUTAGES_MAX;
  if (o->full) return false;
  if (!(from <= last)) return true;
  uint64_t begin = (uint64_t)from, end = until <= last ? (uint64_t)until : RIPSTOP_FOREVER;
  if (end <= begin) return true; /* over within its cycle */
  if (o->count == o->room) {
    o->room = o->room ? 2 * o->room : 64;
    o->list = ripstop_realloc(o->list, o->room, sizeof *o->list);
  }
  o->list[o->count] =
      (ripstop_outage){.from = begin, .until = end, .id = id, .order = o->count, .is_switch = is_switch};
  o->count++;
  return true;
}

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_part(const void *a, const void *b) {
  const ripstop_outage *x = a, *y = b;
  if (x->is_switch != y->is_switch) return x->is_switch ? 1 : -1;
  if (x->id != y->id) return compare(x->id, y->id);
  return x->from != y->from ? compare(x->from, y->from) : compare(x->order, y->order);
}

static bool same_part(const ripstop_outage *a, const ripstop_outage *b) {
  return a->is_switch == b->is_switch && a->id == b->id;
}

/* Those of one part that touch become one. */
static uint32_t merge(ripstop_outage *list, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    ripstop_outage *last = kept ? &list[kept - 1] : NULL;
    if (!last || !same_part(last, &list[i]) || list[i].from > last->until)
      list[kept++] = list[i];
    else if (list[i].until > last->until)
      last->until = list[i].until;
  }
  return kept;
}

/* A change, and where it stood among what was said. */
typedef struct step {
  ripstop_change change;
  uint32_t order;
} step;

static int by_time(const void *a, const void *b) {
  const step *x = a, *y = b;
  return x->change.cycle != y->change.cycle ? compare(x->change.cycle, y->change.cycle) : compare(x->order, y->order);
}

static size_t take_steps(const ripstop_outages *o, const ripstop_view *start, step *out) {
  size_t count = 0;
  for (uint32_t i = 0; i < o->count; i++) {
    const ripstop_outage *one = &o->list[i];
    if (!(one->is_switch ? start->node_up[one->id] : start->link_up[one->id])) continue;
    ripstop_change change = {.cycle = one->from, .id = one->id, .is_switch = one->is_switch};
    out[count++] = (step){.change = change, .order = one->order};
    if (one->until == RIPSTOP_FOREVER) continue;
    change.cycle = one->until, change.up = true;
    out[count++] = (step){.change = change, .order = one->order};
  }
  if (count) qsort(out, count, sizeof *out, by_time);
  return count;
}

void ripstop_outages_settle(ripstop_outages *o, ripstop_arena *arena, const ripstop_fabric *fabric,
                            const ripstop_faults *faults, ripstop_schedule *out) {
  if (o->count) qsort(o->list, o->count, sizeof *o->list, by_part);
  o->count = merge(o->list, o->count);
  ripstop_view *start = ripstop_view_new(fabric, faults);
  step *steps = ripstop_realloc(NULL, 2 * (size_t)o->count + 1, sizeof *steps);
  size_t count = take_steps(o, start, steps);
  ripstop_change *change = RIPSTOP_ARRAY(arena, count, ripstop_change);
  for (size_t i = 0; i < count; i++) change[i] = steps[i].change;
  *out = (ripstop_schedule){.count = count, .change = change};
  ripstop_free(steps);
  ripstop_view_free(start);
}
