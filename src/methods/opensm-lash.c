/* opensm-lash.c - the tables that OpenSM's engine `lash` writes, and the service levels that it answers: one shortest
 * path for each pair of switches, on virtual lanes whose dependencies have no cycle (opensm-lash/lash_lanes.h).
 *
 * Paths are those of breadth-first trees. The first tree, in the order of switches, in which one switch is above
 * another decides by which neighbour it goes there. All addresses of a switch use that path, over the first cable. */
#include <string.h>

#include "base/local.h"
#include "methods/opensm-lash/lash_lanes.h"
#include "methods/shared/entries.h"
#include "methods/shared/opensm_fallback.h"

typedef struct config {
  int64_t lanes;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, lanes, 1, RIPSTOP_LANES, "8", "virtual lanes of each link"), {0}};

/* ------------------------------------------------------------------ paths */

typedef struct work {
  ripstop_opensm net;
  ripstop_forwarding *tables;
  uint32_t *member, *place; /* [switches]: those of the part at hand, and the number of each there */
  uint32_t *queue;          /* [switches] */
  uint32_t *by;             /* [switches]: the channel over which a tree found it */
  uint32_t *first;          /* [channels]: the first channel of its switch to the same neighbour */
} work;

static void find_first_channels(work *w) {
  const switch_graph *g = &w->net.graph;
  for (uint32_t c = 0; c < g->channels; c++) {
    w->first[c] = g->out_first[g->from[c]];
    while (g->to[w->first[c]] != g->to[c]) w->first[c]++;
  }
}

/* Finds the tree of a root: `by` and `queue`. Returns how many switches it has. */
static uint32_t find_tree(work *w, uint32_t root) {
  const switch_graph *g = &w->net.graph;
  uint32_t tail = 0;
  memset(w->by, 0xFF, g->switches * sizeof *w->by);
  w->queue[tail++] = root;
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t s = w->queue[head], c = g->out_first[s]; c < g->out_first[s + 1]; c++) {
      if (g->to[c] == root || w->by[g->to[c]] != RIPSTOP_NONE) continue;
      w->by[g->to[c]] = w->first[c];
      w->queue[tail++] = g->to[c];
    }
  return tail;
}

/* In a tree every switch goes to those below it by the branch that they are on. */
static void take_paths(const work *w, uint32_t root, uint32_t count, uint32_t *next) {
  const switch_graph *g = &w->net.graph;
  for (uint32_t i = 1; i < count; i++) {
    uint32_t below = w->queue[i];
    while (below != root) {
      const uint32_t above = g->from[w->by[below]];
      uint32_t *channel = &next[(size_t)w->place[above] * count + w->place[w->queue[i]]];
      if (*channel == RIPSTOP_NONE) *channel = w->by[below];
      below = above;
    }
  }
}

static void set_entries(const work *w, const ripstop_lash_part *part, uint32_t to, uint32_t address) {
  const switch_graph *g = &w->net.graph;
  const uint16_t last = switch_graph_last_port(g->fabric, address);
  for (uint32_t i = 0; i < part->switches; i++) {
    const uint16_t port = i == to ? last : g->local[part->next[(size_t)i * part->switches + to]];
    if (port != RIPSTOP_NO_PORT) ripstop_forwarding_set(w->tables, address, g->node[w->member[i]], port);
  }
}

static void set_levels(const work *w, const ripstop_lash_part *part, uint32_t to, uint32_t address) {
  const switch_graph *g = &w->net.graph;
  for (uint32_t end = 0; end < g->fabric->ends; end++) {
    if (g->home[end] == RIPSTOP_NONE || g->part[g->home[end]] != g->part[w->member[0]]) continue;
    w->tables->level[(size_t)end * w->tables->addresses + address] =
        part->lane[(size_t)w->place[g->home[end]] * part->switches + to];
  }
}

