/* regrow.c - new paths for switches that a failed channel cut off from one destination. All others keep their
 * entries; the new paths end at some of them. Dijkstra's algorithm runs over the switches that are cut off, so its
 * cost is that of these and their neighbours.
 *
 * It uses turns that are required or that go up in the order anyway, so the order stays as it is and no cycle can
 * close. More turns become required only for paths to or from switches, which no end node uses: to grow a tree again
 * for one of them would take longer than everything else. */
#include <math.h>
#include <string.h>

#include "mend/mender.h"

#define OTHER 2.5 /* price of an entry that need not change, in hops */
#define MIXED 2   /* price of a turn that old and new entries would form together and must not */

typedef struct regrow {
  ripstop_mender *m;
  mend_heap heap;
  unsigned lanes;
  const uint32_t *order;        /* [channels]: places in the only VC; NULL: there are several VCs */
  bool strict;                  /* end nodes keep their VCs */
  bool held;                    /* the order may change, so paths that were found are protected */
  uint32_t left;                /* switches without a path */
  mender_candidate *candidates; /* [switches] */
} regrow;

/* The VCs of a switch's path over channel c to `on`, which has a path. */
static inline unsigned lanes_over(const regrow *r, uint32_t c, uint32_t s, uint32_t on) {
  const mender_candidate *w = &r->candidates[on];
  if (on == r->m->to) return r->lanes;
  if (!r->order) return w->mask & mender_lanes_of_turn(r->m, c, w->next);
  return w->to != s && r->order[c] < r->order[w->next] ? w->mask : 0;
}

/* True if a turn goes up in some current VC. */
static bool turns(const regrow *r, uint32_t c, uint32_t d) {
  if (!r->order) return mender_lanes_of_turn(r->m, c, d) & r->lanes;
  return r->order[c] < r->order[d] && !switch_graph_goes_back(&r->m->net, c, d);
}

/* Lists in `way` the neighbours of the cut-off switches from which packets arrive, if their own channel may follow.
 * Returns how many. */
static uint32_t list_neighbours(regrow *r) {
  const ripstop_mender *m = r->m;
  mender_candidate *candidates = r->candidates;
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->cuts; i++) {
    const uint32_t s = m->cut[i];
    const switch_graph_side *side = m->net.side + m->net.out_first[s], *end = m->net.side + m->net.out_first[s + 1];
    for (; side < end; side++) {
      const uint32_t on = side->to;
      mender_candidate *w = &candidates[on];
      if (w->known == m->now || m->place[on] != RIPSTOP_NONE || !m->alive[side->out]) continue;
      const switch_graph_hop h = mender_hop_of(m, on);
      w->next = h.channel;
      w->to = h.to;
      if (!r->held && !turns(r, side->out, h.channel)) continue;
      w->known = m->now;
      m->candidate[count++] = on;
    }
  }
  return count;
}

/* Finds VCs and price of the path of a switch that arrives, and of each switch along it. */
static void find_price(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  mender_candidate *candidates = r->candidates;
  uint32_t count = 0, *list = m->net.queue;
  for (; candidates[s].priced != m->now; s = candidates[s].to) list[count++] = s;
  while (count-- > 0) {
    mender_candidate *w = &candidates[s = list[count]];
    w->priced = m->now;
    w->mask = (uint8_t)lanes_over(r, w->next, s, w->to);
    w->required = 0;
    w->distance = candidates[w->to].distance + mender_busy(m, w->next);
  }
}

/* Finds VCs and prices of the paths from these neighbours, which stay. All paths are followed together, each switch
 * once. From the end of the list, the next switch usually has its price already. */
static void look_along(regrow *r) {
  ripstop_mender *m = r->m;
  mender_candidate *candidates = r->candidates;
  const uint32_t now = m->now;
  uint32_t count = list_neighbours(r), *candidate = m->candidate;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t on = candidates[candidate[i]].to;
    mender_candidate *w = &candidates[on];
    if (w->known == now) continue;
    const switch_graph_hop h = mender_hop_of(m, on);
    w->known = now;
    w->next = h.channel;
    w->to = h.to;
    candidate[count++] = on;
  }
  while (count-- > 0) find_price(r, candidate[count]);
}

