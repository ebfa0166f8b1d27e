/* regrow.c - new ways for switches that a dead channel cut off from one destination. All others keep their entries: the
 * ways end at some of them. Dijkstra over the switches that are cut off, so the cost is that of these and their
 * neighbours.
 *
 * Turns are taken that are hard or go up in the order anyway, so the order stays as it is and no circle can close. Only
 * where there are no paths of end nodes, to switches or from them, more turns become hard where that is needed: a tree
 * that is grown anew for one of them would take longer than all the rest. */
#include <math.h>
#include <string.h>

#include "mend/mender.h"

#define OTHER 2.5 /* what an entry costs that would not have to change, in hops */
#define MIXED 2   /* what a turn costs that old and new entries would take together and must not */

typedef struct regrow {
  ripstop_mender *m;
  mend_heap heap;
  unsigned lanes;
  const uint32_t *order; /* [channels]: of the only lane; NULL: there are several */
  bool strict;           /* end nodes keep their lanes */
  bool held;             /* the order may change: what has a way keeps it */
  uint32_t left;         /* that have no way yet */
  mender_way *ways;      /* [switches] */
} regrow;

/* The lanes of a way of a switch that goes over channel c to one that has a way. */
static inline unsigned lanes_over(const regrow *r, uint32_t c, uint32_t s, uint32_t on) {
  const mender_way *w = &r->ways[on];
  if (on == r->m->to) return r->lanes;
  if (!r->order) return w->mask & mender_lanes_of_turn(r->m, c, w->next);
  return w->to != s && r->order[c] < r->order[w->next] ? w->mask : 0;
}

/* Whether a turn goes up in some lane at hand. */
static bool turns(const regrow *r, uint32_t c, uint32_t d) {
  if (!r->order) return mender_lanes_of_turn(r->m, c, d) & r->lanes;
  return r->order[c] < r->order[d] && !mend_goes_back(&r->m->net, c, d);
}

/* Neighbours of the switches that are cut off from which packets arrive, to `way`: those whose own channel these may go
 * on into. How many. */
static uint32_t list_neighbours(regrow *r) {
  const ripstop_mender *m = r->m;
  mender_way *ways = r->ways;
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->cuts; i++) {
    const uint32_t s = m->cut[i];
    const mend_side *side = m->net.side + m->net.out_first[s], *end = m->net.side + m->net.out_first[s + 1];
    for (; side < end; side++) {
      const uint32_t on = side->to;
      mender_way *w = &ways[on];
      if (w->known == m->now || m->place[on] != RIPSTOP_NONE || !m->alive[side->out]) continue;
      const mend_hop h = mender_hop_of(m, on);
      w->next = h.channel;
      w->to = h.to;
      if (!r->held && !turns(r, side->out, h.channel)) continue;
      w->known = m->now;
      m->way[count++] = on;
    }
  }
  return count;
}

/* Lanes and price of the way of a switch that arrives, and of all on it. */
static void find_price(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  mender_way *ways = r->ways;
  uint32_t count = 0, *list = m->net.queue;
  for (; ways[s].priced != m->now; s = ways[s].to) list[count++] = s;
  while (count-- > 0) {
    mender_way *w = &ways[s = list[count]];
    w->priced = m->now;
    w->mask = (uint8_t)lanes_over(r, w->next, s, w->to);
    w->hard = 0;
    w->distance = ways[w->to].distance + mender_busy(m, w->next);
  }
}

/* Lanes and prices of the ways from these, which stay. All ways are followed together, each switch once; mostly from
 * the end of the list each has the next one priced already. */
static void look_along(regrow *r) {
  ripstop_mender *m = r->m;
  mender_way *ways = r->ways;
  const uint32_t now = m->now;
  uint32_t count = list_neighbours(r), *way = m->way;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t on = ways[way[i]].to;
    mender_way *w = &ways[on];
    if (w->known == now) continue;
    const mend_hop h = mender_hop_of(m, on);
    w->known = now;
    w->next = h.channel;
    w->to = h.to;
    way[count++] = on;
  }
  while (count-- > 0) find_price(r, way[count]);
}

/* Those behind each that is cut off. */
static void find_behind(ripstop_mender *m) {
  for (uint32_t i = 0; i < m->cuts; i++) m->behind[i] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < m->cuts; i++) {
    uint32_t old = m->was[i], at = old == RIPSTOP_NONE || !m->alive[old] ? RIPSTOP_NONE : m->place[m->net.to[old]];
    if (at == RIPSTOP_NONE) continue;
    m->beside[i] = m->behind[at];
    m->behind[at] = i;
  }
}

