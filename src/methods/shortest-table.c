/* shortest-table.c - shortest up/down paths by table, on any fabric, including graphs from files (Autonet: Schroeder et
 * al. 1991).
 *
 * A breadth-first search from a root ranks all nodes; a link leads up towards the lower rank. A path goes up, then
 * down, and never up again, so one virtual channel is free of deadlock. Every connected pair has such a path, because
 * the links of the search alone lead up to the root and down to all nodes. The header is 1 once a packet has gone down.
 *
 * Central: it sees all faults at once. Cost: two words for each switch and each switch with end nodes; time in the
 * product of these and the ports. */
#include "ripstop/plugin/method.h"

enum { MAY_GO_UP, DOWN_ONLY, PHASES };
#define TABLE_MAX ((uint64_t)1 << 28) /* words: 1 GiB */

typedef struct config {
  int64_t root;
} config;

static const ripstop_option options[] = {RIPSTOP_INTEGER(config, root, 0, RIPSTOP_FABRIC_MAX_PORTS, "0",
                                                         "number of the switch from which the search starts"),
                                         {0}};

enum { NO_PATH, CUT_OFF };
static const char *const losses[] = {[NO_PATH] = "no up/down path", [CUT_OFF] = "source cut off", NULL};

/* Switches are numbered by their place in the order of the search. */
typedef struct tables {
  uint32_t switches;
  uint32_t *place;        /* [switches] */
  uint32_t *row;          /* [switches]: number of the table's row, for switches with end nodes */
  uint32_t *left[PHASES]; /* [rows * switches]: links from each place to the row's switch; RIPSTOP_NONE: no path */
} tables;

/* Gives places to all switches that can be reached from one. `order` has the `count` switches that have places. */
static uint32_t search(const ripstop_view *view, uint32_t from, uint32_t *place, uint32_t *order, uint32_t count) {
  const ripstop_fabric *f = view->fabric;
  uint32_t next = count;
  place[from - f->ends] = count;
  order[count++] = from;
  for (; next < count; next++)
    for (uint32_t port = f->port_base[order[next]]; port < f->port_base[order[next] + 1]; port++) {
      if (!view->port_up[port]) continue;
      uint32_t to = f->port_node[f->peer[port]];
      if (ripstop_is_end(f, to) || place[to - f->ends] != RIPSTOP_NONE) continue;
      place[to - f->ends] = count;
      order[count++] = to;
    }
  return count;
}

/* `order` gets the switches by place. */
static void place_all(const ripstop_view *view, uint32_t root, const tables *t, uint32_t *order) {
  const ripstop_fabric *f = view->fabric;
  for (uint32_t i = 0; i < t->switches; i++) t->place[i] = RIPSTOP_NONE;
  uint32_t count = search(view, root, t->place, order, 0);
  for (uint32_t i = t->switches; i-- > 0;) /* other components */
    if (t->place[i] == RIPSTOP_NONE) count = search(view, f->ends + i, t->place, order, count);
}

/* The neighbours up or down of the switch at place i are to[first[i]] .. to[first[i + 1] - 1]. */
typedef struct neighbours {
  uint32_t *first, *to;
} neighbours;

static neighbours find_neighbours(ripstop_arena *arena, const ripstop_view *view, const tables *t,
                                  const uint32_t *order, bool down) {
  const ripstop_fabric *f = view->fabric;
  neighbours n = {.first = RIPSTOP_ARRAY(arena, t->switches + 1, uint32_t),
                  .to = RIPSTOP_ARRAY(arena, f->ports, uint32_t)};
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->switches; i++) {
    for (uint32_t port = f->port_base[order[i]]; port < f->port_base[order[i] + 1]; port++) {
      if (!view->port_up[port]) continue;
      uint32_t to = f->port_node[f->peer[port]];
      if (!ripstop_is_end(f, to) && (t->place[to - f->ends] > i) == down) n.to[count++] = t->place[to - f->ends];
    }
    n.first[i + 1] = count;
  }
  return n;
}

/* Fewest links from place i through these neighbours. `left`: a word per place. */
static uint32_t nearest(const neighbours *n, uint32_t i, const uint32_t *left) {
  uint32_t best = RIPSTOP_NONE;
  for (uint32_t k = n->first[i]; k < n->first[i + 1]; k++)
    if (left[n->to[k]] < best) best = left[n->to[k]];
  return best == RIPSTOP_NONE ? RIPSTOP_NONE : best + 1;
}

/* Links from every switch to the one at place `target`. */
static void fill_row(const neighbours *up, const neighbours *down, uint32_t switches, uint32_t target,
                     uint32_t *const left[PHASES]) {
  for (uint32_t i = switches; i-- > 0;) /* after all switches below it */
    left[DOWN_ONLY][i] = i == target ? 0 : nearest(down, i, left[DOWN_ONLY]);
  for (uint32_t i = 0; i < switches; i++) { /* after all switches above it */
    const uint32_t rise = nearest(up, i, left[MAY_GO_UP]), fall = left[DOWN_ONLY][i];
    left[MAY_GO_UP][i] = rise < fall ? rise : fall;
  }
}

