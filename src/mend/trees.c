/* trees.c - the in-trees of all destinations beside each other: each grown where the others leave room, and then
 * grown again. */
#include "mend/trees.h"

#include <string.h>

#include "base/local.h"

static uint8_t *mask_of(const mend_trees *t, uint32_t d) { return t->mask + (size_t)d * t->net->switches; }
static unsigned all_lanes(const mend_trees *t) { return (1u << t->orders->lanes) - 1; }

static void add_destination(mend_trees *t, uint32_t row, uint32_t home, bool end) {
  t->row[t->count] = row;
  t->weight[t->count] = end;
  t->home[t->count++] = home;
}

void mend_trees_make(mend_trees *t, mend_orders *orders, bool by_pair, uint16_t *rows, ripstop_stream *random,
                     ripstop_arena *arena) {
  const switch_graph *net = orders->net;
  uint32_t ends = net->view->fabric->ends, switches = net->switches;
  size_t most = (size_t)ends * net->addresses + switches;
  *t = (mend_trees){.net = net, .orders = orders, .random = random, .by_pair = by_pair};
  t->home = RIPSTOP_ARRAY(arena, most, uint32_t);
  t->row = RIPSTOP_ARRAY(arena, most, uint32_t);
  t->weight = RIPSTOP_ARRAY(arena, most, uint8_t);
  for (uint32_t e = 0; e < ends; e++)
    for (uint32_t k = 0; k < net->addresses && net->home[e] != RIPSTOP_NONE; k++)
      add_destination(t, e * net->addresses + k, net->home[e], true);
  for (uint32_t s = 0; s < switches; s++)
    if (net->part[s] != RIPSTOP_NONE) add_destination(t, ends * net->addresses + s, s, false);
  t->rows = rows ? rows : RIPSTOP_ARRAY(arena, most * switches, uint16_t);
  t->mask = RIPSTOP_ARRAY(arena, (size_t)t->count * switches, uint8_t);
  t->load = RIPSTOP_ARRAY(arena, net->channels, uint32_t);
  t->safe_next = RIPSTOP_ARRAY(arena, (size_t)switches * switches, uint32_t);
  t->safe_mask = RIPSTOP_ARRAY(arena, (size_t)switches * switches, uint8_t);
}

/* ------------------------------------------------------------------ paths */

void mend_trees_lay(mend_trees *t, const uint16_t *row, bool add) {
  const switch_graph *net = t->net;
  for (uint32_t s = 0; s < net->switches; s++) {
    uint32_t paths = add ? net->hosts[s] : 0u - net->hosts[s];
    switch_graph_hop h = {.to = s};
    while (paths && row[h.to] != RIPSTOP_NO_PORT) {
      h = switch_graph_hop_of(net, row, h.to);
      t->load[h.channel] += paths;
    }
  }
}

void mend_trees_add(mend_trees *t, uint32_t d, bool add) {
  if (t->weight[d]) mend_trees_lay(t, mend_trees_row(t, d), add);
}

void mend_trees_write(const switch_graph *net, const uint32_t *next, uint16_t *row) {
  for (uint32_t s = 0; s < net->switches; s++) row[s] = next[s] == RIPSTOP_NONE ? RIPSTOP_NO_PORT : net->local[next[s]];
}

uint32_t mend_trees_worst(const mend_trees *t) {
  uint32_t worst = 0;
  for (uint32_t c = 0; c < t->net->channels; c++)
    if (t->load[c] > worst) worst = t->load[c];
  return worst;
}

/* ------------------------------------------------------------------ passes */

#define APART 0.3 /* price of a channel that another address of the same end node uses, in hops */

typedef struct pass {
  mend_trees *t;
  mend_grow g;
  double *price;
  unsigned power;
  double weight;     /* price of a path on a channel, in hops */
  uint32_t *company; /* [channels]: how many other addresses of the current end node use each */
  uint32_t end;      /* that end node, as a group of destinations; RIPSTOP_NONE: none yet */
} pass;

