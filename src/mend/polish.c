/* polish.c - moves branches: gives one switch of a destination's tree another channel, where the new path carries
 * less. The switches behind it keep their pointers and move along, if each still has a VC.
 *
 * A move is made when it lowers the sum of all channels' costs, which grow steeply with load. They grow more steeply
 * after a round that leaves the busiest channel as it is, so that other channels count less. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "mend/trees.h"

#define HOT   0.85 /* fraction of the busiest */
#define FEW   0.95 /* the same where moves are limited, so that they go to the busiest */
#define APART 4    /* price of a path where all other addresses of the same end node take the channel */
enum { VAIN = 3 }; /* rounds without improvement after which it ends */

typedef struct polish {
  mend_trees *t;
  uint32_t worst, hot; /* hot: only branches over channels that carry more are looked at */
  double part;         /* hot / the busiest */
  unsigned power;      /* exponent of the cost */
  unsigned priced;     /* the power that `cost` is for, with `worst`; 0: none yet */
  double *cost;        /* [worst + margin]: cost of a channel by its paths */
  uint32_t costs;
  uint8_t *hot_port;          /* [ports of the fabric]: true if it sends into such a channel */
  uint32_t *hot_switch, hots; /* the switches of these ports */
  uint32_t *hit;              /* [hots]: those that send the current destination's packets so */
  /* The current destination. */
  uint32_t d;
  uint16_t *row;
  uint8_t *mask, *lanes;            /* `lanes`: the mask after the move */
  uint32_t *branch, members, paths; /* switches of the branch, root first, and their paths */
  uint32_t longest;                 /* hops that its root may have to the destination */
  uint32_t *behind;                 /* [switches]: how many point to each */
  bool counted;                     /* `behind` is valid */
  uint8_t *inside;
  uint32_t *company; /* [channels]: addresses of the current end node on each, where end nodes have several */
  uint32_t *candidate, candidates; /* channels that the branch may move to */
  double *price;                   /* [candidates]: of the branch over each */
  uint32_t *victim;
  uint8_t *listed;
} polish;

static double cost_at(const polish *p, uint32_t load) { return p->cost[load < p->costs ? load : p->costs - 1]; }

/* A hop costs a little, too, so that paths do not grow without need. */
static void set_costs(polish *p, uint64_t enough) {
  uint32_t worst = mend_trees_worst(p->t);
  if (worst == p->worst && p->power == p->priced) return; /* nothing has changed */
  p->worst = worst;
  p->priced = p->power;
  p->hot = (uint32_t)(p->part * p->worst);
  if (p->hot < enough) p->hot = (uint32_t)enough;
  for (uint32_t i = 0; i < p->costs; i++)
    p->cost[i] = pow((double)i / (p->worst ? p->worst : 1), p->power) * p->worst + 0.02 * i;
}

static void count_behind(polish *p) {
  const switch_graph *net = p->t->net;
  memset(p->behind, 0, net->switches * sizeof *p->behind);
  for (uint32_t s = 0; s < net->switches; s++)
    if (p->row[s] != RIPSTOP_NO_PORT) p->behind[switch_graph_hop_of(net, p->row, s).to]++;
  p->counted = true;
}

static bool is_last(const polish *p, uint32_t s) {
  const switch_graph *net = p->t->net;
  const switch_graph_side *side = net->side + net->out_first[s], *end = net->side + net->out_first[s + 1];
  while (side < end && p->row[side->to] != side->back) side++;
  return side == end;
}

/* Lists all switches whose path leads over s, s first. Most branches are s alone. */
static void find_branch(polish *p, uint32_t s) {
  const switch_graph *net = p->t->net;
  bool alone = !p->counted && is_last(p, s);
  if (!p->counted && !alone) count_behind(p);
  p->members = 0;
  p->paths = 0;
  p->branch[p->members++] = s;
  for (uint32_t head = 0; head < p->members; head++) {
    uint32_t v = p->branch[head];
    p->inside[v] = 1;
    p->paths += net->hosts[v];
    const switch_graph_side *side = net->side + net->out_first[v];
    for (uint32_t left = alone ? 0 : p->behind[v]; left > 0; side++)
      if (p->row[side->to] == side->back) p->branch[p->members++] = side->to, left--;
  }
}

