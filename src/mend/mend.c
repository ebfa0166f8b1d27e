/* mend.c - candidates for channel orders, trees in each, and the best of them as forwarding tables. */
#include "base/local.h"
#include "mend/mend_tables.h"

#include <string.h>

#include "base/memory.h"
#include "mend/levels.h"
#include "mend/made.h"
#include "mend/share.h"
#include "mend/start.h"
#include "mend/trees.h"
#include "tables/cut_bound.h"

enum { SWEEPS_LEAST = 2, SWEEPS_MOST = 40, PASSES = 2, REFINEMENTS = 2, ROUNDS = 20, RELIEFS = 8, HUBS = 3 };
enum { CONNECTED_MOST = 10000000 }; /* links x switches */
enum {
  NEAR = 16
};                     /* a fraction of the bound: whole trees are grown again where the load is farther
                        * from it */
enum { HOPELESS = 3 }; /* times the best so far: not worth polishing */

typedef struct candidate {
  const char *name;
  mend_start first, rest; /* for VC 0; for the others */
  bool lone;              /* for a single VC, where another random order is worth its time */
  mend_sharing sharing;   /* how VCs share the destinations; each VC is made for its own */
} candidate;

static const candidate candidates[] = {
    {.name = "tree and spread dimension orders",
     .first = MEND_START_TREE,
     .rest = MEND_START_ROUND,
     .sharing = MEND_SHARE_SPREAD},
    {.name = "spanning tree", .first = MEND_START_TREE, .rest = MEND_START_OPEN},
    {.name = "spanning trees", .first = MEND_START_TREE, .rest = MEND_START_TREE},
    {.name = "spanning trees", .first = MEND_START_TREE, .rest = MEND_START_TREE, .lone = true},
    {.name = "spanning trees", .first = MEND_START_TREE, .rest = MEND_START_TREE, .lone = true},
    {.name = "dimension order", .first = MEND_START_AXES, .rest = MEND_START_AXES},
    {.name = "tree and dimension orders", .first = MEND_START_TREE, .rest = MEND_START_ROUND},
    {.name = "shared dimension order", .first = MEND_START_AXES, .rest = MEND_START_AXES, .sharing = MEND_SHARE_BOXES}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

typedef struct maker {
  const ripstop_mend_options *options;
  ripstop_arena *scratch;
  switch_graph net;
  ripstop_recognised shape;
  ripstop_stream random;
  double *demand;
  uint8_t *share;  /* [switches] */
  bool from_top;   /* the fabric is a fat tree by distances from the top alone */
  bool detours;    /* the fat tree has pairs without a route up and down */
  uint64_t enough; /* no tables are better by more than a small margin */
  ripstop_forwarding *tables;
} maker;

typedef struct built {
  ripstop_arena *arena;
  const candidate *from;
  mend_orders *orders;
  mend_trees trees;
  uint32_t worst;
} built;

/* Small fabrics need few sweeps. */
static uint32_t sweeps_for(const switch_graph *net) {
  uint32_t sweeps = SWEEPS_LEAST + net->channels / 32;
  return sweeps < SWEEPS_MOST ? sweeps : SWEEPS_MOST;
}

/* VCs with open orders hold no whole trees, so they need service levels by pair. VCs that all begin alike may be
 * one. */
static bool fits(const maker *m, const candidate *c, const mend_starts *starts) {
  if (m->options->groups && c->first != MEND_START_TREE) return false;
  if (c->lone && m->options->lanes > 1) return false;
  if (c->sharing && (m->options->lanes == 1 || m->options->by_pair)) return false;
  if (c->sharing == MEND_SHARE_SPREAD && !mend_starts_lines(starts)) return false;
  bool axes = c->rest == MEND_START_AXES || c->rest == MEND_START_ROUND;
  if (axes && !mend_starts_axes(starts)) return false;
  if (c->rest == MEND_START_OPEN && !m->options->by_pair) return false;
  return c->first == c->rest || m->options->lanes > 1;
}

/* All VCs serve all destinations. By pair, turns that one VC allows weigh less in the next. */
static void sweep_all(maker *m, built *b) {
  memcpy(b->orders->weight, m->demand, m->net.turns * sizeof *m->demand);
  for (uint32_t lane = 0; lane < m->options->lanes; lane++)
    mend_order_sweep(b->orders, lane, sweeps_for(&m->net), m->options->by_pair ? 0.3 : 1, &m->random);
}

/* Each VC serves the destinations of its share. A spanning tree beside dimension orders serves those that find no
 * place there. */
static void sweep_own(maker *m, built *b) {
  RIPSTOP_LOCAL_ARENA(scratch);
  for (uint32_t lane = 0; lane < m->options->lanes; lane++) {
    if (lane == 0 && b->from->sharing == MEND_SHARE_SPREAD)
      memcpy(b->orders->weight, m->demand, m->net.turns * sizeof *m->demand);
    else
      mend_demand(&m->net, m->share, (uint8_t)lane, b->orders->weight, scratch);
    mend_order_sweep(b->orders, lane, sweeps_for(&m->net), 1, &m->random);
  }
}

static bool build_orders(maker *m, const candidate *from, built *b) {
  mend_starts starts;
  mend_starts_make(&starts, &m->net, &m->shape, &m->random, b->arena);
  if (!fits(m, from, &starts)) return false;
  if (from->sharing) {
    mend_share(&m->net, &m->shape, from->sharing, m->options->lanes, m->share, b->arena);
    starts.share = m->share;
  }
  b->orders = RIPSTOP_NEW(b->arena, mend_orders);
  mend_orders_make(b->orders, &m->net, m->options->lanes, b->arena);
  for (uint32_t lane = 0; lane < m->options->lanes; lane++)
    mend_start_lane(&starts, b->orders, lane, lane ? from->rest : from->first);
  mend_trees_make(&b->trees, b->orders, m->options->by_pair, NULL, &m->random, b->arena);
  b->trees.share = starts.share;
  if (!mend_trees_secure(&b->trees)) return false;
  from->sharing ? sweep_own(m, b) : sweep_all(m, b);
  return true;
}

/* By destination: the VC of each destination is known now, so sweep once more, each VC for its own destinations. */
static void refine(maker *m, built *b) {
  const mend_trees *t = &b->trees;
  for (uint32_t d = 0; d < t->count; d++)
    for (uint32_t s = 0; s < m->net.switches; s++) {
      unsigned lanes = t->mask[(size_t)d * m->net.switches + s];
      if (s != t->home[d] && lanes) m->share[t->home[d]] = (uint8_t)__builtin_ctz(lanes);
    }
  sweep_own(m, b);
  mend_trees_balance(&b->trees, PASSES);
}

/* Moves branches with orders that follow them, and whole trees where the load stays far above the bound. */
static void make_even(maker *m, built *b) {
  if (m->options->lanes == 1 || !m->options->by_pair) {
    const uint8_t kept = m->options->groups ? 1 : 0; /* a bit for VC 0 */
    for (uint32_t turn = 0; turn < m->net.turns; turn++) b->orders->required[turn] &= kept;
    mend_trees_loosen(&b->trees, b->arena);
  }
  mend_trees_polish(&b->trees, ROUNDS, m->enough, MEND_STEEP, MEND_ALL);
  b->worst = mend_trees_worst(&b->trees);
  bool better = true;
  for (uint32_t i = 0; i < RELIEFS && better && b->worst > m->enough + m->enough / NEAR; i++) {
    mend_trees_relieve(&b->trees);
    mend_trees_polish(&b->trees, ROUNDS, m->enough, MEND_STEEP, MEND_ALL);
    better = mend_trees_worst(&b->trees) < b->worst;
    b->worst = mend_trees_worst(&b->trees);
  }
  mend_trees_polish(&b->trees, ROUNDS, m->enough, MEND_STEEPEST, MEND_ALL);
  b->worst = mend_trees_worst(&b->trees);
}

/* True if it is better than the best so far. */
static bool build(maker *m, const candidate *from, const built *best, built *b) {
  *b = (built){.arena = ripstop_arena_new(), .from = from};
  if (!build_orders(m, from, b)) return false;
  mend_trees_balance(&b->trees, PASSES);
  if (best->arena && mend_trees_worst(&b->trees) > HOPELESS * best->worst) return false;
  for (unsigned i = 0; i < REFINEMENTS && m->options->lanes > 1 && !m->options->by_pair; i++) refine(m, b);
  mend_trees_polish(&b->trees, ROUNDS, m->enough, MEND_STEEP, MEND_ALL);
  b->worst = mend_trees_worst(&b->trees);
  return !best->arena || b->worst < best->worst;
}

static bool grow_by_levels(maker *m, built *b, mend_levels *l, bool apart) {
  b->orders = RIPSTOP_NEW(b->arena, mend_orders);
  mend_orders_make(b->orders, &m->net, m->options->lanes, b->arena);
  mend_levels_begin(l, b->orders, apart, b->arena);
  mend_trees_make(&b->trees, b->orders, m->options->by_pair, m->tables->port, &m->random, b->arena);
  b->trees.steady = true;
  return mend_levels_grow(l, &b->trees);
}

static bool grow_with_hub(maker *m, built *b, mend_levels *l) {
  const bool apart = l->shared && mend_levels_is_busy(l, b->arena);
  return (apart && grow_by_levels(m, b, l, true)) || grow_by_levels(m, b, l, false);
}

/* If damage leaves pairs that have no route up and down, searches for short detours, over other hubs, too, until no
 * route is longer than these pairs need. Keeps the shortest. */
static bool grow_with_best_hub(maker *m, built *b, mend_levels *l) {
  uint32_t hub[2 + HUBS] = {l->hub, l->hub}, best = 0, last = 0, longest = UINT32_MAX;
  l->hasty = true;
  if (grow_with_hub(m, b, l)) longest = l->longest;
  if (longest <= l->straight) return true;
  const uint32_t farthest = mend_hubs_farthest(&m->net), enough = farthest > l->straight ? farthest : l->straight;
  const uint32_t hubs = 2 + mend_hubs_near_detours(l, hub + 2, HUBS);
  const ripstop_stream random = m->random;
  l->hasty = false;
  for (uint32_t i = 1; i < hubs && longest > enough; i++) {
    l->hub = hub[last = i];
    if (grow_with_hub(m, b, l) && l->longest < longest) longest = l->longest, best = i;
  }
  l->hub = hub[best];
  l->hasty = best == 0;
  const bool grown = longest < UINT32_MAX && (best == last || grow_with_hub(m, b, l));
  m->random = random; /* other candidates are the same, however many hubs were tried */
  return grown;
}

/* Fat trees have their own order, and trees laid out by quotas, written directly into the final tables. If another
 * candidate is chosen after all, it overwrites them. */
static bool build_by_levels(maker *m, built *b) {
  static const candidate levels = {.name = "levels of a fat tree"};
  mend_levels l;
  *b = (built){.arena = ripstop_arena_new(), .from = &levels};
  if (!mend_levels_make(&l, &m->net, b->arena)) return false;
  if (!grow_with_best_hub(m, b, &l)) return false;
  m->from_top = l.from_top;
  m->detours = l.longest > l.straight;
  mend_trees_polish(&b->trees, ROUNDS, m->enough, MEND_STEEPEST, MEND_ALL);
  b->worst = mend_trees_worst(&b->trees);
  return true;
}

/* KNS, with spread destinations: other candidates are tried only if the first one is far from the bound. */
static bool is_at_end(const maker *m, const built *best) {
  return best->arena && (best->worst <= m->enough || best->from->sharing == MEND_SHARE_SPREAD);
}

static bool is_far(const maker *m, const built *b) { return b->worst > m->enough + m->enough / 2; }

/* The best of the candidates from `first` on; spanning trees always serve all. */
static built best_from(maker *m, unsigned first) {
  built best = {0};
  for (unsigned i = first; i < CANDIDATES && !is_at_end(m, &best); i++) {
    built b;
    bool better = build(m, &candidates[i], &best, &b);
    ripstop_arena_free(better ? best.arena : b.arena);
    if (better) best = b;
  }
  if (best.arena && best.worst > m->enough) make_even(m, &best);
  return best;
}

static built better_of(built a, built b) {
  bool second = !a.arena || (b.arena && b.worst < a.worst);
  ripstop_arena_free(second ? a.arena : b.arena);
  return second ? b : a;
}

/* A small KNS can look like a fat tree, its lines above its routers, and does worse as one, with detours. */
static built best_of(maker *m) {
  built best;
  const bool tree = build_by_levels(m, &best), near = tree && !is_far(m, &best);
  if (near && !m->detours) return best;
  ripstop_recognise(m->net.view->fabric, m->scratch, &m->shape);
  if (tree && (near || !m->from_top) && strcmp(m->shape.family, "kns") != 0) return best;
  if (!tree) ripstop_arena_free(best.arena);
  m->demand = RIPSTOP_ARRAY(m->scratch, m->net.turns, double);
  mend_demand(&m->net, NULL, 0, m->demand, m->scratch);
  m->share = RIPSTOP_ARRAY(m->scratch, m->net.switches, uint8_t);
  if (tree) return better_of(best, best_from(m, 0));
  best = best_from(m, 0);
  bool spread = best.arena && best.from->sharing == MEND_SHARE_SPREAD;
  return spread && is_far(m, &best) ? better_of(best, best_from(m, 1)) : best;
}

/* ------------------------------------------------------------------ tables */

static void write_ports(const built *b, uint32_t d, ripstop_forwarding *f) {
  const switch_graph *net = b->trees.net;
  uint32_t address = b->trees.row[d];
  uint16_t *port = f->port + (size_t)address * net->switches;
  const uint16_t *row = mend_trees_row(&b->trees, d);
  if (row != port) memcpy(port, row, net->switches * sizeof *port);
  port[b->trees.home[d]] = switch_graph_last_port(net->view->fabric, f->node[address]);
}

/* Picks a VC of the set; sources and destinations take them in turn. */
static uint8_t pick_lane(unsigned mask, uint32_t turn) {
  uint32_t count = (uint32_t)__builtin_popcount(mask);
  for (uint32_t i = count ? turn % count : 0; i > 0; i--) mask &= mask - 1;
  return (uint8_t)(mask ? __builtin_ctz(mask) : 0);
}

/* The VCs that serve all sources; by destination there is at least one. */
static unsigned lanes_of_all(const built *b, uint32_t d) {
  const switch_graph *net = b->trees.net;
  unsigned lanes = (1u << b->orders->lanes) - 1;
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->part[s] == net->part[b->trees.home[d]]) lanes &= b->trees.mask[(size_t)d * net->switches + s];
  return lanes;
}

