/* repair_ways.c - new ways for the switches that are torn from an address.
 *
 * A way may lead over switches that were lost long before, because nobody needs them: their entries are old ones that
 * lead nowhere. There can be many of them, and after each part that dies more, so only those are looked at that a way
 * can need which is no longer than the one known without them; how far a switch is from the address over the whole
 * fabric says at least how far it is now.
 *
 * Which channel a switch goes on through depends on distances and loads alone, not on the order of the search. */
#include <string.h>

#include "base/memory.h"
#include "tables/repair_state.h"

/* ------------------------------------------------------------------ the nearest */

/* A switch can go on through a channel, so many links from the target: the first such channel, or a better one? Says
 * whether it is nearer by it than before. */
static bool offer(repair *r, uint32_t s, uint32_t channel, uint32_t distance) {
  uint32_t best = r->best[s];
  if (r->distance[s] < distance) return false;
  if (r->distance[s] == distance &&
      (r->load[channel] > r->load[best] || (r->load[channel] == r->load[best] && channel > best)))
    return false;
  bool nearer = distance < r->distance[s];
  r->distance[s] = distance;
  r->best[s] = channel;
  return nearer;
}

/* What switches from which packets arrive offer to one. */
static void take_offers(repair *r, const uint32_t *hops, uint32_t s) {
  const channels *c = &r->channels;
  for (uint32_t out = c->first[s]; out < c->first[s + 1]; out++) {
    uint32_t distance = hops[c->to[out]];
    if (distance != RIPSTOP_NONE && r->view->port_up[c->port[out]]) offer(r, s, out, distance + 1);
  }
}

/* Offers of one in scope to those around it: it is `distance` links from the target. Those that are nearer by it join
 * the list. */
static uint32_t offer_around(repair *r, uint32_t s, uint32_t distance, uint32_t listed) {
  const channels *c = &r->channels;
  for (uint32_t out = c->first[s]; out < c->first[s + 1]; out++)
    if (r->view->port_up[c->port[out]] && r->mark[c->to[out]] == r->marked &&
        offer(r, c->to[out], c->back[out], distance + 1))
      r->list[listed++] = c->to[out];
  return listed;
}

/* Those in scope that have an offer, the nearest first, to the second half of r->list: those at each distance stand
 * before r->behind[distance]. Returns the most distant one's. */
static uint32_t sort_offered(repair *r) {
  uint32_t *sorted = r->list + r->switches, *behind = r->behind, most = 0;
  for (uint32_t i = 0; i < r->scopes; i++) {
    uint32_t distance = r->distance[r->scope[i]];
    if (distance != RIPSTOP_NONE && distance > most) most = distance;
  }
  memset(behind, 0, ((size_t)most + 2) * sizeof *behind);
  for (uint32_t i = 0; i < r->scopes; i++)
    if (r->distance[r->scope[i]] != RIPSTOP_NONE) behind[r->distance[r->scope[i]] + 1]++;
  for (uint32_t distance = 0; distance <= most; distance++) behind[distance + 1] += behind[distance];
  for (uint32_t i = 0; i < r->scopes; i++)
    if (r->distance[r->scope[i]] != RIPSTOP_NONE) sorted[behind[r->distance[r->scope[i]]]++] = r->scope[i];
  return most;
}

/* Distances and best channels of those in scope, to r->list the nearest first; returns how many are reached. */
static uint32_t find_ways(repair *r, uint32_t address) {
  const uint32_t *sorted = r->list + r->switches;
  uint32_t listed = 0, done = 0;
  for (uint32_t i = 0; i < r->scopes; i++) r->distance[r->scope[i]] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < r->scopes; i++) take_offers(r, hops_of(r, address), r->scope[i]);
  uint32_t most = sort_offered(r);
  for (uint32_t at = 1; at <= most || done < listed; at++) {
    for (uint32_t i = at <= most ? r->behind[at - 1] : 0; at <= most && i < r->behind[at]; i++)
      if (r->distance[sorted[i]] == at) r->list[listed++] = sorted[i];
    for (uint32_t end = listed; done < end; done++) listed = offer_around(r, r->list[done], at, listed);
  }
  return listed;
}