static void count_company(pass *p, uint32_t d, uint32_t one) {
  const mend_trees *t = p->t;
  const uint16_t *row = mend_trees_row(t, d);
  for (uint32_t s = 0; s < t->net->switches; s++)
    if (row[s] != RIPSTOP_NO_PORT) p->company[switch_graph_hop_of(t->net, row, s).channel] += one;
}

static bool has_company(const pass *p, uint32_t d) { return p->t->net->addresses > 1 && p->t->weight[d]; }

/* Leaves in `company` the other addresses of the same end node; before they are `grown`, those that come before d. */
static void find_company(pass *p, uint32_t d, bool grown) {
  const switch_graph *net = p->t->net;
  const uint32_t end = d / net->addresses, first = end * net->addresses;
  if (end != p->end) {
    memset(p->company, 0, net->channels * sizeof *p->company);
    for (uint32_t k = 0; grown && k < net->addresses; k++) count_company(p, first + k, 1);
    p->end = end;
  }
  if (grown) count_company(p, d, 0u - 1);
}

/* Removes the paths of a destination whose tree is to be grown; `grown`: it has one. */
static void take_out(pass *p, uint32_t d, bool grown) {
  if (has_company(p, d)) find_company(p, d, grown);
  if (grown) mend_trees_add(p->t, d, false);
}

static void put_back(pass *p, uint32_t d) {
  if (has_company(p, d)) count_company(p, d, 1);
  mend_trees_add(p->t, d, true);
}

/* The price of a hop, which grows with the load of the channel and with the other addresses of the same end node, so
 * that these keep to separate paths. */
static void set_prices(pass *p, uint32_t d) {
  uint32_t worst = mend_trees_worst(p->t);
  double scale = worst ? 1.0 / worst : 0;
  bool company = has_company(p, d);
  for (uint32_t c = 0; c < p->t->net->channels; c++) {
    double busy = p->t->load[c] * scale, price = 1;
    for (unsigned i = 0; i < p->power; i++) price *= busy;
    price = 1 + p->weight * price;
    for (uint32_t i = company ? p->company[c] : 0; i > 0; i--) price += APART;
    p->price[c] = price;
  }
}

/* The sum of the prices that all sources pay. */
static double price_of_tree(const pass *p) {
  double sum = 0;
  for (uint32_t s = 0; s < p->t->net->switches; s++)
    if (p->t->net->hosts[s] && p->g.mask[s]) sum += p->g.distance[s] * p->t->net->hosts[s];
  return sum;
}

static void keep(pass *p, uint32_t d, const uint32_t *next, const uint8_t *mask) {
  mend_trees_write(p->t->net, next, mend_trees_row(p->t, d));
  memcpy(mask_of(p->t, d), mask, p->t->net->switches);
}

static void keep_safe(pass *p, uint32_t d) {
  size_t at = (size_t)p->t->home[d] * p->t->net->switches;
  keep(p, d, p->t->safe_next + at, p->t->safe_mask + at);
}

static void grow_by_pair(pass *p, uint32_t d) {
  if (mend_grow_tree(&p->g, p->t->home[d], all_lanes(p->t)))
    keep(p, d, p->g.next, p->g.mask);
  else
    keep_safe(p, d);
}

/* Picks the cheapest VC. */
static void grow_by_destination(pass *p, uint32_t d) {
  double best = 0;
  bool found = false;
  for (uint32_t lane = 0; lane < p->t->orders->lanes; lane++) {
    if (!mend_grow_tree(&p->g, p->t->home[d], 1u << lane)) continue;
    double price = price_of_tree(p);
    if (found && price >= best) continue;
    keep(p, d, p->g.next, p->g.mask);
    best = price;
    found = true;
  }
  if (!found) keep_safe(p, d);
}

static void grow(pass *p, uint32_t d) {
  mend_trees *t = p->t;
  p->g.safe = t->safe_next + (size_t)t->home[d] * t->net->switches;
  p->g.safe_mask = t->safe_mask + (size_t)t->home[d] * t->net->switches;
  t->by_pair ? grow_by_pair(p, d) : grow_by_destination(p, d);
}

