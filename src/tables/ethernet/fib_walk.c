/* fib_walk.c - what packets of one class of addresses can do: arrive, end, or loop. Linear in the next hops. */
#include "base/growing.h"
#include "tables/ethernet/fib_judge.h"

void fib_walk_open(fib_walk *w, const fib *f, ripstop_arena *scratch) {
  const size_t n = (size_t)f->switches + 2;
  *w = (fib_walk){.f = f,
                  .flag = RIPSTOP_ARRAY(scratch, n, uint8_t),
                  .order = RIPSTOP_ARRAY(scratch, n, uint32_t),
                  .left = RIPSTOP_ARRAY(scratch, n, uint32_t),
                  .first = RIPSTOP_ARRAY(scratch, n, uint32_t),
                  .queue = RIPSTOP_ARRAY(scratch, n, uint32_t),
                  .scratch = scratch};
}

/* Lists for each switch those that send to it, and counts the next hops of each. */
static void list_senders(fib_walk *w, const uint32_t *entry) {
  const fib *f = w->f;
  memset(w->first, 0, ((size_t)f->switches + 2) * sizeof *w->first);
  for (uint32_t s = 0; s < f->switches; s++) {
    w->left[s] = 0;
    if (!fib_is_set(entry[s])) continue;
    const fib_set *set = &f->set[entry[s]];
    for (const fib_hop *h = &f->hop[set->first], *end = h + set->count; h < end; h++)
      if (h->to != FIB_LOST) w->first[h->to + 2]++, w->left[s]++;
  }
  for (uint32_t s = 0; s < f->switches; s++) w->first[s + 2] += w->first[s + 1];
  RIPSTOP_ROOM_IN(w->scratch, w->from, (size_t)w->first[f->switches + 1] + 1, w->from_room);
  for (uint32_t s = 0; s < f->switches; s++) {
    if (!fib_is_set(entry[s])) continue;
    const fib_set *set = &f->set[entry[s]];
    for (const fib_hop *h = &f->hop[set->first], *end = h + set->count; h < end; h++)
      if (h->to != FIB_LOST) w->from[w->first[h->to + 1]++] = s;
  }
}

static bool ends_here(const fib *f, uint32_t entry) {
  if (!fib_is_set(entry)) return entry != FIB_DELIVERS;
  const fib_set *set = &f->set[entry];
  for (uint32_t i = 0; i < set->count; i++)
    if (f->hop[set->first + i].to == FIB_LOST) return true;
  return false;
}

/* Gives the flag to all from which packets come to those in the queue, which have it. */
static void spread(fib_walk *w, uint32_t count, uint8_t flag) {
  for (uint32_t at = 0; at < count; at++)
    for (uint32_t i = w->first[w->queue[at]]; i < w->first[w->queue[at] + 1]; i++) {
      const uint32_t s = w->from[i];
      if (w->flag[s] & flag) continue;
      w->flag[s] |= flag;
      w->queue[count++] = s;
    }
}

void fib_walk_class(fib_walk *w, const uint32_t *entry) {
  const fib *f = w->f;
  list_senders(w, entry);
  memset(w->flag, 0, f->switches);
  w->settled = 0;
  for (uint32_t s = 0; s < f->switches; s++)
    if (w->left[s] == 0) w->order[w->settled++] = s;
  for (uint32_t at = 0; at < w->settled; at++) {
    const uint32_t s = w->order[at];
    w->flag[s] |= FIB_SETTLED;
    for (uint32_t i = w->first[s]; i < w->first[s + 1]; i++)
      if (--w->left[w->from[i]] == 0) w->order[w->settled++] = w->from[i];
  }
  uint32_t count = 0;
  for (uint32_t s = 0; s < f->switches; s++)
    if (entry[s] == FIB_DELIVERS) w->flag[w->queue[count++] = s] |= FIB_ARRIVES;
  spread(w, count, FIB_ARRIVES);
  count = 0;
  for (uint32_t s = 0; s < f->switches; s++)
    if (ends_here(f, entry[s])) w->flag[w->queue[count++] = s] |= FIB_ENDS;
  spread(w, count, FIB_ENDS);
}
