/* packets.c - candidates of packets while immunet's protocol runs, from the router's present state.
 *
 * In an emergency packets are stalled. Afterwards a packet whose destination the router does not know yet follows the
 * ring, once at most. A packet in the ring may be drained into a NIC. */
#include <assert.h>

#include "methods/immunet/immunet.h"

/* A packet whose destination is unknown follows the ring. The header records the port where it entered it and the
 * emergency (the low 32 bits of its EPL). A packet that returns to that port in the same emergency has an unreachable
 * destination. */
enum { STAMP_PORT_BITS = 26 };
static_assert(RIPSTOP_FABRIC_MAX_PORTS <= 1u << STAMP_PORT_BITS, "every port of a fabric has its stamp");

static uint64_t stamp_at(const ripstop_plan *p, const memory *m, uint32_t node, uint32_t port) {
  uint64_t place = p->fabric->port_base[node] + port;
  return (m->epl << STAMP_PORT_BITS | place) << CHANGES_BITS;
}

/* False: it has been around the whole ring. */
static bool stamp(const ripstop_plan *p, const memory *m, const ripstop_head *head, bool in_ring,
                  ripstop_candidate *candidate) {
  uint64_t here = stamp_at(p, m, head->node, candidate->port), epoch = UINT64_MAX << (STAMP_PORT_BITS + CHANGES_BITS);
  bool same = in_ring && (head->header & epoch) == (here & epoch);
  if (same && (head->header & ~(uint64_t)CHANGES_MAX) == here) return false;
  if (!same) candidate->header = here | (head->header & CHANGES_MAX);
  return true;
}

/* A candidate out of the ring into a NIC; the packet enters the ring again when there is space for two. */
static ripstop_candidate transit_packet_candidate(const ripstop_plan *p, const ripstop_head *head) {
  const ripstop_fabric *f = p->fabric;
  uint32_t port = f->port_base[head->node];
  while (port < f->port_base[head->node + 1] && !(leads_to_end(f, port) && p->view->port_up[port])) port++;
  return (ripstop_candidate){.header = head->header,
                             .port = (uint16_t)(port - f->port_base[head->node]),
                             .channel = (uint8_t)(p->channels - 1),
                             .rank = 2,
                             .space = 1};
}

int ripstop_immunet_protocol_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head_,
                                        ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const memory *m = state;
  int count = end_candidates(p, head_, candidates);
  if (count < 0 || (count && !ripstop_is_end(f, head_->node))) return count;
  if (m->open) return 0;
  arrays a = ripstop_immunet_open_memory(p, m->node, state);
  uint32_t to = ripstop_end_switch(f, head_->destination) - f->ends;
  bool known = a.distance[to] < ((const tables *)p->data)->routers;
  if (m->complete && !known && f->ends + to != m->node) return -(1 + NO_PATH);
  if (count) return count;
  if (m->epl == 0) return ripstop_immunet_torus_candidates(p, head_, candidates);
  ripstop_head head = *head_;
  knowledge k = {.tree = tree_ports(m), .nearer = a.nearer[to], .entry = a.entry[to]};
  if (!k.tree) return -(1 + NO_PATH);
  if (k.entry == NO_PORT) k.entry = m->parent == NO_PORT ? topmost(k.tree) : m->parent;
  bool in_ring = is_in_ring(&k, &head);
  if (known) head.header &= CHANGES_MAX;
  count = ripstop_immunet_tour_candidates(p, &head, &k, candidates);
  ripstop_candidate *last = &candidates[count - 1];
  bool into_ring = last->rank == 1; /* old rows may lead elsewhere */
  if (!known && into_ring && !stamp(p, m, &head, in_ring, last)) return -(1 + NO_PATH);
  if (m->draining && in_ring) {
    candidates[count] = transit_packet_candidate(p, &head);
    count += candidates[count].port < ripstop_node_ports(f, head.node);
  }
  return count;
}
