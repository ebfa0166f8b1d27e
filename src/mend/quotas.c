/* quotas.c - trees of the destinations of a fat tree, without search: down where a path down exists, else up. The
 * channel up follows from a quota: put all traffic up for the destinations of one leaf, or of one pod, on a line,
 * destination by destination and source by source. Cut the line into as many equal pieces as that leaf, or pod, has
 * channels. The piece gives the column. In a whole tree this is D-mod-K (Zahavi 2012). Where the channel has failed,
 * the least loaded one is taken. */
#include <string.h>

#include "base/local.h"
#include "mend/chains.h"

/* The line of traffic up, with `digits` times `sources` units. It begins at another source for each destination. */
typedef struct line {
  uint32_t leaf, digit, digits, sources, ups; /* the parameters of the line in `piece` */
  uint32_t *piece;                            /* [sources]: the piece that contains each source's unit */
} line;

typedef struct quotas {
  mend_levels *l;
  mend_trees *t;
  mend_grow g;
  uint32_t leaf, turn; /* the destination's leaf, and its number there */
  bool extend;         /* switches without a path may make turns required */
  uint16_t *candidate; /* [switches]: port that all end nodes of the leaf share; none: each has its own, or none */
  uint32_t *own;       /* [switches]: those where each end node has its own port: first `owns_below` of level 0, then
                        * others */
  uint32_t owns_below, owns;
  bool cut;          /* some switch of the leaf's component has no path up and down to it */
  bool hosts_cut;    /* ... and has end nodes */
  bool *reaches;     /* [switches]: has a path up and down to the leaf */
  bool *leads;       /* [switches]: ... which makes no path from below longer than the longest that damage forces */
  uint8_t *rest;     /* [switches]: links of its shortest path up and down */
  uint8_t *climb;    /* [switches]: most links from below that lead up to it */
  uint32_t *down;    /* [switches]: a channel down to the leaf */
  uint32_t *above;   /* [levels * switches]: by level and column, the switch above the leaf */
  uint32_t *order;   /* [switches]: from the top down */
  uint32_t *support; /* [switches]: the channel last used by a switch without a path up and down */
  uint32_t *links;   /* [switches]: links of each path to the current destination; RIPSTOP_NONE: it has none */
  uint32_t most;     /* the most of these */
  uint32_t *loose;   /* [switches]: those without a path to the current destination */
  uint32_t looses;
  uint8_t *vain;   /* [turns]: VCs in which the turn closes a cycle with required ones, which only become more */
  uint32_t *paths; /* [switches]: paths that leave each */
  line line;
  mend_chains chains; /* if columns share tops */
} quotas;

/* The switch above the leaf (or the leaf itself) in the column and on the level of another switch. */
static uint32_t *above_in(const quotas *q, uint32_t s) {
  uint32_t level = q->l->level[s];
  return &q->above[(size_t)level * q->t->net->switches + q->l->above[level][s]];
}

/* Finds the switches with a path down to the leaf, and the channel down. */
static void find_downs(quotas *q) {
  const mend_levels *l = q->l;
  uint32_t *queue = q->g.fixed, head = 0, tail = 0;
  memset(q->down, 0xFF, q->t->net->switches * sizeof *q->down);
  memset(q->above, 0xFF, (size_t)q->t->net->switches * (l->top + 1) * sizeof *q->above);
  queue[tail++] = q->leaf;
  q->rest[q->leaf] = 0;
  for (; head < tail; head++) {
    uint32_t s = queue[head];
    *above_in(q, s) = s;
    for (uint32_t i = l->up_first[s]; i < l->up_first[s + 1]; i++) {
      uint32_t to = q->t->net->to[l->ups[i]];
      if (q->down[to] != RIPSTOP_NONE) continue;
      q->down[to] = l->ups[i] ^ 1;
      q->rest[to] = q->rest[s] + 1;
      queue[tail++] = to;
    }
  }
}

/* The fewest links of a switch without a path down; UINT8_MAX: it has no path up and down either. */
static uint8_t find_rest(const quotas *q, uint32_t s) {
  const mend_levels *l = q->l;
  uint8_t least = UINT8_MAX;
  for (uint32_t k = l->up_first[s]; k < l->up_first[s + 1]; k++)
    if (q->rest[l->up_to[k]] < least) least = q->rest[l->up_to[k]];
  return least == UINT8_MAX ? least : least + 1;
}