/* Whether old entries that stay in force for a while fit to channel c of a switch in place `at`: of those behind it,
 * and after it. */
static bool mixes(const regrow *r, uint32_t c, uint32_t at) {
  const ripstop_mender *m = r->m;
  uint32_t on = m->place[m->net.to[c]], after = on == RIPSTOP_NONE ? on : m->was[on];
  bool can = after == RIPSTOP_NONE || !m->alive[after] || turns(r, c, after);
  for (uint32_t i = m->behind[at]; can && i != RIPSTOP_NONE; i = m->beside[i]) can = turns(r, m->was[i], c);
  return can;
}

/* Whether a way in these lanes is one for a switch: its end nodes keep their lanes, if they must. */
static inline bool may_take(const regrow *r, uint32_t s, unsigned mask) {
  return mask && !(r->strict && (mask & r->m->need[s]) != r->m->need[s]);
}

/* The switch at the beginning of channel c, in place `at` of those that are cut off, goes over the one at its end,
 * which has a way: for a price below that of its own so far, if it is not more where old and new entries must not meet.
 */
static bool take_over(regrow *r, uint32_t c, uint32_t at, double distance) {
  const ripstop_mender *m = r->m;
  uint32_t s = m->net.from[c], on = m->net.to[c];
  unsigned mask = lanes_over(r, c, s, on);
  mender_way *w = &r->ways[s];
  if (!may_take(r, s, mask)) return false;
  if (m->was[at] != c && !mixes(r, c, at)) distance += MIXED;
  if (distance >= w->distance) return false;
  w->distance = distance;
  w->next = c;
  w->to = on;
  w->mask = (uint8_t)mask;
  return true;
}

/* What it costs that the switch in place `at` takes channel c. */
static inline double price_of_change(const ripstop_mender *m, uint32_t c, uint32_t at) {
  return m->was[at] == c || at < m->roots ? 0 : OTHER;
}

/* Channel c leads from s, in place `at`, to one that has a way. Whether it is taken. */
static inline bool offer(regrow *r, uint32_t c, uint32_t s, uint32_t on, uint32_t at, double other) {
  const ripstop_mender *m = r->m;
  double before = r->ways[on].distance + other, most = r->ways[s].distance;
  if (before + 1 >= most || !m->alive[c]) return false; /* none costs less than a hop */
  double distance = before + mender_busy(m, c);
  return distance < most && take_over(r, c, at, distance);
}

static void push(regrow *r, uint32_t s) { mend_heap_push(&r->heap, r->ways[s].distance, s); }

static void begin(regrow *r) {
  ripstop_mender *m = r->m;
  mender_know_none(m); /* first: it may clear all of them */
  r->heap.count = 0;
  r->left = m->cuts;
  for (uint32_t i = 0; i < m->cuts; i++) {
    m->settled[m->cut[i]] = 0;
    r->ways[m->cut[i]].distance = INFINITY;
    r->ways[m->cut[i]].hard = 0;
    r->ways[m->cut[i]].used = false;
  }
  r->ways[m->to] = (mender_way){.known = m->now, .priced = m->now, .mask = (uint8_t)r->lanes, .next = RIPSTOP_NONE};
}

/* Over neighbours that are not cut off; old channels of others than roots lead to none of these. The nearest one is
 * taken, if old and new entries may meet there; else all are asked what they cost with that. */
static void look_out(regrow *r, uint32_t at) {
  ripstop_mender *m = r->m;
  const uint32_t s = m->cut[at], now = m->now;
  const mend_side *first = m->net.side + m->net.out_first[s], *end = m->net.side + m->net.out_first[s + 1],
                  *best = NULL;
  const mender_way *ways = r->ways;
  const double other = at < m->roots ? 0 : OTHER;
  double least = INFINITY;
  for (const mend_side *side = first; side < end; side++) {
    const mender_way *w = &ways[side->to];
    if (w->known != now || w->distance + 1 >= least || !m->alive[side->out]) continue; /* a hop at least */
    double distance = w->distance + mender_busy(m, side->out);
    if (distance < least && may_take(r, s, lanes_over(r, side->out, s, side->to))) {
      least = distance;
      best = side;
    }
  }
  if (!best) return;
  take_over(r, best->out, at, least + other);
  for (const mend_side *side = first; ways[s].distance > least + other && side < end; side++)
    if (ways[side->to].known == now) offer(r, side->out, s, side->to, at, other);
  push(r, s);
}

