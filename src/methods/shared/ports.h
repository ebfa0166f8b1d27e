/* ports.h - sets of a router's ports as bits, the nodes at their other ends, and the candidates to and from end nodes,
 * for methods whose routers have tables by port. */
#ifndef METHODS_SHARED_PORTS_H
#define METHODS_SHARED_PORTS_H

#include "methods/shared/limits.h"
#include "ripstop/plugin/method.h"

enum { PORTS_MAX = 64 };
#define NO_PORT UINT8_MAX

static inline uint64_t bit(uint32_t port) { return UINT64_C(1) << port; }
static inline uint32_t lowest(uint64_t ports) { return (uint32_t)__builtin_ctzll(ports); }
static inline uint32_t topmost(uint64_t ports) { return 63u - (uint32_t)__builtin_clzll(ports); }

static inline bool leads_to_router(const ripstop_fabric *f, uint32_t port) {
  return f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[port]]);
}

static inline bool leads_to_end(const ripstop_fabric *f, uint32_t port) {
  return f->peer[port] != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[f->peer[port]]);
}

static inline bool is_injected(const ripstop_plan *p, const ripstop_head *head) {
  return leads_to_end(p->fabric, p->fabric->port_base[head->node] + head->in_port);
}

/* The most ports of any switch; RIPSTOP_NONE: more than PORTS_MAX. */
static inline uint32_t ripstop_most_ports(const ripstop_fabric *f) {
  uint32_t most = 0;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > most) most = ripstop_node_ports(f, v);
  return most > PORTS_MAX ? RIPSTOP_NONE : most;
}

typedef enum { TO_ROUTERS, TO_ENDS } far_side;

/* The ports of a router, of at most PORTS_MAX, that lead to routers or to end nodes; `up` (ripstop_view.port_up): only
 * those that are up; NULL: all. */
static inline uint64_t ports_to(const ripstop_fabric *f, uint32_t node, far_side side, const uint8_t *up) {
  uint64_t ports = 0;
  for (uint32_t first = f->port_base[node], port = first; port < f->port_base[node + 1]; port++)
    if ((side == TO_ENDS ? leads_to_end(f, port) : leads_to_router(f, port)) && (!up || up[port]))
      ports |= bit(port - first);
  return ports;
}

/* Adds a candidate like this one for each port; returns the new count. */
static inline int add_candidates(uint64_t ports, ripstop_candidate like, ripstop_candidate *candidates, int count) {
  for (; ports; ports &= ports - 1) {
    like.port = (uint16_t)lowest(ports);
    candidates[count++] = like;
  }
  return count;
}

enum { NO_PATH, END_CUT_OFF, CUT_OFF }; /* causes of loss */

/* The candidate to a NIC or from one: 1 or a loss; 0: the packet goes to another router. */
static inline int end_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate) {
  const ripstop_fabric *f = p->fabric;
  const uint8_t *up = p->view->port_up;
  *candidate = (ripstop_candidate){.header = head->header, .channel = (uint8_t)(p->channels - 1), .space = 1};
  if (ripstop_is_end(f, head->node)) return up[f->port_base[head->node]] ? 1 : -(1 + CUT_OFF);
  if (ripstop_end_switch(f, head->destination) != head->node) return 0;
  candidate->port = (uint16_t)ripstop_end_switch_port(f, head->destination);
  return up[f->port_base[head->node] + candidate->port] ? 1 : -(1 + END_CUT_OFF);
}

#endif
