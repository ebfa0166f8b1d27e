/* depend.c - the graph is filled by one walk over channels for each address and service level, then searched by
 * Tarjan's algorithm (1972), with an explicit stack since fabrics are deep.
 *
 * Cost: a walk starts once at each switch that has sources (once for each source, if VLs depend on the input port),
 * and visits each VL of each channel at most once. The search looks at each edge once. */
#include "tables/depend.h"

#include <string.h>

#include "base/local.h"
#include "base/memory.h"

void depend_open(depend *d, ripstop_arena *arena, const ripstop_view *view, uint32_t lanes) {
  const ripstop_fabric *f = view->fabric;
  uint32_t most = 0;
  for (uint32_t node = f->ends; node < f->nodes; node++)
    if (ripstop_node_ports(f, node) > most) most = ripstop_node_ports(f, node);
  size_t vertices = (size_t)f->ports * lanes;
  *d = (depend){.view = view, .fabric = f, .lanes = lanes, .words = (most * lanes + 63) / 64};
  d->edge = RIPSTOP_ARRAY(arena, vertices * d->words, uint64_t);
  d->seen = RIPSTOP_ARRAY(arena, vertices, uint32_t);
  d->stack = RIPSTOP_ARRAY(arena, vertices, uint32_t);
  d->source = RIPSTOP_ARRAY(arena, f->ends, depend_source);
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t port = f->peer[f->port_base[end]], node = f->port_node[port];
    if (view->port_up[port]) d->source[d->sources++] = (depend_source){end, node, port - f->port_base[node]};
  }
}

/* ------------------------------------------------------------------ walks of packets */

typedef struct walk {
  depend *d;
  const ripstop_forwarding *const *tables;
  uint32_t table_count, address, level, depth;
  bool by_input; /* VLs depend on the input port */
} walk;

/* The port through which a table sends on from a switch; RIPSTOP_NONE: it does not, or the port leads out of the
 * fabric. */
static uint32_t onward(const walk *w, const ripstop_forwarding *table, uint32_t switch_) {
  const ripstop_fabric *f = w->d->fabric;
  uint32_t local = ripstop_forwarding_port(table, w->address, switch_);
  if (local >= ripstop_node_ports(f, switch_)) return RIPSTOP_NONE;
  uint32_t port = f->port_base[switch_] + local;
  if (!w->d->view->port_up[port] || ripstop_is_end(f, f->port_node[f->peer[port]])) return RIPSTOP_NONE;
  return port;
}

static void visit(walk *w, uint32_t vertex) {
  if (w->d->seen[vertex] == w->d->walk) return;
  w->d->seen[vertex] = w->d->walk;
  w->d->stack[w->depth++] = vertex;
}