/* What is taken already goes up in whatever order comes next. */
static void hold(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const mender_way *w = &r->ways[s];
  if (w->to != m->to) mender_harden(m, w->next, r->ways[w->to].next, w->mask);
}

static void spread(regrow *r) {
  ripstop_mender *m = r->m;
  while (r->heap.count && r->left > 0) {
    uint32_t s = mend_heap_pop(&r->heap).id;
    if (m->settled[s]) continue;
    m->settled[s] = 1;
    r->left--;
    if (r->held) hold(r, s);
    const mend_side *side = m->net.side + m->net.out_first[s], *end = m->net.side + m->net.out_first[s + 1];
    for (; r->left > 0 && side < end; side++) {
      uint32_t from = side->to, at = m->place[from];
      if (at != RIPSTOP_NONE && !m->settled[from] &&
          offer(r, side->out ^ 1, from, s, at, price_of_change(m, side->out ^ 1, at)))
        push(r, from);
    }
  }
}

/* A switch that is cut off goes over a neighbour that has a way, where the turn can become hard. */
static bool help(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const mend_net *net = &m->net;
  for (uint32_t j = net->out_first[s]; j < net->out_first[s + 1]; j++) {
    uint32_t c = net->out[j], on = net->to[c];
    bool there = on != m->to && m->alive[c] && (m->place[on] == RIPSTOP_NONE || m->settled[on]);
    if (!there || !r->ways[on].mask || !mender_harden(m, c, r->ways[on].next, r->ways[on].mask)) continue;
    if (offer(r, c, s, on, m->place[s], price_of_change(m, c, m->place[s]))) push(r, s);
    return true;
  }
  return false;
}

/* One after another; those behind may go over it then. By destination there is one lane. Turns that are hard in vain
 * only keep others from it. */
static bool help_some(regrow *r) {
  ripstop_mender *m = r->m;
  uint32_t before = r->left;
  for (uint32_t i = 0; i < m->cuts; i++)
    if (!m->settled[m->cut[i]] && help(r, m->cut[i])) spread(r);
  return r->left < before;
}

/* Whether no paths of end nodes are at stake. */
static bool may_help(const regrow *r) {
  const ripstop_mender *m = r->m;
  bool may = !m->by_pair, to_end = ripstop_is_end(m->view->fabric, m->tables->node[m->address]);
  for (uint32_t i = 0; may && to_end && i < m->cuts; i++) may = m->settled[m->cut[i]] || !m->net.hosts[m->cut[i]];
  return may;
}

static bool attach_all(regrow *r) {
  ripstop_mender *m = r->m;
  look_along(r);
  for (uint32_t i = 0; i < m->cuts; i++) look_out(r, i);
  spread(r);
  if (r->left == 0 || !may_help(r)) return r->left == 0;
  r->held = true;
  look_along(r);
  for (uint32_t i = 0; i < m->cuts; i++)
    if (m->settled[m->cut[i]]) hold(r, m->cut[i]);
  while (r->left > 0 && help_some(r)) continue;
  return r->left == 0;
}

/* ------------------------------------------------------------------ what need not change */

static void mark_used(regrow *r) {
  const ripstop_mender *m = r->m;
  for (uint32_t i = 0; i < m->cuts; i++)
    for (uint32_t s = m->cut[i]; m->net.hosts[m->cut[i]] && m->place[s] != RIPSTOP_NONE && !r->ways[s].used;
         s = r->ways[s].to)
      r->ways[s].used = true;
}

/* Whether the old channel of the switch in place `at` leads on, and all that send over the switch may go on into it. */
static bool leads_on(const regrow *r, uint32_t at) {
  const ripstop_mender *m = r->m;
  const uint32_t s = m->cut[at], was = m->was[at], on = was == RIPSTOP_NONE ? was : m->net.to[was];
  if (on == RIPSTOP_NONE || !m->alive[was] || m->place[on] == RIPSTOP_NONE || !lanes_over(r, was, s, on)) return false;
  for (uint32_t v = on; m->place[v] != RIPSTOP_NONE; v = r->ways[v].to)
    if (v == s) return false;
  const mend_side *side = m->net.side + m->net.out_first[s], *end = m->net.side + m->net.out_first[s + 1];
  for (; side < end; side++)
    if (m->place[side->to] != RIPSTOP_NONE && r->ways[side->to].next == (side->out ^ 1) &&
        !turns(r, side->out ^ 1, was))
      return false;
  return true;
}

