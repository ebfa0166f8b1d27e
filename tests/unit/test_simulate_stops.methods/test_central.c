/* test_central.c - one shortest route for every destination, from tables that are computed when the plan is compiled: a
 * method without knowledge of later changes, unless `look` lets its switches see their own ports. For the test of
 * stops. */
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  bool look;
} config;

static const ripstop_option options[] = {{.name = "look",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, look),
                                          .fallback = "off",
                                          .help = "a switch discards what it would send into a failed port"},
                                         {0}};
enum { CUT_OFF, PORT_FAILED };
static const char *const losses[] = {[CUT_OFF] = "cut off", [PORT_FAILED] = "port down", NULL};

/* For each node the port of its lowest link on a shortest route to `end` in the live fabric. */
static void fill_table(const ripstop_plan *p, uint32_t end, uint32_t *table, uint32_t *distance, uint32_t *queue) {
  const ripstop_fabric *f = p->fabric;
  uint32_t head = 0, tail = 0;
  for (uint32_t v = 0; v < f->nodes; v++) table[v] = distance[v] = RIPSTOP_NONE;
  distance[end] = 0;
  for (queue[tail++] = end; head < tail; head++)
    for (uint32_t port = f->port_base[queue[head]]; port < f->port_base[queue[head] + 1]; port++) {
      if (!p->view->port_up[port]) continue;
      uint32_t peer = f->peer[port], next = f->port_node[peer], local = peer - f->port_base[next];
      if (distance[next] == RIPSTOP_NONE) {
        distance[next] = distance[queue[head]] + 1;
        if (!ripstop_is_end(f, next)) queue[tail++] = next;
      }
      if (distance[next] != distance[queue[head]] + 1) continue;
      if (table[next] == RIPSTOP_NONE || f->port_link[port] < f->port_link[f->port_base[next] + table[next]])
        table[next] = local;
    }
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  const ripstop_fabric *f = p->fabric;
  uint32_t *table = RIPSTOP_ARRAY(p->arena, (size_t)f->ends * f->nodes, uint32_t);
  uint32_t *distance = RIPSTOP_ARRAY(p->arena, f->nodes, uint32_t),
           *queue = RIPSTOP_ARRAY(p->arena, f->nodes, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++) fill_table(p, end, table + (size_t)end * f->nodes, distance, queue);
  p->data = table;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const config *c = p->config;
  uint32_t port = ((const uint32_t *)p->data)[(size_t)head->destination * p->fabric->nodes + head->node];
  if (port == RIPSTOP_NONE) return -(1 + CUT_OFF);
  if (c->look && !p->view->port_up[p->fabric->port_base[head->node] + port]) return -(1 + PORT_FAILED);
  candidates[0] = (ripstop_candidate){.port = (uint16_t)port, .space = 1};
  return 1;
}

const ripstop_method ripstop_method_test_central = {.abi = RIPSTOP_METHOD_ABI,
                                                    .name = "test-central",
                                                    .summary =
                                                        "shortest routes by tables of the last compilation, for tests",
                                                    .source = "none",
                                                    .options = options,
                                                    .config_size = sizeof(config),
                                                    .losses = losses,
                                                    .plan = plan,
                                                    .route = route,
                                                    .guarantees = promise_minimal};
