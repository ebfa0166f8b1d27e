/* repair.c - tables, loads and dependencies that follow one dead part after the other.
 *
 * Only addresses that some entry leads over a dead part for are looked at again: their trees are drawn anew, and their
 * flows on the channels with them. The graph holds what packets can hold and wait for under every mixture of the
 * entries that were handed in and the repaired ones; without a cycle in it there is none in the new tables either, and
 * only with one are the new ones judged alone.
 *
 * Invariant: load[] is what the present tables carry; the graph holds at least what mixtures of them and the original
 * ones can hold and wait for. */
#include "tables/repair.h"

#include <string.h>

#include "base/memory.h"

/* The entries of an address before it was repaired. */
typedef struct old_column {
  uint32_t address;
  uint16_t *port; /* [switches] */
} old_column;

struct repair {
  ripstop_view *view;
  const ripstop_fabric *fabric;
  const ripstop_forwarding *original; /* as handed in */
  ripstop_forwarding *tables;
  uint32_t switches, data; /* data: addresses of end nodes */
  trees trees;
  uint64_t *load, *flow; /* [ports], [switches] */
  depend graph;
  bool looping; /* whether the graph has a cycle */
  depend own;   /* of the present tables alone, counted; only where those handed in have a cycle */
  bool own_kept, own_looping;
  uint64_t disconnected; /* pairs, of the present view */
  ripstop_arena *arena;
  ripstop_arena *undo;           /* of the last kill: what it changed */
  bool *link_dies, *switch_dies; /* [links], [nodes]: those of the last kill that were alive */
  ripstop_faults parts;          /* the same as lists, in `undo` */
  old_column *old;               /* [data] */
  uint32_t olds;
  uint64_t old_disconnected;
  bool old_looping, old_own_looping;
  uint64_t *old_edge, *old_load; /* all of them */
  /* Scratch of one address. */
  uint32_t *broken;   /* [switches]: from which packets do not arrive */
  bool *crosses;      /* [switches]: packets from here cross a part that dies; or come by here */
  uint32_t *distance; /* [switches]: links to the target's switch; RIPSTOP_NONE: not reached */
};

static ripstop_forwarding *copy_tables(const ripstop_forwarding *from) {
  ripstop_forwarding *f = ripstop_forwarding_new(from->fabric, from->node, from->addresses);
  size_t entries = (size_t)from->addresses * ripstop_fabric_switches(from->fabric);
  memcpy(f->port, from->port, entries * sizeof *f->port);
  f->lanes = from->lanes;
  f->level = from->level;
  f->lane = from->lane;
  f->lane_first = from->lane_first;
  f->end_lane = from->end_lane;
  return f;
}

/* Adds the flows of one address to the loads, or takes them away. */
static void account(repair *r, uint32_t address, bool add) {
  trees *t = &r->trees;
  trees_look(t, r->tables, address);
  trees_flow(t, r->flow);
  for (uint32_t s = 0; s < r->switches; s++)
    if (t->fate[s] == TREE_HOME && t->leads[s] == TREE_GOES_ON)
      r->load[t->port[s]] += add ? r->flow[s] : (uint64_t)0 - r->flow[s];
}

static void depend_on(depend *d, const repair *r, uint32_t address) {
  const ripstop_forwarding *const table = r->tables;
  depend_add(d, &table, 1, &table, 1, address);
}

/* The same under every mixture of the entries that were handed in and the present ones. */
static void depend_on_both(depend *d, const repair *r, uint32_t address) {
  const ripstop_forwarding *const both[] = {r->original, r->tables};
  depend_add(d, both, 2, both, 1, address);
}

static size_t edge_words(const depend *d) { return (size_t)d->fabric->ports * d->lanes * d->words; }

static bool has_cycle(const depend *d) {
  ripstop_arena *scratch = ripstop_arena_new();
  depend_cycles cycles;
  depend_search(d, scratch, &cycles);
  ripstop_arena_free(scratch);
  return cycles.length > 0;
}