/* Where only switches send, a longer way is better than another entry. By destination: all ways are in one lane. */
static void keep_unused(regrow *r) {
  const ripstop_mender *m = r->m;
  mark_used(r);
  for (uint32_t i = m->roots; i < m->cuts; i++) {
    mender_way *w = &r->ways[m->cut[i]];
    if (w->used || w->next == m->was[i] || !leads_on(r, i)) continue;
    w->next = m->was[i];
    w->to = m->net.to[w->next];
  }
}

/* ------------------------------------------------------------------ what was found is taken */

/* Paths of the end nodes at switches that are cut off: over what they had, or over what they have. */
static void lay_old(ripstop_mender *m) {
  const mend_net *net = &m->net;
  for (uint32_t i = 0; i < m->cuts; i++)
    for (uint32_t s = m->cut[i], v = net->hosts[s] ? s : m->to; v != m->to;) {
      uint32_t c = m->place[v] == RIPSTOP_NONE ? mender_next(m, v) : m->was[m->place[v]];
      m->load[c] -= net->hosts[s];
      v = net->to[c];
    }
}

static void lay_new(ripstop_mender *m) {
  const mend_net *net = &m->net;
  for (uint32_t i = 0; i < m->cuts; i++)
    for (uint32_t s = m->cut[i], v = net->hosts[s] ? s : m->to; v != m->to;) {
      uint32_t c = mender_next(m, v);
      m->load[c] += net->hosts[s];
      v = net->to[c];
    }
}

static void harden_way(ripstop_mender *m, uint32_t s, unsigned lanes) {
  while (s != m->to && (m->ways[s].hard & lanes) != lanes) {
    const mender_way *w = &m->ways[s];
    m->ways[s].hard |= (uint8_t)lanes;
    s = w->to;
    if (s != m->to) mender_harden(m, w->next, m->ways[s].next, lanes);
  }
}

/* End nodes whose lane is not open get one that is. */
static void write_levels(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const ripstop_fabric *f = m->view->fabric;
  for (uint32_t p = f->port_base[f->ends + s]; p < f->port_base[f->ends + s + 1]; p++) {
    uint32_t end = f->peer[p] == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_node[f->peer[p]];
    if (end >= f->ends || m->net.home[end] != s || !m->tables->level || r->ways[s].mask >> mender_lane(m, end) & 1)
      continue;
    m->tables->level[(size_t)end * m->tables->addresses + m->address] = (uint8_t)__builtin_ctz(r->ways[s].mask);
    m->levels_changed++;
  }
}

static void take(regrow *r) {
  ripstop_mender *m = r->m;
  bool laid =
      m->counted && m->address < m->tables->addresses && ripstop_is_end(m->view->fabric, m->tables->node[m->address]);
  if (laid && m->cables) lay_old(m);
  for (uint32_t i = 0; i < m->cuts; i++) {
    uint32_t s = m->cut[i], c = r->ways[s].next;
    if (c != m->was[i]) mender_write(m, s, m->net.local[c]);
    if (m->by_pair) write_levels(r, s);
  }
  for (uint32_t i = 0; i < m->cuts; i++) {
    uint32_t s = m->cut[i];
    unsigned lanes = mender_lanes_at(m, s);
    harden_way(m, s, lanes ? lanes : r->ways[s].mask & -(unsigned)r->ways[s].mask);
  }
  if (laid) lay_new(m);
}

bool mender_regrow(ripstop_mender *m) {
  regrow r = {.m = m, .heap = {.entry = m->grow.heap.entry}, .lanes = mender_lanes_to(m), .ways = m->ways};
  if (!(r.lanes & (r.lanes - 1))) r.order = m->frames.place[__builtin_ctz(r.lanes)];
  for (uint32_t i = 0; i < m->cuts; i++) m->need[m->cut[i]] = (uint8_t)mender_lanes_at(m, m->cut[i]);
  bool done = false;
  find_behind(m);
  for (r.strict = true; !done; r.strict = false) {
    begin(&r);
    done = attach_all(&r);
    if (!r.strict || !m->by_pair) break;
  }
  if (done && r.order) keep_unused(&r);
  if (done) take(&r);
  return done;
}
