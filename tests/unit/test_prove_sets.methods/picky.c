/* picky.c - for test_prove_sets: all shortest ways, on any fabric. It does not apply where end nodes are disconnected,
 * and with `careless` it permits a dead port as soon as there is one. */
#include "ripstop/plan.h"

typedef struct config {
  bool careless;
} config;

static const rs_option options[] = {{.name = "careless",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, careless),
                                     .fallback = "off",
                                     .help = "permit dead ports"},
                                    {0}};
static const char *const losses[] = {"no way", NULL};

/* [destination * nodes + node]: links. */
static rs_answer plan(rs_plan *p, rs_error *err) {
  const rs_fabric *f = p->fabric;
  uint32_t *left = RS_ARRAY(p->arena, (size_t)f->ends * f->nodes, uint32_t);
  uint32_t *list = RS_ARRAY(p->arena, f->nodes, uint32_t);
  if (rs_view_disconnected_pairs(p->view)) {
    rs_fail(err, "picky: not where end nodes are disconnected");
    return RS_DOES_NOT_APPLY;
  }
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t *row = left + (size_t)end * f->nodes, count = 1;
    for (uint32_t v = 0; v < f->nodes; v++) row[v] = RS_NONE;
    row[end] = 0;
    list[0] = end;
    for (uint32_t i = 0; i < count; i++)
      for (uint32_t port = f->port_base[list[i]]; port < f->port_base[list[i] + 1]; port++) {
        uint32_t next = p->view->port_up[port] ? f->port_node[f->peer[port]] : RS_NONE;
        if (next == RS_NONE || row[next] != RS_NONE || (rs_is_end(f, list[i]) && i > 0)) continue;
        row[next] = row[list[i]] + 1;
        list[count++] = next;
      }
  }
  p->data = left;
  for (uint32_t v = 0; v < f->nodes; v++)
    if (rs_node_ports(f, v) > p->ways_max) p->ways_max = rs_node_ports(f, v);
  return RS_APPLIES;
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  const rs_fabric *f = p->fabric;
  const config *c = p->config;
  const uint32_t *row = (const uint32_t *)p->data + (size_t)head->destination * f->nodes;
  int count = 0;
  for (uint32_t port = 0; port < rs_node_ports(f, head->node); port++) {
    uint32_t number = f->port_base[head->node] + port;
    bool up = p->view->port_up[number] || (c->careless && f->peer[number] != RS_NONE);
    if (up && row[f->port_node[f->peer[number]]] < row[head->node])
      ways[count++] = (rs_way){.port = (uint16_t)port, .space = 1};
  }
  return count ? count : -1;
}

static void claims(const rs_fabric *fabric, const void *config_, rs_claims *out) {
  (void)fabric, (void)config_;
  *out = (rs_claims){.tolerates = 0};
}

const rs_method rs_method_picky = {
    .abi = RS_METHOD_ABI,
    .name = "picky",
    .summary = "all shortest ways",
    .source = "none",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .claims = claims,
};
