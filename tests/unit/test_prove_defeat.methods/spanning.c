/* spanning.c - for tests: along one spanning tree of the live fabric, so nothing short of a cut defeats it; and a
 * method that gives a number of failed links at which it does not apply. */
#include <string.h>

#include "ripstop/plugin/method.h"

typedef struct config {
  int64_t refuses;
} config;

static const ripstop_option options[] = {{.name = "refuses",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, refuses),
                                          .max = 1000,
                                          .fallback = "0",
                                          .help = "failed links at which it does not apply; 0: never"},
                                         {0}};

enum { NO_PATH };
static const char *const losses[] = {[NO_PATH] = "no path", NULL};

/* to_parent[v]: the port of v that leads to its parent; RIPSTOP_NONE at the root and at what is cut off. */
static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  if (c->refuses > 0 && p->view->failed_links == c->refuses) {
    ripstop_fail(err, "spanning: %u links are down", p->view->failed_links);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  uint32_t *to_parent = RIPSTOP_ARRAY(p->arena, f->nodes, uint32_t),
           *queue = RIPSTOP_ARRAY(p->arena, f->nodes, uint32_t);
  uint32_t head = 0, tail = 0;
  memset(to_parent, 0xff, f->nodes * sizeof *to_parent);
  queue[tail++] = f->ends;
  while (head < tail) {
    uint32_t node = queue[head++];
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      if (!p->view->port_up[port]) continue;
      uint32_t next = f->port_node[f->peer[port]];
      if (next == f->ends || to_parent[next] != RIPSTOP_NONE) continue;
      to_parent[next] = f->peer[port];
      queue[tail++] = next;
    }
  }
  p->data = to_parent;
  p->channels = p->candidates_max = 1;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t *to_parent = p->data;
  uint32_t port = to_parent[head->node];
  for (uint32_t at = head->destination; at != f->ends && to_parent[at] != RIPSTOP_NONE;) {
    uint32_t above = f->peer[to_parent[at]];
    at = f->port_node[above];
    if (at == head->node) port = above;
  }
  if (port == RIPSTOP_NONE) return -(1 + NO_PATH);
  candidates[0] = (ripstop_candidate){.port = (uint16_t)(port - f->port_base[head->node]), .space = 1};
  return 1;
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)fabric;
  (void)config_;
  *out = (ripstop_guarantees){.deadlock_free = true};
}

const ripstop_method ripstop_method_spanning = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "spanning",
    .summary = "for tests: along one spanning tree",
    .source = "tests",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};