static void fill_rows(const ripstop_plan *p, const tables *t, uint32_t root) {
  uint32_t *order = RIPSTOP_ARRAY(p->arena, t->switches, uint32_t);
  place_all(p->view, root, t, order);
  const neighbours up = find_neighbours(p->arena, p->view, t, order, false),
                   down = find_neighbours(p->arena, p->view, t, order, true);
  for (uint32_t i = 0; i < t->switches; i++) {
    const size_t base = (size_t)t->row[i] * t->switches;
    if (t->row[i] == RIPSTOP_NONE) continue;
    ripstop_task_progress("tables of up/down paths", i, t->switches);
    fill_row(
        &up, &down, t->switches, t->place[i],
        (uint32_t *const[PHASES]){[MAY_GO_UP] = t->left[MAY_GO_UP] + base, [DOWN_ONLY] = t->left[DOWN_ONLY] + base});
  }
}

/* Numbers the rows for switches with end nodes; returns how many there are. */
static uint32_t number_rows(const ripstop_fabric *f, uint32_t *row) {
  uint32_t rows = 0;
  for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++) row[i] = RIPSTOP_NONE;
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t *of = &row[ripstop_end_switch(f, end) - f->ends];
    if (*of == RIPSTOP_NONE) *of = rows++;
  }
  return rows;
}

static ripstop_answer check(const ripstop_fabric *f, const config *c, uint32_t rows, ripstop_error *err) {
  const uint32_t switches = ripstop_fabric_switches(f);
  if (c->root >= switches) {
    ripstop_fail(err, "shortest-table: root=%lld, but %s has %u switches", (long long)c->root, f->spec, switches);
    return RIPSTOP_ERROR;
  }
  if ((uint64_t)rows * switches * PHASES > TABLE_MAX)
    return ripstop_does_not_apply(
        err, "shortest-table: tables of %u switches with end nodes x %u switches take %.3g GiB; at most 1 is possible",
        rows, switches, (double)rows * switches * PHASES * sizeof(uint32_t) / (1 << 30));
  return RIPSTOP_APPLIES;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  tables *t = RIPSTOP_NEW(p->arena, tables);
  t->switches = ripstop_fabric_switches(f);
  t->row = RIPSTOP_ARRAY(p->arena, t->switches, uint32_t);
  const uint32_t rows = number_rows(f, t->row);
  const ripstop_answer answer = check(f, c, rows, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  t->place = RIPSTOP_ARRAY(p->arena, t->switches, uint32_t);
  for (int phase = 0; phase < PHASES; phase++)
    t->left[phase] = RIPSTOP_ARRAY(p->arena, (size_t)rows * t->switches, uint32_t);
  fill_rows(p, t, f->ends + (uint32_t)c->root);
  p->data = t;
  p->channels = 1;
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    uint32_t ports = 0;
    for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++)
      ports += f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[port]]);
    if (ports > p->candidates_max) p->candidates_max = ports;
  }
  return RIPSTOP_APPLIES;
}

/* The candidate by an end node's port, or by its switch's port to it. */
static ripstop_candidate candidate_by(const ripstop_fabric *f, uint32_t port, uint32_t node, bool down) {
  return (ripstop_candidate){.header = down, .port = (uint16_t)(port - f->port_base[node]), .space = 1};
}

/* Candidates towards the destination's switch from another one. */
static int forward(const ripstop_plan *p, const ripstop_head *head, size_t row, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const tables *t = p->data;
  const uint32_t here = t->place[head->node - f->ends], left = t->left[head->header][row + here];
  int count = 0;
  for (uint32_t port = f->port_base[head->node]; port < f->port_base[head->node + 1] && left != RIPSTOP_NONE; port++) {
    if (!p->view->port_up[port] || ripstop_is_end(f, f->port_node[f->peer[port]])) continue;
    const uint32_t to = t->place[f->port_node[f->peer[port]] - f->ends];
    const bool down = to > here;
    if (head->header == DOWN_ONLY && !down) continue;
    if (t->left[down][row + to] + 1 == left) candidates[count++] = candidate_by(f, port, head->node, down);
  }
  return count;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const tables *t = p->data;
  const uint32_t home = ripstop_end_switch(f, head->destination), last = f->port_base[head->destination];
  const size_t row = (size_t)t->row[home - f->ends] * t->switches;
  const bool is_end = ripstop_is_end(f, head->node);
  int count = 0;
  if (is_end && !p->view->port_up[f->port_base[head->node]]) return -(1 + CUT_OFF);
  if (!p->view->port_up[last]) return -(1 + NO_PATH);
  if (is_end && t->left[MAY_GO_UP][row + t->place[ripstop_end_switch(f, head->node) - f->ends]] != RIPSTOP_NONE)
    candidates[count++] = candidate_by(f, f->port_base[head->node], head->node, false);
  if (!is_end && head->node == home) candidates[count++] = candidate_by(f, f->peer[last], home, true);
  if (!is_end && head->node != home) count = forward(p, head, row, candidates);
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
    .preset = "modern",
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};
