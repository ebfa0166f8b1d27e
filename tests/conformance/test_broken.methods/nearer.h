/* nearer.h - shortest routes on any fabric, the sound part of the methods of this folder, each of which breaks one
 * rule. Distances are those over the links that are up at the time of planning. */
#ifndef TESTS_NEARER_H
#define TESTS_NEARER_H

#include "ripstop/plugin/plan.h"

enum { NEARER_CUT_OFF };
#define NEARER_LOSSES [NEARER_CUT_OFF] = "cut off"

/* [ends * nodes]: links from a node to an end node; RIPSTOP_NONE: none leads there. */
static inline uint32_t *nearer_distances(ripstop_plan *plan) {
  const ripstop_fabric *f = plan->fabric;
  uint32_t *all = RIPSTOP_ARRAY(plan->arena, (size_t)f->ends * f->nodes, uint32_t);
  uint32_t *queue = RIPSTOP_ARRAY(plan->arena, f->nodes, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t *distance = all + (size_t)end * f->nodes, head = 0, tail = 0;
    for (uint32_t v = 0; v < f->nodes; v++) distance[v] = RIPSTOP_NONE;
    distance[end] = 0;
    queue[tail++] = end;
    while (head < tail) {
      uint32_t v = queue[head++];
      for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++) {
        if (!plan->view->port_up[port]) continue;
        uint32_t next = f->port_node[f->peer[port]];
        if (distance[next] != RIPSTOP_NONE) continue;
        distance[next] = distance[v] + 1;
        queue[tail++] = next;
      }
    }
  }
  return all;
}

static inline ripstop_answer nearer_plan(ripstop_plan *plan, ripstop_error *err) {
  (void)err;
  plan->data = nearer_distances(plan);
  for (uint32_t v = 0; v < plan->fabric->nodes; v++)
    if (ripstop_node_ports(plan->fabric, v) > plan->candidates_max)
      plan->candidates_max = ripstop_node_ports(plan->fabric, v);
  return RIPSTOP_APPLIES;
}

static inline uint32_t nearer_distance(const ripstop_plan *plan, const ripstop_head *head, uint32_t node) {
  const uint32_t *distance = plan->data;
  return distance[(size_t)head->destination * plan->fabric->nodes + node];
}

/* The switch that the packet is at has the destination. */
static inline bool nearer_arrived(const ripstop_plan *plan, const ripstop_head *head) {
  return head->node == ripstop_end_switch(plan->fabric, head->destination);
}

static inline int nearer_candidates(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = plan->fabric;
  uint32_t here = nearer_distance(plan, head, head->node);
  int count = 0;
  for (uint32_t port = f->port_base[head->node]; here != RIPSTOP_NONE && port < f->port_base[head->node + 1]; port++)
    if (plan->view->port_up[port] && nearer_distance(plan, head, f->port_node[f->peer[port]]) < here)
      candidates[count++] = (ripstop_candidate){.port = (uint16_t)(port - f->port_base[head->node]), .space = 1};
  return count ? count : -(1 + NEARER_CUT_OFF);
}

/* Every living port to a switch, the nearer ones included. */
static inline int nearer_anywhere(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = plan->fabric;
  int count = 0;
  for (uint32_t port = f->port_base[head->node]; port < f->port_base[head->node + 1]; port++)
    if (plan->view->port_up[port] && !ripstop_is_end(f, f->port_node[f->peer[port]]))
      candidates[count++] = (ripstop_candidate){.port = (uint16_t)(port - f->port_base[head->node]), .space = 1};
  return count ? count : -(1 + NEARER_CUT_OFF);
}

static inline void nearer_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric;
  (void)config;
  *out = (ripstop_guarantees){0};
}

static const ripstop_option nearer_options[] = {{0}};

#endif
