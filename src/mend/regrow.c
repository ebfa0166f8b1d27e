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
  bool strict;      /* end nodes keep their lanes */
  bool held;        /* the order may change: what has a way keeps it */
  uint32_t left;    /* that have no way yet */
  uint32_t *next;   /* [switches]: new channels */
  uint8_t *mask;    /* [switches]: lanes that are open all the way */
  double *distance; /* [switches] */
} regrow;

/* Lanes and price of a way that stays: from a switch that arrives. */
static void look_along(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const uint32_t *to = m->net.to, now = m->now;
  uint32_t count = 0, *known = m->known, *way = m->way, *next = r->next;
  for (; known[s] != now; s = to[next[s]]) {
    way[count++] = s;
    known[s] = now;
    next[s] = mender_next(m, s);
  }
  unsigned mask = r->mask[s];
  double distance = r->distance[s];
  while (count-- > 0) {
    uint32_t v = way[count], c = next[v], on = to[c];
    mask = on == m->to ? r->lanes : mask & mender_lanes_of_turn(m, c, next[on]);
    distance += mender_busy(m, c);
    r->mask[v] = (uint8_t)mask;
    r->distance[v] = distance;
  }
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
  bool can = after == RIPSTOP_NONE || !m->alive[after] || (mender_lanes_of_turn(m, c, after) & r->lanes);
  for (uint32_t i = m->behind[at]; can && i != RIPSTOP_NONE; i = m->beside[i])
    can = mender_lanes_of_turn(m, m->was[i], c) & r->lanes;
  return can;
}

/* The switch at the beginning of channel c, in place `at` of those that are cut off, goes over the one at its end,
 * which has a way: for a price below that of its own so far, if it is not more where old and new entries must not meet.
 */
static bool take_over(regrow *r, uint32_t c, uint32_t at, double distance) {
  const ripstop_mender *m = r->m;
  uint32_t s = m->net.from[c], on = m->net.to[c];
  unsigned mask = on == m->to ? r->lanes : r->mask[on] & mender_lanes_of_turn(m, c, r->next[on]);
  if (!mask || (r->strict && (mask & m->need[s]) != m->need[s])) return false;
  if (m->was[at] != c && !mixes(r, c, at)) distance += MIXED;
  if (distance >= r->distance[s]) return false;
  r->distance[s] = distance;
  r->next[s] = c;
  r->mask[s] = (uint8_t)mask;
  return true;
}

/* What it costs that the switch in place `at` takes channel c. */
static inline double price_of_change(const ripstop_mender *m, uint32_t c, uint32_t at) {
  return m->was[at] == c || at < m->roots ? 0 : OTHER;
}

/* Channel c leads from s, in place `at`, to one that has a way. Whether it is taken. */
static inline bool offer(regrow *r, uint32_t c, uint32_t s, uint32_t on, uint32_t at, double other) {
  const ripstop_mender *m = r->m;
  if (r->distance[on] + 1 + other >= r->distance[s] || !m->alive[c]) return false; /* none costs less than a hop */
  double distance = r->distance[on] + mender_busy(m, c) + other;
  return distance < r->distance[s] && take_over(r, c, at, distance);
}

static void push(regrow *r, uint32_t s) { mend_heap_push(&r->heap, r->distance[s], s); }

static void begin(regrow *r) {
  ripstop_mender *m = r->m;
  r->heap.count = 0;
  r->left = m->cuts;
  for (uint32_t i = 0; i < m->cuts; i++) {
    m->settled[m->cut[i]] = 0;
    r->distance[m->cut[i]] = INFINITY;
  }
  if (++m->now == 0) memset(m->known, 0, m->net.switches * sizeof *m->known), m->now = 1;
  m->known[m->to] = m->now;
  r->mask[m->to] = (uint8_t)r->lanes;
  r->distance[m->to] = 0;
}

/* Over neighbours that are not cut off; old channels of others than roots lead to none of these. */
static void look_out(regrow *r, uint32_t at) {
  ripstop_mender *m = r->m;
  const uint32_t *place = m->place, s = m->cut[at];
  const mender_side *side = m->side + m->net.out_first[s], *end = m->side + m->net.out_first[s + 1];
  const double other = at < m->roots ? 0 : OTHER;
  bool taken = false;
  for (; side < end; side++) {
    uint32_t on = side->to;
    if (place[on] != RIPSTOP_NONE) continue;
    if (m->known[on] != m->now) {
      if (!m->alive[side->out]) continue;
      look_along(r, on);
    }
    taken |= offer(r, side->out, s, on, at, other);
  }
  if (taken) push(r, s);
}

