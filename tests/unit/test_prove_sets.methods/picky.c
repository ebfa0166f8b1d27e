/* picky.c - for test_prove_sets: all shortest routes, on any fabric. It does not apply if end nodes are disconnected,
 * and with `careless` it permits a failed port as soon as there is one. */
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  bool careless;
} config;

static const ripstop_option options[] = {{.name = "careless",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, careless),
                                          .fallback = "off",
                                          .help = "permit failed ports"},
                                         {0}};
static const char *const losses[] = {"no candidate", NULL};

/* [destination * nodes + node]: links. */
static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  uint32_t *left = RIPSTOP_ARRAY(p->arena, (size_t)f->ends * f->nodes, uint32_t);
  uint32_t *list = RIPSTOP_ARRAY(p->arena, f->nodes, uint32_t);
  if (ripstop_view_disconnected_pairs(p->view)) {
    ripstop_fail(err, "picky: not where end nodes are disconnected");
    return RIPSTOP_DOES_NOT_APPLY;
  }
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t *row = left + (size_t)end * f->nodes, count = 1;
    for (uint32_t v = 0; v < f->nodes; v++) row[v] = RIPSTOP_NONE;
    row[end] = 0;
    list[0] = end;
    for (uint32_t i = 0; i < count; i++)
      for (uint32_t port = f->port_base[list[i]]; port < f->port_base[list[i] + 1]; port++) {
        uint32_t next = p->view->port_up[port] ? f->port_node[f->peer[port]] : RIPSTOP_NONE;
        if (next == RIPSTOP_NONE || row[next] != RIPSTOP_NONE || (ripstop_is_end(f, list[i]) && i > 0)) continue;
        row[next] = row[list[i]] + 1;
        list[count++] = next;
      }
  }
  p->data = left;
  for (uint32_t v = 0; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > p->candidates_max) p->candidates_max = ripstop_node_ports(f, v);
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  const uint32_t *row = (const uint32_t *)p->data + (size_t)head->destination * f->nodes;
  int count = 0;
  for (uint32_t port = 0; port < ripstop_node_ports(f, head->node); port++) {
    uint32_t number = f->port_base[head->node] + port;
    bool up = p->view->port_up[number] || (c->careless && f->peer[number] != RIPSTOP_NONE);
    if (up && row[f->port_node[f->peer[number]]] < row[head->node])
      candidates[count++] = (ripstop_candidate){.port = (uint16_t)port, .space = 1};
  }
  return count ? count : -1;
}

const ripstop_method ripstop_method_picky = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "picky",
    .summary = "all shortest routes",
    .source = "none",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = promise_nothing,
};