static void forget_branch(polish *p) {
  for (uint32_t i = 0; i < p->members; i++) p->inside[p->branch[i]] = 0;
}

/* The VCs that the root of the branch has over channel c, in fixed orders. */
static unsigned lanes_over(const polish *p, uint32_t c) {
  const switch_graph *net = p->t->net;
  uint32_t to = net->to[c], after = switch_graph_next(net, p->row, to);
  return after == RIPSTOP_NONE ? p->mask[to] : p->mask[to] & p->t->orders->allow[switch_graph_turn(net, c, after)];
}

/* True if each switch of the branch keeps a VC when its root goes over channel c; fills `lanes`. */
static bool keeps_lanes(polish *p, uint32_t c) {
  const switch_graph *net = p->t->net;
  const uint8_t *allow = p->t->orders->allow;
  for (uint32_t i = 0; i < p->members; i++) {
    uint32_t v = p->branch[i], on = i ? switch_graph_next(net, p->row, v) : c, to = net->to[on];
    uint32_t after = i && to == p->branch[0] ? c : switch_graph_next(net, p->row, to);
    unsigned lanes = i ? p->lanes[to] : p->mask[to];
    if (after != RIPSTOP_NONE) lanes &= allow[switch_graph_turn(net, on, after)];
    p->lanes[v] = (uint8_t)lanes;
    if (!lanes) return false;
  }
  return true;
}

/* The next hop of a switch; at the end of the path `channel` is RIPSTOP_NONE. */
static switch_graph_hop onward(const polish *p, uint32_t s) {
  return p->row[s] == RIPSTOP_NO_PORT ? (switch_graph_hop){RIPSTOP_NONE, s} : switch_graph_hop_of(p->t->net, p->row, s);
}

static switch_graph_hop hop_over(const polish *p, uint32_t c) { return (switch_graph_hop){c, p->t->net->to[c]}; }

static uint32_t hops_over(const polish *p, uint32_t c) {
  uint32_t hops = 0;
  for (switch_graph_hop h = hop_over(p, c); h.channel != RIPSTOP_NONE; h = onward(p, h.to)) hops++;
  return hops;
}

static void lay(polish *p, uint32_t c) {
  for (switch_graph_hop h = hop_over(p, c); h.channel != RIPSTOP_NONE; h = onward(p, h.to))
    p->t->load[h.channel] += p->paths;
}

/* Removes the branch's paths over channel c, and returns what they cost. */
static double take_off(polish *p, uint32_t c) {
  uint32_t *load = p->t->load;
  double sum = 0;
  for (switch_graph_hop h = hop_over(p, c); h.channel != RIPSTOP_NONE; h = onward(p, h.to)) {
    double with = cost_at(p, load[h.channel]);
    load[h.channel] -= p->paths;
    sum += with - cost_at(p, load[h.channel]);
  }
  return sum;
}

/* The cost that the branch's paths add over channel c; INFINITY if that is `most` or more, or if the path is too
 * long or leads back into the branch. */
static double price_over(const polish *p, uint32_t c, double most) {
  const uint32_t *load = p->t->load;
  double sum = 0;
  uint32_t hops = 0;
  for (switch_graph_hop h = hop_over(p, c); h.channel != RIPSTOP_NONE; h = onward(p, h.to)) {
    if (hops++ == p->longest) return INFINITY;
    sum += cost_at(p, load[h.channel] + p->paths) - cost_at(p, load[h.channel]);
    if (p->inside[h.to] || sum >= most) return INFINITY;
  }
  return sum;
}

/* Counts how many addresses of the current end node use each channel. */
static void find_company(polish *p) {
  const switch_graph *net = p->t->net;
  const uint32_t first = p->d - p->d % net->addresses;
  memset(p->company, 0, net->channels * sizeof *p->company);
  for (uint32_t d = first; d < first + net->addresses; d++) {
    const uint16_t *row = mend_trees_row(p->t, d);
    for (uint32_t s = 0; s < net->switches; s++)
      if (row[s] != RIPSTOP_NO_PORT) p->company[switch_graph_hop_of(net, row, s).channel]++;
  }
}