/* ------------------------------------------------------------------ lost switches that a way may need */

/* Links over the whole fabric, dead ones as well, from each switch to one. */
static const uint32_t *fewest_links(repair *r, uint32_t to) {
  if (!r->fewest) r->fewest = RIPSTOP_ARRAY(r->arena, r->switches, uint32_t *);
  if (r->fewest[to]) return r->fewest[to];
  const channels *c = &r->channels;
  uint32_t *links = RIPSTOP_ARRAY(r->arena, r->switches, uint32_t), *queue = r->list + r->switches, count = 0;
  for (uint32_t s = 0; s < r->switches; s++) links[s] = RIPSTOP_NONE;
  links[to] = 0;
  queue[count++] = to;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t out = c->first[queue[i]]; out < c->first[queue[i] + 1]; out++)
      if (links[c->to[out]] == RIPSTOP_NONE) {
        links[c->to[out]] = links[queue[i]] + 1;
        queue[count++] = c->to[out];
      }
  return r->fewest[to] = links;
}

static uint32_t wrap(const repair *r, uint32_t at) { return at < r->switches ? at : at - r->switches; }

/* A way that is worth looking at may have so many links from a switch on. If that is more than was known the switch
 * waits to tell those around it; the queue is a ring in the second half of r->list. */
static void allow(repair *r, uint32_t s, uint32_t links) {
  uint32_t *queue = r->list + r->switches;
  if (r->mark[s] != r->marked) {
    r->mark[s] = r->marked;
    r->scope[r->scopes++] = s;
  }
  if (r->allowed[s] > links) return; /* it stands for one link less; 0: none yet */
  r->allowed[s] = links + 1;
  if (r->waits[s]) return;
  r->waits[s] = true;
  queue[wrap(r, r->head + r->waiting++)] = s;
}

/* The same of the first in the queue to all around it from which packets do not arrive. */
static void allow_around(repair *r, uint32_t address, const uint32_t *fewest) {
  const channels *c = &r->channels;
  const uint32_t s = r->list[r->switches + r->head], links = r->allowed[s] - 1, *hops = hops_of(r, address);
  r->head = wrap(r, r->head + 1);
  r->waiting--;
  r->waits[s] = false;
  for (uint32_t out = c->first[s]; out < c->first[s + 1]; out++)
    if (hops[c->to[out]] == RIPSTOP_NONE && fewest[c->to[out]] < links && r->view->port_up[c->port[out]])
      allow(r, c->to[out], links - 1);
}

/* Adds to the scope, which holds the members, what ways of those that send may need. */
static void add_needed(repair *r, uint32_t address) {
  const uint32_t members = r->scopes;
  const uint32_t *fewest = fewest_links(r, ripstop_end_switch(r->fabric, r->tables->node[address]) - r->fabric->ends);
  for (uint32_t i = 0; i < members; i++) {
    uint32_t s = r->scope[i], known = r->distance[s] < r->switches ? r->distance[s] : r->switches;
    if (repair_sources(r, address, s) > 0) allow(r, s, known);
  }
  while (r->waiting > 0) allow_around(r, address, fewest);
  for (uint32_t i = 0; i < r->scopes; i++) r->allowed[r->scope[i]] = 0;
}

/* One more member. They stand together, so those that have others behind them go there first. */
static void join(repair *r, torn *t, uint32_t s) {
  const uint32_t first = t->first;
  if (first + t->count < r->members) {
    t->first = r->members;
    for (uint32_t i = 0; i < t->count; i++) {
      const member m = r->member[first + i];
      repair_list(r, m.s, m.hops, m.port);
    }
  }
  repair_add_member(r, t->address, s);
  t->count++;
}

/* ------------------------------------------------------------------ new entries */

