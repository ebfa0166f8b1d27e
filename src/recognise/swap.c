/* swap.c - finds two cables whose ends were exchanged: a - b and c - d instead of a - d and c - b.
 *
 * It tries all pairs of cables, in both orders, for each target with as many cables and the same numbers of cables at
 * its switches. Pairs after which there are as many triangles and squares as in the target are compared as a whole
 * (alike.c). Cost: for each pair of switches the square of their cables, and a look at each pair of cables, within
 * WORK. */
#include <string.h>

#include "recognise/single_repair.h"

enum { SWITCHES_MAX = 1 << 9, WORK = 1 << 27, SWAPS_MAX = 64 };

typedef struct finder {
  const recognised_graph *net;
  const ripstop_target *target;
  ripstop_swaps *out;
  uint8_t *joined;            /* [switches * switches]: cables */
  uint32_t *two, *three;      /* [switches * switches]: paths of so many cables; NULL until they are needed */
  int64_t triangles, squares; /* how many the target has beyond the net */
  ripstop_cycles has;         /* the net's */
  uint64_t work;
} finder;

/* ------------------------------------------------------------------ numbers of cables */

/* Counts switches by cables and kind, by so much each. False: one has too many cables. */
static bool count_keys(const recognised_graph *net, bool hosted, int32_t by, int32_t *times) {
  for (uint32_t v = 0; v < net->switches; v++) {
    const uint32_t key = recognised_key(net, v, hosted);
    if (key == RIPSTOP_NONE) return false;
    times[key] += by;
  }
  return true;
}

static bool is_even(const recognised_graph *net, const ripstop_target *target) {
  int32_t times[RECOGNISED_KEYS] = {0};
  bool even = net->cables == target->net.cables && count_keys(net, target->hosted, 1, times) &&
              count_keys(&target->net, target->hosted, -1, times);
  for (uint32_t key = 0; even && key < RECOGNISED_KEYS; key++) even = times[key] == 0;
  return even;
}

/* ------------------------------------------------------------------ cycles */

static uint8_t *pair(const finder *f, uint32_t a, uint32_t b) { return &f->joined[(size_t)a * f->net->switches + b]; }

static void add(finder *f, uint32_t a, uint32_t b, int by) {
  const uint8_t cables = (uint8_t)(*pair(f, a, b) + by);
  *pair(f, a, b) = *pair(f, b, a) = cables;
}

/* Cycles that a cable between two switches closes. */
typedef int64_t counter(const finder *f, uint32_t a, uint32_t b);

static int64_t common(const finder *f, uint32_t a, uint32_t b) {
  int64_t count = 0;
  for (uint32_t i = f->net->first[a]; i < f->net->first[a + 1]; i++)
    count += *pair(f, a, f->net->near[i].node) && *pair(f, f->net->near[i].node, b);
  return count;
}

/* Paths of three cables between two switches. Both have only neighbours that the net has. */
static int64_t paths(const finder *f, uint32_t a, uint32_t b) {
  const recognised_graph *net = f->net;
  int64_t count = 0;
  for (uint32_t i = net->first[a]; i < net->first[a + 1]; i++) {
    const uint32_t x = net->near[i].node;
    if (x == b || !*pair(f, a, x)) continue;
    for (uint32_t k = net->first[b]; k < net->first[b + 1]; k++) {
      const uint32_t y = net->near[k].node;
      count += y != a && y != x && *pair(f, b, y) && *pair(f, x, y);
    }
  }
  return count;
}

/* A cable goes or comes, and with it cycles, unless it has a parallel one. */
static int64_t change(finder *f, uint32_t a, uint32_t b, int by, counter *count) {
  if (by < 0) add(f, a, b, by);
  const int64_t cycles = *pair(f, a, b) == 0 ? by * count(f, a, b) : 0;
  if (by > 0) add(f, a, b, by);
  return cycles;
}

/* The number of cycles that the swap adds. */
static int64_t count_new(finder *f, const ripstop_swap *s, counter *count) {
  int64_t cycles = change(f, s->a, s->b, -1, count);
  cycles += change(f, s->c, s->d, -1, count);
  cycles += change(f, s->a, s->d, 1, count);
  cycles += change(f, s->c, s->b, 1, count);
  add(f, s->a, s->d, -1), add(f, s->c, s->b, -1);
  add(f, s->a, s->b, 1), add(f, s->c, s->d, 1);
  return cycles;
}

/* Paths of two and three cables between any two switches. */
static void count_paths(finder *f) {
  const uint32_t switches = f->net->switches;
  f->two = RIPSTOP_ARRAY(f->net->arena, (size_t)switches * switches, uint32_t);
  f->three = RIPSTOP_ARRAY(f->net->arena, (size_t)switches * switches, uint32_t);
  for (uint32_t a = 0; a < switches; a++)
    for (uint32_t b = 0; b < switches; b++) {
      const size_t at = (size_t)a * switches + b;
      f->two[at] = (uint32_t)common(f, a, b);
      f->three[at] = (uint32_t)paths(f, a, b);
    }
}

static int64_t two(const finder *f, uint32_t a, uint32_t b) { return f->two[(size_t)a * f->net->switches + b]; }

