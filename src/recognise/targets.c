/* targets.c - lists the regular fabrics that a graph could be, by its numbers of switches, hosts and cables alone.
 *
 * Products of rings, lines and cliques are made here, since they need no spec (a mesh whose one dimension closes has
 * none). All other families are the program's own, opened by their spec. Closed forms of the families leave out most
 * sizes before anything is built. Switches with hosts count where a family has switches without them. */
#include "recognise/targets.h"

#include <string.h>

#include "base/local.h"
#include "fabric/field.h"
#include "recognise/alike.h"

typedef struct lister {
  const recognised_graph *net;
  uint32_t hosted; /* switches with hosts */
  uint32_t each;   /* hosts of the first of them */
  uint32_t twins;  /* most cables between two switches */
  bool *has;       /* [twins + 1]: whether two switches have so many */
  ripstop_target_visit *visit;
  void *context;
  uint64_t *work;
  bool *over; /* the visitor wants no more */
} lister;

/* Takes the cost of one step of listing. False: the listing ends. */
static bool goes_on(const lister *l) { return !*l->over && ripstop_work_spend(l->work, 1); }

static bool is_near(const lister *l, uint64_t cables) {
  return cables + 1 >= l->net->cables && cables <= (uint64_t)l->net->cables + 1;
}

static void show_target(const lister *l, const ripstop_target *t) { *l->over = !l->visit(l->context, t); }

/* Opens a spec and shows its switches. What does not open, or has another size, is no target. */
static void show(const lister *l, bool hosted, bool symmetric, const char *spec) {
  enum { COST = 64 }; /* in cables looked at, for a node or link that a family builds */
  ripstop_error err = {0};
  if (*l->over || !ripstop_work_spend(l->work, COST * ((uint64_t)l->net->cables + l->net->switches))) return;
  ripstop_fabric *f = ripstop_fabric_open(spec, &err);
  if (!f) return;
  ripstop_target t = {.hosted = hosted, .symmetric = symmetric};
  RIPSTOP_LOCAL_ARENA(arena);
  recognised_make(&t.net, f, arena);
  t.spec = f->spec;
  if (t.net.switches == l->net->switches && is_near(l, t.net.cables)) show_target(l, &t);
  ripstop_fabric_free(f);
}

#define SPEC(...) (snprintf(spec, sizeof spec, __VA_ARGS__), spec)

/* ------------------------------------------------------------------ products */

typedef enum row { LINE, RING, CLIQUE, ROWS } row;

typedef struct dimension {
  uint32_t size, twins;
  enum row row;
} dimension;

enum { DIMS_MAX = 32 }; /* each dimension halves the switches at least */

typedef struct product {
  const lister *l;
  dimension dim[DIMS_MAX];
  uint32_t dims;
} product;

/* Pairs of neighbours in a row of a dimension. */
static uint64_t pairs_of(row of, uint64_t size) {
  return of == LINE ? size - 1 : of == RING ? size : size * (size - 1) / 2;
}

static bool are_joined(const dimension *d, uint32_t x, uint32_t y) {
  const uint32_t step = x < y ? y - x : x - y;
  return step > 0 && (d->row == CLIQUE || step == 1 || (d->row == RING && step == d->size - 1));
}

static void join_row(const product *p, uint32_t d, uint32_t v, uint32_t stride, recognised_graph *net) {
  const uint32_t x = v / stride % p->dim[d].size;
  for (uint32_t y = x + 1; y < p->dim[d].size; y++)
    for (uint32_t k = 0; are_joined(&p->dim[d], x, y) && k < p->dim[d].twins; k++)
      net->cable[net->cables++] = (recognised_cable){v, v + (y - x) * stride, RIPSTOP_NONE, RIPSTOP_NONE, false};
}