/* What is taken already goes up in whatever order comes next. */
static void hold(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  uint32_t on = m->net.to[r->next[s]];
  if (on != m->to) mender_harden(m, r->next[s], r->next[on], r->mask[s]);
}

static void spread(regrow *r) {
  ripstop_mender *m = r->m;
  while (r->heap.count && r->left > 0) {
    uint32_t s = mend_heap_pop(&r->heap).id;
    if (m->settled[s]) continue;
    m->settled[s] = 1;
    r->left--;
    if (r->held) hold(r, s);
    const mender_side *side = m->side + m->net.out_first[s], *end = m->side + m->net.out_first[s + 1];
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
    if (!there || !r->mask[on] || !mender_harden(m, c, r->next[on], r->mask[on])) continue;
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
  for (uint32_t i = 0; i < m->cuts; i++) look_out(r, i);
  spread(r);
  if (r->left == 0 || !may_help(r)) return r->left == 0;
  r->held = true;
  for (uint32_t i = 0; i < m->cuts; i++)
    if (m->settled[m->cut[i]]) hold(r, m->cut[i]);
  while (r->left > 0 && help_some(r)) continue;
  return r->left == 0;
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

/* `need` tells now in which lanes ways of switches that were cut off are hard already. */
static void harden_way(ripstop_mender *m, uint32_t s, unsigned lanes) {
  while (s != m->to) {
    uint32_t c = mender_next(m, s);
    if (m->place[s] != RIPSTOP_NONE) {
      if ((m->need[s] & lanes) == lanes) return;
      m->need[s] |= (uint8_t)lanes;
    }
    s = m->net.to[c];
    if (s != m->to) mender_harden(m, c, mender_next(m, s), lanes);
  }
}

/* End nodes whose lane is not open get one that is. */
static void write_levels(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const ripstop_fabric *f = m->view->fabric;
  for (uint32_t p = f->port_base[f->ends + s]; p < f->port_base[f->ends + s + 1]; p++) {
    uint32_t end = f->peer[p] == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_node[f->peer[p]];
    if (end >= f->ends || m->net.home[end] != s || !m->tables->level || r->mask[s] >> mender_lane(m, end) & 1) continue;
    m->tables->level[(size_t)end * m->tables->addresses + m->address] = (uint8_t)__builtin_ctz(r->mask[s]);
    m->levels_changed++;
  }
}

static void take(regrow *r) {
  ripstop_mender *m = r->m;
  bool laid =
      m->counted && m->address < m->tables->addresses && ripstop_is_end(m->view->fabric, m->tables->node[m->address]);
  if (laid && m->cables) lay_old(m);
  for (uint32_t i = 0; i < m->cuts; i++) {
    uint32_t s = m->cut[i], c = r->next[s];
    if (c != m->was[i]) mender_write(m, s, m->net.local[c]);
    if (m->by_pair) write_levels(r, s);
  }
  for (uint32_t i = 0; i < m->cuts; i++) m->need[m->cut[i]] = 0;
  for (uint32_t i = 0; i < m->cuts; i++) {
    uint32_t s = m->cut[i];
    unsigned lanes = mender_lanes_at(m, s);
    harden_way(m, s, lanes ? lanes : r->mask[s] & -(unsigned)r->mask[s]);
  }
  if (laid) lay_new(m);
}

bool mender_regrow(ripstop_mender *m) {
  regrow r = {.m = m, .heap = {.entry = m->grow.heap.entry}, .lanes = mender_lanes_to(m)};
  r.next = m->grow.next;
  r.mask = m->grow.mask;
  r.distance = m->grow.distance;
  for (uint32_t i = 0; i < m->cuts; i++) m->need[m->cut[i]] = (uint8_t)mender_lanes_at(m, m->cut[i]);
  bool done = false;
  find_behind(m);
  for (r.strict = true; !done; r.strict = false) {
    begin(&r);
    done = attach_all(&r);
    if (!r.strict || !m->by_pair) break;
  }
  if (done) take(&r);
  return done;
}
