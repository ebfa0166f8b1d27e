/* symmetry.c - sets of links up to relabelling, without a table of the sets seen.
 *
 * A link is a tuple of symbols (ripstop_family's hook), packed into one key. For a sequence of links the relabelling
 * that numbers the symbols of each alphabet as they first appear is canonical: two sequences get equal keys exactly
 * when permutations of the alphabets map one to the other. A set's canonical form is the least such sequence over all
 * orders of its links.
 *
 *   It ascends: of two neighbours out of order, the second, moved before the first, would find fewer symbols numbered
 *   and get no greater a key, which makes a lesser sequence. So it is the representative's own ascending list.
 *
 *   Its prefixes are canonical: a lesser form of the first n - 1 links, continued by the last one, would be lesser
 *   altogether. So every representative is found exactly once by appending to a representative of one link less a
 *   link after its last and keeping canonical results (orderly generation: Read 1978), depth-first, in the memory of
 *   one set.
 *
 *   Size of an orbit: the sequences that have these keys are the selections of distinct values for the symbols used,
 *   so in an alphabet of s values with u used s (s-1) ... (s-u+1). Every set of the orbit has equally many of them
 *   among its orders, `ties`. So the orbit has that product / ties sets.
 *
 * Without symbols a link is one fixed symbol, its number, and every set is its own orbit.
 *
 * Cost for a set of n links: n! orders at worst, but only those whose prefix is the least are followed: n^2 steps if
 * the set has no symmetry of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/divisor.h"
#include "base/memory.h"
#include "base/sort.h"
#include "fabric/count.h"
#include "prove/symmetry.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/method.h"

enum { KEY_BITS = 64 };

typedef struct keyed {
  uint64_t key;
  uint32_t link;
} keyed;

/* Links by rank: their order by key. */
struct ripstop_symmetry {
  uint32_t links, first_link; /* switch-switch links; the number of the first */
  uint32_t width;             /* symbols in a tuple; shorter ones end in fixed zeros */
  keyed *by_key;              /* [links] */
  uint32_t *rank;             /* [links]: rank of first_link + i */
  ripstop_symbol *symbol;     /* [links * width], by rank */
  uint8_t shift[RIPSTOP_SYMBOLS_MAX];
  uint32_t values[RIPSTOP_ALPHABETS_MAX]; /* values of each alphabet: 0 .. values-1 */
};

/* ------------------------------------------------------------------ tuples and keys */

static uint32_t tuple_of(const ripstop_fabric *f, bool use, uint32_t link, ripstop_symbol *out) {
  if (use && f->family->symbols) return f->family->symbols(f, link, out);
  out[0] = (ripstop_symbol){.alphabet = RIPSTOP_FIXED_ALPHABET, .value = link};
  return 1;
}

static uint32_t bits_for(uint32_t value) {
  uint32_t bits = 0;
  while (bits < 32 && value >> bits) bits++;
  return bits;
}

/* Assigns each position of a tuple its bits in the key, the first one highest. False if it does not fit. */
static bool lay_out(ripstop_symmetry *s, const ripstop_fabric *f, bool use) {
  uint32_t most[RIPSTOP_SYMBOLS_MAX] = {0};
  ripstop_symbol tuple[RIPSTOP_SYMBOLS_MAX];
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t count = tuple_of(f, use, link, tuple);
    if (count > s->width) s->width = count;
    for (uint32_t i = 0; i < count; i++) {
      if (tuple[i].value > most[i]) most[i] = tuple[i].value;
      if (tuple[i].value >= s->values[tuple[i].alphabet]) s->values[tuple[i].alphabet] = tuple[i].value + 1;
    }
  }
  uint32_t shift = 0;
  for (uint32_t i = s->width; i-- > 0;) {
    if (shift + bits_for(most[i]) > KEY_BITS) return false;
    s->shift[i] = (uint8_t)(shift % KEY_BITS); /* 64 only where all values are 0 */
    shift += bits_for(most[i]);
  }
  return true;
}

static uint64_t own_key(const ripstop_symmetry *s, const ripstop_symbol *tuple) {
  uint64_t key = 0;
  for (uint32_t i = 0; i < s->width; i++) key |= (uint64_t)tuple[i].value << s->shift[i];
  return key;
}

static int by_key(const void *a, const void *b) {
  uint64_t x = ((const keyed *)a)->key, y = ((const keyed *)b)->key;
  return x < y ? -1 : x > y;
}

