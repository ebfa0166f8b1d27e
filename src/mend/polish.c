/* polish.c - moves branches: at one switch of one destination's tree another channel, where the new way carries less.
 * What lies behind in the tree keeps its pointers and moves along, if each still has a lane.
 *
 * A move is made when it lowers the sum of all channels' costs, which grow steeply with what they carry, and steeper
 * when a round leaves the busiest as it is: then what others carry counts less. */
#include <math.h>
#include <string.h>

#include "mend/trees.h"

#define HOT   0.85 /* of the busiest */
#define FEW   0.95 /* the same where moves are few, so that they go where it matters */
#define APART 4    /* what a path costs more where all other addresses of the same end node take the same channel */
enum { VAIN = 3 }; /* rounds that made nothing better: it ends */

typedef struct polish {
  mend_trees *t;
  uint32_t worst, hot; /* hot: only branches over channels that carry more are looked at */
  double part;         /* hot, of the busiest */
  unsigned power;      /* by which costs grow */
  double *cost;        /* [worst + something]: of a channel by its paths */
  uint32_t costs;
  uint32_t *hot_channel, *hot_switch, hots; /* hot_switch: that sends into it */
  uint32_t *hit;                            /* [hots]: those that the destination at hand takes */
  /* Of the destination at hand. */
  uint32_t d;
  uint32_t *next;
  uint8_t *mask, *lanes;            /* lanes: what the mask would be */
  uint32_t *branch, members, paths; /* switches of the branch, from its root on, and their paths */
  uint32_t *behind;                 /* [switches]: how many point to one */
  bool counted;                     /* of the destination at hand */
  uint8_t *inside;
  uint32_t *company; /* [channels]: where end nodes have several addresses */
  double *price;     /* [channels of a switch]: of the branch over each */
  uint32_t *victim;
  uint8_t *listed;
} polish;

static double cost_at(const polish *p, uint32_t load) { return p->cost[load < p->costs ? load : p->costs - 1]; }

/* A hop costs a little too, so that ways do not grow for nothing. */
static void set_costs(polish *p, uint64_t enough) {
  p->worst = mend_trees_worst(p->t);
  p->hot = (uint32_t)(p->part * p->worst);
  if (p->hot < enough) p->hot = (uint32_t)enough;
  for (uint32_t i = 0; i < p->costs; i++)
    p->cost[i] = pow((double)i / (p->worst ? p->worst : 1), p->power) * p->worst + 0.02 * i;
}

static void count_behind(polish *p) {
  const mend_net *net = p->t->net;
  memset(p->behind, 0, net->switches * sizeof *p->behind);
  for (uint32_t s = 0; s < net->switches; s++)
    if (p->next[s] != RIPSTOP_NONE) p->behind[net->to[p->next[s]]]++;
  p->counted = true;
}

/* All switches whose way leads over s, s first. */
static void find_branch(polish *p, uint32_t s) {
  const mend_net *net = p->t->net;
  if (!p->counted) count_behind(p);
  p->members = 0;
  p->paths = 0;
  p->branch[p->members++] = s;
  for (uint32_t head = 0; head < p->members; head++) {
    uint32_t v = p->branch[head];
    p->inside[v] = 1;
    p->paths += net->hosts[v];
    for (uint32_t i = net->out_first[v], left = p->behind[v]; left > 0; i++) {
      uint32_t behind = net->to[net->out[i]];
      if (p->next[behind] == (net->out[i] ^ 1)) p->branch[p->members++] = behind, left--;
    }
  }
}

static void forget_branch(polish *p) {
  for (uint32_t i = 0; i < p->members; i++) p->inside[p->branch[i]] = 0;
}

/* Whether each switch of the branch keeps a lane when its root goes over channel c; fills `lanes`. */
static bool keeps_lanes(polish *p, uint32_t c) {
  const mend_net *net = p->t->net;
  const uint8_t *allow = p->t->frames->allow;
  for (uint32_t i = 0; i < p->members; i++) {
    uint32_t v = p->branch[i], on = i ? p->next[v] : c, to = net->to[on];
    uint32_t after = i && to == p->branch[0] ? c : p->next[to];
    unsigned lanes = i ? p->lanes[to] : p->mask[to];
    if (after != RIPSTOP_NONE) lanes &= allow[mend_turn(net, on, after)];
    p->lanes[v] = (uint8_t)lanes;
    if (!lanes) return false;
  }
  return true;
}

static void lay(polish *p, uint32_t c, bool add) {
  for (; c != RIPSTOP_NONE; c = p->next[p->t->net->to[c]]) p->t->load[c] += add ? p->paths : 0u - p->paths;
}

/* What the branch's paths add over channel c; INFINITY where that is `most` or more, or leads back into the branch. */
static double price_over(const polish *p, uint32_t c, double most) {
  const uint32_t *to = p->t->net->to, *load = p->t->load;
  double sum = 0;
  for (; c != RIPSTOP_NONE; c = p->next[to[c]]) {
    sum += cost_at(p, load[c] + p->paths) - cost_at(p, load[c]);
    if (p->inside[to[c]] || sum >= most) return INFINITY;
  }
  return sum;
}

/* How many addresses of the end node at hand take each channel. */
static void find_company(polish *p) {
  const mend_net *net = p->t->net;
  const size_t first = p->d - p->d % net->addresses;
  const uint32_t *next = p->t->next + first * net->switches;
  memset(p->company, 0, net->channels * sizeof *p->company);
  for (size_t i = 0; i < (size_t)net->addresses * net->switches; i++)
    if (next[i] != RIPSTOP_NONE) p->company[next[i]]++;
}

