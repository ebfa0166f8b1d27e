/* repair_spread.c - moves paths off channels that carry more than a limit, onto other paths of the same length.
 *
 * A move gives one switch another entry for one address: its own packets and all that cross it take another path. It is
 * made if the paths beyond limits, summed over all channels, become fewer. Where no move does that, one is made that
 * only shifts the surplus to other channels, each such move once, in the hope of a better one there. Local search: it
 * may fail where tables within the limits exist.
 *
 * A moved switch and all behind it become members of the repair, so that repair_undo puts them back, and the queries
 * for loops know them. */
#include "base/local.h"
#include "base/memory.h"
#include "tables/repair_state.h"

enum { SHIFTS = 64, MOVES = 4096 };

/* The switches whose packets for the present address cross one switch, that one first. */
typedef struct crossing {
  uint32_t *s, *next; /* [switches]: next: the position of the switch to which the entry leads */
  uint64_t *flow;     /* [switches] */
  uint32_t count;
} crossing;

typedef struct move {
  uint32_t address, s, channel; /* channel: the new one */
  uint64_t flow;
  int64_t gain; /* paths beyond limits that it saves */
} move;

typedef struct spreader {
  repair *r;
  const uint64_t *limit; /* [ports] */
  crossing behind;
  move shifted[SHIFTS];
  uint32_t shifts, moves;
} spreader;

/* ------------------------------------------------------------------ packets that cross a switch */

static void list_crossing(spreader *p, uint32_t address, uint32_t root) {
  repair *r = p->r;
  const switch_graph *c = &r->net;
  const uint32_t *hops = hops_of(r, address);
  const uint16_t *entry = entries_of(r, address);
  crossing *b = &p->behind;
  b->s[0] = root;
  b->count = 1;
  for (uint32_t i = 0; i < b->count; i++) {
    const uint32_t s = b->s[i];
    b->flow[i] = repair_sources(r, address, s);
    for (uint32_t out = c->out_first[s]; out < c->out_first[s + 1]; out++) {
      const uint32_t other = c->to[out];
      if (hops[other] != hops[s] + 1 || !switch_graph_leads_back(c, entry, out) || !switch_graph_up(c, out)) continue;
      b->s[b->count] = other;
      b->next[b->count++] = i;
    }
  }
  for (uint32_t i = b->count; i-- > 1;) b->flow[b->next[i]] += b->flow[i];
}

/* ------------------------------------------------------------------ one move */

static uint64_t limit_of(const spreader *p, uint32_t channel) { return p->limit[p->r->net.port[channel]]; }

static uint64_t beyond(const spreader *p, uint32_t channel, uint64_t load) {
  const uint64_t limit = limit_of(p, channel);
  return load > limit ? load - limit : 0;
}

/* Both paths are equally long, and once they have met they stay together. */
static int64_t gain_of(const spreader *p, const move *m) {
  const repair *r = p->r;
  uint32_t old = onward(r, m->address, m->s), new = m->channel;
  int64_t gain = 0;
  while (old != new &&old != RIPSTOP_NONE &&new != RIPSTOP_NONE) {
    const uint64_t was = r->load[old], will = r->load[new];
    gain += (int64_t)(beyond(p, old, was) - beyond(p, old, was - m->flow));
    gain -= (int64_t)(beyond(p, new, will + m->flow) - beyond(p, new, will));
    old = onward(r, m->address, r->net.to[old]);
    new = onward(r, m->address, r->net.to[new]);
  }
  return gain;
}

/* The best other channel for a switch; `channel` RIPSTOP_NONE: it has none. */
static move find_move(const spreader *p, uint32_t address, uint32_t s, uint64_t flow) {
  const repair *r = p->r;
  const switch_graph *c = &r->net;
  const uint32_t *hops = hops_of(r, address), now = onward(r, address, s);
  move best = {.channel = RIPSTOP_NONE};
  for (uint32_t out = c->out_first[s]; out < c->out_first[s + 1]; out++) {
    if (out == now || hops[c->to[out]] == RIPSTOP_NONE || hops[c->to[out]] + 1 != hops[s] || !switch_graph_up(c, out))
      continue;
    move m = {.address = address, .s = s, .channel = out, .flow = flow};
    m.gain = gain_of(p, &m);
    if (best.channel == RIPSTOP_NONE || m.gain > best.gain) best = m;
  }
  return best;
}