/* By pair: writes the VC from each live end node to an address. */
static void write_lanes(const built *b, uint32_t d, uint32_t address, ripstop_forwarding *f) {
  const switch_graph *net = b->trees.net;
  const uint8_t *mask = b->trees.mask + (size_t)d * net->switches;
  for (uint32_t e = 0; e < net->view->fabric->ends; e++)
    if (net->home[e] != RIPSTOP_NONE)
      f->level[(size_t)e * f->addresses + address] = pick_lane(mask[net->home[e]], e + address);
}

/* Tables without entries. */
static ripstop_forwarding *make_tables(const maker *m, ripstop_arena *arena) {
  const ripstop_fabric *fabric = m->net.view->fabric;
  size_t most = (size_t)fabric->ends * m->net.addresses + m->net.switches;
  uint32_t *node = ripstop_realloc(NULL, most, sizeof *node), count = 0;
  for (uint32_t v = 0; v < fabric->nodes; v++)
    for (uint32_t k = 0; k < (ripstop_is_end(fabric, v) ? m->net.addresses : 1); k++) node[count++] = v;
  ripstop_forwarding *f = ripstop_forwarding_in(arena, fabric, node, count);
  ripstop_free(node);
  return f;
}

static void write_tables(const maker *m, const built *b) {
  ripstop_forwarding *f = m->tables;
  f->lanes = m->options->lanes;
  f->level_shared = !b->trees.by_pair;
  if (f->lanes > 1)
    f->level = RIPSTOP_ARRAY(f->arena, (f->level_shared ? 1 : (size_t)f->fabric->ends) * f->addresses, uint8_t);
  for (uint32_t d = 0; d < b->trees.count; d++) {
    write_ports(b, d, f);
    if (f->level && b->trees.by_pair) write_lanes(b, d, b->trees.row[d], f);
    if (f->level && !b->trees.by_pair) f->level[b->trees.row[d]] = pick_lane(lanes_of_all(b, d), 0);
  }
}