static void find_reaches(quotas *q) {
  const switch_graph *net = q->t->net;
  uint8_t longest = 0;
  for (uint32_t i = 0; i < net->switches; i++) {
    uint32_t s = q->order[i];
    if (s != q->leaf && q->down[s] == RIPSTOP_NONE) q->rest[s] = find_rest(q, s);
    q->reaches[s] = q->rest[s] != UINT8_MAX;
    if (net->hosts[s] && q->reaches[s] && q->rest[s] > longest) longest = q->rest[s];
  }
  for (uint32_t s = 0; s < net->switches; s++) q->leads[s] = q->rest[s] + q->climb[s] <= longest;
  if (net->hosts[q->leaf] && longest > q->l->straight) q->l->straight = longest;
}

static void find_climbs(quotas *q) {
  const mend_levels *l = q->l;
  for (uint32_t i = q->t->net->switches; i-- > 0;)
    for (uint32_t s = q->order[i], k = l->up_first[s]; k < l->up_first[s + 1]; k++) {
      uint8_t *climb = &q->climb[l->up_to[k]];
      if (*climb <= q->climb[s]) *climb = q->climb[s] + 1;
    }
}

/* ------------------------------------------------------------------ paths up */

/* Usually the line in memory is the right one already. */
static void lay_line(quotas *q, uint32_t digit, uint32_t digits, uint32_t sources, uint32_t ups) {
  line *l = &q->line;
  if (l->leaf == q->leaf && l->digit == digit && l->digits == digits && l->sources == sources && l->ups == ups) return;
  *l = (line){q->leaf, digit, digits, sources, ups, l->piece};
  uint32_t size = (digits * sources + ups - 1) / ups, shift = (7 * q->leaf + digit) % sources;
  uint32_t piece = digit * sources / size, used = digit * sources % size;
  for (uint32_t i = 0; i < sources; i++, used++) {
    if (used == size) used = 0, piece++;
    l->piece[i >= shift ? i - shift : i + sources - shift] = piece;
  }
}

/* The channel up from the switch above the leaf that the quota gives to a switch above the leaves; RIPSTOP_NONE: no
 * switch above the leaf is in its column. */
static uint32_t quota_of(quotas *q, uint32_t s) {
  const mend_levels *l = q->l;
  uint32_t level = l->level[s], over = *above_in(q, s);
  if (over == RIPSTOP_NONE || mend_levels_ups(l, over) == 0 || l->level[q->leaf] != l->leaves) return RIPSTOP_NONE;
  lay_line(q, l->digit[level][q->leaf], l->digits[level][q->leaf], l->members[s], mend_levels_ups(l, over));
  return l->up_first[over] + q->line.piece[l->index[s]];
}

/* A channel up into the column of a quota, if it leads on to the leaf. */
static uint32_t up_into(const quotas *q, uint32_t s, uint32_t quota) {
  const mend_levels *l = q->l;
  const uint32_t over = l->net->from[l->ups[quota]];
  return mend_levels_up_into(l, q->leads, s, l->up_column[quota], quota - l->up_first[over]);
}

/* The same for a leaf, with the quota of one end node. */
static uint32_t leaf_up_into(const quotas *q, uint32_t s, uint32_t quota) {
  const mend_levels *l = q->l;
  uint32_t up = l->columns ? l->into[(size_t)s * l->columns + l->column[quota]] : MEND_SEVERAL;
  if (up == MEND_SEVERAL) return up_into(q, s, quota);
  return up != RIPSTOP_NONE && q->leads[l->up_to[up]] ? l->ups[up] : RIPSTOP_NONE;
}

static uint16_t port_of(const quotas *q, uint32_t c) {
  return c == RIPSTOP_NONE ? RIPSTOP_NO_PORT : q->t->net->local[c];
}

/* The channel up with the least load, to a switch that leads on. */
static uint32_t least_up_to(const quotas *q, uint32_t s, const bool *leads) {
  const mend_levels *l = q->l;
  uint32_t best = RIPSTOP_NONE;
  for (uint32_t i = l->up_first[s]; i < l->up_first[s + 1]; i++) {
    uint32_t c = l->ups[i];
    if (leads[l->up_to[i]] && (best == RIPSTOP_NONE || q->t->load[c] < q->t->load[best])) best = c;
  }
  return best;
}