/* The channel that a member goes on through gets its flow; its entry is written. */
static void take_way(repair *r, uint32_t address, uint32_t s, uint64_t flow) {
  uint32_t next = r->channels.to[r->best[s]];
  entries_of(r, address)[s] = r->channels.local[r->best[s]];
  hops_of(r, address)[s] = r->distance[s];
  r->load[r->best[s]] += flow;
  if (r->mark[next] == r->marked)
    r->flow[next] += flow;
  else
    load_way(r, r->tables, address, next, flow);
}

/* Puts the members in scope: packets do not arrive from them. Says whether they do from any other switch. */
static bool open_scope(repair *r, const torn *t) {
  uint32_t *hops = hops_of(r, t->address), came = 0;
  r->marked++;
  r->scopes = t->count;
  for (uint32_t i = 0; i < t->count; i++) {
    const member *m = &r->member[t->first + i];
    came += m->hops != RIPSTOP_NONE;
    hops[m->s] = RIPSTOP_NONE;
    r->mark[m->s] = r->marked;
    r->scope[i] = m->s;
  }
  return t->lost + came < r->switches;
}

/* Ways for the members, and those that these need; see find_ways. */
static uint32_t find_members_ways(repair *r, torn *t) {
  uint32_t lost = t->lost, reached;
  if (!open_scope(r, t)) return 0;
  reached = find_ways(r, t->address);
  for (uint32_t i = 0; i < t->count; i++) lost -= r->member[t->first + i].hops == RIPSTOP_NONE;
  if (lost == 0) return reached;
  add_needed(r, t->address);
  if (r->scopes == t->count) return reached;
  while (t->count < r->scopes) join(r, t, r->scope[t->count]);
  return find_ways(r, t->address);
}

/* Lost switches whose entries lead straight to a member from which packets arrive at last: now they do so as well. */
static void join_behind(repair *r, torn *t, uint32_t s) {
  const channels *c = &r->channels;
  const uint16_t *entry = entries_of(r, t->address);
  uint32_t *hops = hops_of(r, t->address);
  for (uint32_t out = c->first[s]; out < c->first[s + 1]; out++) {
    uint32_t other = c->to[out];
    if (hops[other] != RIPSTOP_NONE || r->mark[other] == r->marked) continue;
    if (entry[other] != c->local[c->back[out]] || !r->view->port_up[c->port[out]]) continue;
    join(r, t, other);
    hops[other] = hops[s] + 1;
  }
}

static void take_ways(repair *r, torn *t, bool all) {
  for (uint32_t i = find_members_ways(r, t); i-- > 0;) {
    uint32_t s = r->list[i];
    uint64_t flow = r->flow[s] + repair_sources(r, t->address, s);
    r->flow[s] = 0;
    if (flow > 0 || all) take_way(r, t->address, s, flow);
  }
}

/* Whether packets of some member arrived before. */
static bool any_came(const repair *r, const torn *t) {
  bool any = false;
  for (uint32_t i = 0; i < t->count && !any; i++) any = r->member[t->first + i].hops != RIPSTOP_NONE;
  return any;
}

uint64_t repair_ways(repair *r, torn *t, bool all) {
  uint32_t *hops = hops_of(r, t->address);
  uint64_t changed = 0;
  if (!all && !any_came(r, t)) return 0;
  take_ways(r, t, all);
  for (uint32_t i = 0; i < t->count; i++) {
    const member m = r->member[t->first + i];
    if (hops[m.s] == RIPSTOP_NONE) hops[m.s] = repair_walk(r, r->tables, t->address, m.s);
    r->lost[t->address] += (hops[m.s] == RIPSTOP_NONE) - (m.hops == RIPSTOP_NONE);
    changed += entries_of(r, t->address)[m.s] != m.port;
    if (m.hops == RIPSTOP_NONE && hops[m.s] != RIPSTOP_NONE) join_behind(r, t, m.s);
  }
  return changed;
}