static void grow_all(pass *p, bool again) {
  mend_trees *t = p->t;
  for (uint32_t d = 0; d < t->count; d++) {
    ripstop_task_progress("trees of destinations", d, t->count);
    if (again && t->weight[d] == 0) continue;
    take_out(p, d, again);
    set_prices(p, d);
    grow(p, d);
    put_back(p, d);
  }
}

static void begin(pass *p, mend_trees *t, ripstop_arena *scratch) {
  *p = (pass){.t = t, .power = 2, .weight = 1, .end = RIPSTOP_NONE};
  mend_grow_make(&p->g, t->orders, t->random, scratch);
  p->price = RIPSTOP_ARRAY(scratch, t->net->channels, double);
  p->g.price = p->price;
  p->company = RIPSTOP_ARRAY(scratch, t->net->channels, uint32_t);
  p->g.turns = t->orders->allow;
}

void mend_trees_balance(mend_trees *t, uint32_t passes) {
  RIPSTOP_LOCAL_ARENA(scratch);
  pass p;
  begin(&p, t, scratch);
  memset(t->load, 0, t->net->channels * sizeof *t->load);
  for (uint32_t i = 0; i < passes; i++, p.power = 4 + i) grow_all(&p, i > 0);
}

/* ------------------------------------------------------------------ trees over the busiest channels */

#define HOT   0.9   /* fraction of the busiest */
#define STEEP 16    /* price of the busiest channel, in hops */
enum { POWER = 8 }; /* exponent of the prices of less loaded channels */

static bool crosses_more_than(const mend_trees *t, uint32_t d, uint32_t paths) {
  const uint16_t *row = mend_trees_row(t, d);
  for (uint32_t s = 0; s < t->net->switches; s++)
    if (row[s] != RIPSTOP_NO_PORT && t->load[switch_graph_hop_of(t->net, row, s).channel] > paths) return true;
  return false;
}

static double price_over(const pass *p, const uint16_t *row) {
  const switch_graph *net = p->t->net;
  double sum = 0;
  for (uint32_t s = 0; s < net->switches; s++) {
    switch_graph_hop h = {.to = s};
    while (net->hosts[s] && row[h.to] != RIPSTOP_NO_PORT) {
      h = switch_graph_hop_of(net, row, h.to);
      sum += p->price[h.channel] * net->hosts[s];
    }
  }
  return sum;
}

static void relieve_loose(pass *p, uint32_t d) {
  take_out(p, d, true);
  set_prices(p, d);
  mend_trees_regrow(p->t, &p->g, d);
  put_back(p, d);
}

/* Keeps the old tree where the new one is no cheaper. */
static void relieve(pass *p, uint32_t d, uint16_t *old, uint8_t *old_mask) {
  mend_trees *t = p->t;
  memcpy(old, mend_trees_row(t, d), t->net->switches * sizeof *old);
  memcpy(old_mask, mask_of(t, d), t->net->switches);
  take_out(p, d, true);
  set_prices(p, d);
  grow(p, d);
  if (price_over(p, mend_trees_row(t, d)) >= price_over(p, old)) {
    memcpy(mend_trees_row(t, d), old, t->net->switches * sizeof *old);
    memcpy(mask_of(t, d), old_mask, t->net->switches);
  }
  put_back(p, d);
}

void mend_trees_relieve(mend_trees *t) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t hot = (uint32_t)(HOT * mend_trees_worst(t));
  uint16_t *row = RIPSTOP_ARRAY(scratch, t->net->switches, uint16_t);
  uint8_t *mask = RIPSTOP_ARRAY(scratch, t->net->switches, uint8_t);
  pass p;
  begin(&p, t, scratch);
  p.power = POWER;
  p.weight = STEEP;
  if (t->vain) memset(t->vain, 0, t->net->turns);
  for (uint32_t d = 0; d < t->count; d++) {
    ripstop_task_progress("trees over the busiest channels", d, t->count);
    if (t->weight[d] && crosses_more_than(t, d, hot)) t->used ? relieve_loose(&p, d) : relieve(&p, d, row, mask);
  }
}