static void keep_own(repair *r) {
  depend_open(&r->own, r->arena, r->view, r->tables->lanes);
  depend_count(&r->own, r->arena);
  for (uint32_t a = 0; a < r->data; a++) depend_on(&r->own, r, a);
}

repair *repair_new(const ripstop_view *view, const ripstop_forwarding *tables) {
  ripstop_arena *arena = ripstop_arena_new();
  repair *r = RIPSTOP_NEW(arena, repair);
  uint32_t switches = ripstop_fabric_switches(view->fabric);
  *r = (repair){.fabric = view->fabric, .switches = switches, .arena = arena};
  r->view = ripstop_view_copy(view);
  r->original = tables;
  r->tables = copy_tables(tables);
  r->undo = ripstop_arena_new();
  while (r->data < tables->addresses && ripstop_is_end(r->fabric, tables->node[r->data])) r->data++;
  trees_open(&r->trees, arena, r->view);
  depend_open(&r->graph, arena, r->view, tables->lanes);
  r->load = RIPSTOP_ARRAY(arena, r->fabric->ports, uint64_t);
  r->flow = RIPSTOP_ARRAY(arena, switches, uint64_t);
  r->broken = RIPSTOP_ARRAY(arena, switches, uint32_t);
  r->distance = RIPSTOP_ARRAY(arena, switches, uint32_t);
  r->crosses = RIPSTOP_ARRAY(arena, switches, bool);
  r->link_dies = RIPSTOP_ARRAY(arena, r->fabric->links, bool);
  r->switch_dies = RIPSTOP_ARRAY(arena, r->fabric->nodes, bool);
  r->old = RIPSTOP_ARRAY(arena, r->data, old_column);
  for (uint32_t a = 0; a < r->data; a++) account(r, a, true), depend_on(&r->graph, r, a);
  r->looping = r->own_kept = r->own_looping = has_cycle(&r->graph);
  if (r->own_kept) keep_own(r);
  r->disconnected = ripstop_view_disconnected_pairs(r->view);
  return r;
}

void repair_free(repair *r) {
  ripstop_view_free(r->view);
  ripstop_forwarding_free(r->tables);
  ripstop_arena_free(r->undo);
  ripstop_arena_free(r->arena);
}

const ripstop_view *repair_view(const repair *r) { return r->view; }
const ripstop_forwarding *repair_tables(const repair *r) { return r->tables; }

/* ------------------------------------------------------------------ which addresses a part matters to */

/* Whether the port dies. */
static bool dies(const repair *r, uint32_t port) {
  const ripstop_fabric *f = r->fabric;
  if (!r->view->port_up[port]) return false;
  return r->link_dies[f->port_link[port]] || r->switch_dies[f->port_node[port]] ||
         r->switch_dies[f->port_node[f->peer[port]]];
}

static bool end_dies(const repair *r, uint32_t end) { return dies(r, r->fabric->port_base[end]); }

static bool some_end_dies(const repair *r) {
  bool any = false;
  for (uint32_t end = 0; end < r->fabric->ends && !any; end++) any = end_dies(r, end);
  return any;
}

/* Whether the entry of the switch at one end of a port, for the address, leads out of it. */
static bool leads_out(const repair *r, uint32_t address, uint32_t port) {
  const ripstop_fabric *f = r->fabric;
  uint32_t node = f->port_node[port];
  return !ripstop_is_end(f, node) && ripstop_forwarding_port(r->tables, address, node) == port - f->port_base[node];
}