/* The price that keeps the addresses of one end node on separate paths. */
static double price_of_company(const polish *p, uint32_t s, uint32_t c) {
  uint32_t same = p->company[c] - (p->row[s] == p->t->net->local[c]);
  uint32_t price = APART * p->paths * same / (p->t->net->addresses - 1); /* rounded down to whole paths */
  return price;
}

static double with_company(const polish *p, uint32_t s, uint32_t c, double price) {
  return p->t->net->addresses > 1 ? price + price_of_company(p, s, c) : price;
}

static bool take(polish *p, uint32_t c) {
  bool loose = p->t->used;
  if (!(loose ? mend_trees_turn_to(p->t, p->d, p->branch[0], c) : keeps_lanes(p, c))) return false;
  switch_graph_hop old = switch_graph_hop_of(p->t->net, p->row, p->branch[0]);
  if (p->t->net->addresses > 1) p->company[old.channel]--, p->company[c]++;
  p->behind[old.to]--;
  p->behind[p->t->net->to[c]]++;
  p->row[p->branch[0]] = p->t->net->local[c];
  for (uint32_t i = 0; !loose && i < p->members; i++) p->mask[p->branch[i]] = p->lanes[p->branch[i]];
  return true;
}

/* Lists the channels that lead out of the branch and leave its root a VC; where orders follow the trees, in any. */
static void find_candidates(polish *p, uint32_t s) {
  const switch_graph *net = p->t->net;
  p->candidates = 0;
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
    uint32_t c = net->out[i];
    if (net->local[c] == p->row[s] || p->inside[net->to[c]] || !switch_graph_up(net, c)) continue;
    if (p->t->used || lanes_over(p, c)) p->candidate[p->candidates++] = c;
  }
}

/* Fills `price`. INFINITY stands for any price of `most` or more. */
static void find_prices(polish *p, uint32_t s, double most) {
  for (uint32_t i = 0; i < p->candidates; i++) {
    double price = price_over(p, p->candidate[i], most);
    p->price[i] = price < most ? with_company(p, s, p->candidate[i], price) : INFINITY;
  }
}

/* The index of the cheapest candidate; RIPSTOP_NONE: none costs less than `least`. */
static uint32_t cheapest(const polish *p, double least) {
  uint32_t best = RIPSTOP_NONE;
  for (uint32_t i = 0; i < p->candidates; i++)
    if (p->price[i] < least) least = p->price[i], best = i;
  return best;
}

/* Moves the branch to its cheapest candidate, if that costs less than what it has. */
static bool move_to_cheapest(polish *p, uint32_t s) {
  uint32_t old = switch_graph_next(p->t->net, p->row, s), best;
  p->longest = p->t->steady ? hops_over(p, old) : UINT32_MAX;
  double least = with_company(p, s, old, take_off(p, old)) * (1 - 1e-9);
  find_prices(p, s, least);
  while ((best = cheapest(p, least)) != RIPSTOP_NONE && !take(p, p->candidate[best])) p->price[best] = INFINITY;
  uint32_t now = switch_graph_next(p->t->net, p->row, s);
  lay(p, now);
  return now != old;
}

static bool move_branch(polish *p, uint32_t s) {
  find_branch(p, s);
  p->candidates = 0;
  if (p->paths > 0) find_candidates(p, s);
  bool moved = p->candidates > 0 && move_to_cheapest(p, s);
  forget_branch(p);
  return moved;
}

static bool is_hot(const polish *p, uint32_t s) {
  for (switch_graph_hop h = onward(p, s); h.channel != RIPSTOP_NONE; h = onward(p, h.to))
    if (p->t->load[h.channel] > p->hot) return true;
  return false;
}

