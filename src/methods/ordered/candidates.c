/* candidates.c - ordered's candidates, from a router's rows for a destination. */
#include "methods/ordered/ordered.h"

/* The link with the lowest port: on grids that of the lowest dimension. */
static uint64_t first_of(uint64_t ports) { return ports & -ports; }

/* Under `dimension_order` the first shortest link comes before the others, which in-transit packets alone may take,
 * when the first one's queue is full and theirs has room for two. */
static int adaptive_candidates(const ripstop_plan *p, uint64_t ports, bool is_new, ripstop_candidate like,
                               ripstop_candidate *candidates) {
  const config *c = p->config;
  uint64_t preferred = c->dimension_order ? first_of(ports) : ports, others = is_new ? 0 : ports & ~preferred;
  ripstop_candidate other = like;
  other.rank = 1;
  other.space = 2;
  int count = 0;
  for (uint8_t channel = ESCAPE_CHANNEL + 1; channel < p->channels; channel++) {
    like.channel = other.channel = channel;
    count = add_candidates(preferred, like, candidates, count);
    count = add_candidates(others, other, candidates, count);
  }
  return count;
}

/* Candidates into one of the router's own NICs, as an in-transit packet. Without NICs a stale packet has adaptive
 * candidates alone. */
static int stale_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates, int count) {
  ripstop_candidate like = {
      .header = head->header & DETOURS_MAX, .rank = 3, .space = 1, .channel = (uint8_t)(p->channels - 1)};
  if (!p->transit_packets) return count;
  return add_candidates(ports_to(p->fabric, head->node, TO_ENDS, p->view->port_up), like, candidates, count);
}

/* The header counts detours. A queue that leads down to a part without NICs is not part of the escape: no packet enters
 * it any more, and packets in it go on as if they were adaptive. A stale packet may leave by an adaptive virtual
 * channel whatever detours it has made; after a long time it is dropped. New packets with distant destinations leave
 * the escape's down candidates to packets in the network: these candidates resolve congestion, and a packet that goes
 * down has no other route any more. */
int ripstop_ordered_candidates(const ripstop_plan *p, const ripstop_head *head, const trace *s,
                               ripstop_candidate *candidates) {
  uint64_t detours = head->header & DETOURS_MAX;
  bool is_new = is_injected(p, head), in_escape = head->channel == ESCAPE_CHANNEL && !is_new;
  bool leads_down = in_escape && s->leads_down && s->any->own.reach, is_stale = leads_down && !s->to->own.reach;
  const config *c = p->config;
  bool roams = detours < (uint64_t)c->detours;
  uint64_t above = leads_down ? 0 : s->to->up, shorter = (s->to->down | above) & s->to->nearer;
  ripstop_candidate like = {.header = detours, .space = is_new ? 2 : 1};
  if (is_stale && s->settled && !s->outdated) return -(1 + STALE);
  int count = roams || is_stale ? adaptive_candidates(p, s->to->nearer, is_new, like, candidates) : 0;
  if (is_stale) return stale_candidates(p, head, candidates, count);
  bool keeps_off = is_new && count && s->to->own.distance > c->near;
  uint64_t stamp = s->stamp << STAMP_SHIFT;
  like.rank = (uint8_t)(1 + c->dimension_order);
  like.header |= stamp;
  if (c->dimension_order && shorter & first_of(s->to->nearer)) shorter = first_of(s->to->nearer);
  if (keeps_off) return add_candidates(shorter & above, like, candidates, count);
  if (roams && shorter) return add_candidates(shorter, like, candidates, count);
  ripstop_candidate detour = {
      .header = (detours + roams) | stamp, .rank = (uint8_t)(2 + c->dimension_order), .space = in_escape ? 1 : 2};
  return add_candidates(s->to->own.reach ? s->to->down : above, detour, candidates, count);
}

/* ------------------------------------------------------------------ from the state of the protocol */

/* The neighbour had another place when it sent this packet than the one it has reported. A packet of its earlier
 * incarnation is older than all its reports since. */
static bool has_moved(const ripstop_head *head, const neighbour *n) { return head->header >> STAMP_SHIFT > n->stamp; }

int ripstop_ordered_protocol_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                                        ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const memory *m = state;
  uint32_t routers = ((const tables *)p->data)->routers, to = ripstop_end_switch(f, head->destination) - f->ends;
  int count = end_candidates(p, head, candidates);
  bool is_end = ripstop_is_end(f, head->node);
  if (count < 0 || (count && !is_end)) return count;
  arrays a = ripstop_ordered_open_memory(p, m->node, state);
  bool is_own = is_end && f->ends + to == m->node;
  if (!is_own && a.row[to].gone) return -(1 + NO_PATH);
  if (is_end) return is_own || has_candidate(&a.row[to]) || a.row[to].nearer ? count : 0;
  bool from_router = leads_to_router(f, f->port_base[head->node] + head->in_port);
  trace s = {.to = &a.row[to],
             .any = &a.row[routers],
             .leads_down = from_router && (m->up & bit(head->in_port)),
             .settled = m->settled,
             .outdated = from_router && has_moved(head, &a.near[head->in_port]),
             .stamp = m->stamp};
  return ripstop_ordered_candidates(p, head, &s, candidates);
}
