/* as_paths.c - the paths to one switch on which BGP settles: each switch prefers the shortest AS path, uses all equal
 * ones, and announces one to all neighbours; it accepts no path in which its own number is too often.
 *
 * A path that a neighbour announces is one number longer than the neighbour's own. So the choice of a switch depends
 * only on those of switches with shorter paths, and a search by length finds the only stable state. Of equal paths a
 * switch announces that of the neighbour with the lowest number (router id). */
#include <string.h>

#include "methods/bgp/bgp.h"

void bgp_paths_open(bgp_paths *p, const bgp_net *net, ripstop_arena *arena) {
  const size_t switches = net->graph.switches;
  *p = (bgp_paths){.net = net};
  p->hops = RIPSTOP_ARRAY(arena, switches, uint32_t);
  p->next = RIPSTOP_ARRAY(arena, switches, uint32_t);
  p->order = RIPSTOP_ARRAY(arena, switches, uint32_t);
  p->least = RIPSTOP_ARRAY(arena, switches * net->shared, uint16_t);
  p->most = RIPSTOP_ARRAY(arena, switches * net->shared, uint16_t);
  for (unsigned above = 0; above < 2; above++) p->turns[above] = RIPSTOP_ARRAY(arena, switches, uint32_t);
}

/* True if the switch accepts the path that its neighbour announces. A number that no other switch has is in no path
 * that is shorter than the switch's own. */
static bool accepts(const bgp_paths *p, uint32_t s, uint32_t neighbour) {
  const uint32_t own = p->net->as[s];
  uint32_t count = 0;
  if (own == RIPSTOP_NONE) return true;
  for (uint32_t on = neighbour; on != RIPSTOP_NONE; on = p->next[on]) count += p->net->as[on] == own;
  return count <= p->net->rules->allowed;
}

/* Offers the path of a switch to a neighbour. */
static void offer(bgp_paths *p, uint32_t from, uint32_t to) {
  if (p->hops[to] <= p->hops[from] || !accepts(p, to, from)) return;
  if (p->hops[to] == RIPSTOP_NONE) {
    p->hops[to] = p->hops[from] + 1;
    p->next[to] = from;
    p->order[p->routed++] = to;
  } else if (from < p->next[to]) {
    p->next[to] = from;
  }
}

void bgp_paths_find(bgp_paths *p, uint32_t to) {
  const switch_graph *g = &p->net->graph;
  memset(p->hops, 0xFF, g->switches * sizeof *p->hops);
  p->hops[to] = 0;
  p->next[to] = RIPSTOP_NONE;
  p->order[0] = to;
  p->routed = 1;
  for (uint32_t i = 0; i < p->routed; i++)
    for (uint32_t s = p->order[i], c = g->out_first[s]; c < g->out_first[s + 1]; c++) offer(p, s, g->to[c]);
}

bool bgp_paths_uses(const bgp_paths *p, uint32_t channel) {
  const uint32_t s = p->net->graph.from[channel], to = p->net->graph.to[channel];
  return p->hops[to] < p->hops[s] && p->hops[s] != RIPSTOP_NONE && p->hops[to] + 1 == p->hops[s] && accepts(p, s, to);
}

/* ------------------------------------------------------------------ paths that the neighbours' choice decides */

/* Counts numbers in all paths that the switch may announce. */
static void count_numbers(bgp_paths *p, uint32_t s) {
  const switch_graph *g = &p->net->graph;
  const uint32_t shared = p->net->shared;
  uint16_t *least = p->least + (size_t)s * shared, *most = p->most + (size_t)s * shared;
  memset(most, 0, shared * sizeof *most);
  memset(least, p->hops[s] ? 0xFF : 0, shared * sizeof *least);
  for (uint32_t c = g->out_first[s]; c < g->out_first[s + 1]; c++) {
    if (!bgp_paths_uses(p, c)) continue;
    for (uint32_t a = 0; a < shared; a++) {
      const size_t of = (size_t)g->to[c] * shared + a;
      if (p->least[of] < least[a]) least[a] = p->least[of];
      if (p->most[of] > most[a]) most[a] = p->most[of];
    }
  }
  if (p->net->as[s] == RIPSTOP_NONE) return;
  least[p->net->as[s]]++;
  most[p->net->as[s]]++;
}

/* The switch would accept some of the paths that its neighbour may announce, and refuse others. */
static bool is_ambiguous(const bgp_paths *p, uint32_t s, uint32_t neighbour) {
  const uint32_t own = p->net->as[s];
  const size_t of = (size_t)neighbour * p->net->shared + own;
  if (own == RIPSTOP_NONE || p->hops[neighbour] >= p->hops[s]) return false;
  return p->least[of] <= p->net->rules->allowed && p->most[of] > p->net->rules->allowed;
}

uint32_t bgp_paths_ambiguous(bgp_paths *p) {
  const switch_graph *g = &p->net->graph;
  uint32_t count = 0;
  if (!p->net->shared) return 0;
  for (uint32_t i = 0; i < p->routed; i++) count_numbers(p, p->order[i]);
  for (uint32_t s = 0; s < g->switches; s++) {
    bool found = false;
    for (uint32_t c = g->out_first[s]; c < g->out_first[s + 1] && !found; c++) found = is_ambiguous(p, s, g->to[c]);
    count += found;
  }
  return count;
}

/* ------------------------------------------------------------------ turns */

/* The most turns from a switch on, of packets that come to it from above, or not. */
static uint32_t turns_from(const bgp_paths *p, uint32_t s, bool above) {
  const bgp_net *net = p->net;
  const switch_graph *g = &net->graph;
  uint32_t most = 0;
  for (uint32_t c = g->out_first[s]; c < g->out_first[s + 1]; c++) {
    if (!bgp_paths_uses(p, c)) continue;
    const uint32_t turns = p->turns[bgp_leads_down(net, c)][g->to[c]] + (above && bgp_leads_up(net, c));
    if (turns > most) most = turns;
  }
  return most;
}

uint32_t bgp_paths_turns(bgp_paths *p) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < p->routed; i++) {
    const uint32_t s = p->order[i];
    for (unsigned above = 0; above < 2; above++) p->turns[above][s] = turns_from(p, s, above);
    if (p->net->tier[s] == 0 && p->turns[0][s] > most) most = p->turns[0][s];
  }
  return most;
}