static const uint32_t *make_order(const maker *m, const built *b, ripstop_arena *arena) {
  uint32_t ports = m->net.view->fabric->ports,
           *order = RIPSTOP_ARRAY(arena, (size_t)ports * m->options->lanes, uint32_t);
  memset(order, 0xFF, (size_t)ports * m->options->lanes * sizeof *order);
  for (uint32_t lane = 0; lane < m->options->lanes; lane++)
    for (uint32_t c = 0; c < m->net.channels; c++)
      order[(size_t)lane * ports + m->net.port[c]] = b->orders->place[lane][c];
  return order;
}

static ripstop_mend *make(const ripstop_view *view, const ripstop_mend_options *options, ripstop_arena *tables,
                          ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new(), *scratch = ripstop_arena_new();
  ripstop_mend *mend = RIPSTOP_NEW(arena, ripstop_mend);
  maker m = {
      .options = options, .scratch = scratch, .random = ripstop_stream_open(options->seed, RIPSTOP_RANDOM_MEND, 0)};
  switch_graph_make(&m.net, view, (switch_graph_kind){0}, scratch);
  m.net.addresses = 1u << options->lmc;
  m.enough = cut_bound_enough(&m.net, scratch);
  m.tables = make_tables(&m, tables ? tables : ripstop_arena_new());
  built best = best_of(&m);
  if (!best.arena) {
    if (!tables) ripstop_forwarding_free(m.tables);
    ripstop_arena_free(scratch);
    ripstop_arena_free(arena);
    ripstop_fail(err, "mend: no channel order was found that serves all pairs");
    return NULL;
  }
  *mend = (ripstop_mend){
      .view = view, .lanes = options->lanes, .start = best.from->name, .worst = best.worst, .arena = arena};
  write_tables(&m, &best);
  mend->tables = m.tables;
  mend->order = make_order(&m, &best, arena);
  ripstop_arena_free(best.arena);
  ripstop_arena_free(scratch);
  return mend;
}