static uint32_t least_up(const quotas *q, uint32_t s) {
  uint32_t c = least_up_to(q, s, q->leads);
  return c == RIPSTOP_NONE ? least_up_to(q, s, q->reaches) : c;
}

/* RIPSTOP_NO_PORT: there is none, or its channel has failed. */
static uint16_t candidate_by_quota(quotas *q, uint32_t s) {
  uint32_t quota = quota_of(q, s);
  return port_of(q, quota == RIPSTOP_NONE ? RIPSTOP_NONE : up_into(q, s, quota));
}

/* Paths down are the same for all end nodes of a leaf, and so are the quotas above the leaves. Of the other switches,
 * level 0 comes first. */
static void find_candidates(quotas *q) {
  const uint8_t *level = q->l->level;
  q->owns = q->owns_below = 0;
  for (unsigned above = 0; above < 2; above++) {
    for (uint32_t s = 0; s < q->t->net->switches; s++) {
      if ((level[s] != q->l->leaves) != above) continue;
      bool climbs = s != q->leaf && q->reaches[s] && q->down[s] == RIPSTOP_NONE;
      q->candidate[s] = !climbs ? port_of(q, q->down[s]) : above ? candidate_by_quota(q, s) : RIPSTOP_NO_PORT;
      if (climbs && q->candidate[s] == RIPSTOP_NO_PORT) q->own[q->owns++] = s;
    }
    if (!above) q->owns_below = q->owns;
  }
}

/* The leaf's own channels up are the columns of the line. */
static void find_own_candidates(quotas *q, uint16_t *row) {
  const mend_levels *l = q->l;
  const uint32_t leaf = q->leaf, ups = mend_levels_ups(l, leaf), first = l->up_first[leaf];
  uint32_t i = 0;
  if (l->level[leaf] == l->leaves && q->owns_below > 0 && ups > 0) {
    lay_line(q, q->turn, q->t->net->hosts[leaf] * q->t->net->addresses, l->members[leaf], ups);
    for (; i < q->owns_below; i++) {
      uint32_t s = q->own[i], c = leaf_up_into(q, s, first + q->line.piece[l->index[s]]);
      row[s] = port_of(q, c == RIPSTOP_NONE ? least_up(q, s) : c);
    }
  }
  for (; i < q->owns; i++) row[q->own[i]] = port_of(q, least_up(q, q->own[i]));
}

/* Makes a leaf the destination. False: less than half of the leaves of its component have a path. */
static bool aim(quotas *q, uint32_t leaf) {
  const switch_graph *net = q->t->net;
  uint32_t leaves = 0, reach = 0;
  q->leaf = leaf;
  if (!q->l->hasty) memset(q->support, 0xFF, net->switches * sizeof *q->support);
  find_downs(q);
  find_reaches(q);
  if (!q->l->shared) find_candidates(q);
  q->cut = q->hosts_cut = false;
  for (uint32_t s = 0; s < net->switches; s++) {
    if (net->part[s] != net->part[leaf]) continue;
    leaves += q->l->level[s] == q->l->leaves;
    reach += q->l->level[s] == q->l->leaves && q->reaches[s];
    q->cut |= !q->reaches[s];
    if (q->reaches[s] || net->hosts[s] == 0) continue;
    q->hosts_cut = true;
    q->l->detours[s] += net->hosts[leaf] > 0;
    q->l->detours[leaf] += net->hosts[leaf] > 0;
  }
  return 2 * reach >= leaves;
}

/* ------------------------------------------------------------------ switches without such a path */

/* The VCs of a set in which a turn is required, or one in which it can become so. */
static unsigned lanes_of_turn(quotas *q, uint32_t c, uint32_t d, unsigned lanes, bool extend) {
  mend_orders *f = q->t->orders;
  const uint32_t turn = switch_graph_turn(q->t->net, c, d);
  unsigned required = lanes & f->required[turn];
  if (required || !extend || switch_graph_goes_back(q->t->net, c, d)) return required;
  for (uint32_t lane = 0; lane < f->lanes; lane++) {
    if (!((lanes & ~(unsigned)q->vain[turn]) >> lane & 1)) continue;
    if (mend_order_add(f, lane, c, d)) return 1u << lane;
    q->vain[turn] |= (uint8_t)(1u << lane);
  }
  return 0;
}