/* Lists the switches behind each that is cut off. */
static void find_behind(ripstop_mender *m) {
  for (uint32_t i = 0; i < m->cuts; i++) m->behind[i] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < m->cuts; i++) {
    uint32_t old = m->was[i], at = old == RIPSTOP_NONE || !m->alive[old] ? RIPSTOP_NONE : m->place[m->net.to[old]];
    if (at == RIPSTOP_NONE) continue;
    m->beside[i] = m->behind[at];
    m->behind[at] = i;
  }
}

/* True if old entries that stay in force for a while fit channel c of a switch at index `at`: those behind it, and
 * those after it. */
static bool mixes(const regrow *r, uint32_t c, uint32_t at) {
  const ripstop_mender *m = r->m;
  uint32_t on = m->place[m->net.to[c]], after = on == RIPSTOP_NONE ? on : m->was[on];
  bool can = after == RIPSTOP_NONE || !m->alive[after] || turns(r, c, after);
  for (uint32_t i = m->behind[at]; can && i != RIPSTOP_NONE; i = m->beside[i]) can = turns(r, m->was[i], c);
  return can;
}

/* True if a switch can use a path in these VCs: its end nodes keep their VCs, where they must. */
static inline bool may_take(const regrow *r, uint32_t s, unsigned mask) {
  return mask && !(r->strict && (mask & r->m->need[s]) != r->m->need[s]);
}

/* The switch at index `at`, where channel c begins, takes the path over the end of c, if that is cheaper than its
 * present path. A turn that old and new entries must not form together counts in the price. */
static bool take_over(regrow *r, uint32_t c, uint32_t at, double distance) {
  const ripstop_mender *m = r->m;
  uint32_t s = m->net.from[c], on = m->net.to[c];
  unsigned mask = lanes_over(r, c, s, on);
  mender_candidate *w = &r->candidates[s];
  if (!may_take(r, s, mask)) return false;
  if (m->was[at] != c && !mixes(r, c, at)) distance += MIXED;
  if (distance >= w->distance) return false;
  w->distance = distance;
  w->next = c;
  w->to = on;
  w->mask = (uint8_t)mask;
  return true;
}

/* The price of another channel than before for the switch at index `at`. */
static inline double price_of_change(const ripstop_mender *m, uint32_t c, uint32_t at) {
  return m->was[at] == c || at < m->roots ? 0 : OTHER;
}

/* Offers channel c to s, at index `at`, towards `on`, which has a path. True if it is taken. */
static inline bool offer(regrow *r, uint32_t c, uint32_t s, uint32_t on, uint32_t at, double other) {
  const ripstop_mender *m = r->m;
  double before = r->candidates[on].distance + other, most = r->candidates[s].distance;
  if (before + 1 >= most || !m->alive[c]) return false; /* none costs less than a hop */
  double distance = before + mender_busy(m, c);
  return distance < most && take_over(r, c, at, distance);
}

static void push(regrow *r, uint32_t s) { mend_heap_push(&r->heap, r->candidates[s].distance, s); }

static void begin(regrow *r) {
  ripstop_mender *m = r->m;
  mender_know_none(m); /* first: it may clear all paths */
  r->heap.count = 0;
  r->left = m->cuts;
  for (uint32_t i = 0; i < m->cuts; i++) {
    m->settled[m->cut[i]] = 0;
    r->candidates[m->cut[i]].distance = INFINITY;
    r->candidates[m->cut[i]].required = 0;
    r->candidates[m->cut[i]].used = false;
  }
  r->candidates[m->to] =
      (mender_candidate){.known = m->now, .priced = m->now, .mask = (uint8_t)r->lanes, .next = RIPSTOP_NONE};
}

/* Tries neighbours that are not cut off; old channels of switches that are no roots lead to none of these. Takes the
 * nearest, if old and new entries may meet there; otherwise compares all with that price. */
