/* single_repair.c - finds all single repairs of a graph that make it the same as a target.
 *
 * The number of cables says what kind a repair is: one cable comes, one goes, or one changes an end. After it, as many
 * switches as in the target must have each number of cables, and there must be as many triangles and squares. The
 * places that are left, mostly one, are compared as a whole (alike.c). Cost: for a change of an end, for each switch
 * with the right number of cables, the square of its neighbours' cables, and a look at each switch. */
#include "recognise/single_repair.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"

/* ------------------------------------------------------------------ numbers of cables */

enum { CABLES_MAX = RECOGNISED_CABLES_MAX, KEYS = RECOGNISED_KEYS };

/* The number of switches of each key that the target has beyond the net. A key is a number of cables and whether there
 * are hosts.
 */
typedef struct balance {
  int32_t beyond[KEYS];
  uint32_t uneven; /* keys of which there are not as many */
} balance;

typedef struct finder {
  ripstop_repairs *r;
  const recognised_graph *net;
  const ripstop_target *target;
  balance balance;
  uint16_t *key;                /* [switches] of the net */
  int64_t triangles, squares;   /* how many the target has beyond the net */
  uint32_t *two, *three;        /* [switches]: paths of so many cables from one switch, without repeats */
  uint8_t seen[KEYS], keys;     /* the keys of the net, numbered from 1 */
  uint16_t list[CABLES_MAX];    /* them */
  uint8_t *adds, *goes, *moves; /* [keys * keys]: whether such a change evens the balance; moves: who loses a cable
                                   comes first */
} finder;

static void step(balance *b, uint32_t key, int32_t by) {
  b->uneven -= b->beyond[key] != 0;
  b->beyond[key] += by;
  b->uneven += b->beyond[key] != 0;
}

/* A switch of the net gets another number of cables. */
static void change(balance *b, uint32_t from, uint32_t to) {
  step(b, from, 1);
  step(b, to, -1);
}

/* True if the balance is even after two switches, of these keys, have `a` and `c` cables more. */
static bool evens(balance *b, uint32_t one, int a, uint32_t two, int c) {
  if ((a < 0 && one < 2) || (c < 0 && two < 2)) return false;
  const uint32_t to_one = (uint32_t)((int)one + 2 * a), to_two = (uint32_t)((int)two + 2 * c);
  change(b, one, to_one);
  change(b, two, to_two);
  const bool even = b->uneven == 0;
  change(b, to_one, one);
  change(b, to_two, two);
  return even;
}

/* False: a switch has too many cables, or too many different numbers of cables are there. */
static bool count_keys(finder *f) {
  f->key = RIPSTOP_ARRAY(f->target->net.arena, f->net->switches, uint16_t);
  for (uint32_t v = 0; v < f->net->switches; v++) {
    const uint32_t key = recognised_key(f->net, v, f->target->hosted);
    const uint32_t wanted = recognised_key(&f->target->net, v, f->target->hosted);
    if (key == RIPSTOP_NONE || wanted == RIPSTOP_NONE) return false;
    step(&f->balance, wanted, 1);
    step(&f->balance, key, -1);
    if (!f->seen[key] && f->keys == CABLES_MAX) return false;
    if (!f->seen[key]) f->list[f->keys] = (uint16_t)key, f->seen[key] = ++f->keys;
    f->key[v] = f->seen[key] - 1;
  }
  return true;
}

/* Four keys change by a repair at most. */
static void judge_keys(finder *f) {
  const size_t pairs = (size_t)f->keys * f->keys;
  f->adds = RIPSTOP_ARRAY(f->target->net.arena, 3 * pairs, uint8_t);
  f->goes = f->adds + pairs;
  f->moves = f->goes + pairs;
  for (uint32_t i = 0; i < f->keys; i++)
    for (uint32_t k = 0; k < f->keys; k++) {
      f->adds[i * f->keys + k] = evens(&f->balance, f->list[i], 1, f->list[k], 1);
      f->goes[i * f->keys + k] = evens(&f->balance, f->list[i], -1, f->list[k], -1);
      f->moves[i * f->keys + k] = evens(&f->balance, f->list[i], -1, f->list[k], 1);
    }
}

static bool may(const finder *f, const uint8_t *table, uint32_t a, uint32_t b) {
  return table[(size_t)f->key[a] * f->keys + f->key[b]];
}

/* True if a switch may be the first of such a pair. */
static bool may_any(const finder *f, const uint8_t *table, uint32_t a) {
  return memchr(table + (size_t)f->key[a] * f->keys, 1, f->keys) != NULL;
}

/* ------------------------------------------------------------------ candidates */

static bool is_same(const ripstop_repair *x, const ripstop_repair *y) {
  return x->lose_a == y->lose_a && x->lose_b == y->lose_b && x->gain_a == y->gain_a && x->gain_b == y->gain_b;
}

void ripstop_repairs_keep(ripstop_repairs *r, const ripstop_repair *repair, const char *spec) {
  for (uint32_t i = 0; i < r->count; i++)
    if (is_same(&r->list[i].repair, repair)) return;
  RIPSTOP_GROW_IN(r->net->arena, r->list, r->count, r->room);
  r->list[r->count++] = (ripstop_explanation){*repair, spec ? ripstop_arena_text(r->net->arena, spec) : NULL};
}

/* Compares the repaired net with the target. Each repair has the smaller switch first. */
static void try_repair(finder *f, uint32_t lose_a, uint32_t lose_b, uint32_t gain_a, uint32_t gain_b) {
  const ripstop_repair repair = {lose_a < lose_b ? lose_a : lose_b, lose_a < lose_b ? lose_b : lose_a,
                                 gain_a < gain_b ? gain_a : gain_b, gain_a < gain_b ? gain_b : gain_a};
  RIPSTOP_LOCAL_ARENA(scratch);
  recognised_graph net;
  recognised_repaired(&net, f->net, &repair, scratch);
  if (recognised_alike(&net, &f->target->net, f->target->hosted, f->target->symmetric, &f->r->work))
    ripstop_repairs_keep(f->r, &repair, f->target->spec);
}

