/* repair_candidates.c - new paths for the switches that are cut off from an address.
 *
 * A path may cross switches that were lost long before because no packets used them: their entries are old and lead
 * nowhere. There can be many of them, and more after each failure. So only those are looked at that a path can need
 * which is no longer than the one known without them. The distance of a switch from the address over the whole fabric
 * is a lower bound on its present distance.
 *
 * The channel that a switch takes depends on distances and loads alone, not on the order of the search. */
#include <string.h>

#include "base/memory.h"
#include "tables/repair_state.h"

/* ------------------------------------------------------------------ nearest switches */

/* Offers a switch a channel at this distance from the target. True if the switch is nearer by it than before; at
 * equal distance the less loaded channel wins, then the lower one. */
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

/* Takes the offers of neighbours from which packets arrive. */
static void take_offers(repair *r, const uint32_t *hops, uint32_t s) {
  const switch_graph *c = &r->net;
  for (uint32_t out = c->out_first[s]; out < c->out_first[s + 1]; out++) {
    uint32_t distance = hops[c->to[out]];
    if (distance != RIPSTOP_NONE && r->view->port_up[c->port[out]]) offer(r, s, out, distance + 1);
  }
}

/* Offers a switch in scope, `distance` links from the target, to its neighbours. Those that are nearer by it join the
 * list. */
static uint32_t offer_around(repair *r, uint32_t s, uint32_t distance, uint32_t listed) {
  const switch_graph *c = &r->net;
  for (uint32_t out = c->out_first[s]; out < c->out_first[s + 1]; out++)
    if (r->view->port_up[c->port[out]] && r->mark[c->to[out]] == r->marked &&
        offer(r, c->to[out], c->back[out], distance + 1))
      r->list[listed++] = c->to[out];
  return listed;
}

/* Sorts the switches in scope that have an offer, the nearest first, into the second half of r->list: those at each
 * distance end before r->behind[distance]. Returns the greatest distance. */
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

/* Finds distances and best channels of the switches in scope, and lists them in r->list, the nearest first. Returns
 * how many are reached. */
static uint32_t find_candidates(repair *r, uint32_t address) {
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

/* ------------------------------------------------------------------ lost switches that a path may need */

/* Links from each switch to one over the whole fabric, failed ones included. */
static const uint32_t *fewest_links(repair *r, uint32_t to) {
  if (!r->fewest) r->fewest = RIPSTOP_ARRAY(r->arena, r->switches, uint32_t *);
  if (r->fewest[to]) return r->fewest[to];
  const switch_graph *c = &r->net;
  uint32_t *links = RIPSTOP_ARRAY(r->arena, r->switches, uint32_t), *queue = r->list + r->switches, count = 0;
  for (uint32_t s = 0; s < r->switches; s++) links[s] = RIPSTOP_NONE;
  links[to] = 0;
  queue[count++] = to;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t out = c->out_first[queue[i]]; out < c->out_first[queue[i] + 1]; out++)
      if (links[c->to[out]] == RIPSTOP_NONE) {
        links[c->to[out]] = links[queue[i]] + 1;
        queue[count++] = c->to[out];
      }
  return r->fewest[to] = links;
}

static uint32_t wrap(const repair *r, uint32_t at) { return at < r->switches ? at : at - r->switches; }

/* A useful path may have this many links from a switch on. If that is more than was known, the switch is queued to
 * pass it to its neighbours; the queue is a ring in the second half of r->list. */
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

/* Passes this on from the first in the queue to all neighbours from which packets do not arrive. */
static void allow_around(repair *r, uint32_t address, const uint32_t *fewest) {
  const switch_graph *c = &r->net;
  const uint32_t s = r->list[r->switches + r->head], links = r->allowed[s] - 1, *hops = hops_of(r, address);
  r->head = wrap(r, r->head + 1);
  r->waiting--;
  r->waits[s] = false;
  for (uint32_t out = c->out_first[s]; out < c->out_first[s + 1]; out++)
    if (hops[c->to[out]] == RIPSTOP_NONE && fewest[c->to[out]] < links && r->view->port_up[c->port[out]])
      allow(r, c->to[out], links - 1);
}

