/* fib_fixed.c - searches for one choice of old or new for each entry whose tables have a credit loop.
 *
 * Choices for different classes of addresses are independent. So for each class the search lists which dependencies its
 * choices lead to, as far as these can be on a cycle at all, and keeps the sets that no other contains. Then it tries
 * one set of each class, and drops a branch as soon as all that is left has no cycle. Both lists have bounds; beyond
 * them the answer is "undecided", unless a choice that was tried has a credit loop. */
#include "tables/ethernet/fib_fixed.h"

#include "base/growing.h"
#include "base/local.h"
#include "tables/ethernet/fib_judge.h"

/* Changed switches of a class that are tried in all ways; choices of all classes; branches. */
enum { CHANGED_MOST = 12, CHOICES_MOST = 1 << 17, STEPS_MOST = 1 << 16 };

/* A dependency that can be on a cycle. */
typedef struct arc {
  uint32_t in, out; /* links */
} arc;

/* The sets of arcs to which the choices of one class lead; none contains another. */
typedef struct options {
  uint64_t **set;
  uint32_t count;
  size_t room;
} options;

typedef struct finding {
  fib *f;
  const fib_state *old, *new;
  const fib_waits *all;
  arc *arc;
  uint32_t arcs, words;
  size_t arc_room;
  uint32_t *first_arc; /* by link in: its arcs stand together */
  options *of;         /* [classes] */
  uint64_t **rest;     /* [classes + 1]: the arcs of all options from that class on */
  uint32_t choices, steps;
  bool cut; /* something was not tried */
  /* work for one class */
  uint32_t *place; /* [switches]: its bit in a choice; RIPSTOP_NONE: it has none */
  bool *seen;
  uint32_t *queue;
  uint64_t *pairs;
  uint32_t *colour, *path, *at; /* [links]: for the search for cycles */
  ripstop_arena *scratch;
} finding;

/* ------------------------------------------------------------------ arcs */

static bool waits_for(const fib_waits *w, uint32_t in, uint32_t out) {
  const uint32_t bit = out - w->first_out[w->into[in]];
  return w->bits[w->first_row[in] + bit / 64] >> bit % 64 & 1;
}

static void list_arcs(finding *x) {
  const fib_waits *w = x->all;
  bool *in = RIPSTOP_ARRAY(x->scratch, (size_t)w->links + 1, bool);
  fib_waits_in_cycles(w, in);
  x->first_arc = RIPSTOP_ARRAY(x->scratch, (size_t)w->links + 2, uint32_t);
  for (uint32_t l = 0; l < w->links; l++) {
    x->first_arc[l] = x->arcs;
    for (uint32_t o = w->first_out[w->into[l]]; in[l] && o < w->first_out[w->into[l] + 1]; o++) {
      if (!in[o] || !waits_for(w, l, o)) continue;
      RIPSTOP_GROW_IN(x->scratch, x->arc, x->arcs, x->arc_room);
      x->arc[x->arcs++] = (arc){l, o};
    }
  }
  x->first_arc[w->links] = x->arcs;
  x->words = x->arcs / 64 + 1;
}

static bool has(const uint64_t *set, uint32_t i) { return set[i / 64] >> i % 64 & 1; }

/* Depth-first search along the arcs of the set. */
static bool is_cyclic(finding *x, const uint64_t *set) {
  memset(x->colour, 0, x->all->links * sizeof *x->colour);
  for (uint32_t i = 0; i < x->arcs; i++) {
    uint32_t depth = 0;
    if (!has(set, i) || x->colour[x->arc[i].in]) continue;
    x->path[depth++] = x->arc[i].in;
    x->colour[x->arc[i].in] = 1;
    x->at[x->arc[i].in] = x->first_arc[x->arc[i].in];
    while (depth) {
      const uint32_t l = x->path[depth - 1], k = x->at[l]++;
      if (k == x->first_arc[l + 1]) {
        x->colour[l] = 2;
        depth--;
        continue;
      }
      const uint32_t to = x->arc[k].out;
      if (!has(set, k) || x->colour[to] == 2) continue;
      if (x->colour[to] == 1) return true;
      x->colour[to] = 1;
      x->at[to] = x->first_arc[to];
      x->path[depth++] = to;
    }
  }
  return false;
}

