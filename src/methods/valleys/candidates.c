/* candidates.c - valleys' candidates, from the turns that a switch permits and each port's distance from the
 * destination. One of the shortest is the destination's own; others need space for two packets, so that no packet takes
 * the last place of a queue that is the own one of others. */
#include "methods/valleys/valleys.h"

static int16_t fewest_links(uint64_t ports, const int16_t *left) {
  int16_t least = FAR;
  for (; ports; ports &= ports - 1)
    if (left[lowest(ports)] < least) least = left[lowest(ports)];
  return least;
}

static uint64_t shortest(uint64_t ports, const int16_t *left, int16_t least) {
  uint64_t out = 0;
  for (; ports; ports &= ports - 1)
    if (left[lowest(ports)] == least) out |= ports & -ports;
  return out;
}

/* The first port, cyclically, from the one that all packets to the destination take without faults. */
static uint32_t own_port(const chart *c, const ripstop_head *head, uint64_t ports) {
  uint32_t level = ripstop_tree_level(&c->tree, head->node);
  uint32_t preferred = ripstop_tree_down_port(&c->tree, level, head->destination);
  if (!ripstop_tree_above(&c->tree, head->node, head->destination)) preferred += ripstop_tree_first_up(&c->tree);
  uint64_t from = ports >> preferred << preferred;
  return lowest(from ? from : ports);
}

static ripstop_candidate candidate_by(const trace *s, uint32_t port, uint8_t rank, int16_t links) {
  return (ripstop_candidate){.header = s->port ? s->port[port].sent : 0,
                             .port = (uint16_t)port,
                             .rank = rank,
                             .space = rank ? 2 : 1,
                             .weight = (uint16_t)links};
}

static int add_shortest(const trace *s, const ripstop_head *head, const int16_t *left, ripstop_candidate *candidates) {
  int16_t least = fewest_links(s->permitted, left);
  uint64_t ports = shortest(s->permitted, left, least);
  uint32_t own = own_port(s->chart, head, ports);
  int count = 0;
  candidates[count++] = candidate_by(s, own, 0, least);
  for (ports &= ~bit(own); ports; ports &= ports - 1) candidates[count++] = candidate_by(s, lowest(ports), 1, least);
  return count;
}

/* Candidates into one of the leaf's end nodes, as an in-transit packet. */
static int transit_packet_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  if (!p->transit_packets) return 0;
  return add_candidates(ports_to(p->fabric, head->node, TO_ENDS, p->view->port_up), (ripstop_candidate){.space = 1},
                        candidates, 0);
}

/* A packet that no permitted turns lead to its destination from here, now or later: it goes to a leaf, where an end
 * node receives it and sends it again. */
static int stale_candidates(const ripstop_plan *p, const ripstop_head *head, const trace *s,
                            ripstop_candidate *candidates) {
  const chart *c = s->chart;
  const int16_t *left = s->left + (size_t)c->leaves * ports_of(c, head->node - c->fabric->ends);
  if (s->settled) return -(1 + STALE);
  if (head->node - c->fabric->ends < c->leaves) return transit_packet_candidates(p, head, candidates);
  return fewest_links(s->permitted, left) == FAR ? 0 : add_shortest(s, head, left, candidates);
}

int ripstop_valleys_candidates(const ripstop_plan *p, const ripstop_head *head, const trace *s,
                               ripstop_candidate *candidates) {
  const chart *c = s->chart;
  uint32_t to = ripstop_end_switch(c->fabric, head->destination) - c->fabric->ends;
  const int16_t *left = s->left + (size_t)to * ports_of(c, head->node - c->fabric->ends);
  bool leads_on = fewest_links(s->permitted, left) != FAR;
  if (c->keeps_fixed && !leads_on) return -(1 + (s->connected ? STALE : NO_PATH)); /* packets wait for no update */
  if (!s->connected) return s->calm && !s->outdated ? -(1 + NO_PATH) : 0;
  if (leads_on) return add_shortest(s, head, left, candidates);
  if (s->outdated || fewest_links(s->agreed, left) != FAR) return 0;
  return stale_candidates(p, head, s, candidates);
}

/* ------------------------------------------------------------------ from the state of the protocol */

/* A packet that came by a link that has failed since may turn anywhere, like one from an end node: no packet waits for
 * a place behind it. */
static bool may_turn_anywhere(const ripstop_plan *p, const arrays *a, const ripstop_head *head) {
  uint64_t up = a->report[head->node - p->fabric->ends].ports;
  return is_injected(p, head) || !(up & bit(head->in_port));
}

int ripstop_valleys_protocol_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                                        ripstop_candidate *candidates) {
  const chart *c = chart_of(p);
  const memory *m = state;
  int count = end_candidates(p, head, candidates);
  if (count) return count;
  arrays a = ripstop_valleys_open_memory(p, m->node, state);
  uint32_t to = ripstop_end_switch(c->fabric, head->destination) - c->fabric->ends;
  bool anywhere = may_turn_anywhere(p, &a, head);
  trace s = {.chart = c,
             .permitted = anywhere ? m->live : a.permitted[head->in_port],
             .agreed = anywhere ? m->live : a.turn[head->in_port],
             .left = a.left,
             .port = a.port,
             .outdated = !anywhere && !has_received(&a.port[head->in_port], head->header),
             .connected = a.connected[to],
             .calm = m->calm,
             .settled = m->settled};
  return ripstop_valleys_candidates(p, head, &s, candidates);
}