/* Whether some entry for the address leads over a port that dies. */
static bool leads_over(const repair *r, uint32_t address) {
  const ripstop_fabric *f = r->fabric;
  for (uint32_t i = 0; i < r->parts.links; i++)
    for (unsigned side = 0; side < 2; side++)
      if (leads_out(r, address, f->link_port[2 * (size_t)r->parts.link[i] + side])) return true;
  for (uint32_t i = 0; i < r->parts.switches; i++) /* its neighbours' entries */
    for (uint32_t port = f->port_base[r->parts.switch_[i]]; port < f->port_base[r->parts.switch_[i] + 1]; port++)
      if (dies(r, port) && leads_out(r, address, f->peer[port])) return true;
  return false;
}

static void remember(repair *r, uint32_t address) {
  if (r->own_kept) depend_take(&r->own, r->tables, address);
  old_column *old = &r->old[r->olds++];
  *old = (old_column){.address = address, .port = RIPSTOP_ARRAY(r->undo, r->switches, uint16_t)};
  memcpy(old->port, r->tables->port + (size_t)address * r->switches, r->switches * sizeof *old->port);
}

/* ------------------------------------------------------------------ what goes with the part */

/* The switch that an entry leads to over a live port, the port in *port; RIPSTOP_NONE: it leads to no switch. */
static uint32_t follow(const repair *r, uint32_t address, uint32_t node, uint32_t *port) {
  const ripstop_fabric *f = r->fabric;
  uint32_t local = ripstop_forwarding_port(r->tables, address, node);
  *port = RIPSTOP_NONE;
  if (local >= ripstop_node_ports(f, node) || !r->view->port_up[f->port_base[node] + local]) return RIPSTOP_NONE;
  *port = f->port_base[node] + local;
  uint32_t other = f->port_node[f->peer[*port]];
  return ripstop_is_end(f, other) ? RIPSTOP_NONE : other;
}

/* Whether packets from a switch arrive at the address. */
static bool arrives(const repair *r, uint32_t address, uint32_t node) {
  uint32_t port;
  for (uint32_t steps = 0; steps <= r->switches; steps++) {
    uint32_t next = follow(r, address, node, &port);
    if (next == RIPSTOP_NONE)
      return port != RIPSTOP_NONE && r->fabric->port_node[r->fabric->peer[port]] == r->tables->node[address];
    node = next;
  }
  return false;
}

/* The path from a dying end node to an address: 1 when there was one. */
static uint64_t forget_source(repair *r, uint32_t end, uint32_t address) {
  uint32_t node = ripstop_end_switch(r->fabric, end), port;
  if (!arrives(r, address, node)) return 0;
  for (uint32_t next; (next = follow(r, address, node, &port)) != RIPSTOP_NONE; node = next) r->load[port]--;
  return 1;
}

/* All that dying end nodes send; from here on they are no sources any more. */
static uint64_t forget_sources(repair *r) {
  const ripstop_fabric *f = r->fabric;
  uint64_t paths = 0;
  for (uint32_t end = 0; end < f->ends; end++) {
    if (!end_dies(r, end)) continue;
    for (uint32_t a = 0; a < r->data; a++)
      if (end != r->tables->node[a]) paths += forget_source(r, end, a);
    r->trees.sources[ripstop_end_switch(f, end) - f->ends]--;
    r->trees.alive--;
  }
  return paths;
}

/* Paths of the address that is being looked at which cross a part that dies. */
static uint64_t crossing(repair *r) {
  const trees *t = &r->trees;
  uint64_t paths = 0;
  for (uint32_t i = t->peeled; i-- > 0;) { /* from the target outwards */
    uint32_t s = t->order[i];
    r->crosses[s] =
        t->fate[s] == TREE_HOME && t->leads[s] == TREE_GOES_ON && (dies(r, t->port[s]) || r->crosses[t->next[s]]);
    if (r->crosses[s]) paths += trees_sources(t, s);
  }
  return paths;
}

static uint64_t arriving(const repair *r) {
  uint64_t paths = 0;
  for (uint32_t s = 0; s < r->switches; s++)
    if (r->trees.fate[s] == TREE_HOME) paths += trees_sources(&r->trees, s);
  return paths;
}