/* ------------------------------------------------------------------ the choices of a class */

static uint32_t chosen(const finding *x, uint32_t class_, uint32_t s, uint32_t choice) {
  const bool old = x->place[s] != RIPSTOP_NONE && choice >> x->place[s] & 1;
  return fib_entry(x->f, old ? x->old : x->new, class_, s);
}

static void add_arcs(const finding *x, uint32_t class_, uint32_t choice, uint32_t link, uint64_t *out) {
  const fib *f = x->f;
  const uint32_t set = chosen(x, class_, x->all->into[link], choice);
  if (!fib_is_set(set) || !x->arc) return;
  for (uint32_t i = x->first_arc[link]; i < x->first_arc[link + 1]; i++)
    for (const fib_hop *h = &f->hop[f->set[set].first], *end = h + f->set[set].count; h < end; h++)
      if (h->to != FIB_LOST && x->all->link_of[h->port] == x->arc[i].out) out[i / 64] |= UINT64_C(1) << i % 64;
}

/* The arcs that packets of the class's hosts use under a choice. */
static void follow(finding *x, uint32_t class_, uint32_t choice, uint64_t *out) {
  const fib *f = x->f;
  uint32_t count = 0;
  memset(out, 0, x->words * sizeof *out);
  for (uint32_t s = 0; s < f->switches; s++)
    if ((x->seen[s] = x->pairs[s] > 0)) x->queue[count++] = s;
  for (uint32_t at = 0; at < count; at++) {
    const uint32_t set = chosen(x, class_, x->queue[at], choice);
    if (!fib_is_set(set)) continue;
    for (const fib_hop *h = &f->hop[f->set[set].first], *end = h + f->set[set].count; h < end; h++) {
      if (h->to == FIB_LOST) continue;
      add_arcs(x, class_, choice, x->all->link_of[h->port], out);
      if (x->seen[h->to]) continue;
      x->seen[h->to] = true;
      x->queue[count++] = h->to;
    }
  }
}

static bool contains(const finding *x, const uint64_t *large, const uint64_t *small) {
  for (uint32_t w = 0; w < x->words; w++)
    if (small[w] & ~large[w]) return false;
  return true;
}

static void keep(finding *x, options *o, const uint64_t *set) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < o->count; i++)
    if (contains(x, o->set[i], set)) return;
  for (uint32_t i = 0; i < o->count; i++)
    if (!contains(x, set, o->set[i])) o->set[kept++] = o->set[i];
  o->count = kept;
  RIPSTOP_GROW_IN(x->scratch, o->set, o->count, o->room);
  uint64_t *copy = RIPSTOP_ARRAY(x->scratch, x->words, uint64_t);
  memcpy(copy, set, x->words * sizeof *copy);
  o->set[o->count++] = copy;
}

/* Gives each switch that changed a bit of the choice, as long as there are not too many choices. */
static uint32_t number_changed(finding *x, uint32_t class_) {
  const fib *f = x->f;
  uint32_t changed = 0;
  for (uint32_t s = 0; s < f->switches; s++) {
    x->place[s] = RIPSTOP_NONE;
    if (fib_entry(f, x->old, class_, s) == fib_entry(f, x->new, class_, s)) continue;
    if (changed < CHANGED_MOST && x->choices + (UINT32_C(2) << changed) <= CHOICES_MOST)
      x->place[s] = changed++;
    else
      x->cut = true;
  }
  x->choices += UINT32_C(1) << changed;
  return changed;
}

