/* test_shortest.c - adaptive shortest paths by table on any fabric, for the test of latencies: so that families without
 * a method of their own have one. Fault-free fabrics only. */
#include "ripstop/plan.h"

static const rs_option options[] = {{0}};
static const char *const losses[] = {"no way", NULL};

static rs_answer plan(rs_plan *p, rs_error *err) {
  (void)err;
  const rs_fabric *f = p->fabric;
  uint32_t *distance = RS_ARRAY(p->arena, (size_t)f->ends * f->nodes, uint32_t);
  for (uint32_t e = 0; e < f->ends; e++) rs_fabric_distances(f, e, distance + (size_t)e * f->nodes);
  for (uint32_t v = 0; v < f->nodes; v++)
    if (rs_node_ports(f, v) > p->ways_max) p->ways_max = rs_node_ports(f, v);
  p->data = distance;
  return RS_APPLIES;
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  const rs_fabric *f = p->fabric;
  const uint32_t *distance = (const uint32_t *)p->data + (size_t)head->destination * f->nodes;
  int count = 0;
  for (uint32_t i = 0; i < rs_node_ports(f, head->node); i++) {
    uint32_t port = f->port_base[head->node] + i;
    if (p->view->port_up[port] && distance[f->port_node[f->peer[port]]] < distance[head->node])
      ways[count++] = (rs_way){.port = (uint16_t)i, .space = 1};
  }
  return count ? count : -1;
}

static void claims(const rs_fabric *fabric, const void *config, rs_claims *out) {
  (void)fabric, (void)config;
  *out = (rs_claims){.minimal = true};
}

const rs_method rs_method_test_shortest = {.abi = RS_METHOD_ABI,
                                           .name = "test-shortest",
                                           .summary = "shortest paths by table, for tests",
                                           .source = "none",
                                           .options = options,
                                           .losses = losses,
                                           .plan = plan,
                                           .route = route,
                                           .claims = claims};