/* Takes the flows of all addresses that the part matters to from the loads; returns how many paths are lost. */
static uint64_t forget_paths(repair *r) {
  uint64_t paths = forget_sources(r);
  for (uint32_t a = 0; a < r->data; a++) {
    uint32_t target = r->tables->node[a];
    if (!end_dies(r, target) && !leads_over(r, a)) continue;
    if (end_dies(r, target)) { /* its own sending has been forgotten, so it does not count among its switch's sources */
      r->trees.sources[ripstop_end_switch(r->fabric, target) - r->fabric->ends]++;
      account(r, a, false);
      paths += arriving(r);
      r->trees.sources[ripstop_end_switch(r->fabric, target) - r->fabric->ends]--;
    } else {
      account(r, a, false);
      paths += crossing(r);
    }
    remember(r, a);
  }
  return paths;
}

/* ------------------------------------------------------------------ new ways */

/* A switch can go on through a port, so many links from its target: the first such port, or a better one? */
static void offer(repair *r, uint32_t port, uint32_t distance) {
  uint32_t node = r->fabric->port_node[port], s = node - r->fabric->ends, base = r->fabric->port_base[node];
  uint32_t best = base + ripstop_forwarding_port(r->tables, r->trees.address, node);
  if (r->distance[s] < distance) return;
  if (r->distance[s] == distance && (r->load[port] > r->load[best] || (r->load[port] == r->load[best] && port > best)))
    return;
  r->distance[s] = distance;
  ripstop_forwarding_set(r->tables, r->trees.address, node, (uint16_t)(port - base));
}

/* Offers to the neighbours of a switch that are out of reach: it is `distance` links from the target. */
static void offer_around(repair *r, uint32_t s, uint32_t distance) {
  const ripstop_fabric *f = r->fabric;
  for (uint32_t port = f->port_base[f->ends + s]; port < f->port_base[f->ends + s + 1]; port++) {
    uint32_t other = r->view->port_up[port] ? f->port_node[f->peer[port]] : 0;
    if (other >= f->ends && r->trees.fate[other - f->ends] != TREE_HOME) offer(r, f->peer[port], distance + 1);
  }
}

/* What switches from which packets arrive offer to one from which they do not. */
static void take_offers(repair *r, uint32_t s) {
  const ripstop_fabric *f = r->fabric;
  for (uint32_t port = f->port_base[f->ends + s]; port < f->port_base[f->ends + s + 1]; port++) {
    uint32_t other = r->view->port_up[port] ? f->port_node[f->peer[port]] : 0;
    if (other >= f->ends && r->trees.fate[other - f->ends] == TREE_HOME)
      offer(r, port, r->trees.hops[other - f->ends] + 1);
  }
}

/* Puts back the entries of switches that no packet from an end node comes by: a part that nobody needs any more is not
 * led back into use, which would only add to what mixtures can hold and wait for. */
static void keep_to_the_needed(repair *r, const old_column *old) {
  uint32_t port;
  memset(r->crosses, 0, r->switches * sizeof *r->crosses);
  for (uint32_t s = 0; s < r->switches; s++)
    for (uint32_t at = s; trees_sources(&r->trees, s) > 0 && !r->crosses[at];) {
      uint32_t next = follow(r, old->address, r->fabric->ends + at, &port);
      r->crosses[at] = true;
      if (next != RIPSTOP_NONE) at = next - r->fabric->ends;
    }
  for (uint32_t s = 0; s < r->switches; s++)
    if (!r->crosses[s]) ripstop_forwarding_set(r->tables, old->address, r->fabric->ends + s, old->port[s]);
}

/* The least distance of a broken switch beyond this one; RIPSTOP_NONE: there is none. */
static uint32_t next_distance(const repair *r, uint32_t broken, uint32_t distance) {
  uint32_t least = RIPSTOP_NONE;
  for (uint32_t i = 0; i < broken; i++) {
    uint32_t here = r->distance[r->broken[i]];
    if (here > distance && here < least) least = here;
  }
  return least;
}