/* Counts the paths of three cables that begin with v - u, `by` of each. */
static void count_through(finder *f, uint32_t v, uint32_t u, uint32_t by) {
  const recognised_graph *net = f->net;
  for (uint32_t j = net->first[u]; j < net->first[u + 1]; j++) {
    const uint32_t w = net->near[j].node;
    if (w == v) continue;
    if (!ripstop_work_spend(&f->r->work, recognised_degree(net, w))) return;
    f->two[w] += by;
    for (uint32_t k = net->first[w]; k < net->first[w + 1]; k++)
      if (net->near[k].node != u && net->near[k].node != v) f->three[net->near[k].node] += by;
  }
}

static void count_paths(finder *f, uint32_t v) {
  memset(f->two, 0, f->net->switches * sizeof *f->two);
  memset(f->three, 0, f->net->switches * sizeof *f->three);
  for (uint32_t i = f->net->first[v]; i < f->net->first[v + 1]; i++) count_through(f, v, f->net->near[i].node, 1);
}

static void find_added(finder *f) {
  for (uint32_t a = 0; a < f->net->switches && f->r->work; a++) {
    if (!may_any(f, f->adds, a)) continue;
    count_paths(f, a);
    for (uint32_t b = a + 1; b < f->net->switches; b++) {
      const bool twin = recognised_between(f->net, a, b) > 0; /* closes no cycle that is not there */
      if (f->r->work && may(f, f->adds, a, b) && (twin ? 0 : f->two[b]) == f->triangles &&
          (twin ? 0 : f->three[b]) == f->squares)
        try_repair(f, RIPSTOP_NONE, RIPSTOP_NONE, a, b);
    }
  }
}

static void find_gone(finder *f) {
  for (uint32_t a = 0; a < f->net->switches && f->r->work; a++) {
    if (!may_any(f, f->goes, a)) continue;
    count_paths(f, a);
    for (uint32_t i = f->net->first[a]; i < f->net->first[a + 1]; i++) {
      const uint32_t b = f->net->near[i].node;
      const bool twin = f->net->near[i].cables > 1;
      if (f->r->work && a < b && may(f, f->goes, a, b) && (twin ? 0 : -(int64_t)f->two[b]) == f->triangles &&
          (twin ? 0 : -(int64_t)f->three[b]) == f->squares)
        try_repair(f, a, b, RIPSTOP_NONE, RIPSTOP_NONE);
    }
  }
}

/* The cable from a to c ends at another switch instead. */
static void find_moved_from(finder *f, uint32_t a, uint32_t c, bool twin) {
  const int64_t triangles = f->triangles + (twin ? 0 : f->two[c]), squares = f->squares + (twin ? 0 : f->three[c]);
  if (!twin) count_through(f, a, c, UINT32_MAX); /* minus one */
  for (uint32_t b = 0; b < f->net->switches && f->r->work; b++) {
    if (b == a || b == c || !may(f, f->moves, c, b)) continue;
    const bool other = recognised_between(f->net, a, b) > 0;
    if ((other ? 0 : f->two[b]) == triangles && (other ? 0 : f->three[b]) == squares) try_repair(f, a, c, a, b);
  }
  if (!twin) count_through(f, a, c, 1);
}

static void find_moved(finder *f) {
  for (uint32_t a = 0; a < f->net->switches && f->r->work; a++) {
    bool any = false;
    for (uint32_t i = f->net->first[a]; i < f->net->first[a + 1]; i++)
      any |= may_any(f, f->moves, f->net->near[i].node);
    if (any) count_paths(f, a);
    for (uint32_t i = f->net->first[a]; any && f->r->work && i < f->net->first[a + 1]; i++)
      if (may_any(f, f->moves, f->net->near[i].node))
        find_moved_from(f, a, f->net->near[i].node, f->net->near[i].cables > 1);
  }
}

static bool is_intact(const finder *f) {
  return f->balance.uneven == 0 && f->triangles == 0 && f->squares == 0 &&
         recognised_alike(f->net, &f->target->net, f->target->hosted, f->target->symmetric, &f->r->work);
}

/* True if a repair could even the numbers of cables: it changes the keys of four switches at most, and joins or parts
 * one pair of switches at most. */
static bool is_near(finder *f) {
  const int64_t here = f->net->first[f->net->switches], there = f->target->net.first[f->net->switches];
  return count_keys(f) && f->balance.uneven <= 4 && here - there <= 2 && there - here <= 2;
}

bool ripstop_repairs_add(ripstop_repairs *r, const ripstop_target *target) {
  const uint32_t switches = r->net->switches, here = r->net->cables, there = target->net.cables;
  finder f = {.r = r, .net = r->net, .target = target};
  if (!is_near(&f)) return true;
  recognised_cycles_beyond(&target->net, r->cycles, &f.triangles, &f.squares, &r->work);
  if (r->work == 0) return false;
  judge_keys(&f);
  f.two = RIPSTOP_ARRAY(target->net.arena, switches, uint32_t);
  f.three = RIPSTOP_ARRAY(target->net.arena, switches, uint32_t);
  if (here == there && is_intact(&f)) {
    r->intact = true;
    r->count = 0;
    ripstop_repairs_keep(r, &RIPSTOP_NO_REPAIR, target->spec);
  }
  if (here < there) find_added(&f);
  if (here > there) find_gone(&f);
  if (here == there && !r->intact) find_moved(&f);
  return !r->intact && r->work > 0;
}
