/* test_table.c - a routing method for the differential test: adaptive shortest paths by table on any connected fabric.
 *
 * It is there to exercise the switch, not to be good: it gives many ways of several ranks on several channels, can ask
 * for bubbles, can leave the shortest path a few times, can climb the channels hop by hop (then it cannot deadlock
 * when there are channels enough), can choose early, and has no way on where faults cut its destination off.
 *
 * Cost: distances to every end node, ends x nodes words; a plan is one breadth-first search per end node. */
#include <string.h>

#include "ripstop/plan.h"

typedef struct config {
  int64_t channels, space, detours;
  bool climb, early;
} config;

static const rs_option options[] = {{.name = "channels",
                                     .type = RS_OPTION_INTEGER,
                                     .offset = offsetof(config, channels),
                                     .min = 1,
                                     .max = RS_CHANNELS_MAX,
                                     .fallback = "1",
                                     .help = "virtual channels"},
                                    {.name = "space",
                                     .type = RS_OPTION_INTEGER,
                                     .offset = offsetof(config, space),
                                     .min = 1,
                                     .max = 2,
                                     .fallback = "1",
                                     .help = "packets of free space asked for on channel 0"},
                                    {.name = "detours",
                                     .type = RS_OPTION_INTEGER,
                                     .offset = offsetof(config, detours),
                                     .min = 0,
                                     .max = 100,
                                     .fallback = "0",
                                     .help = "hops that need not come nearer to the destination"},
                                    {.name = "climb",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, climb),
                                     .fallback = "off",
                                     .help = "channel = hops so far, as far as there are channels"},
                                    {.name = "early",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, early),
                                     .fallback = "off",
                                     .help = "packets bind themselves to one way"},
                                    {0}};

static const char *const losses[] = {"destination cut off", NULL};

/* The header counts hops (low half) and detours taken (high half). */
static uint32_t hops_of(uint64_t header) { return (uint32_t)header; }
static uint32_t detours_of(uint64_t header) { return (uint32_t)(header >> 32); }

/* Distances of all nodes to one end node, over the ports that are up. */
static void search(const rs_view *view, uint32_t end, uint32_t *distance, uint32_t *queue) {
  const rs_fabric *f = view->fabric;
  uint32_t head = 0, tail = 0;
  for (uint32_t v = 0; v < f->nodes; v++) distance[v] = RS_NONE;
  distance[end] = 0;
  queue[tail++] = end;
  while (head < tail) {
    uint32_t v = queue[head++];
    for (uint32_t p = f->port_base[v]; p < f->port_base[v + 1]; p++) {
      if (!view->port_up[p]) continue;
      uint32_t to = f->port_node[f->peer[p]];
      if (distance[to] != RS_NONE) continue;
      distance[to] = distance[v] + 1;
      queue[tail++] = to;
    }
  }
}

static rs_answer compile(rs_plan *plan, rs_error *err) {
  (void)err;
  const rs_fabric *f = plan->fabric;
  const config *c = plan->config;
  uint32_t *distance = RS_ARRAY(plan->arena, (size_t)f->ends * f->nodes, uint32_t);
  uint32_t *queue = RS_ARRAY(plan->arena, f->nodes, uint32_t), most = 1;
  for (uint32_t e = 0; e < f->ends; e++) search(plan->view, e, distance + (size_t)e * f->nodes, queue);
  for (uint32_t v = 0; v < f->nodes; v++)
    if (rs_node_ports(f, v) > most) most = rs_node_ports(f, v);
  plan->channels = (uint32_t)c->channels;
  plan->ways_max = most * plan->channels;
  plan->choose_early = c->early;
  plan->data = distance;
  return RS_APPLIES;
}

/* The ways through one port: on channel 0 only when nothing better has space, on the others at will. */
static int add_port(const rs_plan *plan, const rs_head *head, uint32_t port, uint8_t rank, uint64_t header,
                    rs_way *ways) {
  const config *c = plan->config;
  uint32_t first = 0, last = plan->channels - 1;
  if (c->climb) first = last = hops_of(head->header) < last ? hops_of(head->header) : last;
  int n = 0;
  for (uint32_t channel = first; channel <= last; channel++)
    ways[n++] = (rs_way){.header = header,
                         .port = (uint16_t)port,
                         .channel = (uint8_t)channel,
                         .rank = (uint8_t)(rank + (channel == 0 ? 1 : 0)),
                         .space = (uint8_t)(channel == 0 ? c->space : 1)};
  return n;
}

static int route(const rs_plan *plan, const rs_head *head, rs_way *ways) {
  const rs_fabric *f = plan->fabric;
  const config *c = plan->config;
  const uint32_t *distance = (const uint32_t *)plan->data + (size_t)head->destination * f->nodes;
  uint64_t onward = head->header + 1, aside = onward + (UINT64_C(1) << 32);
  bool may_detour = detours_of(head->header) < (uint32_t)c->detours;
  int n = 0;
  if (distance[head->node] == RS_NONE) return -1;
  for (uint32_t i = 0; i < rs_node_ports(f, head->node); i++) {
    uint32_t port = f->port_base[head->node] + i;
    if (!plan->view->port_up[port]) continue;
    uint32_t to = f->port_node[f->peer[port]];
    if (distance[to] < distance[head->node])
      n += add_port(plan, head, i, 0, onward, ways + n);
    else if (may_detour && !rs_is_end(f, to))
      n += add_port(plan, head, i, 2, aside, ways + n);
  }
  return n ? n : -1;
}

static void claims(const rs_fabric *fabric, const void *method_config, rs_claims *out) {
  (void)fabric, (void)method_config;
  *out = (rs_claims){0};
}

const rs_method rs_method_test_table = {.abi = RS_METHOD_ABI,
                                        .name = "test-table",
                                        .summary = "adaptive shortest paths by table, for tests",
                                        .source = "none",
                                        .options = options,
                                        .config_size = sizeof(config),
                                        .losses = losses,
                                        .plan = compile,
                                        .route = route,
                                        .claims = claims};
