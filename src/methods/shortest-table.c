/* shortest-table.c - shortest up/down paths by table, on any fabric, graphs from files included (Autonet: Schroeder et
 * al. 1991).
 *
 * A breadth-first search from a root ranks all nodes; a link leads up towards the lower rank. A path goes up, then
 * down, and never up again, so one channel is free of deadlock; and every pair that has a path has such a one, since
 * the links of the search alone lead up to the root and down to everybody. The header is 1 once a packet has gone down.
 *
 * Central: it sees all faults at once. Cost: two words for each end node and node, time O(end nodes x ports). */
#include "ripstop/plugin/method.h"

enum { MAY_GO_UP, DOWN_ONLY, PHASES };
#define TABLE_MAX ((uint64_t)1 << 28) /* words: 1 GiB */

typedef struct config {
  int64_t root;
} config;

static const ripstop_option options[] = {{.name = "root",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, root),
                                          .min = 0,
                                          .max = RIPSTOP_FABRIC_MAX_PORTS,
                                          .fallback = "0",
                                          .help = "number of the switch from which the search starts"},
                                         {0}};

enum { NO_PATH, CUT_OFF };
static const char *const losses[] = {[NO_PATH] = "no up/down path", [CUT_OFF] = "source cut off", NULL};

typedef struct tables {
  uint32_t *rank;         /* [nodes]: position in the search */
  uint32_t *left[PHASES]; /* [end nodes * nodes]: links to the destination; RIPSTOP_NONE: no path */
} tables;

/* Appends what can be reached from a node to `order`, which holds `count` nodes. */
static uint32_t search(const ripstop_view *view, uint32_t from, uint32_t *rank, uint32_t *order, uint32_t count) {
  const ripstop_fabric *f = view->fabric;
  uint32_t next = count;
  rank[from] = count;
  order[count++] = from;
  for (; next < count; next++)
    for (uint32_t port = f->port_base[order[next]]; port < f->port_base[order[next] + 1]; port++) {
      if (!view->port_up[port]) continue;
      uint32_t to = f->port_node[f->peer[port]];
      if (rank[to] != RIPSTOP_NONE) continue;
      rank[to] = count;
      order[count++] = to;
    }
  return count;
}

/* Fewest links from node v to the destination through neighbours of higher (down) or lower rank (up). */
static uint32_t nearest(const ripstop_view *view, const uint32_t *rank, uint32_t v, bool down, const uint32_t *left) {
  const ripstop_fabric *f = view->fabric;
  uint32_t best = RIPSTOP_NONE;
  for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++) {
    if (!view->port_up[port]) continue;
    uint32_t to = f->port_node[f->peer[port]];
    if ((rank[to] > rank[v]) == down && left[to] < best) best = left[to];
  }
  return best == RIPSTOP_NONE ? RIPSTOP_NONE : best + 1;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  if (c->root >= ripstop_fabric_switches(f)) {
    ripstop_fail(err, "shortest-table: root=%lld, but %s has %u switches", (long long)c->root, f->spec,
                 ripstop_fabric_switches(f));
    return RIPSTOP_ERROR;
  }
  if ((uint64_t)f->ends * f->nodes * PHASES > TABLE_MAX) {
    ripstop_fail(err, "shortest-table: %u end nodes x %u nodes are too many for tables", f->ends, f->nodes);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  tables *t = RIPSTOP_NEW(p->arena, tables);
  uint32_t *order = RIPSTOP_ARRAY(p->arena, f->nodes, uint32_t), count = 0;
  t->rank = RIPSTOP_ARRAY(p->arena, f->nodes, uint32_t);
  for (uint32_t v = 0; v < f->nodes; v++) t->rank[v] = RIPSTOP_NONE;
  count = search(p->view, f->ends + (uint32_t)c->root, t->rank, order, count);
  for (uint32_t v = f->nodes; v-- > 0;) /* parts that are cut off, switches before end nodes */
    if (t->rank[v] == RIPSTOP_NONE) count = search(p->view, v, t->rank, order, count);

  for (int phase = 0; phase < PHASES; phase++)
    t->left[phase] = RIPSTOP_ARRAY(p->arena, (size_t)f->ends * f->nodes, uint32_t);
  for (uint32_t e = 0; e < f->ends; e++) {
    uint32_t *down = t->left[DOWN_ONLY] + (size_t)e * f->nodes, *any = t->left[MAY_GO_UP] + (size_t)e * f->nodes;
    for (uint32_t i = f->nodes; i-- > 0;) /* what lies below a node comes before it */
      down[order[i]] = order[i] == e ? 0 : nearest(p->view, t->rank, order[i], true, down);
    for (uint32_t i = 0; i < f->nodes; i++) { /* what lies above a node comes before it */
      uint32_t v = order[i], up = nearest(p->view, t->rank, v, false, any);
      any[v] = up < down[v] ? up : down[v];
    }
  }
  p->data = t;
  p->channels = 1;
  for (uint32_t v = 0; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > p->ways_max) p->ways_max = ripstop_node_ports(f, v);
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const ripstop_fabric *f = p->fabric;
  const tables *t = p->data;
  const uint8_t *alive = &p->view->port_up[f->port_base[head->node]];
  if (ripstop_is_end(f, head->node) && !alive[0]) return -(1 + CUT_OFF);
  size_t row = (size_t)head->destination * f->nodes;
  uint32_t left = t->left[head->header][row + head->node];
  int count = 0;
  for (uint32_t port = 0; port < ripstop_node_ports(f, head->node) && left != RIPSTOP_NONE; port++) {
    if (!alive[port]) continue;
    uint32_t to = f->port_node[f->peer[f->port_base[head->node] + port]];
    bool down = t->rank[to] > t->rank[head->node];
    if (head->header == DOWN_ONLY && !down) continue;
    if (t->left[down][row + to] + 1 == left)
      ways[count++] = (ripstop_way){.header = down, .port = (uint16_t)port, .space = 1};
  }
  return count ? count : -(1 + NO_PATH);
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)fabric, (void)config_;
  *out = (ripstop_guarantees){.tolerates = 0, .minimal = false, .deadlock_free = true};
}

const ripstop_method ripstop_method_shortest_table = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "shortest-table",
    .summary = "any fabric: shortest up/down paths by table",
    .source = "Schroeder et al. 1991 (Autonet)",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};