/* New entries for the switches from which packets for the address do not arrive, the nearest first. */
static void mend(repair *r, const old_column *old) {
  uint32_t broken = 0, *list = r->broken;
  trees_look(&r->trees, r->tables, old->address);
  for (uint32_t s = 0; s < r->switches; s++) {
    r->distance[s] = RIPSTOP_NONE;
    if (r->trees.fate[s] != TREE_HOME) list[broken++] = s;
  }
  for (uint32_t i = 0; i < broken; i++) take_offers(r, list[i]);
  for (uint32_t distance = 1; distance < RIPSTOP_NONE; distance = next_distance(r, broken, distance))
    for (uint32_t i = 0; i < broken; i++)
      if (r->distance[list[i]] == distance) offer_around(r, list[i], distance);
  keep_to_the_needed(r, old);
}

static uint64_t count_changes(const repair *r, const old_column *old) {
  const uint16_t *now = r->tables->port + (size_t)old->address * r->switches;
  uint64_t changed = 0;
  for (uint32_t s = 0; s < r->switches; s++) changed += now[s] != old->port[s];
  return changed;
}

static uint64_t worst_load(const repair *r) {
  const ripstop_fabric *f = r->fabric;
  uint64_t worst = 0;
  for (size_t i = 2 * (size_t)f->link_ends; i < 2 * (size_t)f->links; i++)
    if (r->load[f->link_port[i]] > worst) worst = r->load[f->link_port[i]];
  return worst;
}

/* All tables anew, for when packets of other addresses have lost their sources too. */
static bool loop_of_all(repair *r) {
  ripstop_arena *scratch = ripstop_arena_new();
  depend d;
  depend_open(&d, scratch, r->view, r->tables->lanes);
  for (uint32_t a = 0; a < r->data; a++) depend_on(&d, r, a);
  bool loop = has_cycle(&d);
  ripstop_arena_free(scratch);
  return loop;
}

/* Whether some switch that had end nodes has none any more: then walks of all addresses begin at fewer switches. */
static bool sources_gone(const repair *r) {
  const ripstop_fabric *f = r->fabric;
  if (r->parts.switches > 0) return true;
  for (uint32_t i = 0; i < r->parts.links; i++)
    if (r->parts.link[i] < f->link_ends && r->trees.sources[ripstop_end_switch(f, r->parts.link[i]) - f->ends] == 0)
      return true;
  return false;
}

/* Whether the present tables alone have a credit loop, given that mixtures have one. */
static bool new_loop(repair *r) {
  if (!r->own_kept || sources_gone(r)) return loop_of_all(r);
  return r->olds > 0 ? has_cycle(&r->own) : r->own_looping;
}

/* Pairs that have a path, of which at least one end node dies. */
static uint64_t pairs_of_the_dying(repair *r) {
  const ripstop_fabric *f = r->fabric;
  if (!some_end_dies(r)) return 0;
  uint32_t *component = RIPSTOP_ARRAY(r->undo, f->nodes, uint32_t);
  uint64_t *all = RIPSTOP_ARRAY(r->undo, f->nodes, uint64_t), *left = RIPSTOP_ARRAY(r->undo, f->nodes, uint64_t);
  uint64_t pairs = 0;
  ripstop_view_components(r->view, component);
  for (uint32_t end = 0; end < f->ends; end++) {
    if (component[end] == RIPSTOP_NONE) continue;
    all[component[end]]++;
    left[component[end]] += !end_dies(r, end);
  }
  for (uint32_t i = 0; i < f->nodes; i++)
    if (all[i] > 0) pairs += all[i] * (all[i] - 1) - left[i] * (left[i] - (left[i] > 0));
  return pairs;
}

