/* regrow.c - new ways for switches that a dead channel cut off from one destination. All others keep their entries: the
 * ways end at some of them. Dijkstra over the switches that are cut off, so the cost is that of these and their
 * neighbours.
 *
 * Turns are taken that are hard or go up in the order anyway, so the order stays as it is and no circle can close. Only
 * where there are no paths of end nodes, to switches or from them, more turns become hard where that is needed: a tree
 * that is grown anew for one of them would take longer than all the rest. */
#include <math.h>

#include "mend/mender.h"

#define OTHER 2.5 /* what an entry costs that would not have to change, in hops */
#define MIXED 2   /* what a turn costs that old and new entries would take together and must not */

typedef struct regrow {
  ripstop_mender *m;
  mend_heap heap;
  unsigned lanes;
  bool strict;      /* end nodes keep their lanes */
  bool held;        /* the order may change: what has a way keeps it */
  uint32_t *next;   /* [switches]: new channels */
  uint8_t *mask;    /* [switches]: lanes that are open all the way */
  double *distance; /* [switches] */
} regrow;

static void know(ripstop_mender *m, uint32_t s) {
  m->known[s] = 1;
  m->found[m->founds++] = s;
}

/* Lanes and price of a way that stays: from a switch that arrives. */
static void look_along(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  uint32_t count = 0;
  for (; !m->known[s]; s = m->net.to[r->next[s]]) {
    m->way[count++] = s;
    know(m, s);
    r->next[s] = mender_next(m, s);
  }
  while (count-- > 0) {
    uint32_t v = m->way[count], c = r->next[v], on = m->net.to[c];
    r->mask[v] = (uint8_t)(on == m->to ? r->lanes : r->mask[on] & mender_lanes_of_turn(m, c, r->next[on]));
    r->distance[v] = r->distance[on] + mender_busy(m, c);
  }
}

/* Whether an old channel and then c may be taken. */
static bool goes_on(const regrow *r, uint32_t old, uint32_t c) {
  const ripstop_mender *m = r->m;
  if (old == RIPSTOP_NONE || m->net.to[old] != m->net.from[c] || !m->alive[old]) return true;
  return mender_lanes_of_turn(m, old, c) & r->lanes;
}

/* Whether old entries that stay in force for a while fit to channel c at its switch: of those behind it, and after it.
 * Behind it are neighbours that are cut off: whichever are fewer are looked at. */
static bool mixes(const regrow *r, uint32_t c) {
  const ripstop_mender *m = r->m;
  const mend_net *net = &m->net;
  uint32_t s = net->from[c], on = m->place[net->to[c]], after = on == RIPSTOP_NONE ? on : m->was[on];
  if (after != RIPSTOP_NONE && m->alive[after] && !(mender_lanes_of_turn(m, c, after) & r->lanes)) return false;
  bool can = true, few = m->cuts < mend_outs(net, s);
  for (uint32_t i = 0; few && can && i < m->cuts; i++) can = goes_on(r, m->was[i], c);
  for (uint32_t i = net->out_first[s]; !few && can && i < net->out_first[s + 1]; i++) {
    uint32_t at = m->place[net->to[net->out[i]]];
    can = at == RIPSTOP_NONE || goes_on(r, m->was[at], c);
  }
  return can;
}

/* The switch at the beginning of channel c could go over the one at its end, which has a way. */
static void offer(regrow *r, uint32_t c) {
  ripstop_mender *m = r->m;
  uint32_t s = m->net.from[c], on = m->net.to[c], at = m->place[s];
  if (at == RIPSTOP_NONE || m->settled[s] || !m->alive[c]) return;
  double distance = r->distance[on] + mender_busy(m, c) + (m->was[at] == c || at < m->roots ? 0 : OTHER);
  if (distance >= r->distance[s]) return;
  unsigned mask = on == m->to ? r->lanes : r->mask[on] & mender_lanes_of_turn(m, c, r->next[on]);
  if (!mask || (r->strict && (mask & m->need[s]) != m->need[s])) return;
  if (m->was[at] != c && !mixes(r, c)) distance += MIXED;
  if (distance >= r->distance[s]) return;
  r->distance[s] = distance;
  r->next[s] = c;
  r->mask[s] = (uint8_t)mask;
  mend_heap_push(&r->heap, distance, s);
}