static void fill_tables(ripstop_symmetry *s, const ripstop_fabric *f, bool use) {
  s->by_key = ripstop_realloc(NULL, s->links + 1, sizeof *s->by_key);
  s->rank = ripstop_realloc(NULL, s->links + 1, sizeof *s->rank);
  s->symbol = ripstop_realloc(NULL, (size_t)s->links * s->width + 1, sizeof *s->symbol);
  for (uint32_t i = 0; i < s->links; i++) {
    ripstop_symbol tuple[RIPSTOP_SYMBOLS_MAX] = {{0}};
    tuple_of(f, use, f->link_ends + i, tuple);
    s->by_key[i] = (keyed){.key = own_key(s, tuple), .link = f->link_ends + i};
  }
  qsort(s->by_key, s->links, sizeof *s->by_key, by_key);
  for (uint32_t rank = 0; rank < s->links; rank++) {
    ripstop_symbol *tuple = s->symbol + (size_t)rank * s->width;
    uint32_t count = tuple_of(f, use, s->by_key[rank].link, tuple);
    for (uint32_t i = count; i < s->width; i++) tuple[i] = (ripstop_symbol){.alphabet = RIPSTOP_FIXED_ALPHABET};
    s->rank[s->by_key[rank].link - s->first_link] = rank;
  }
}

ripstop_symmetry *ripstop_symmetry_new(const ripstop_fabric *fabric, bool use) {
  RIPSTOP_GUARD(NULL, NULL);
  const ripstop_symmetry empty = {.links = fabric->links - fabric->link_ends, .first_link = fabric->link_ends};
  ripstop_symmetry *s = ripstop_realloc(NULL, 1, sizeof *s);
  *s = empty;
  bool used = lay_out(s, fabric, use) && use;
  if (!used) {
    *s = empty;
    lay_out(s, fabric, false);
  }
  fill_tables(s, fabric, used);
  return s;
}

ripstop_symmetry *ripstop_symmetry_for(const ripstop_plan *plan) {
  ripstop_guarantees guarantees;
  plan->method->guarantees(plan->fabric, plan->config, &guarantees);
  return ripstop_symmetry_new(plan->fabric, guarantees.symmetric);
}

void ripstop_symmetry_free(ripstop_symmetry *s) {
  if (!s) return;
  ripstop_free(s->by_key);
  ripstop_free(s->rank);
  ripstop_free(s->symbol);
  ripstop_free(s);
}

bool ripstop_symmetry_useful(const ripstop_symmetry *s) {
  for (uint32_t i = RIPSTOP_FIXED_ALPHABET + 1; i < RIPSTOP_ALPHABETS_MAX; i++)
    if (s->values[i] > 1) return true;
  return false;
}

/* ------------------------------------------------------------------ the least order of a set */

typedef struct search {
  const ripstop_symmetry *symmetry;
  uint32_t count;
  const uint32_t *rank;
  uint64_t best[RIPSTOP_ORBIT_FAULTS]; /* keys of the least sequence known */
  uint64_t ties;                       /* orders that give it */
  bool check;                          /* stop as soon as any sequence is less than `best` */
  bool beaten;
  bool placed[RIPSTOP_ORBIT_FAULTS];
  uint8_t numbered[RIPSTOP_ALPHABETS_MAX]; /* symbols that have appeared, in this order: */
  uint32_t seen[RIPSTOP_ALPHABETS_MAX][RIPSTOP_ORBIT_FAULTS];
  uint8_t used[RIPSTOP_ALPHABETS_MAX]; /* numbered, when all links are placed */
} search;

static uint32_t number_of(search *s, const ripstop_symbol *symbol) {
  if (symbol->alphabet == RIPSTOP_FIXED_ALPHABET) return symbol->value;
  uint32_t *seen = s->seen[symbol->alphabet], count = s->numbered[symbol->alphabet];
  for (uint32_t i = 0; i < count; i++)
    if (seen[i] == symbol->value) return i;
  seen[count] = symbol->value;
  return s->numbered[symbol->alphabet]++;
}

static uint64_t key_after(search *s, uint32_t rank) {
  const ripstop_symmetry *y = s->symmetry;
  const ripstop_symbol *tuple = y->symbol + (size_t)rank * y->width;
  uint64_t key = 0;
  for (uint32_t i = 0; i < y->width; i++) key |= (uint64_t)number_of(s, &tuple[i]) << y->shift[i];
  return key;
}

static void descend(search *s, uint32_t depth) {
  if (depth == s->count) {
    s->ties++;
    memcpy(s->used, s->numbered, sizeof s->used);
    return;
  }
  uint8_t before[RIPSTOP_ALPHABETS_MAX];
  memcpy(before, s->numbered, sizeof before);
  for (uint32_t i = 0; i < s->count && !s->beaten; i++) {
    if (s->placed[i]) continue;
    uint64_t key = key_after(s, s->rank[i]);
    if (key < s->best[depth]) {
      s->beaten = s->check;
      s->best[depth] = key;
      for (uint32_t k = depth + 1; k < s->count; k++) s->best[k] = UINT64_MAX;
      s->ties = 0;
    }
    if (key == s->best[depth] && !s->beaten) {
      s->placed[i] = true;
      descend(s, depth + 1);
      s->placed[i] = false;
    }
    memcpy(s->numbered, before, sizeof before);
  }
}