static void look_out(regrow *r, uint32_t at) {
  ripstop_mender *m = r->m;
  const uint32_t s = m->cut[at], now = m->now;
  const switch_graph_side *first = m->net.side + m->net.out_first[s], *end = m->net.side + m->net.out_first[s + 1],
                          *best = NULL;
  const mender_candidate *candidates = r->candidates;
  const double other = at < m->roots ? 0 : OTHER;
  double least = INFINITY;
  for (const switch_graph_side *side = first; side < end; side++) {
    const mender_candidate *w = &candidates[side->to];
    if (w->known != now || w->distance + 1 >= least || !m->alive[side->out]) continue; /* each hop costs at least 1 */
    double distance = w->distance + mender_busy(m, side->out);
    if (distance < least && may_take(r, s, lanes_over(r, side->out, s, side->to))) {
      least = distance;
      best = side;
    }
  }
  if (!best) return;
  take_over(r, best->out, at, least + other);
  for (const switch_graph_side *side = first; candidates[s].distance > least + other && side < end; side++)
    if (candidates[side->to].known == now) offer(r, side->out, s, side->to, at, other);
  push(r, s);
}

/* Makes the turns of a path that was found required, so that every later order keeps them. */
static void hold(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const mender_candidate *w = &r->candidates[s];
  if (w->to != m->to) mender_harden(m, w->next, r->candidates[w->to].next, w->mask);
}

static void spread(regrow *r) {
  ripstop_mender *m = r->m;
  while (r->heap.count && r->left > 0) {
    uint32_t s = mend_heap_pop(&r->heap).id;
    if (m->settled[s]) continue;
    m->settled[s] = 1;
    r->left--;
    if (r->held) hold(r, s);
    const switch_graph_side *side = m->net.side + m->net.out_first[s], *end = m->net.side + m->net.out_first[s + 1];
    for (; r->left > 0 && side < end; side++) {
      uint32_t from = side->to, at = m->place[from];
      if (at != RIPSTOP_NONE && !m->settled[from] &&
          offer(r, side->out ^ 1, from, s, at, price_of_change(m, side->out ^ 1, at)))
        push(r, from);
    }
  }
}

/* Sends a switch that is cut off over a neighbour that has a path, where the turn can become required. */
static bool help(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const switch_graph *net = &m->net;
  for (uint32_t j = net->out_first[s]; j < net->out_first[s + 1]; j++) {
    uint32_t c = net->out[j], on = net->to[c];
    bool there = on != m->to && m->alive[c] && (m->place[on] == RIPSTOP_NONE || m->settled[on]);
    if (!there || !r->candidates[on].mask || !mender_harden(m, c, r->candidates[on].next, r->candidates[on].mask))
      continue;
    if (offer(r, c, s, on, m->place[s], price_of_change(m, c, m->place[s]))) push(r, s);
    return true;
  }
  return false;
}

/* Helps one switch after another; those behind it may then use its path. By destination there is one VC. Required
 * turns that serve no path only keep others from it. */
static bool help_some(regrow *r) {
  ripstop_mender *m = r->m;
  uint32_t before = r->left;
  for (uint32_t i = 0; i < m->cuts; i++)
    if (!m->settled[m->cut[i]] && help(r, m->cut[i])) spread(r);
  return r->left < before;
}

/* True if no paths of end nodes are concerned. */
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

/* ------------------------------------------------------------------ entries that need not change */

static void mark_used(regrow *r) {
  const ripstop_mender *m = r->m;
  for (uint32_t i = 0; i < m->cuts; i++)
    for (uint32_t s = m->cut[i]; m->net.hosts[m->cut[i]] && m->place[s] != RIPSTOP_NONE && !r->candidates[s].used;
         s = r->candidates[s].to)
      r->candidates[s].used = true;
}

/* True if the old channel of the switch at index `at` leads on, and all that send over the switch may continue into
 * it. */
static bool leads_on(const regrow *r, uint32_t at) {
  const ripstop_mender *m = r->m;
  const uint32_t s = m->cut[at], was = m->was[at], on = was == RIPSTOP_NONE ? was : m->net.to[was];
  if (on == RIPSTOP_NONE || !m->alive[was] || m->place[on] == RIPSTOP_NONE || !lanes_over(r, was, s, on)) return false;
  for (uint32_t v = on; m->place[v] != RIPSTOP_NONE; v = r->candidates[v].to)
    if (v == s) return false;
  const switch_graph_side *side = m->net.side + m->net.out_first[s], *end = m->net.side + m->net.out_first[s + 1];
  for (; side < end; side++)
    if (m->place[side->to] != RIPSTOP_NONE && r->candidates[side->to].next == (side->out ^ 1) &&
        !turns(r, side->out ^ 1, was))
      return false;
  return true;
}