static void list_options(finding *x, const uint32_t *first_host, const uint32_t *host_of) {
  uint64_t *set = RIPSTOP_ARRAY(x->scratch, x->words, uint64_t);
  for (uint32_t c = 0; c < x->f->classes; c++) {
    fib_pairs_of(x->f, x->f->class_[c].group, first_host, host_of, x->pairs);
    const uint32_t changed = number_changed(x, c);
    for (uint32_t choice = 0; choice < UINT32_C(1) << changed; choice++) {
      follow(x, c, choice, set);
      keep(x, &x->of[c], set);
    }
  }
}

/* ------------------------------------------------------------------ all classes */

/* Chooses for each class from `class_` on; `set` has the arcs of those before. */
static bool choose(finding *x, uint64_t **set) {
  const uint32_t classes = x->f->classes;
  uint32_t *next = RIPSTOP_ARRAY(x->scratch, (size_t)classes + 1, uint32_t);
  uint64_t *most = RIPSTOP_ARRAY(x->scratch, x->words, uint64_t);
  for (uint32_t c = 0;;) {
    if (next[c] == 0) {
      for (uint32_t w = 0; w < x->words; w++) most[w] = set[c][w] | x->rest[c][w];
      if (is_cyclic(x, set[c])) return true;
      if (!is_cyclic(x, most)) next[c] = UINT32_MAX;
    }
    if (c == classes || next[c] >= x->of[c].count || x->steps == STEPS_MOST) {
      const bool spent = x->steps == STEPS_MOST;
      x->cut |= spent;
      if (c-- == 0 || spent) return false;
      continue;
    }
    for (uint32_t w = 0; w < x->words; w++) set[c + 1][w] = set[c][w] | x->of[c].set[next[c]][w];
    next[c]++;
    next[++c] = 0;
    x->steps++;
  }
}

fib_fixed fib_find_fixed(fib *f, const fib_state *old, const fib_state *new, const fib_waits *all) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const size_t n = (size_t)f->switches + 1, links = (size_t)all->links + 1;
  uint32_t *first_host, *host_of;
  finding x = {.f = f,
               .old = old,
               .new = new,
               .all = all,
               .of = RIPSTOP_ARRAY(scratch, (size_t)f->classes + 1, options),
               .rest = RIPSTOP_ARRAY(scratch, (size_t)f->classes + 1, uint64_t *),
               .place = RIPSTOP_ARRAY(scratch, n, uint32_t),
               .seen = RIPSTOP_ARRAY(scratch, n, bool),
               .queue = RIPSTOP_ARRAY(scratch, n, uint32_t),
               .pairs = RIPSTOP_ARRAY(scratch, n, uint64_t),
               .colour = RIPSTOP_ARRAY(scratch, links, uint32_t),
               .path = RIPSTOP_ARRAY(scratch, links, uint32_t),
               .at = RIPSTOP_ARRAY(scratch, links, uint32_t),
               .scratch = scratch};
  fib_group_hosts(f, scratch, &first_host, &host_of);
  list_arcs(&x);
  list_options(&x, first_host, host_of);
  uint64_t **set = RIPSTOP_ARRAY(scratch, (size_t)f->classes + 1, uint64_t *);
  for (uint32_t c = f->classes + 1; c-- > 0;) {
    set[c] = RIPSTOP_ARRAY(scratch, x.words, uint64_t);
    x.rest[c] = RIPSTOP_ARRAY(scratch, x.words, uint64_t);
    for (uint32_t w = 0; c < f->classes && w < x.words; w++) {
      x.rest[c][w] = x.rest[c + 1][w];
      for (uint32_t i = 0; i < x.of[c].count; i++) x.rest[c][w] |= x.of[c].set[i][w];
    }
  }
  if (choose(&x, set)) return FIB_FIXED_YES;
  return x.cut ? FIB_FIXED_UNDECIDED : FIB_FIXED_NO;
}