static torn *torn_of(repair *r, uint32_t address) {
  for (uint32_t i = 0; i < r->torns; i++)
    if (r->torn[i].address == address) return &r->torn[i];
  torn *t = &r->torn[r->torns++];
  *t = (torn){.address = address, .first = r->members, .lost = r->lost[address]};
  return t;
}

/* The switch and all behind it become members. */
static void join_crossing(spreader *p, uint32_t address, uint32_t s) {
  repair *r = p->r;
  list_crossing(p, address, s);
  torn *t = torn_of(r, address);
  r->marked++;
  for (uint32_t i = 0; i < t->count; i++) r->mark[r->member[t->first + i].s] = r->marked;
  for (uint32_t i = 0; i < p->behind.count; i++)
    if (r->mark[p->behind.s[i]] != r->marked) repair_join(r, t, p->behind.s[i]);
}

static void make_move(spreader *p, const move *m) {
  repair *r = p->r;
  join_crossing(p, m->address, m->s);
  load_candidate(r, r->tables, m->address, m->s, (uint64_t)0 - m->flow);
  entries_of(r, m->address)[m->s] = r->net.local[m->channel];
  load_candidate(r, r->tables, m->address, m->s, m->flow);
  p->moves++;
}

/* ------------------------------------------------------------------ one channel */

static bool is_shifted(const spreader *p, const move *m) {
  uint32_t i = 0;
  while (i < p->shifts && (p->shifted[i].address != m->address || p->shifted[i].s != m->s)) i++;
  return i < p->shifts;
}

/* Keeps the better of two moves. True: it saves as much as can be. */
static void offer_moves(spreader *p, uint32_t channel, uint32_t address, move *best) {
  const repair *r = p->r;
  const crossing *b = &p->behind;
  list_crossing(p, address, r->net.from[channel]);
  for (uint32_t i = 0; i < b->count; i++) {
    if (b->flow[i] == 0) continue;
    const move m = find_move(p, address, b->s[i], b->flow[i]);
    if (m.channel == RIPSTOP_NONE || (best->channel != RIPSTOP_NONE && m.gain <= best->gain)) continue;
    if (m.gain > 0 || (m.gain == 0 && !is_shifted(p, &m))) *best = m;
  }
}

/* Moves something off a channel. False: nothing can be moved. */
static bool relieve(spreader *p, uint32_t channel) {
  repair *r = p->r;
  const uint32_t s = r->net.from[channel];
  move best = {.channel = RIPSTOP_NONE};
  for (uint32_t a = 0; a < r->data && (best.channel == RIPSTOP_NONE || best.gain <= 0); a++)
    if (entries_of(r, a)[s] == r->net.local[channel] && hops_of(r, a)[s] != RIPSTOP_NONE)
      offer_moves(p, channel, a, &best);
  if (best.channel == RIPSTOP_NONE || p->moves == MOVES) return false;
  if (best.gain == 0) {
    if (p->shifts == SHIFTS) return false;
    p->shifted[p->shifts++] = best;
  }
  make_move(p, &best);
  return true;
}

bool repair_spread(repair *r, const uint64_t *limit) {
  RIPSTOP_LOCAL_ARENA(scratch);
  spreader p = {.r = r, .limit = limit};
  p.behind.s = RIPSTOP_ARRAY(scratch, r->switches, uint32_t);
  p.behind.next = RIPSTOP_ARRAY(scratch, r->switches, uint32_t);
  p.behind.flow = RIPSTOP_ARRAY(scratch, r->switches, uint64_t);
  bool within = true;
  for (uint32_t c = 0, clean = 0; within && clean < r->net.channels;) {
    const bool over = r->load[c] > limit_of(&p, c);
    if (over) within = relieve(&p, c);
    clean = over ? 0 : clean + 1;
    if (!over) c = (c + 1) % r->net.channels;
  }
  r->changes = r->torns;
  return within;
}