/* Ways of the addresses of one end node keep apart. */
static double price_of_company(const polish *p, uint32_t s, uint32_t c) {
  uint32_t same = p->company[c] - (p->next[s] == c);
  uint32_t price = APART * p->paths * same / (p->t->net->addresses - 1); /* whole paths will do */
  return price;
}

static double price_at(const polish *p, uint32_t s, uint32_t c, double most) {
  double price = price_over(p, c, most);
  return p->t->net->addresses > 1 && price < most ? price + price_of_company(p, s, c) : price;
}

static bool take(polish *p, uint32_t c) {
  bool loose = p->t->used;
  if (!(loose ? mend_trees_turn_to(p->t, p->d, p->branch[0], c) : keeps_lanes(p, c))) return false;
  if (p->t->net->addresses > 1) p->company[p->next[p->branch[0]]]--, p->company[c]++;
  p->behind[p->t->net->to[p->next[p->branch[0]]]]--;
  p->behind[p->t->net->to[c]]++;
  p->next[p->branch[0]] = c;
  for (uint32_t i = 0; !loose && i < p->members; i++) p->mask[p->branch[i]] = p->lanes[p->branch[i]];
  return true;
}

/* INFINITY of those that cost so much or more, which is all that one needs to know of them. */
static void find_prices(polish *p, uint32_t s, double most) {
  const mend_net *net = p->t->net;
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
    uint32_t c = net->out[i];
    bool open = c != p->next[s] && mend_net_alive(net, c);
    p->price[net->slot[c]] = open ? price_at(p, s, c, most) : INFINITY;
  }
}

/* The channel of a switch that costs least; RIPSTOP_NONE: none costs less than so much. */
static uint32_t cheapest(const polish *p, uint32_t s, double least) {
  const mend_net *net = p->t->net;
  uint32_t best = RIPSTOP_NONE;
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++)
    if (p->price[net->slot[net->out[i]]] < least) least = p->price[net->slot[net->out[i]]], best = net->out[i];
  return best;
}

/* Moves the branch of s to the channel where it costs least. */
static bool move_branch(polish *p, uint32_t s) {
  find_branch(p, s);
  uint32_t old = p->next[s], c;
  if (p->paths == 0) {
    forget_branch(p);
    return false;
  }
  lay(p, old, false);
  double least = price_at(p, s, old, INFINITY) * (1 - 1e-9);
  find_prices(p, s, least);
  while ((c = cheapest(p, s, least)) != RIPSTOP_NONE && !take(p, c)) p->price[p->t->net->slot[c]] = INFINITY;
  lay(p, p->next[s], true);
  forget_branch(p);
  return p->next[s] != old;
}

static bool is_hot(const polish *p, uint32_t c) {
  for (; c != RIPSTOP_NONE; c = p->next[p->t->net->to[c]])
    if (p->t->load[c] > p->hot) return true;
  return false;
}

/* All switches of one destination's tree whose way leads over a hot channel. */
static uint32_t find_victims(polish *p) {
  uint32_t victims = 0, hits = 0;
  for (uint32_t i = 0; i < p->hots; i++) { /* most are not its own: nothing to be guessed */
    p->hit[hits] = p->hot_switch[i];
    hits += p->next[p->hot_switch[i]] == p->hot_channel[i];
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
  p->hots = 0;
  for (uint32_t c = 0; c < p->t->net->channels; c++) {
    if (p->t->load[c] <= p->hot) continue;
    p->hot_switch[p->hots] = p->t->net->from[c];
    p->hot_channel[p->hots++] = c;
  }
}

static uint32_t one_round(polish *p, uint32_t most) {
  mend_trees *t = p->t;
  uint32_t moves = 0, end = RIPSTOP_NONE; /* end: whose company is known */
  find_hot_channels(p);
  for (uint32_t d = 0; d < t->count && moves < most; d++) {
    ripstop_under_way("branches of trees moved", d, t->count);
    if (t->weight[d] == 0) continue;
    p->d = d;
    p->next = t->next + (size_t)d * t->net->switches;
    p->mask = t->mask + (size_t)d * t->net->switches;
    p->counted = false;
    if (t->net->addresses > 1 && d / t->net->addresses != end) find_company(p), end = d / t->net->addresses;
    uint32_t victims = find_victims(p);
    for (uint32_t i = 0; i < victims && moves < most; i++)
      if (is_hot(p, p->next[p->victim[i]])) moves += move_branch(p, p->victim[i]);
  }
  return moves;
}

void mend_trees_polish(mend_trees *t, uint32_t rounds, uint64_t enough, uint32_t steepest, uint32_t most) {
  ripstop_arena *scratch = ripstop_arena_new();
  polish p = {.t = t, .power = MEND_STEEP, .part = most < MEND_ALL ? FEW : HOT, .costs = 2 * mend_trees_worst(t) + 2};
  p.cost = RIPSTOP_ARRAY(scratch, p.costs, double);
  p.price = RIPSTOP_ARRAY(scratch, t->net->channels, double);
  p.company = RIPSTOP_ARRAY(scratch, t->net->channels, uint32_t);
  p.lanes = RIPSTOP_ARRAY(scratch, t->net->switches, uint8_t);
  p.inside = RIPSTOP_ARRAY(scratch, t->net->switches, uint8_t);
  p.branch = RIPSTOP_ARRAY(scratch, t->net->switches, uint32_t);
  p.victim = RIPSTOP_ARRAY(scratch, t->net->switches, uint32_t);
  p.listed = RIPSTOP_ARRAY(scratch, t->net->switches, uint8_t);
  p.hot_channel = RIPSTOP_ARRAY(scratch, t->net->channels, uint32_t);
  p.hot_switch = RIPSTOP_ARRAY(scratch, t->net->channels, uint32_t);
  p.hit = RIPSTOP_ARRAY(scratch, t->net->channels, uint32_t);
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
  ripstop_arena_free(scratch);
}
