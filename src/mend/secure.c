/* secure.c - a tree for each switch by required turns alone, before anything is balanced, so that nothing can remove
 * it.
 *
 * Where VCs begin with a spanning tree, its turns are enough. Where they begin with dimension order and share the
 * destinations, each destination with end nodes gets the turns of its tree that its VC's order allows: these become
 * required, all others stay open. Switches that this does not reach, because cables have failed, are joined by more
 * required turns, each only if it closes no cycle. Destinations that find no place this way, and switches without end
 * nodes, use the VC with the spanning tree. */
#include <string.h>

#include "base/local.h"
#include "mend/trees.h"

typedef struct secure {
  mend_trees *t;
  mend_grow g;
  double *price;
  uint8_t *required; /* [turns]: before a failed attempt to add turns */
  unsigned whole;    /* VCs that hold a spanning tree */
  /* End nodes whose trees are in each VC, and the most per VC. Without this bound one VC gets most of them, and the
   * cycles of its order keep them there while other VCs are empty. */
  uint32_t taken[MEND_LANES], room;
} secure;

static unsigned lanes_with_trees(const mend_orders *f) {
  unsigned lanes = 0;
  for (uint32_t turn = 0; turn < f->net->turns; turn++) lanes |= f->required[turn];
  return lanes;
}

/* ------------------------------------------------------------------ turns that orders allow */

static uint32_t count_missed(const secure *s, uint32_t to) {
  const switch_graph *net = s->t->net;
  uint32_t missed = 0;
  for (uint32_t v = 0; v < net->switches; v++) missed += net->part[v] == net->part[to] && !s->g.mask[v];
  return missed;
}

/* Beside spanning trees, which have room for all that find no place, each VC has an equal share and an eighth more,
 * so that the last destinations still have alternatives. */
static void find_room(secure *s) {
  const switch_graph *net = s->t->net;
  uint32_t open = s->t->orders->lanes - (uint32_t)__builtin_popcount(s->whole), hosts = 0;
  for (uint32_t v = 0; v < net->switches; v++) hosts += net->hosts[v];
  s->room = s->whole && open ? (hosts + hosts / 8 + open - 1) / open : UINT32_MAX;
}

/* The VC without a spanning tree whose order reaches most switches, among those with room. The VC of the share wins
 * ties. */
static uint32_t lane_for(secure *s, uint32_t to) {
  uint32_t lanes = s->t->orders->lanes, best = s->t->share[to], least = UINT32_MAX;
  for (uint32_t i = 0; i < lanes && least; i++) {
    uint32_t lane = (s->t->share[to] + i) % lanes;
    if (s->whole >> lane & 1 || s->taken[lane] >= s->room) continue;
    mend_grow_tree(&s->g, to, 1u << lane);
    uint32_t missed = count_missed(s, to);
    if (missed < least) least = missed, best = lane;
  }
  return best;
}

/* Makes the turns of a tree that the order of its VC allows required. */
static void harden(secure *s, uint32_t to) {
  const switch_graph *net = s->t->net;
  uint32_t lane = lane_for(s, to);
  s->t->share[to] = (uint8_t)lane;
  s->taken[lane] += s->t->net->hosts[to];
  mend_grow_tree(&s->g, to, 1u << lane);
  for (uint32_t v = 0; v < net->switches; v++) {
    uint32_t c = s->g.next[v], on = c == RIPSTOP_NONE ? c : s->g.next[net->to[c]];
    if (on != RIPSTOP_NONE) s->t->orders->required[switch_graph_turn(net, c, on)] |= (uint8_t)(1u << lane);
  }
}

static void harden_all(secure *s) {
  const switch_graph *net = s->t->net;
  s->g.turns = s->t->orders->allow;
  s->g.tries = 0;
  find_room(s);
  for (uint32_t c = 0; c < net->channels; c++) s->price[c] = 1;
  for (uint32_t to = 0; to < net->switches; to++)
    if (s->whole && !net->hosts[to])
      s->t->share[to] = (uint8_t)__builtin_ctz(s->whole);
    else if (net->part[to] != RIPSTOP_NONE)
      harden(s, to);
}

/* ------------------------------------------------------------------ trees */

/* Undoes turns that became required if no tree was found. */
static bool grow_in(secure *s, uint32_t to, unsigned lanes, bool extend) {
  mend_orders *f = s->t->orders;
  s->g.extend = extend;
  if (extend) memcpy(s->required, f->required, f->net->turns);
  if (mend_grow_tree(&s->g, to, lanes)) return true;
  if (extend) memcpy(f->required, s->required, f->net->turns);
  return false;
}

/* By destination one VC has to hold the whole tree: that of its share, else each in turn, beginning with one by the
 * switch's number. More turns become required only where no VC holds it as it is. */
static bool grow_safe(secure *s, uint32_t to) {
  const mend_trees *t = s->t;
  uint32_t lanes = t->orders->lanes, first = (t->share ? t->share[to] : to) % lanes;
  if (t->share && (grow_in(s, to, 1u << first, false) || grow_in(s, to, 1u << first, true))) return true;
  for (unsigned extend = 0; extend < 2; extend++) {
    if (t->by_pair && grow_in(s, to, (1u << lanes) - 1, extend)) return true;
    for (uint32_t i = 0; !t->by_pair && i < lanes; i++)
      if (grow_in(s, to, 1u << (first + i) % lanes, extend)) return true;
  }
  return false;
}

static bool has_required_turn(const mend_orders *f, uint32_t c) {
  const switch_graph *net = f->net;
  unsigned required = 0;
  for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++)
    required |= f->required[switch_graph_turn(net, c, net->out[i])];
  for (uint32_t i = net->out_first[net->from[c]]; i < net->out_first[net->from[c] + 1]; i++)
    required |= f->required[switch_graph_turn(net, net->out[i] ^ 1, c)];
  return required;
}

/* Bans channels that no required turn leads over: a neighbour of the destination that used one would leave the
 * switches behind it stuck. */
static bool grow_all(secure *s) {
  mend_trees *t = s->t;
  uint32_t switches = t->net->switches;
  bool all = true;
  s->g.turns = t->orders->required;
  s->g.tries = switches;
  for (uint32_t c = 0; c < t->net->channels; c++) s->price[c] = has_required_turn(t->orders, c) ? 1 : switches;
  for (uint32_t to = 0; all && to < switches; to++) {
    ripstop_task_progress("trees that keep the order", to, switches);
    if (t->net->part[to] == RIPSTOP_NONE) continue;
    all = grow_safe(s, to);
    memcpy(t->safe_next + (size_t)to * switches, s->g.next, switches * sizeof *s->g.next);
    memcpy(t->safe_mask + (size_t)to * switches, s->g.mask, switches);
  }
  return all;
}

bool mend_trees_secure(mend_trees *t) {
  RIPSTOP_LOCAL_ARENA(scratch);
  secure s = {.t = t, .whole = lanes_with_trees(t->orders)};
  mend_grow_make(&s.g, t->orders, t->random, scratch);
  s.g.price = s.price = RIPSTOP_ARRAY(scratch, t->net->channels, double);
  s.required = RIPSTOP_ARRAY(scratch, t->net->turns, uint8_t);
  if (t->share) harden_all(&s);
  return grow_all(&s);
}