static bool attach_by(quotas *q, uint32_t c, uint16_t *row, uint8_t *mask, bool extend) {
  const switch_graph *net = q->t->net;
  uint32_t s = net->from[c], to = net->to[c];
  unsigned lanes = mask[to];
  if (lanes && row[to] != RIPSTOP_NO_PORT)
    lanes = lanes_of_turn(q, c, switch_graph_hop_of(net, row, to).channel, lanes, extend);
  if (!lanes) return false;
  q->support[s] = c;
  row[s] = net->local[c];
  mask[s] = (uint8_t)lanes;
  return true;
}

/* True if the switch got a path of at most so many links. */
static bool attach(quotas *q, uint32_t s, uint16_t *row, uint8_t *mask, uint32_t links, bool extend) {
  const switch_graph *net = q->t->net;
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
    const uint32_t c = net->out[i];
    if (q->links[net->to[c]] >= links || !attach_by(q, c, row, mask, extend)) continue;
    q->links[s] = q->links[net->to[c]] + 1;
    if (q->links[s] > q->most) q->most = q->links[s];
    return true;
  }
  return false;
}

static void find_loose(quotas *q, const uint8_t *mask) {
  const switch_graph *net = q->t->net;
  q->looses = 0;
  for (uint32_t s = 0; s < net->switches; s++)
    if (!mask[s] && net->part[s] == net->part[q->leaf]) q->loose[q->looses++] = s;
}

static void forget_attached(quotas *q, const uint8_t *mask) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < q->looses; i++)
    if (!mask[q->loose[i]]) q->loose[left++] = q->loose[i];
  q->looses = left;
}

/* Tries what worked for the previous destination of the leaf, or in haste of any; it usually works again. */
static uint32_t attach_as_before(quotas *q, uint16_t *row, uint8_t *mask) {
  uint32_t done = 0;
  for (uint32_t i = 0; i < q->looses; i++)
    if (q->support[q->loose[i]] != RIPSTOP_NONE) done += attach_by(q, q->support[q->loose[i]], row, mask, false);
  forget_attached(q, mask);
  return done;
}

static void find_links(quotas *q, const uint16_t *row) {
  const switch_graph *net = q->t->net;
  uint32_t *links = q->links, *path = q->g.queue;
  memset(links, 0xFF, net->switches * sizeof *links);
  links[q->leaf] = q->most = 0;
  for (uint32_t i = 0; i < net->switches; i++) {
    uint32_t s = i, count = 0;
    for (; links[s] == RIPSTOP_NONE && row[s] != RIPSTOP_NO_PORT; s = switch_graph_hop_of(net, row, s).to)
      path[count++] = s;
    for (uint32_t n = links[s]; count > 0 && n != RIPSTOP_NONE;) links[path[--count]] = ++n;
    if (links[i] != RIPSTOP_NONE && links[i] > q->most) q->most = links[i];
  }
}

/* Attaches switches without a path to neighbours, until a pass attaches none. With `extend`, returns after the
 * first. */
static uint32_t attach_some(quotas *q, uint16_t *row, uint8_t *mask, uint32_t links, bool extend) {
  uint32_t done = 0;
  for (uint32_t i = 0; i < q->looses && !(extend && done); i++)
    done += attach(q, q->loose[i], row, mask, links, extend);
  forget_attached(q, mask);
  return done;
}

/* Attaches those with the shortest paths first, unless in haste. With `extend`, returns after the first. */
static bool attach_by_links(quotas *q, uint16_t *row, uint8_t *mask, bool extend) {
  const uint32_t before = q->looses;
  uint32_t links = q->l->hasty ? q->t->net->switches : 1;
  do {
    while (attach_some(q, row, mask, links, extend) && !extend) continue;
  } while (links++ <= q->most && q->looses > 0 && !(extend && q->looses < before));
  return q->looses < before;
}

/* True if all are attached in the end. */
static bool attach_rest(quotas *q, uint16_t *row, uint8_t *mask) {
  find_loose(q, mask);
  while (attach_as_before(q, row, mask)) continue;
  if (q->looses > 0) find_links(q, row);
  while (q->looses > 0 && (attach_by_links(q, row, mask, false) || (q->extend && attach_by_links(q, row, mask, true))))
    continue;
  return q->looses == 0;
}

/* Checks turns in an order in which the next switch comes first: paths down from the bottom, then paths up from the
 * top. */
