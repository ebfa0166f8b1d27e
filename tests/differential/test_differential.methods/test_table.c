/* test_table.c - a routing method for the differential test: adaptive shortest paths by table on any connected fabric.
 *
 * It is there to exercise the switch, not to be good: it gives many candidates of several ranks on several channels,
 * can require bubbles, can leave the shortest path a few times, can climb the channels hop by hop (then it cannot
 * deadlock when there are channels enough), can choose early, and has no candidate if faults cut its destination off.
 *
 * Cost: distances to every end node, ends x nodes words; a plan is one breadth-first search per end node. */
#include <string.h>

#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  int64_t channels, space, detours;
  bool climb, early;
} config;

static const ripstop_option options[] = {{.name = "channels",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, channels),
                                          .min = 1,
                                          .max = RIPSTOP_CHANNELS_MAX,
                                          .fallback = "1",
                                          .help = "virtual channels"},
                                         {.name = "space",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, space),
                                          .min = 1,
                                          .max = 2,
                                          .fallback = "1",
                                          .help = "packets of free space required on channel 0"},
                                         {.name = "detours",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, detours),
                                          .min = 0,
                                          .max = 100,
                                          .fallback = "0",
                                          .help = "hops that need not come nearer to the destination"},
                                         {.name = "climb",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, climb),
                                          .fallback = "off",
                                          .help = "channel = hops so far, as far as there are channels"},
                                         {.name = "early",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, early),
                                          .fallback = "off",
                                          .help = "packets bind themselves to one candidate"},
                                         {0}};

static const char *const losses[] = {"destination cut off", NULL};

/* The header counts hops (low half) and detours taken (high half). */
static uint32_t hops_of(uint64_t header) { return (uint32_t)header; }
static uint32_t detours_of(uint64_t header) { return (uint32_t)(header >> 32); }

/* Distances of all nodes to one end node, over the ports that are up. */
static void search(const ripstop_view *view, uint32_t end, uint32_t *distance, uint32_t *queue) {
  const ripstop_fabric *f = view->fabric;
  uint32_t head = 0, tail = 0;
  for (uint32_t v = 0; v < f->nodes; v++) distance[v] = RIPSTOP_NONE;
  distance[end] = 0;
  queue[tail++] = end;
  while (head < tail) {
    uint32_t v = queue[head++];
    for (uint32_t p = f->port_base[v]; p < f->port_base[v + 1]; p++) {
      if (!view->port_up[p]) continue;
      uint32_t to = f->port_node[f->peer[p]];
      if (distance[to] != RIPSTOP_NONE) continue;
      distance[to] = distance[v] + 1;
      queue[tail++] = to;
    }
  }
}

static ripstop_answer compile(ripstop_plan *plan, ripstop_error *err) {
  (void)err;
  const ripstop_fabric *f = plan->fabric;
  const config *c = plan->config;
  uint32_t *distance = RIPSTOP_ARRAY(plan->arena, (size_t)f->ends * f->nodes, uint32_t);
  uint32_t *queue = RIPSTOP_ARRAY(plan->arena, f->nodes, uint32_t), most = 1;
  for (uint32_t e = 0; e < f->ends; e++) search(plan->view, e, distance + (size_t)e * f->nodes, queue);
  for (uint32_t v = 0; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > most) most = ripstop_node_ports(f, v);
  plan->channels = (uint32_t)c->channels;
  plan->candidates_max = most * plan->channels;
  plan->choose_early = c->early;
  plan->bubble = c->space > 1;
  plan->data = distance;
  return RIPSTOP_APPLIES;
}

/* The candidates through one port: on channel 0 only when nothing better has space, on the others at will. */
static int add_port(const ripstop_plan *plan, const ripstop_head *head, uint32_t port, uint8_t rank, uint64_t header,
                    ripstop_candidate *candidates) {
  const config *c = plan->config;
  uint32_t first = 0, last = plan->channels - 1;
  if (c->climb) first = last = hops_of(head->header) < last ? hops_of(head->header) : last;
  int n = 0;
  for (uint32_t channel = first; channel <= last; channel++)
    candidates[n++] = (ripstop_candidate){.header = header,
                                          .port = (uint16_t)port,
                                          .channel = (uint8_t)channel,
                                          .rank = (uint8_t)(rank + (channel == 0 ? 1 : 0)),
                                          .space = (uint8_t)(channel == 0 ? c->space : 1)};
  return n;
}

static int route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = plan->fabric;
  const config *c = plan->config;
  const uint32_t *distance = (const uint32_t *)plan->data + (size_t)head->destination * f->nodes;
  uint64_t onward = head->header + 1, aside = onward + (UINT64_C(1) << 32);
  bool may_detour = detours_of(head->header) < (uint32_t)c->detours;
  int n = 0;
  if (distance[head->node] == RIPSTOP_NONE) return -1;
  for (uint32_t i = 0; i < ripstop_node_ports(f, head->node); i++) {
    uint32_t port = f->port_base[head->node] + i;
    if (!plan->view->port_up[port]) continue;
    uint32_t to = f->port_node[f->peer[port]];
    if (distance[to] < distance[head->node])
      n += add_port(plan, head, i, 0, onward, candidates + n);
    else if (may_detour && !ripstop_is_end(f, to))
      n += add_port(plan, head, i, 2, aside, candidates + n);
  }
  return n ? n : -1;
}

const ripstop_method ripstop_method_test_table = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-table",
                                                  .summary = "adaptive shortest paths by table, for tests",
                                                  .source = "none",
                                                  .options = options,
                                                  .config_size = sizeof(config),
                                                  .losses = losses,
                                                  .plan = compile,
                                                  .route = route,
                                                  .guarantees = promise_nothing};