/* The product of the header over `ties`, which divides it: cancelled factor by factor, so nothing overflows that fits
 * in the end. */
static uint64_t orbit_size(const search *s) {
  uint64_t sets = 1, ties = s->ties;
  for (uint32_t a = RIPSTOP_FIXED_ALPHABET + 1; a < RIPSTOP_ALPHABETS_MAX; a++)
    for (uint32_t u = 0; u < s->used[a]; u++) {
      uint32_t factor = s->symmetry->values[a] - u, common = (uint32_t)ripstop_common_divisor(factor, ties);
      sets = ripstop_times(sets, factor / common);
      ties /= common;
    }
  return sets;
}

static void begin(search *s, const ripstop_symmetry *symmetry, const uint32_t *rank, uint32_t count, bool check) {
  s->symmetry = symmetry;
  s->count = count;
  s->rank = rank;
  s->ties = 0;
  s->check = check;
  s->beaten = false;
  memset(s->placed, 0, sizeof s->placed);
  memset(s->numbered, 0, sizeof s->numbered);
  memset(s->used, 0, sizeof s->used);
  for (uint32_t i = 0; i < count; i++) s->best[i] = check ? symmetry->by_key[rank[i]].key : UINT64_MAX;
}

uint64_t ripstop_symmetry_canonical(const ripstop_symmetry *symmetry, const uint32_t *link, uint32_t count,
                                    uint32_t *out) {
  search s;
  uint32_t rank[RIPSTOP_ORBIT_FAULTS] = {0};
  for (uint32_t i = 0; i < count; i++) rank[i] = symmetry->rank[link[i] - symmetry->first_link];
  begin(&s, symmetry, rank, count, false);
  descend(&s, 0);
  for (uint32_t i = 0; i < count; i++) {
    keyed wanted = {.key = s.best[i]};
    out[i] = ((keyed *)bsearch(&wanted, symmetry->by_key, symmetry->links, sizeof wanted, by_key))->link;
  }
  if (count > 0) qsort(out, count, sizeof *out, ripstop_by_u32);
  return orbit_size(&s);
}

/* ------------------------------------------------------------------ every orbit once */

/* True if the first `count` links are a canonical sequence. If they are the whole set, it becomes the present one. */
static bool accept(ripstop_orbits *o, uint32_t count) {
  search s;
  begin(&s, o->symmetry, o->place, count, true);
  descend(&s, 0);
  if (s.beaten || count < o->count) return !s.beaten;
  for (uint32_t i = 0; i < count; i++) o->link[i] = o->symmetry->by_key[o->place[i]].link;
  if (count > 0) qsort(o->link, count, sizeof *o->link, ripstop_by_u32);
  o->sets = orbit_size(&s);
  return true;
}

/* Advances from position `at` on: its next link, and those that may follow. */
static bool advance(ripstop_orbits *o, uint32_t at) {
  for (;;) {
    if (++o->place[at] > o->symmetry->links - (o->count - at)) {
      if (at-- == 0) return false;
    } else if (accept(o, at + 1)) {
      if (at + 1 == o->count) return true;
      o->place[at + 1] = o->place[at];
      at++;
    }
  }
}

int ripstop_orbits_first(ripstop_orbits *orbits, const ripstop_symmetry *symmetry, uint32_t count, ripstop_error *err) {
  if (count > symmetry->links)
    return ripstop_fail(err, "%u links are to fail, but only %u join switches", count, symmetry->links);
  if (count > RIPSTOP_ORBIT_FAULTS)
    return ripstop_fail(err, "all sets of %u links: at most %d can be gone through", count, RIPSTOP_ORBIT_FAULTS);
  if (ripstop_combinations_total(symmetry->links, count) == UINT64_MAX)
    return ripstop_fail(err, "there are more than 2^64 sets of %u links", count);
  *orbits = (ripstop_orbits){.symmetry = symmetry, .count = count, .sets = 1};
  if (count == 0) return 0;
  orbits->place[0] = RIPSTOP_NONE; /* before the first */
  advance(orbits, 0);
  return 0;
}

bool ripstop_orbits_next(ripstop_orbits *orbits) { return orbits->count > 0 && advance(orbits, orbits->count - 1); }