static void check_turns(quotas *q, uint16_t *row, uint8_t *mask) {
  const switch_graph *net = q->t->net;
  for (uint32_t i = 0; i < 2 * net->switches; i++) {
    bool down = i < net->switches;
    uint32_t s = q->order[down ? net->switches - 1 - i : i - net->switches];
    if (row[s] == RIPSTOP_NO_PORT || down != (q->down[s] != RIPSTOP_NONE)) continue;
    switch_graph_hop h = switch_graph_hop_of(net, row, s);
    uint32_t on = switch_graph_next(net, row, h.to);
    mask[s] =
        on == RIPSTOP_NONE ? mask[h.to] : mask[h.to] & q->t->orders->required[switch_graph_turn(net, h.channel, on)];
    if (!mask[s]) row[s] = RIPSTOP_NO_PORT;
  }
}

static void mark_reached(const bool *restrict reaches, uint32_t count, unsigned lanes, uint8_t *restrict mask) {
  for (uint32_t s = 0; s < count; s++) mask[s] = (uint8_t)(reaches[s] * lanes);
}

static bool lay_tree(quotas *q, uint32_t d, unsigned lanes) {
  const switch_graph *net = q->t->net;
  uint16_t *row = mend_trees_row(q->t, d);
  uint8_t *mask = q->t->mask + (size_t)d * net->switches;
  if (q->l->shared) {
    memset(row, 0xFF, net->switches * sizeof *row);
    mend_chains_lay(&q->chains, q->leaf, q->t->weight[d], row);
  } else {
    memcpy(row, q->candidate, net->switches * sizeof *row);
    find_own_candidates(q, row);
  }
  mark_reached(q->reaches, net->switches, lanes, mask);
  if (!q->l->plain) check_turns(q, row, mask);
  return (q->l->plain && !q->cut) || attach_rest(q, row, mask);
}

/* Adds the paths from one switch, and those that arrive there, to its next channel. */
static void pass_on(quotas *q, const uint16_t *row, uint32_t s) {
  if (q->paths[s] == 0 || row[s] == RIPSTOP_NO_PORT) return;
  switch_graph_hop h = switch_graph_hop_of(q->t->net, row, s);
  q->t->load[h.channel] += q->paths[s];
  q->paths[h.to] += q->paths[s];
}

/* Like mend_trees_add, if all end nodes have a path up and down: adds up from the bottom, then down from the top. */
static void add_paths(quotas *q, uint32_t d) {
  const switch_graph *net = q->t->net;
  const uint16_t *row = mend_trees_row(q->t, d);
  memcpy(q->paths, net->hosts, net->switches * sizeof *q->paths);
  for (uint32_t i = net->switches; i-- > 0;)
    if (q->down[q->order[i]] == RIPSTOP_NONE) pass_on(q, row, q->order[i]);
  for (uint32_t i = 0; i < net->switches; i++)
    if (q->down[q->order[i]] != RIPSTOP_NONE) pass_on(q, row, q->order[i]);
}

static void lay_paths(quotas *q, uint32_t d) {
  const switch_graph *net = q->t->net;
  if (q->l->plain && !q->hosts_cut) {
    add_paths(q, d);
    return;
  }
  mend_trees_add(q->t, d, true);
  find_links(q, mend_trees_row(q->t, d));
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->hosts[s] && q->links[s] != RIPSTOP_NONE && q->links[s] > q->l->longest) q->l->longest = q->links[s];
}

/* A switch that is part of no tree. */
static void leave_alone(quotas *q, uint32_t d, unsigned lanes) {
  const uint32_t switches = q->t->net->switches;
  memset(mend_trees_row(q->t, d), 0xFF, switches * sizeof *q->t->rows);
  q->t->mask[(size_t)d * switches + q->t->home[d]] = (uint8_t)lanes;
}

static bool search_tree(quotas *q, uint32_t d, unsigned lanes) {
  mend_trees *t = q->t;
  if (!mend_grow_tree(&q->g, t->home[d], lanes)) return false;
  mend_trees_write(t->net, q->g.next, mend_trees_row(t, d));
  memcpy(t->mask + (size_t)d * t->net->switches, q->g.mask, t->net->switches);
  return true;
}

/* ------------------------------------------------------------------ all destinations */