/* If only switches send, a longer path is better than one more changed entry. By destination: all paths are in one
 * VC. */
static void keep_unused(regrow *r) {
  const ripstop_mender *m = r->m;
  mark_used(r);
  for (uint32_t i = m->roots; i < m->cuts; i++) {
    mender_candidate *w = &r->candidates[m->cut[i]];
    if (w->used || w->next == m->was[i] || !leads_on(r, i)) continue;
    w->next = m->was[i];
    w->to = m->net.to[w->next];
  }
}

/* ------------------------------------------------------------------ the result is written */

/* Adds the paths of end nodes at switches that are cut off: over their old channels, or over the new ones. */
static void lay_old(ripstop_mender *m) {
  const switch_graph *net = &m->net;
  for (uint32_t i = 0; i < m->cuts; i++)
    for (uint32_t s = m->cut[i], v = net->hosts[s] ? s : m->to; v != m->to;) {
      uint32_t c = m->place[v] == RIPSTOP_NONE ? mender_next(m, v) : m->was[m->place[v]];
      m->load[c] -= net->hosts[s];
      v = net->to[c];
    }
}

static void lay_new(ripstop_mender *m) {
  const switch_graph *net = &m->net;
  for (uint32_t i = 0; i < m->cuts; i++)
    for (uint32_t s = m->cut[i], v = net->hosts[s] ? s : m->to; v != m->to;) {
      uint32_t c = mender_next(m, v);
      m->load[c] += net->hosts[s];
      v = net->to[c];
    }
}

static void harden_candidate(ripstop_mender *m, uint32_t s, unsigned lanes) {
  while (s != m->to && (m->candidates[s].required & lanes) != lanes) {
    const mender_candidate *w = &m->candidates[s];
    m->candidates[s].required |= (uint8_t)lanes;
    s = w->to;
    if (s != m->to) mender_harden(m, w->next, m->candidates[s].next, lanes);
  }
}

/* Gives end nodes whose VC is not open another one. */
static void write_levels(regrow *r, uint32_t s) {
  ripstop_mender *m = r->m;
  const ripstop_fabric *f = m->view->fabric;
  for (uint32_t p = f->port_base[f->ends + s]; p < f->port_base[f->ends + s + 1]; p++) {
    uint32_t end = f->peer[p] == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_node[f->peer[p]];
    if (end >= f->ends || m->net.home[end] != s || !m->tables->level ||
        r->candidates[s].mask >> mender_lane(m, end) & 1)
      continue;
    m->tables->level[(size_t)end * m->tables->addresses + m->address] = (uint8_t)__builtin_ctz(r->candidates[s].mask);
    m->levels_changed++;
  }
}

static void take(regrow *r) {
  ripstop_mender *m = r->m;
  bool laid =
      m->counted && m->address < m->tables->addresses && ripstop_is_end(m->view->fabric, m->tables->node[m->address]);
  if (laid && m->cables) lay_old(m);
  for (uint32_t i = 0; i < m->cuts; i++) {
    uint32_t s = m->cut[i], c = r->candidates[s].next;
    if (c != m->was[i]) mender_write(m, s, m->net.local[c]);
    if (m->by_pair) write_levels(r, s);
  }
  for (uint32_t i = 0; i < m->cuts; i++) {
    uint32_t s = m->cut[i];
    unsigned lanes = mender_lanes_at(m, s);
    harden_candidate(m, s, lanes ? lanes : r->candidates[s].mask & -(unsigned)r->candidates[s].mask);
  }
  if (laid) lay_new(m);
}

bool mender_regrow(ripstop_mender *m) {
  regrow r = {.m = m, .heap = {.entry = m->grow.heap.entry}, .lanes = mender_lanes_to(m), .candidates = m->candidates};
  if (!(r.lanes & (r.lanes - 1))) r.order = m->orders.place[__builtin_ctz(r.lanes)];
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
