/* polish.c - moves branches: at one switch of one destination's tree another channel, where the new way carries less.
 * What lies behind in the tree keeps its pointers and moves along, if each still has a lane.
 *
 * A move is made when it lowers the sum of all channels' costs, which grow steeply with what they carry; so it ends. */
#include <math.h>
#include <string.h>

#include "mend/trees.h"

#define HOT 0.85 /* of the busiest: only branches over such channels are looked at */

typedef struct polish {
  mend_trees *t;
  uint32_t worst;
  double *cost; /* [worst + something]: of a channel by its paths */
  uint32_t costs;
  /* Of the destination at hand. */
  uint32_t *next;
  uint8_t *mask, *lanes;            /* lanes: what the mask would be */
  uint32_t *branch, members, paths; /* switches of the branch, from its root on, and their paths */
  uint8_t *inside;
} polish;

static double cost_at(const polish *p, uint32_t load) { return p->cost[load < p->costs ? load : p->costs - 1]; }

/* A hop costs a little too, so that ways do not grow for nothing. */
static void set_costs(polish *p) {
  p->worst = mend_trees_worst(p->t);
  for (uint32_t i = 0; i < p->costs; i++)
    p->cost[i] = pow((double)i / (p->worst ? p->worst : 1), 16) * p->worst + 0.02 * i;
}

/* All switches whose way leads over s, s first. */
static void find_branch(polish *p, uint32_t s) {
  const mend_net *net = p->t->net;
  p->members = 0;
  p->paths = 0;
  p->branch[p->members++] = s;
  for (uint32_t head = 0; head < p->members; head++) {
    uint32_t v = p->branch[head];
    p->inside[v] = 1;
    p->paths += net->hosts[v];
    for (uint32_t i = net->out_first[v]; i < net->out_first[v + 1]; i++) {
      uint32_t behind = net->to[net->out[i]];
      if (p->next[behind] == (net->out[i] ^ 1)) p->branch[p->members++] = behind;
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

/* What the branch's paths add over channel c. */
static double price_over(const polish *p, uint32_t c) {
  double sum = 0;
  for (; c != RIPSTOP_NONE; c = p->next[p->t->net->to[c]])
    sum += cost_at(p, p->t->load[c] + p->paths) - cost_at(p, p->t->load[c]);
  return sum;
}

static bool leads_inside(const polish *p, uint32_t c) {
  for (; c != RIPSTOP_NONE; c = p->next[p->t->net->to[c]])
    if (p->inside[p->t->net->to[c]]) return true;
  return false;
}

static void take(polish *p, uint32_t c) {
  p->next[p->branch[0]] = c;
  for (uint32_t i = 0; i < p->members; i++) p->mask[p->branch[i]] = p->lanes[p->branch[i]];
}

/* Moves the branch of s to the channel where it costs least. */
static bool move_branch(polish *p, uint32_t s) {
  const mend_net *net = p->t->net;
  find_branch(p, s);
  uint32_t old = p->next[s], best = old;
  if (p->paths == 0) {
    forget_branch(p);
    return false;
  }
  lay(p, old, false);
  double least = price_over(p, old) * (1 - 1e-9);
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
    uint32_t c = net->out[i];
    if (c == old || leads_inside(p, c)) continue;
    double price = price_over(p, c);
    if (price < least && keeps_lanes(p, c)) least = price, best = c;
  }
  if (best != old && keeps_lanes(p, best)) take(p, best);
  lay(p, best, true);
  forget_branch(p);
  return best != old;
}

static bool is_hot(const polish *p, uint32_t c) {
  for (; c != RIPSTOP_NONE; c = p->next[p->t->net->to[c]])
    if (p->t->load[c] >= HOT * p->worst) return true;
  return false;
}

static uint32_t one_round(polish *p) {
  mend_trees *t = p->t;
  uint32_t moves = 0;
  for (uint32_t d = 0; d < t->count; d++) {
    if (t->weight[d] == 0) continue;
    p->next = t->next + (size_t)d * t->net->switches;
    p->mask = t->mask + (size_t)d * t->net->switches;
    for (uint32_t s = 0; s < t->net->switches; s++)
      if (p->next[s] != RIPSTOP_NONE && is_hot(p, p->next[s])) moves += move_branch(p, s);
  }
  return moves;
}

void mend_trees_polish(mend_trees *t, uint32_t rounds) {
  ripstop_arena *scratch = ripstop_arena_new();
  polish p = {.t = t, .costs = 2 * mend_trees_worst(t) + 2};
  p.cost = RIPSTOP_ARRAY(scratch, p.costs, double);
  p.lanes = RIPSTOP_ARRAY(scratch, t->net->switches, uint8_t);
  p.inside = RIPSTOP_ARRAY(scratch, t->net->switches, uint8_t);
  p.branch = RIPSTOP_ARRAY(scratch, t->net->switches, uint32_t);
  for (uint32_t i = 0; i < rounds; i++) {
    set_costs(&p);
    if (one_round(&p) == 0) break;
  }
  ripstop_arena_free(scratch);
}
