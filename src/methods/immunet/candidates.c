/* candidates.c - immunet's candidates from a router's tables: the adaptive virtual channels of the ports that lead
 * nearer, and the safe network, which is dimension order in a healthy torus and the tour of a tree elsewhere. */
#include "methods/immunet/immunet.h"

/* Free places that a head needs in an adaptive queue. */
static uint8_t adaptive_space(const ripstop_plan *p, const ripstop_head *head) {
  inject_rule rule = (inject_rule)((const config *)p->config)->inject;
  return (rule == INJECT_TWO || rule == INJECT_TWO_ADAPTIVE) && is_injected(p, head) ? 2 : 1;
}

static bool may_enter_safe(const ripstop_plan *p, const ripstop_head *head) {
  inject_rule rule = (inject_rule)((const config *)p->config)->inject;
  return rule == INJECT_ONE || rule == INJECT_TWO || !is_injected(p, head);
}

/* The adaptive virtual channels of these ports, including VC 0 where it is not safe. */
static int adaptive_candidates(const ripstop_plan *p, uint64_t ports, uint64_t safe, ripstop_candidate like,
                               ripstop_candidate *candidates) {
  int count = 0;
  for (; ports; ports &= ports - 1) {
    like.port = (uint16_t)lowest(ports);
    like.channel = safe & bit(like.port) ? SAFE_CHANNEL + 1 : SAFE_CHANNEL;
    for (; like.channel < p->channels; like.channel++) candidates[count++] = like;
  }
  return count;
}

int ripstop_immunet_torus_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_torus *torus = &((const tables *)p->data)->torus;
  uint64_t ports = 0;
  uint32_t first = RIPSTOP_NONE; /* the port of dimension order */
  for (uint32_t d = 0; d < torus->dimensions; d++) {
    uint32_t up = ripstop_torus_up(torus, d, head->node, head->destination);
    if (up == 0) continue;
    uint32_t port = ripstop_torus_port(torus, d, up);
    if (first == RIPSTOP_NONE) first = port;
    ports |= bit(port);
    if (2 * up == torus->size[d]) ports |= bit(port + 1);
  }
  int count =
      adaptive_candidates(p, ports, UINT64_MAX, (ripstop_candidate){.space = adaptive_space(p, head)}, candidates);
  bool goes_on = (head->in_port ^ 1) == first && head->channel == SAFE_CHANNEL;
  if (may_enter_safe(p, head))
    candidates[count++] =
        (ripstop_candidate){.port = (uint16_t)first, .channel = SAFE_CHANNEL, .rank = 1, .space = goes_on ? 1 : 2};
  return count;
}

/* The header's low bits count how often the packet has left the ring. A packet on VC 0 of a link outside the ring is
 * adaptive. */
int ripstop_immunet_tour_candidates(const ripstop_plan *p, const ripstop_head *head, const knowledge *k,
                                    ripstop_candidate *candidates) {
  const config *c = p->config;
  bool in_ring = is_in_ring(k, head);
  int count = 0;
  if (!in_ring || (head->header & CHANGES_MAX) < (uint64_t)c->changes) {
    ripstop_candidate like = {.header = head->header + in_ring, .space = adaptive_space(p, head)};
    count = adaptive_candidates(p, k->nearer, k->tree, like, candidates);
  }
  if (in_ring)
    candidates[count++] = (ripstop_candidate){.header = head->header,
                                              .port = (uint16_t)tour_next(k->tree, head->in_port),
                                              .channel = SAFE_CHANNEL,
                                              .rank = 1,
                                              .space = 1};
  else if (k->entry != RIPSTOP_NONE && (count == 0 || may_enter_safe(p, head)))
    candidates[count++] = (ripstop_candidate){
        .header = head->header, .port = (uint16_t)k->entry, .channel = SAFE_CHANNEL, .rank = 1, .space = 2};
  return count;
}
