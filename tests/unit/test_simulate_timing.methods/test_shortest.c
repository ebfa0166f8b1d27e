/* test_shortest.c - adaptive shortest paths by table on any fabric, for the test of latencies: so that families without
 * a method of their own have one. Fault-free fabrics only. */
#include "fabric/inner.h"
#include "promises.h"
#include "ripstop/plugin/method.h"

static const ripstop_option options[] = {{0}};
static const char *const losses[] = {"no candidate", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  const ripstop_fabric *f = p->fabric;
  uint32_t *distance = RIPSTOP_ARRAY(p->arena, (size_t)f->ends * f->nodes, uint32_t);
  for (uint32_t e = 0; e < f->ends; e++) ripstop_fabric_distances(f, e, distance + (size_t)e * f->nodes);
  for (uint32_t v = 0; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > p->candidates_max) p->candidates_max = ripstop_node_ports(f, v);
  p->data = distance;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t *distance = (const uint32_t *)p->data + (size_t)head->destination * f->nodes;
  int count = 0;
  for (uint32_t i = 0; i < ripstop_node_ports(f, head->node); i++) {
    uint32_t port = f->port_base[head->node] + i;
    if (p->view->port_up[port] && distance[f->port_node[f->peer[port]]] < distance[head->node])
      candidates[count++] = (ripstop_candidate){.port = (uint16_t)i, .space = 1};
  }
  return count ? count : -1;
}

const ripstop_method ripstop_method_test_shortest = {.abi = RIPSTOP_METHOD_ABI,
                                                     .name = "test-shortest",
                                                     .summary = "shortest paths by table, for tests",
                                                     .source = "none",
                                                     .options = options,
                                                     .losses = losses,
                                                     .plan = plan,
                                                     .route = route,
                                                     .guarantees = promise_minimal};