static void show_product(const product *p, uint64_t cables) {
  enum { COST = 16 }; /* in cables looked at, for a cable or switch that is built and sorted */
  if (!ripstop_work_spend(p->l->work, COST * (cables + p->l->net->switches))) return;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_target t = {.symmetric = true,
                      .net = {.arena = arena, .switches = p->l->net->switches, .hosts = p->l->net->hosts}};
  t.net.cable = RIPSTOP_ARRAY(arena, cables + 1, recognised_cable);
  for (uint32_t v = 0; v < t.net.switches; v++)
    for (uint32_t d = 0, stride = 1; d < p->dims; stride *= p->dim[d++].size) join_row(p, d, v, stride, &t.net);
  recognised_index(&t.net);
  show_target(p->l, &t);
}

static bool is_before(const dimension *a, const dimension *b) {
  if (a->size != b->size) return a->size < b->size;
  return a->row != b->row ? a->row < b->row : a->twins <= b->twins;
}

/* A ring of two is a line with two cables, one of three a clique, one of four the product of two lines. */
static bool is_row(row of, uint32_t size) {
  return of == LINE || (of == RING && size > 4) || (of == CLIQUE && size > 2);
}

/* In a dimension with more than one cable between neighbours a single mistake leaves some such neighbours, except in
 * the smallest fabrics. */
static bool may_have(const lister *l, uint32_t twins) {
  enum { SMALLEST = 6 };
  return l->net->switches < SMALLEST || l->has[twins];
}

/* Adds dimensions of no smaller size for the `rest` of the switches. */
static void list_products(product *p, uint32_t rest, uint64_t cables) {
  if (!goes_on(p->l)) return;
  if (rest == 1 && is_near(p->l, cables)) show_product(p, cables);
  for (uint32_t size = p->dims ? p->dim[p->dims - 1].size : 2; size <= rest && rest > 1; size++) {
    if (size < rest && (uint64_t)size * size > rest) size = rest;
    if (rest % size) continue;
    for (row of = LINE; of < ROWS; of++)
      for (uint32_t twins = 1; twins <= p->l->twins; twins++) {
        const dimension d = {size, twins, of};
        const uint64_t more = cables + p->l->net->switches / size * pairs_of(of, size) * twins;
        if (!is_row(of, size) || !may_have(p->l, twins) || more > (uint64_t)p->l->net->cables + 1) continue;
        if (p->dims > 0 && !is_before(&p->dim[p->dims - 1], &d)) continue;
        p->dim[p->dims++] = d;
        list_products(p, rest / size, more);
        p->dims--;
      }
  }
}

/* ------------------------------------------------------------------ dragonflies */

static const char *const arrangements[] = {"palmtree", "absolute", "relative"};

/* The global cables of each switch that leave `each` cables between two of the groups. Groups of one switch are
 * cliques, which are products. */
static void list_global(const lister *l, uint32_t groups, uint32_t size, uint32_t leaves, uint64_t each) {
  char spec[200];
  const uint64_t least = (each * (groups - 1) + size - 1) / size, most = ((each + 1) * (groups - 1) - 1) / size;
  if (size == 1 && leaves == 0) return;
  for (uint64_t h = least; h <= most && h < UINT16_MAX; h++)
    for (unsigned i = 0; i < 3 && goes_on(l); i++)
      if (leaves == 0)
        show(l, false, false,
             SPEC("dragonfly:a=%u,p=1,h=%u,g=%u,arrangement=%s", size, (unsigned)h, groups, arrangements[i]));
      else
        show(l, true, false,
             SPEC("dragonfly+:leaves=%u,spines=%u,h=%u,g=%u,p=1,arrangement=%s", leaves, size, (unsigned)h, groups,
                  arrangements[i]));
}