static void save(repair *r) {
  size_t words = edge_words(&r->graph);
  r->olds = 0;
  r->old_disconnected = r->disconnected;
  r->old_looping = r->looping;
  r->old_own_looping = r->own_looping;
  r->old_edge = RIPSTOP_ARRAY(r->undo, words, uint64_t);
  r->old_load = RIPSTOP_ARRAY(r->undo, r->fabric->ports, uint64_t);
  memcpy(r->old_edge, r->graph.edge, words * sizeof *r->old_edge);
  memcpy(r->old_load, r->load, r->fabric->ports * sizeof *r->old_load);
}

/* What of the parts is alive, as lists and marks. */
static void mark(repair *r, const ripstop_faults *parts) {
  uint32_t *link = RIPSTOP_ARRAY(r->undo, parts->links, uint32_t);
  uint32_t *switch_ = RIPSTOP_ARRAY(r->undo, parts->switches, uint32_t);
  r->parts = (ripstop_faults){.link = link, .switch_ = switch_};
  for (uint32_t i = 0; i < parts->links; i++)
    if (r->view->link_up[parts->link[i]]) link[r->parts.links++] = parts->link[i];
  for (uint32_t i = 0; i < parts->switches; i++)
    if (r->view->node_up[parts->switch_[i]]) switch_[r->parts.switches++] = parts->switch_[i];
  for (uint32_t i = 0; i < r->parts.links; i++) r->link_dies[link[i]] = true;
  for (uint32_t i = 0; i < r->parts.switches; i++) r->switch_dies[switch_[i]] = true;
}

static void set_parts(repair *r, bool up) {
  ripstop_view_set_faults(r->view, &r->parts, up);
  for (uint32_t i = 0; i < r->parts.links; i++) r->link_dies[r->parts.link[i]] = false;
  for (uint32_t i = 0; i < r->parts.switches; i++) r->switch_dies[r->parts.switch_[i]] = false;
  trees_recount(&r->trees);
}

void repair_kill(repair *r, const ripstop_faults *parts, ripstop_what_if *out) {
  *out = (ripstop_what_if){0};
  ripstop_arena_clear(r->undo);
  mark(r, parts);
  save(r);
  out->own = pairs_of_the_dying(r);
  out->on_it = forget_paths(r);
  set_parts(r, false);
  for (uint32_t i = 0; i < r->olds; i++) {
    mend(r, &r->old[i]);
    depend_on_both(&r->graph, r, r->old[i].address);
    if (r->own_kept) depend_on(&r->own, r, r->old[i].address);
    account(r, r->old[i].address, true);
    out->changed += count_changes(r, &r->old[i]);
  }
  r->disconnected = ripstop_view_disconnected_pairs(r->view);
  out->disconnected = r->disconnected - r->old_disconnected;
  out->worst = worst_load(r);
  if (r->looping || out->changed > 0) r->looping = has_cycle(&r->graph);
  out->mixture_loop = r->looping;
  out->credit_loop = r->own_looping = out->mixture_loop && new_loop(r);
}

void repair_undo(repair *r) {
  size_t words = edge_words(&r->graph);
  for (uint32_t i = 0; r->own_kept && i < r->olds; i++) depend_take(&r->own, r->tables, r->old[i].address);
  set_parts(r, true);
  for (uint32_t i = 0; i < r->olds; i++)
    memcpy(r->tables->port + (size_t)r->old[i].address * r->switches, r->old[i].port,
           r->switches * sizeof *r->old[i].port);
  for (uint32_t i = 0; r->own_kept && i < r->olds; i++) depend_on(&r->own, r, r->old[i].address);
  memcpy(r->graph.edge, r->old_edge, words * sizeof *r->old_edge);
  memcpy(r->load, r->old_load, r->fabric->ports * sizeof *r->load);
  r->disconnected = r->old_disconnected;
  r->looping = r->old_looping;
  r->own_looping = r->old_own_looping;
}
