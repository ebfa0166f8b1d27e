/* fib_transient.c - judges old and new routes together. */
#include "tables/ethernet/fib_transient.h"

#include "base/local.h"
#include "tables/ethernet/fib_fixed.h"
#include "tables/ethernet/fib_judge.h"

typedef struct mixing {
  fib *f;
  fib_state old, new, both;
  uint32_t *live; /* [sets]: without next hops over failed cables; RIPSTOP_NONE: not yet known */
  uint32_t lives;
  fib_hop *hop; /* work */
  ripstop_arena *scratch;
} mixing;

/* ------------------------------------------------------------------ entries */

static uint32_t live_set(mixing *m, uint32_t set) {
  fib *f = m->f;
  uint32_t count = 0;
  if (set < m->lives && m->live[set] != RIPSTOP_NONE) return m->live[set];
  for (uint32_t i = 0; i < f->set[set].count; i++) {
    const fib_hop h = f->hop[f->set[set].first + i];
    if (h.port != RIPSTOP_NONE && f->c->port[h.port].peer != RIPSTOP_NONE) m->hop[count++] = h;
  }
  const uint32_t live = count ? fib_set_of(f, m->hop, count) : FIB_DROPS;
  if (set < m->lives) m->live[set] = live;
  return live;
}

/* The entry of a switch that knows its failed cables. It makes no difference why an entry drops. */
static uint32_t live_entry(mixing *m, uint32_t entry) {
  if (fib_is_set(entry)) return live_set(m, entry);
  return entry == FIB_DELIVERS ? entry : FIB_DROPS;
}

/* The next hops of both. A switch that delivers by one of them adds none. */
static uint32_t joined(mixing *m, uint32_t a, uint32_t b) {
  fib *f = m->f;
  uint32_t count = 0;
  if (a == b || !fib_is_set(b)) return a == FIB_DROPS && b == FIB_DELIVERS ? b : a;
  if (!fib_is_set(a)) return b;
  for (uint32_t i = 0; i < f->set[a].count; i++) m->hop[count++] = f->hop[f->set[a].first + i];
  for (uint32_t i = 0; i < f->set[b].count; i++) m->hop[count++] = f->hop[f->set[b].first + i];
  return fib_set_of(f, m->hop, count);
}

static void mix(mixing *m, fib_transient *out) {
  fib *f = m->f;
  const size_t all = (size_t)f->classes * f->switches;
  uint32_t most = 1;
  for (uint32_t s = 0; s < f->sets; s++) most = f->set[s].count > most ? f->set[s].count : most;
  m->hop = RIPSTOP_ARRAY(m->scratch, 2 * (size_t)most, fib_hop);
  m->lives = f->sets;
  m->live = RIPSTOP_ARRAY(m->scratch, (size_t)m->lives + 1, uint32_t);
  for (uint32_t s = 0; s < m->lives; s++) m->live[s] = RIPSTOP_NONE;
  m->old.entry = RIPSTOP_ARRAY(m->scratch, all + 1, uint32_t);
  m->new.entry = RIPSTOP_ARRAY(m->scratch, all + 1, uint32_t);
  m->both.entry = RIPSTOP_ARRAY(m->scratch, all + 1, uint32_t);
  for (size_t i = 0; i < all; i++) {
    const uint32_t hosts = f->group[f->class_[i / f->switches].group].hosts;
    m->old.entry[i] = live_entry(m, f->before.entry[i]);
    m->new.entry[i] = live_entry(m, f->now.entry[i]);
    m->both.entry[i] = joined(m, m->old.entry[i], m->new.entry[i]);
    out->entries += hosts;
    if (m->old.entry[i] != m->new.entry[i]) out->changed += hosts;
  }
}

/* ------------------------------------------------------------------ loops */

static void find_loops(mixing *m, fib_transient *out) {
  fib *f = m->f;
  uint32_t *first_host, *host_of;
  uint64_t *pairs = RIPSTOP_ARRAY(m->scratch, (size_t)f->switches + 1, uint64_t);
  fib_walk walk;
  fib_walk_open(&walk, f, m->scratch);
  fib_group_hosts(f, m->scratch, &first_host, &host_of);
  for (uint32_t c = 0; c < f->classes; c++) {
    bool loops = false;
    fib_walk_class(&walk, &m->both.entry[(size_t)c * f->switches]);
    if (walk.settled == f->switches) continue;
    fib_pairs_of(f, f->class_[c].group, first_host, host_of, pairs);
    for (uint32_t s = 0; s < f->switches; s++) loops |= pairs[s] && !(walk.flag[s] & FIB_SETTLED);
    if (loops) fib_note(f, &out->looping, fib_prefix_name(f, &f->class_[c].prefix));
  }
}

/* True if the entries of one age have a credit loop by themselves. */
static bool waits_alone(const mixing *m, const fib_state *state) {
  fib_waits waits;
  fib_waits_open(&waits, m->f, 1, m->scratch);
  fib_waits_fill(&waits, state);
  return fib_waits_in_cycles(&waits, RIPSTOP_ARRAY(m->scratch, (size_t)waits.links + 1, bool)) > 0;
}

/* All new and all old entries are the first choices; only where these have no loop are others listed. */
static fib_fixed find_fixed(const mixing *m, const fib_transient *t) {
  if (!t->cycles.length) return FIB_FIXED_NO;
  if (t->looping.count) return FIB_FIXED_YES; /* the entries of a loop exclude each other nowhere */
  if (waits_alone(m, &m->new) || waits_alone(m, &m->old)) return FIB_FIXED_YES;
  return fib_find_fixed(m->f, &m->old, &m->new, &t->waits);
}

void fib_judge_transient(fib *f, fib_transient *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  mixing m = {.f = f, .scratch = scratch};
  *out = (fib_transient){0};
  mix(&m, out);
  find_loops(&m, out);
  fib_waits_open(&out->waits, f, 1, f->arena);
  fib_waits_fill(&out->waits, &m.both);
  fib_waits_cycles(&out->waits, f->arena, &out->cycles);
  out->fixed = find_fixed(&m, out);
}