/* Adds to the scope, which holds the members, the switches that paths of sending switches may need. */
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

void repair_join(repair *r, torn *t, uint32_t s) {
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

/* Adds its flow to the channel that a member takes, and writes its entry. */
static void take_candidate(repair *r, uint32_t address, uint32_t s, uint64_t flow) {
  uint32_t next = r->net.to[r->best[s]];
  entries_of(r, address)[s] = r->net.local[r->best[s]];
  hops_of(r, address)[s] = r->distance[s];
  r->load[r->best[s]] += flow;
  if (r->mark[next] == r->marked)
    r->flow[next] += flow;
  else
    load_candidate(r, r->tables, address, next, flow);
}

/* Puts the members in scope: packets do not arrive from them. True if packets arrive from any other switch. */
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

/* Finds paths for the members, and for the switches that these need; see find_candidates. */
static uint32_t find_members_candidates(repair *r, torn *t) {
  uint32_t lost = t->lost, reached;
  if (!open_scope(r, t)) return 0;
  reached = find_candidates(r, t->address);
  for (uint32_t i = 0; i < t->count; i++) lost -= r->member[t->first + i].hops == RIPSTOP_NONE;
  if (lost == 0) return reached;
  add_needed(r, t->address);
  if (r->scopes == t->count) return reached;
  while (t->count < r->scopes) repair_join(r, t, r->scope[t->count]);
  return find_candidates(r, t->address);
}

/* Joins lost switches whose entries lead to a member from which packets arrive again: now theirs arrive, too. */
static void join_behind(repair *r, torn *t, uint32_t s) {
  const switch_graph *c = &r->net;
  const uint16_t *entry = entries_of(r, t->address);
  uint32_t *hops = hops_of(r, t->address);
  for (uint32_t out = c->out_first[s]; out < c->out_first[s + 1]; out++) {
    uint32_t other = c->to[out];
    if (hops[other] != RIPSTOP_NONE || r->mark[other] == r->marked) continue;
    if (!switch_graph_leads_back(c, entry, out) || !r->view->port_up[c->port[out]]) continue;
    repair_join(r, t, other);
    hops[other] = hops[s] + 1;
  }
}

static void take_candidates(repair *r, torn *t, bool all) {
  for (uint32_t i = find_members_candidates(r, t); i-- > 0;) {
    uint32_t s = r->list[i];
    uint64_t flow = r->flow[s] + repair_sources(r, t->address, s);
    r->flow[s] = 0;
    if (flow > 0 || all) take_candidate(r, t->address, s, flow);
  }
}

/* True if packets of some member arrived before. */
static bool any_came(const repair *r, const torn *t) {
  bool any = false;
  for (uint32_t i = 0; i < t->count && !any; i++) any = r->member[t->first + i].hops != RIPSTOP_NONE;
  return any;
}

uint64_t repair_candidates(repair *r, torn *t, bool all) {
  uint32_t *hops = hops_of(r, t->address);
  uint64_t changed = 0;
  if (!all && !any_came(r, t)) return 0;
  take_candidates(r, t, all);
  for (uint32_t i = 0; i < t->count; i++) {
    const member m = r->member[t->first + i];
    if (hops[m.s] == RIPSTOP_NONE) hops[m.s] = repair_walk(r, r->tables, t->address, m.s);
    r->lost[t->address] += (hops[m.s] == RIPSTOP_NONE) - (m.hops == RIPSTOP_NONE);
    changed += entries_of(r, t->address)[m.s] != m.port;
    if (m.hops == RIPSTOP_NONE && hops[m.s] != RIPSTOP_NONE) join_behind(r, t, m.s);
  }
  return changed;
}