static void begin(regrow *r) {
  ripstop_mender *m = r->m;
  r->heap.count = 0;
  for (uint32_t i = 0; i < m->cuts; i++) {
    m->settled[m->cut[i]] = 0;
    r->distance[m->cut[i]] = INFINITY;
  }
  know(m, m->to);
  r->mask[m->to] = (uint8_t)r->lanes;
  r->distance[m->to] = 0;
}

/* What look_along() knows is forgotten, so that the next destination begins with nothing. */
static void forget(ripstop_mender *m) {
  while (m->founds > 0) m->known[m->found[--m->founds]] = 0;
}

/* Over neighbours that are not cut off. */
static void look_out(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const mend_net *net = &m->net;
  for (uint32_t j = net->out_first[s]; j < net->out_first[s + 1]; j++) {
    uint32_t c = net->out[j], on = net->to[c];
    if (!m->alive[c] || m->place[on] != RIPSTOP_NONE) continue;
    look_along(r, on);
    offer(r, c);
  }
}

/* What is taken already goes up in whatever order comes next. */
static void hold(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  uint32_t on = m->net.to[r->next[s]];
  if (on != m->to) mender_harden(m, r->next[s], r->next[on], r->mask[s]);
}

/* How many more have a way. */
static uint32_t spread(regrow *r) {
  ripstop_mender *m = r->m;
  const mend_net *net = &m->net;
  uint32_t done = 0;
  while (r->heap.count) {
    uint32_t s = mend_heap_pop(&r->heap).id;
    if (m->settled[s]) continue;
    m->settled[s] = 1;
    done++;
    if (r->held) hold(r, s);
    for (uint32_t j = net->out_first[s]; j < net->out_first[s + 1]; j++) offer(r, net->out[j] ^ 1);
  }
  return done;
}

/* A switch that is cut off goes over a neighbour that has a way, where the turn can become hard. */
static bool help(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const mend_net *net = &m->net;
  for (uint32_t j = net->out_first[s]; j < net->out_first[s + 1]; j++) {
    uint32_t c = net->out[j], on = net->to[c];
    bool there = on != m->to && m->alive[c] && (m->place[on] == RIPSTOP_NONE || m->settled[on]);
    if (!there || !r->mask[on] || !mender_harden(m, c, r->next[on], r->mask[on])) continue;
    offer(r, c);
    return true;
  }
  return false;
}

/* One after another; those behind may go over it then. By destination there is one lane. Turns that are hard in vain
 * only keep others from it. */
static uint32_t help_some(regrow *r) {
  ripstop_mender *m = r->m;
  uint32_t done = 0;
  for (uint32_t i = 0; i < m->cuts; i++)
    if (!m->settled[m->cut[i]] && help(r, m->cut[i])) done += spread(r);
  return done;
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
  for (uint32_t i = 0; i < m->cuts; i++) look_out(r, m->cut[i]);
  uint32_t done = spread(r);
  if (done == m->cuts || !may_help(r)) return done == m->cuts;
  r->held = true;
  for (uint32_t i = 0; i < m->cuts; i++)
    if (m->settled[m->cut[i]]) hold(r, m->cut[i]);
  for (uint32_t more = 1; more > 0 && done < m->cuts; done += more) more = help_some(r);
  return done == m->cuts;
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

static void harden_way(regrow *r, uint32_t s, unsigned lanes) {
  ripstop_mender *m = r->m;
  for (uint32_t c = mender_next(m, s); m->net.to[c] != m->to;) {
    uint32_t on = mender_next(m, m->net.to[c]);
    mender_harden(m, c, on, lanes);
    c = on;
  }
}

/* End nodes whose lane is not open get one that is; by destination each is open. */
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
    if (c != m->was[i]) mender_write(m, s, mend_port(&m->net, c));
    write_levels(r, s);
  }
  for (uint32_t i = 0; i < m->cuts; i++) {
    uint32_t s = m->cut[i];
    unsigned lanes = mender_lanes_at(m, s);
    harden_way(r, s, lanes ? lanes : r->mask[s] & -(unsigned)r->mask[s]);
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
  for (r.strict = true; !done; r.strict = false) {
    begin(&r);
    done = attach_all(&r);
    forget(m);
    if (!r.strict || !m->by_pair) break;
  }
  if (done) take(&r);
  return done;
}