/* `leaves`: of a group of a Dragonfly+; 0: it is a dragonfly. */
static void list_groups(const lister *l, uint32_t groups, uint32_t leaves) {
  const uint32_t size = l->net->switches / groups - leaves;
  const uint64_t local = (uint64_t)groups * (leaves ? (uint64_t)leaves * size : (uint64_t)size * (size - 1) / 2);
  const uint64_t pairs = (uint64_t)groups * (groups - 1) / 2;
  for (uint64_t cables = (uint64_t)l->net->cables - 1; is_near(l, cables); cables++)
    if (cables >= local + pairs && (cables - local) % pairs == 0)
      list_global(l, groups, size, leaves, (cables - local) / pairs);
}

static void list_dragonflies(const lister *l) {
  for (uint32_t groups = 2; groups <= l->net->switches; groups++) {
    if (l->net->switches % groups) continue;
    list_groups(l, groups, 0);
    const uint32_t leaves = l->hosted / groups;
    if (l->hosted % groups == 0 && leaves > 0 && l->hosted < l->net->switches) list_groups(l, groups, leaves);
  }
}

/* ------------------------------------------------------------------ trees */

enum { LEVELS_MAX = 32 }; /* each level halves the blocks at least */

typedef struct tree {
  const lister *l;
  uint32_t levels, lower[LEVELS_MAX], upper[LEVELS_MAX];
} tree;

static void show_tree(const tree *t) {
  char m[200], w[200] = "1", spec[420];
  snprintf(m, sizeof m, "%u", t->l->each);
  for (uint32_t i = 0; i < t->levels; i++) {
    snprintf(m + strlen(m), sizeof m - strlen(m), ".%u", t->lower[i]);
    snprintf(w + strlen(w), sizeof w - strlen(w), ".%u", t->upper[i]);
  }
  show(t->l, true, true, SPEC("xgft:m=%s,w=%s", m, w));
}

/* True if levels above could have the `left` switches and all cables to come: each switch there has two cables down at
 * least, and one to each block at most. */
static bool may_reach(const tree *t, uint32_t blocks, uint32_t left, uint64_t cables) {
  return cables + 2 * (uint64_t)left <= (uint64_t)t->l->net->cables + 1 &&
         cables + (uint64_t)blocks * left + 1 >= t->l->net->cables;
}

/* Adds a level above `here` switches that hang together in `blocks` parts; `left` switches and `cables` are to come. */
static void list_trees(tree *t, uint32_t here, uint32_t blocks, uint32_t left, uint64_t cables) {
  if (blocks == 1 && left == 0 && is_near(t->l, cables)) show_tree(t);
  if (left == 0 || blocks == 1 || !may_reach(t, blocks, left, cables) || !goes_on(t->l)) return;
  for (uint32_t lower = 2; lower <= blocks; lower++) {
    if (blocks % lower || *t->l->work == 0) continue;
    for (uint32_t upper = 1;; upper++) {
      const uint64_t above = (uint64_t)here / lower * upper, more = cables + (uint64_t)here * upper;
      if (above > left || more > (uint64_t)t->l->net->cables + 1) break;
      t->lower[t->levels] = lower;
      t->upper[t->levels++] = upper;
      list_trees(t, (uint32_t)above, blocks / lower, left - (uint32_t)above, more);
      t->levels--;
    }
  }
}

/* Two levels with parallel cables. */
static void list_twins(const lister *l) {
  char spec[200];
  const uint64_t spines = l->net->switches - l->hosted, pairs = l->hosted * spines;
  for (uint32_t k = 2; k <= l->twins; k++)
    if (pairs > 0 && is_near(l, k * pairs))
      show(l, true, true,
           SPEC("rail:units=1,servers=%u,rails=%u,spines=%u,k=%u,nvswitch=0", l->each, l->hosted, (unsigned)spines, k));
}