static void write_part(const work *w, const ripstop_lash_part *part) {
  const switch_graph *g = &w->net.graph;
  for (uint32_t address = 0; address < g->fabric->nodes; address++) {
    const bool is_end = ripstop_is_end(g->fabric, address);
    const uint32_t at = is_end ? g->home[address] : g->index[address - g->fabric->ends];
    if (at == RIPSTOP_NONE || g->part[at] != g->part[w->member[0]]) continue;
    set_entries(w, part, w->place[at], address);
    set_levels(w, part, w->place[at], address);
  }
}

/* The part of a switch. -1: the engine refuses it. */
static int route_part(work *w, uint32_t name, uint32_t lanes, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const switch_graph *g = &w->net.graph;
  uint32_t count = 0;
  for (uint32_t s = 0; s < g->switches; s++)
    if (g->part[s] == name) w->place[w->member[count] = s] = count, count++;
  const size_t pairs = (size_t)count * count;
  uint32_t *next = RIPSTOP_ARRAY(scratch, pairs, uint32_t), *leads = RIPSTOP_ARRAY(scratch, g->channels, uint32_t);
  memset(next, 0xFF, pairs * sizeof *next);
  for (uint32_t c = 0; c < g->channels; c++) leads[c] = w->place[g->to[c]];
  for (uint32_t i = 0; i < count; i++) take_paths(w, w->member[i], find_tree(w, w->member[i]), next);
  ripstop_lash_part part = {.switches = count,
                            .channels = g->channels,
                            .next = next,
                            .leads = leads,
                            .lane = RIPSTOP_ARRAY(scratch, pairs, uint8_t)};
  if (ripstop_lash_assign(&part, lanes, err)) return -1;
  write_part(w, &part);
  return 0;
}

/* ------------------------------------------------------------------ the engine */

static ripstop_forwarding *make(const void *given, const ripstop_view *view, ripstop_arena *arena, ripstop_error *err) {
  const config *c = given;
  const ripstop_fabric *f = view->fabric;
  RIPSTOP_LOCAL_ARENA(scratch);
  work w = {0};
  ripstop_opensm_discover(&w.net, view, scratch);
  const uint32_t switches = w.net.graph.switches;
  uint32_t *node = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t);
  for (uint32_t n = 0; n < f->nodes; n++) node[n] = n;
  w.tables = ripstop_forwarding_in(arena, f, node, f->nodes);
  w.tables->lanes = (uint32_t)c->lanes;
  w.tables->level = RIPSTOP_ARRAY(arena, (size_t)f->ends * f->nodes, uint8_t);
  w.member = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  w.place = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  w.queue = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  w.by = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  w.first = RIPSTOP_ARRAY(scratch, w.net.graph.channels, uint32_t);
  find_first_channels(&w);
  for (uint32_t s = 0; s < switches; s++)
    if (w.net.graph.part[s] == s && route_part(&w, s, w.tables->lanes, err)) return NULL;
  return w.tables;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  p->channels = (uint32_t)((const config *)p->config)->lanes;
  return ripstop_opensm_plan_or_fall_back(p, make, err);
}

static ripstop_forwarding *repair(const void *given, const ripstop_view *view, const ripstop_forwarding *old,
                                  double *seconds, ripstop_answer *answer, ripstop_error *err) {
  (void)seconds;
  return ripstop_opensm_repair_or_fall_back(make, given, view, old, answer, err);
}

static void guarantees(const ripstop_fabric *fabric, const void *given, ripstop_guarantees *out) {
  (void)fabric;
  (void)given;
  *out = (ripstop_guarantees){.deadlock_free = true};
}

const ripstop_method ripstop_method_opensm_lash = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "opensm-lash",
    .summary = "any fabric: the tables that OpenSM's engine lash writes, shortest paths on VLs without cycles",
    .source = "Skeie, Lysne and Theiss 2002; OpenSM 3.3.23 (docs/methods/opensm-lash.md)",
    .options = options,
    .config_size = sizeof(config),
    .preset = "modern",
    .losses = ripstop_entries_losses,
    .plan = plan,
    .route = ripstop_entries_route,
    .guarantees = guarantees,
    .forwarding = ripstop_entries_forwarding,
    .repair = repair,
    .by_source = true,
};