static void put_edge(depend *d, uint32_t from, uint32_t bit) {
  d->edge[(size_t)from * d->words + bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* A packet has arrived at a switch by local port `in`, over channel `from` (RIPSTOP_NONE: from an end node), and
 * leaves through `out` on the VL that a table gives. */
static void send_on(walk *w, const ripstop_forwarding *lanes, uint32_t switch_, uint32_t in, uint32_t out,
                    uint32_t from) {
  depend *d = w->d;
  uint32_t lane = ripstop_forwarding_lane(lanes, switch_, in, out, w->level);
  if (lane >= d->lanes) return; /* no VL for data: the switch drops the packet */
  if (from != RIPSTOP_NONE) put_edge(d, from, out * d->lanes + lane);
  visit(w, (d->fabric->port_base[switch_] + out) * d->lanes + lane);
}

/* Entries and VLs are written separately, so transient states combine them, too. */
static void go_on(walk *w, uint32_t switch_, uint32_t in, uint32_t from) {
  for (uint32_t i = 0; i < w->table_count; i++) {
    uint32_t port = onward(w, w->tables[i], switch_);
    if (port == RIPSTOP_NONE) continue;
    for (uint32_t k = 0; k < w->table_count; k++)
      if (k == i || w->tables[k]->lane != w->tables[i]->lane)
        send_on(w, w->tables[k], switch_, in, port - w->d->fabric->port_base[switch_], from);
  }
}

static void drain(walk *w) {
  const ripstop_fabric *f = w->d->fabric;
  while (w->depth > 0) {
    uint32_t vertex = w->d->stack[--w->depth], port = f->peer[vertex / w->d->lanes], node = f->port_node[port];
    go_on(w, node, port - f->port_base[node], vertex);
  }
}

/* True if a source at the end node `end` sends to the address on the service level. */
static bool sends_on(const ripstop_forwarding *const *levels, uint32_t count, uint32_t end, uint32_t address,
                     unsigned level) {
  for (uint32_t i = 0; i < count; i++)
    if (ripstop_forwarding_level(levels[i], end, address) == level) return true;
  return false;
}

/* Starts from all sources that send on the service level; `levels` NULL: from all. */
static void start(walk *w, const ripstop_forwarding *const *levels, uint32_t level_count) {
  const depend *d = w->d;
  uint32_t target = w->tables[0]->node[w->address], begun = RIPSTOP_NONE;
  w->d->walk++;
  for (const depend_source *s = d->source; s < d->source + d->sources; s++) {
    if (s->end == target || (s->node == begun && !w->by_input)) continue;
    if (levels && !sends_on(levels, level_count, s->end, w->address, w->level)) continue;
    go_on(w, s->node, s->in, RIPSTOP_NONE);
    begun = s->node;
  }
  drain(w);
}

/* Adds to `used` a bit for each service level that some source has for each of the addresses. */
static void add_levels(const ripstop_forwarding *levels, uint32_t addresses, uint16_t *used) {
  for (uint32_t a = 0; a < addresses && !levels->level; a++) used[a] |= 1;
  for (uint32_t row = 0; row < ripstop_forwarding_level_rows(levels); row++)
    for (uint32_t a = 0; a < addresses; a++) used[a] |= (uint16_t)(1u << ripstop_forwarding_level(levels, row, a));
}

uint32_t depend_levels(const ripstop_forwarding *levels) {
  uint32_t used = levels->level ? 0 : 1;
  for (uint32_t row = 0; row < ripstop_forwarding_level_rows(levels); row++)
    for (uint32_t a = 0; a < levels->addresses; a++) used |= 1u << ripstop_forwarding_level(levels, row, a);
  return used;
}

static size_t lane_entries(const ripstop_forwarding *t) {
  const ripstop_fabric *f = t->fabric;
  size_t last = ripstop_fabric_switches(f), ports = ripstop_node_ports(f, f->nodes - 1);
  return t->lane_first[last - 1] + ports * ports * RIPSTOP_LEVELS;
}

uint32_t depend_lanes(const ripstop_forwarding *tables, const ripstop_forwarding *levels) {
  if (!tables->lane) return tables->lanes > levels->lanes ? tables->lanes : levels->lanes;
  uint32_t used = depend_levels(levels), lanes = 1;
  for (size_t i = 0, entries = lane_entries(tables); i < entries; i++)
    if ((used >> (i % RIPSTOP_LEVELS) & 1) && tables->lane[i] < RIPSTOP_LANES && tables->lane[i] >= lanes)
      lanes = tables->lane[i] + 1u;
  return lanes;
}

uint32_t depend_lanes_of_both(const ripstop_forwarding *x, const ripstop_forwarding *y) {
  const uint32_t lanes[] = {depend_lanes(x, x), depend_lanes(x, y), depend_lanes(y, x), depend_lanes(y, y)};
  uint32_t most = 1;
  for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
    if (lanes[i] > most) most = lanes[i];
  return most;
}

/* True if some switch uses other VLs for packets from another input port. */
static bool lanes_by_input(const ripstop_forwarding *t) {
  const ripstop_fabric *f = t->fabric;
  for (uint32_t node = f->ends; t->lane && node < f->nodes; node++) {
    size_t ports = ripstop_node_ports(f, node), row = ports * RIPSTOP_LEVELS;
    const uint8_t *lane = t->lane + t->lane_first[node - f->ends];
    if (ports > 1 && memcmp(lane, lane + row, (ports - 1) * row) != 0) return true;
  }
  return false;
}

static void walk_levels(walk *w, const ripstop_forwarding *const *levels, uint32_t level_count, uint32_t used) {
  bool one = (used & (used - 1)) == 0;
  for (w->level = 0; w->level < RIPSTOP_LEVELS; w->level++)
    if (used >> w->level & 1) start(w, one ? NULL : levels, level_count);
}

void depend_add(depend *d, const ripstop_forwarding *const *tables, uint32_t table_count,
                const ripstop_forwarding *const *levels, uint32_t level_count, uint32_t addresses) {
  walk w = {.d = d, .tables = tables, .table_count = table_count};
  RIPSTOP_LOCAL_ARENA(scratch);
  uint16_t *used = RIPSTOP_ARRAY(scratch, addresses, uint16_t);
  for (uint32_t i = 0; i < table_count; i++) w.by_input |= lanes_by_input(tables[i]);
  for (uint32_t i = 0; i < level_count; i++) add_levels(levels[i], addresses, used);
  for (; w.address < addresses; w.address++) walk_levels(&w, levels, level_count, used[w.address]);
}

uint32_t depend_lanes_used(const depend *d) {
  uint32_t used = 0;
  for (uint32_t vertex = 0; vertex < d->fabric->ports * d->lanes; vertex++)
    used |= (d->seen[vertex] ? 1u : 0u) << vertex % d->lanes;
  return used ? (uint32_t)__builtin_popcount(used) : 1;
}

/* ------------------------------------------------------------------ components */

typedef struct tarjan {
  const depend *d;
  uint32_t vertices, next, component;
  uint32_t *number; /* number of the visit, 0: not visited */
  uint32_t *low;
  uint32_t *at;    /* the next edge to look at */
  uint32_t *path;  /* explicit stack of the depth-first search */
  uint32_t *open;  /* vertices whose component is not known yet */
  uint32_t *group; /* the component, 0: not known */
  uint32_t depth, opened;
  uint32_t best, best_size, cyclic; /* the smallest component that has a cycle */
} tarjan;

/* The vertex to which edge `bit` of a vertex leads. */
static uint32_t target(const depend *d, uint32_t vertex, uint32_t bit) {
  const ripstop_fabric *f = d->fabric;
  uint32_t node = f->port_node[f->peer[vertex / d->lanes]];
  return f->port_base[node] * d->lanes + bit;
}

/* The first edge of a vertex from `bit` on; RIPSTOP_NONE: no more. */
static uint32_t next_edge(const depend *d, uint32_t vertex, uint32_t bit) {
  const uint64_t *row = &d->edge[(size_t)vertex * d->words];
  for (uint32_t word = bit / 64; word < d->words; word++, bit = word * 64) {
    uint64_t rest = row[word] >> (bit % 64);
    if (rest) return bit + (uint32_t)__builtin_ctzll(rest);
  }
  return RIPSTOP_NONE;
}

static void enter(tarjan *t, uint32_t vertex) {
  t->number[vertex] = t->low[vertex] = ++t->next;
  t->path[t->depth++] = vertex;
  t->open[t->opened++] = vertex;
}

/* A component is complete: `vertex` and the vertices above it on the stack of open ones. */
static void close_component(tarjan *t, uint32_t vertex) {
  uint32_t size = 0;
  t->component++;
  do {
    t->group[t->open[--t->opened]] = t->component;
    size++;
  } while (t->open[t->opened] != vertex);
  if (size < 2) return; /* a channel never leads into itself */
  t->cyclic += size;
  if (t->best_size == 0 || size < t->best_size) t->best = vertex, t->best_size = size;
}

static void leave(tarjan *t, uint32_t vertex) {
  if (t->low[vertex] == t->number[vertex]) close_component(t, vertex);
  t->depth--;
  if (t->depth == 0) return;
  uint32_t before = t->path[t->depth - 1];
  if (t->low[vertex] < t->low[before]) t->low[before] = t->low[vertex];
}

static bool alive(const depend *d, uint32_t vertex) { return d->view->port_up[vertex / d->lanes]; }

static void search_from(tarjan *t, uint32_t root) {
  enter(t, root);
  while (t->depth > 0) {
    uint32_t vertex = t->path[t->depth - 1], bit = next_edge(t->d, vertex, t->at[vertex]);
    if (bit == RIPSTOP_NONE) {
      leave(t, vertex);
      continue;
    }
    t->at[vertex] = bit + 1;
    uint32_t to = target(t->d, vertex, bit);
    if (!alive(t->d, to)) continue;
    if (!t->number[to])
      enter(t, to);
    else if (!t->group[to] && t->number[to] < t->low[vertex])
      t->low[vertex] = t->number[to];
  }
}

/* Finds a shortest cycle through t->best, within its component. */
static void trace(const tarjan *t, ripstop_arena *arena, depend_cycles *out) {
  uint32_t *from = t->low, *queue = t->open, head = 0, tail = 0; /* both arrays are free again */
  for (uint32_t i = 0; i < t->vertices; i++) from[i] = RIPSTOP_NONE;
  queue[tail++] = t->best;
  for (; head < tail && from[t->best] == RIPSTOP_NONE; head++)
    for (uint32_t bit = next_edge(t->d, queue[head], 0); bit != RIPSTOP_NONE;
         bit = next_edge(t->d, queue[head], bit + 1)) {
      uint32_t to = target(t->d, queue[head], bit);
      if (t->group[to] != t->group[t->best] || from[to] != RIPSTOP_NONE) continue;
      from[to] = queue[head];
      queue[tail++] = to;
    }
  uint32_t length = 1;
  for (uint32_t at = from[t->best]; at != t->best; at = from[at]) length++;
  uint32_t *cycle = RIPSTOP_ARRAY(arena, length, uint32_t), at = t->best;
  for (uint32_t i = length; i-- > 0; at = from[at]) cycle[i] = at;
  *out = (depend_cycles){.vertices = t->cyclic, .length = length, .cycle = cycle};
}

void depend_search(const depend *d, ripstop_arena *arena, depend_cycles *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  tarjan t = {.d = d, .vertices = d->fabric->ports * d->lanes};
  uint32_t **const arrays[] = {&t.number, &t.low, &t.at, &t.path, &t.open, &t.group};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = RIPSTOP_ARRAY(scratch, t.vertices + 1, uint32_t);
  for (uint32_t vertex = 0; vertex < t.vertices; vertex++)
    if (!t.number[vertex] && next_edge(d, vertex, 0) != RIPSTOP_NONE && alive(d, vertex)) search_from(&t, vertex);
  *out = (depend_cycles){0};
  if (t.best_size > 0) trace(&t, arena, out);
}