static bool has_room(const ripstop_fabric *f, uint32_t lmc, ripstop_error *err) {
  if (lmc == 0 || ((uint64_t)f->ends << lmc) + ripstop_fabric_switches(f) <= RIPSTOP_IB_LID_LIMIT) return true;
  ripstop_fail(err, "mend: lmc=%u: %u end nodes with %u LIDs each are more than the %d that there are", lmc, f->ends,
               1u << lmc, RIPSTOP_IB_LID_LIMIT);
  return false;
}

ripstop_mend *mend_open_in(ripstop_arena *tables, const ripstop_view *view, const ripstop_mend_options *options,
                           ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  if (options->lanes < 1 || options->lanes > RIPSTOP_MEND_LANES)
    ripstop_fail(err, "mend: lanes=%u is out of range (1 to %d)", options->lanes, RIPSTOP_MEND_LANES);
  else if (options->lmc > RIPSTOP_MEND_LMC)
    ripstop_fail(err, "mend: lmc=%u is out of range (0 to %d)", options->lmc, RIPSTOP_MEND_LMC);
  else if (has_room(view->fabric, options->lmc, err))
    return make(view, options, tables, err);
  return NULL;
}

ripstop_mend *ripstop_mend_open(const ripstop_view *view, const ripstop_mend_options *options, ripstop_error *err) {
  return mend_open_in(NULL, view, options, err);
}

uint32_t ripstop_mend_tolerates(const ripstop_fabric *fabric, uint32_t most) {
  RIPSTOP_GUARD(NULL, 0);
  if ((uint64_t)fabric->links * ripstop_fabric_switches(fabric) > CONNECTED_MOST) return 0;
  ripstop_arena *scratch = ripstop_arena_new();
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  switch_graph net;
  switch_graph_make(&net, view, (switch_graph_kind){0}, scratch);
  uint32_t connected = switch_graph_connectivity(&net, scratch), links = net.channels / 2;
  ripstop_view_free(view);
  ripstop_arena_free(scratch);
  uint32_t tolerates = connected > links ? links : connected ? connected - 1 : 0;
  return tolerates < most ? tolerates : most;
}

void ripstop_mend_free(ripstop_mend *mend) {
  if (!mend) return;
  ripstop_forwarding_free(mend->tables);
  ripstop_arena_free(mend->arena);
}