/* Servers with a switch inside and an accelerator with its own switch for each rail. */
static void list_servers(const lister *l) {
  char spec[200];
  for (uint32_t rails = 2; rails <= l->hosted; rails++) {
    const uint32_t servers = l->hosted / rails;
    for (uint32_t units = 1; l->hosted % rails == 0 && units <= servers; units++) {
      const uint64_t leaves = (uint64_t)units * rails, below = l->hosted + servers + leaves;
      const uint64_t spines = l->net->switches - below, pairs = leaves * spines;
      if (servers % units || below >= l->net->switches) continue;
      for (uint32_t k = 1; k <= l->twins; k++)
        if (is_near(l, 2 * (uint64_t)l->hosted + k * pairs))
          show(l, true, true,
               SPEC("rail:units=%u,servers=%u,rails=%u,spines=%u,k=%u", units, servers / units, rails, (unsigned)spines,
                    k));
    }
  }
}

/* ------------------------------------------------------------------ KNS */

static uint64_t power(uint64_t base, uint32_t exponent) {
  uint64_t value = 1;
  while (exponent-- > 0 && value < UINT32_MAX) value *= base;
  return value;
}

/* Lines of k routers as trees of s stages, or as RUFTs, which have one row of cables more. A tree that is the only line
 * is a fat tree. */
static void list_lines(const lister *l, uint32_t k, uint32_t n) {
  char spec[100];
  for (uint32_t s = 1; s < 32; s++)
    for (uint32_t r = 2; r <= k; r++) {
      const uint64_t all = (uint64_t)n * s * (l->hosted / r);
      if (power(r, s) != k || l->hosted + all != l->net->switches) continue;
      if (n > 1 && is_near(l, (uint64_t)n * s * l->hosted))
        show(l, true, true, SPEC("kns:k=%u,n=%u,s=%u,c=%u", k, n, s, l->each));
      if (s > 1 && is_near(l, (uint64_t)n * (s + 1) * l->hosted))
        show(l, true, false, SPEC("kns:k=%u,n=%u,s=%u,c=%u,line=ruft", k, n, s, l->each));
    }
}

static void list_kns(const lister *l) {
  for (uint32_t n = 1; n <= RIPSTOP_PLACE_DIMS; n++)
    for (uint32_t k = 2; power(k, n) <= l->hosted; k++)
      if (power(k, n) == l->hosted) list_lines(l, k, n);
}

/* ------------------------------------------------------------------ flies */

static void list_flies(const lister *l) {
  char spec[64];
  for (uint32_t q = 2; (uint64_t)q * q < l->net->switches; q++) {
    if (!ripstop_field_exists(q)) continue;
    if (q > 2 && 2 * q * q == l->net->switches) show(l, false, false, SPEC("slimfly:q=%u", q));
    if (q * q + q + 1 == l->net->switches) show(l, false, false, SPEC("polarfly:q=%u,p=1", q));
  }
}

/* The most cables between two switches, and which numbers of them there are. */
static void count_twins(lister *l) {
  const recognised_graph *net = l->net;
  l->twins = 1;
  for (uint32_t i = 0; i < net->first[net->switches]; i++)
    if (net->near[i].cables > l->twins) l->twins = net->near[i].cables;
  l->has = RIPSTOP_ARRAY(net->arena, l->twins + 1, bool);
  for (uint32_t i = 0; i < net->first[net->switches]; i++) l->has[net->near[i].cables] = true;
}

void ripstop_targets_visit(const recognised_graph *net, ripstop_target_visit *visit, void *context, uint64_t *work) {
  bool over = false;
  lister l = {.net = net, .visit = visit, .context = context, .work = work, .over = &over};
  for (uint32_t v = net->switches; v-- > 0;)
    if (net->hosts[v] > 0) l.hosted++, l.each = net->hosts[v];
  count_twins(&l);
  product p = {.l = &l};
  list_products(&p, net->switches, 0);
  list_dragonflies(&l);
  list_flies(&l);
  if (l.hosted == 0 || l.hosted == net->switches) return;
  tree t = {.l = &l};
  list_trees(&t, l.hosted, l.hosted, net->switches - l.hosted, 0);
  list_twins(&l);
  list_servers(&l);
  list_kns(&l);
}