static int64_t three(const finder *f, uint32_t a, uint32_t b) { return f->three[(size_t)a * f->net->switches + b]; }

/* The cycles that come without parallel cables: those of the new cables less those of the old ones, where each path is
 * left out that has an old cable itself. */
static bool has_cycles_simple(const finder *f, const ripstop_swap *s) {
  const uint32_t a = s->a, b = s->b, c = s->c, d = s->d;
  const int64_t ac = *pair(f, a, c) > 0, bd = *pair(f, b, d) > 0;
  const int64_t triangles = two(f, a, d) + two(f, c, b) - two(f, a, b) - two(f, c, d) - 2 * (ac + bd);
  if (triangles != f->triangles) return false;
  const int64_t old = three(f, a, b) + three(f, c, d) - ac * bd;
  const int64_t new = three(f, a, d) + three(f, c, b) - 2 * (two(f, b, d) + two(f, a, c)) + ac *bd;
  return new - old == f->squares;
}

/* True if the numbers of triangles and squares are right after the swap. */
static bool has_cycles(finder *f, const ripstop_swap *s) {
  const uint64_t degree = recognised_degree(f->net, s->a);
  const bool simple = *pair(f, s->a, s->b) == 1 && *pair(f, s->c, s->d) == 1;
  ripstop_work_spend(&f->work, 4);
  if (simple && *pair(f, s->a, s->d) + *pair(f, s->c, s->b) == 0) return has_cycles_simple(f, s);
  ripstop_work_spend(&f->work, 4 * degree * degree);
  return count_new(f, s, common) == f->triangles && count_new(f, s, paths) == f->squares;
}

/* ------------------------------------------------------------------ pairs of cables */

void recognised_unswapped(recognised_graph *net, const recognised_graph *whole, const ripstop_swap *s,
                          ripstop_arena *arena) {
  recognised_graph *half = RIPSTOP_ARRAY(arena, 1, recognised_graph);
  recognised_repaired(half, whole, &(ripstop_repair){s->a, s->b, s->a, s->d}, arena);
  recognised_repaired(net, half, &(ripstop_repair){s->c, s->d, s->c, s->b}, arena);
}

static void keep(finder *f, const ripstop_swap *s) {
  ripstop_swaps *out = f->out;
  for (uint32_t i = 0; i < out->count; i++)
    if (memcmp(&out->list[i], s, sizeof *s) == 0) return;
  if (out->count < SWAPS_MAX) {
    out->list[out->count] = *s;
    out->spec[out->count++] = f->target->spec ? ripstop_arena_text(f->net->arena, f->target->spec) : NULL;
  } else
    f->work = 0; /* too many to name */
}

static void try_swap(finder *f, ripstop_swap s) {
  if (!has_cycles(f, &s)) return;
  ripstop_arena *scratch = ripstop_arena_new();
  recognised_graph net;
  recognised_unswapped(&net, f->net, &s, scratch);
  if (recognised_alike(&net, &f->target->net, f->target->hosted, f->target->symmetric, &f->work)) keep(f, &s);
  ripstop_arena_free(scratch);
}

static void try_pairs(finder *f) {
  const recognised_graph *net = f->net;
  for (uint32_t i = 0; i < net->cables && f->work > 0; i++)
    for (uint32_t k = i + 1; k < net->cables && f->work > 0; k++) {
      const recognised_cable *one = &net->cable[i], *two = &net->cable[k];
      if (one->a == two->a || one->b == two->b || one->a == two->b || one->b == two->a) continue;
      try_swap(f, (ripstop_swap){one->a, one->b, two->a, two->b});
      try_swap(f, (ripstop_swap){one->a, one->b, two->b, two->a});
    }
}

static bool visit(void *context, const ripstop_target *target) {
  finder *f = context;
  if (!is_even(f->net, target)) return f->work > 0;
  f->target = target;
  recognised_cycles_beyond(&target->net, f->has, &f->triangles, &f->squares, &f->work);
  if (f->two == NULL) count_paths(f);
  if (f->work > 0) try_pairs(f);
  return f->work > 0;
}

bool ripstop_swaps_find(const recognised_graph *net, ripstop_swaps *out) {
  const size_t switches = net->switches;
  uint64_t listing = WORK;
  if (switches > SWITCHES_MAX) return false;
  *out = (ripstop_swaps){.list = RIPSTOP_ARRAY(net->arena, SWAPS_MAX, ripstop_swap),
                         .spec = RIPSTOP_ARRAY(net->arena, SWAPS_MAX, const char *)};
  finder f = {.net = net, .out = out, .work = WORK};
  f.joined = RIPSTOP_ARRAY(net->arena, switches * switches, uint8_t);
  for (uint32_t i = 0; i < net->cables; i++) add(&f, net->cable[i].a, net->cable[i].b, 1);
  f.has = recognised_cycles(net, RIPSTOP_ARRAY(net->arena, switches, ripstop_cycles), &f.work);
  ripstop_targets_visit(net, visit, &f, &listing);
  return f.work > 0 && listing > 0 && out->count > 0;
}