static void find_order(quotas *q) {
  uint32_t count = 0;
  for (uint32_t level = UINT8_MAX + 1; level-- > 0;)
    for (uint32_t s = 0; (level <= q->l->top || level == UINT8_MAX) && s < q->t->net->switches; s++)
      if (q->l->level[s] == level) q->order[count++] = s;
}

/* The sequence of destinations: end nodes leaf by leaf, also where those of one leaf are not adjacent (rails); first
 * one address of each, then the next one, so that those of one end node are far apart on the line; then switches. */
static uint32_t *find_sequence(const mend_trees *t, ripstop_arena *scratch) {
  uint32_t *list = RIPSTOP_ARRAY(scratch, t->count, uint32_t), *at = RIPSTOP_ARRAY(scratch, t->net->switches, uint32_t);
  uint32_t addresses = t->net->addresses, used = 0, d = 0;
  memset(at, 0xFF, t->net->switches * sizeof *at);
  for (; d < t->count && t->weight[d]; d += addresses) {
    uint32_t home = t->home[d], hosts = t->net->hosts[home];
    if (at[home] == RIPSTOP_NONE) {
      at[home] = used;
      used += hosts * addresses;
    }
    for (uint32_t k = 0; k < addresses; k++) list[at[home] + k * hosts] = d + k;
    at[home]++;
  }
  for (; d < t->count; d++) list[d] = d;
  return list;
}

static bool grow_all(quotas *q, const uint32_t *sequence) {
  mend_trees *t = q->t;
  unsigned all = (1u << t->orders->lanes) - 1;
  q->leaf = RIPSTOP_NONE;
  for (uint32_t i = 0; i < t->count; i++) {
    ripstop_task_progress("trees of destinations", i, t->count);
    uint32_t d = sequence[i];
    unsigned lanes = t->by_pair ? all : 1u << d % t->orders->lanes;
    uint32_t home = t->home[d];
    bool same = home == q->leaf && t->weight[d];
    if (q->l->level[home] > q->l->top) {
      leave_alone(q, d, lanes);
      continue;
    }
    q->turn = same ? q->turn + 1 : 0;
    if (!same && !aim(q, home) && q->l->level[home] == q->l->leaves) return false;
    q->extend = t->weight[d];
    if (!lay_tree(q, d, lanes) && !search_tree(q, d, lanes)) return false;
    if (t->weight[d]) lay_paths(q, d);
  }
  return true;
}

bool mend_levels_grow(mend_levels *l, mend_trees *t) {
  const switch_graph *net = t->net;
  l->longest = l->straight = 0;
  memset(l->detours, 0, net->switches * sizeof *l->detours);
  RIPSTOP_LOCAL_ARENA(scratch);
  quotas q = {.l = l, .t = t};
  mend_grow_make(&q.g, t->orders, t->random, scratch);
  double *price = RIPSTOP_ARRAY(scratch, net->channels, double);
  for (uint32_t c = 0; c < net->channels; c++) price[c] = 1;
  q.g.price = price;
  q.g.turns = t->orders->required;
  q.g.extend = true;
  q.reaches = RIPSTOP_ARRAY(scratch, net->switches, bool);
  q.leads = RIPSTOP_ARRAY(scratch, net->switches, bool);
  q.rest = RIPSTOP_ARRAY(scratch, net->switches, uint8_t);
  q.climb = RIPSTOP_ARRAY(scratch, net->switches, uint8_t);
  q.down = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  q.above = RIPSTOP_ARRAY(scratch, (size_t)net->switches * (l->top + 1), uint32_t);
  q.candidate = RIPSTOP_ARRAY(scratch, net->switches, uint16_t);
  q.own = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  q.order = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  q.support = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  memset(q.support, 0xFF, net->switches * sizeof *q.support);
  q.links = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  q.loose = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  q.paths = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  q.vain = RIPSTOP_ARRAY(scratch, net->turns, uint8_t);
  q.line.piece = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  memset(q.rest, 0xFF, net->switches);
  find_order(&q);
  find_climbs(&q);
  if (l->shared) mend_chains_make(&q.chains, l, t, scratch);
  q.chains.reaches = q.reaches;
  q.chains.leads = q.leads;
  q.chains.down = q.down;
  q.chains.order = q.order;
  bool done = grow_all(&q, find_sequence(t, scratch));
  memcpy(t->orders->allow, t->orders->required, net->turns);
  return done;
}