/* Lists the switches of one destination's tree whose path crosses a hot channel. */
static uint32_t find_victims(polish *p) {
  uint32_t victims = 0, hits = 0;
  for (uint32_t i = 0; i < p->hots; i++) { /* most switches send elsewhere: no branch to mispredict */
    uint32_t s = p->hit[hits] = p->hot_switch[i];
    hits += p->row[s] != RIPSTOP_NO_PORT && p->hot_port[p->t->net->first_port[s] + p->row[s]];
  }
  for (uint32_t i = 0; i < hits; i++) {
    uint32_t s = p->hit[i];
    if (p->listed[s]) continue;
    find_branch(p, s);
    forget_branch(p);
    for (uint32_t k = 0; k < p->members; k++) {
      uint32_t v = p->branch[k];
      if (p->listed[v]) continue;
      p->listed[v] = 1;
      p->victim[victims++] = v;
    }
  }
  for (uint32_t i = 0; i < victims; i++) p->listed[p->victim[i]] = 0;
  return victims;
}

static void find_hot_channels(polish *p) {
  const switch_graph *net = p->t->net;
  p->hots = 0;
  for (uint32_t s = 0; s < net->switches; s++) {
    bool any = false;
    for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      bool hot = p->t->load[net->out[i]] > p->hot;
      p->hot_port[net->port[net->out[i]]] = hot;
      any |= hot;
    }
    if (any) p->hot_switch[p->hots++] = s;
  }
}

static uint32_t one_round(polish *p, uint32_t most) {
  mend_trees *t = p->t;
  uint32_t moves = 0, end = RIPSTOP_NONE; /* end: whose `company` is known */
  find_hot_channels(p);
  for (uint32_t d = 0; d < t->count && moves < most; d++) {
    ripstop_task_progress("branches of trees moved", d, t->count);
    if (t->weight[d] == 0) continue;
    p->d = d;
    p->row = mend_trees_row(t, d);
    p->mask = t->mask + (size_t)d * t->net->switches;
    p->counted = false;
    if (t->net->addresses > 1 && d / t->net->addresses != end) find_company(p), end = d / t->net->addresses;
    uint32_t victims = find_victims(p);
    for (uint32_t i = 0; i < victims && moves < most; i++)
      if (is_hot(p, p->victim[i])) moves += move_branch(p, p->victim[i]);
  }
  return moves;
}

void mend_trees_polish(mend_trees *t, uint32_t rounds, uint64_t enough, uint32_t steepest, uint32_t most) {
  RIPSTOP_LOCAL_ARENA(scratch);
  polish p = {.t = t, .power = MEND_STEEP, .part = most < MEND_ALL ? FEW : HOT, .costs = 2 * mend_trees_worst(t) + 2};
  p.cost = RIPSTOP_ARRAY(scratch, p.costs, double);
  p.candidate = RIPSTOP_ARRAY(scratch, t->net->channels, uint32_t);
  p.price = RIPSTOP_ARRAY(scratch, t->net->channels, double);
  p.company = RIPSTOP_ARRAY(scratch, t->net->channels, uint32_t);
  p.lanes = RIPSTOP_ARRAY(scratch, t->net->switches, uint8_t);
  p.inside = RIPSTOP_ARRAY(scratch, t->net->switches, uint8_t);
  p.branch = RIPSTOP_ARRAY(scratch, t->net->switches, uint32_t);
  p.victim = RIPSTOP_ARRAY(scratch, t->net->switches, uint32_t);
  p.listed = RIPSTOP_ARRAY(scratch, t->net->switches, uint8_t);
  p.hot_port = RIPSTOP_ARRAY(scratch, t->net->view->fabric->ports, uint8_t);
  p.hot_switch = RIPSTOP_ARRAY(scratch, t->net->switches, uint32_t);
  p.hit = RIPSTOP_ARRAY(scratch, t->net->switches + 1, uint32_t);
  p.behind = RIPSTOP_ARRAY(scratch, t->net->switches, uint32_t);
  uint32_t best = UINT32_MAX, vain = 0, moves = 0;
  if (t->vain) memset(t->vain, 0, t->net->turns);
  for (uint32_t i = 0; i < rounds && vain < VAIN && moves < most; i++) {
    set_costs(&p, enough);
    if (p.worst <= enough) break;
    uint32_t more = one_round(&p, most - moves);
    moves += more;
    bool better = mend_trees_worst(t) < best;
    if (better) best = mend_trees_worst(t), vain = 0;
    if (!better && p.power < steepest)
      p.power *= 2;
    else if (!better)
      vain = more ? vain + 1 : VAIN;
  }
}
