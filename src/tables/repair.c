/* repair.c - tables, loads and dependencies that follow one failed part after the other.
 *
 * For each address, only the switches whose packets crossed the part are looked at: the tree behind it. Everything
 * else follows from the difference. Paths are subtracted from the loads along the old route and added along the new
 * one, and the graph gets the dependencies of packets from there in every transient state of original and present
 * entries. If it has no cycle, the new tables have none; only otherwise are the new tables judged alone.
 *
 * Invariant: load[] is the load of the present tables; hops[] says which of their entries lead to the address, and
 * how far. If repair_transient_loop has been called, the graph holds at least the dependencies of all transient states
 * between the original tables and the present ones. */
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "tables/addresses.h"
#include "tables/depend.h"
#include "tables/repair_state.h"
#include "tables/trees.h"

/* ------------------------------------------------------------------ the original tables */

static void read_address(repair *r, trees *t, uint32_t address) {
  uint32_t *hops = hops_of(r, address);
  trees_look(t, r->tables, address);
  trees_flow(t, r->flow);
  for (uint32_t s = 0; s < r->switches; s++) {
    bool home = t->fate[s] == TREE_HOME;
    hops[s] = home ? t->hops[s] : RIPSTOP_NONE;
    r->lost[address] += !home;
    if (home && t->leads[s] == TREE_GOES_ON) r->load[r->net.hop[t->port[s]].channel] += r->flow[s];
  }
}

static void read_tables(repair *r) {
  trees t;
  RIPSTOP_LOCAL_ARENA(scratch);
  trees_open(&t, scratch, r->view);
  trees_count_sources(r->view, r->sources);
  for (uint32_t s = 0; s < r->switches; s++) r->list[s] = s;
  const ripstop_forwarding *const now = r->tables;
  depend_mix m = {.view = r->view, .tables = &now, .table_count = 1, .levels = &now, .level_count = 1};
  depend_open(&r->mixed, r->arena, &r->net, &m, depend_lanes(now, now), DEPEND_LOGGED);
  for (m.address = 0; m.address < r->data; m.address++) {
    read_address(r, &t, m.address);
    depend_add(&r->mixed, &m, r->list, r->switches);
  }
  depend_add_groups(&r->mixed, &m, 0);
  depend_settle(&r->mixed);
  depend_sort(&r->mixed);
  r->looping = depend_cycle(&r->mixed, r->view);
  repair_find_makers(r);
  memset(r->flow, 0, r->switches * sizeof *r->flow);
}

repair *repair_new(const ripstop_view *view, const ripstop_forwarding *tables) {
  ripstop_arena *arena = ripstop_arena_new();
  repair *r = RIPSTOP_NEW(arena, repair);
  uint32_t switches = ripstop_fabric_switches(view->fabric);
  *r = (repair){.before = view, .original = tables, .fabric = view->fabric, .switches = switches, .arena = arena};
  r->view = ripstop_view_copy(view);
  r->tables = forwarding_like(ripstop_arena_new(), tables, tables->node, tables->addresses);
  memcpy(r->tables->port, tables->port, (size_t)tables->addresses * switches * sizeof *tables->port);
  r->undo = ripstop_arena_new();
  switch_graph_make(&r->net, r->view, (switch_graph_kind){.whole = true, .by_port = true}, arena);
  switch_graph_list_ends(&r->net, arena);
  r->data = ripstop_forwarding_ends(tables);
  uint32_t **const rows[] = {&r->sources, &r->mark, &r->distance, &r->best, &r->scope, &r->allowed};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = RIPSTOP_ARRAY(arena, switches, uint32_t);
  r->list = RIPSTOP_ARRAY(arena, 2 * (size_t)switches, uint32_t);
  r->waits = RIPSTOP_ARRAY(arena, switches, bool);
  r->behind = RIPSTOP_ARRAY(arena, (size_t)switches + 2, uint32_t);
  r->hops = RIPSTOP_ARRAY(arena, (size_t)r->data * switches, uint32_t);
  r->lost = RIPSTOP_ARRAY(arena, r->data, uint32_t);
  r->load = RIPSTOP_ARRAY(arena, r->net.channels, uint64_t);
  r->flow = RIPSTOP_ARRAY(arena, switches, uint64_t);
  r->link_dies = RIPSTOP_ARRAY(arena, r->fabric->links, bool);
  r->switch_dies = RIPSTOP_ARRAY(arena, r->fabric->nodes, bool);
  r->torn = RIPSTOP_ARRAY(arena, r->data, torn);
  read_tables(r);
  r->disconnected = ripstop_view_disconnected_pairs(r->view);
  return r;
}

void repair_free(repair *r) {
  ripstop_view_free(r->view);
  ripstop_forwarding_free(r->tables);
  depend_free(&r->mixed);
  depend_free(&r->own);
  ripstop_free(r->member);
  ripstop_arena_free(r->undo);
  ripstop_arena_free(r->arena);
}

const ripstop_view *repair_view(const repair *r) { return r->view; }
const ripstop_forwarding *repair_tables(const repair *r) { return r->tables; }

/* ------------------------------------------------------------------ addresses that a part affects */

/* True if the port fails. */
static bool dies(const repair *r, uint32_t port) {
  const ripstop_fabric *f = r->fabric;
  if (!r->view->port_up[port]) return false;
  return r->link_dies[f->port_link[port]] || r->switch_dies[f->port_node[port]] ||
         r->switch_dies[f->port_node[f->peer[port]]];
}

static bool end_dies(const repair *r, uint32_t end) { return r->ends_die && dies(r, r->fabric->port_base[end]); }

static bool some_end_dies(const repair *r) {
  bool any = false;
  for (uint32_t i = 0; i < r->parts.links; i++) any |= r->parts.link[i] < r->fabric->link_ends;
  for (uint32_t i = 0; i < r->parts.switches; i++) any |= r->sources[r->parts.switch_[i] - r->fabric->ends] > 0;
  return any;
}

/* Lists the switch at one end of a port as a root, if its entry for the address leads out of that port. */
static uint32_t list_root(const repair *r, uint32_t address, uint32_t port, uint32_t roots) {
  const ripstop_fabric *f = r->fabric;
  uint32_t node = f->port_node[port];
  if (ripstop_is_end(f, node) || ripstop_forwarding_port(r->tables, address, node) != port - f->port_base[node])
    return roots;
  r->list[roots] = node - f->ends;
  return roots + 1;
}

/* Lists the switches whose entries for the address lead over a port that fails, except failing switches. */
static uint32_t list_roots(const repair *r, uint32_t address) {
  const ripstop_fabric *f = r->fabric;
  uint32_t roots = 0;
  for (uint32_t i = 0; i < r->parts.links; i++)
    for (unsigned side = 0; side < 2; side++)
      roots = list_root(r, address, f->link_port[2 * (size_t)r->parts.link[i] + side], roots);
  for (uint32_t i = 0; i < r->parts.switches; i++)
    for (uint32_t port = f->port_base[r->parts.switch_[i]]; port < f->port_base[r->parts.switch_[i] + 1]; port++)
      if (dies(r, port)) roots = list_root(r, address, f->peer[port], roots);
  return roots;
}

/* ------------------------------------------------------------------ paths lost with the part */

/* Removes the paths of failing end nodes; from here on they are no sources. */
static uint64_t forget_sources(repair *r) {
  const ripstop_fabric *f = r->fabric;
  uint64_t paths = 0;
  for (uint32_t end = 0; end < f->ends; end++) {
    if (!end_dies(r, end)) continue;
    uint32_t s = ripstop_end_switch(f, end) - f->ends;
    for (uint32_t a = 0; a < r->data; a++) {
      if (end == r->tables->node[a] || hops_of(r, a)[s] == RIPSTOP_NONE) continue;
      load_candidate(r, r->tables, a, s, (uint64_t)0 - 1);
      paths++;
    }
    r->sources[s]--;
  }
  return paths;
}

uint32_t repair_sources(const repair *r, uint32_t address, uint32_t s) {
  const ripstop_fabric *f = r->fabric;
  uint32_t target = r->tables->node[address];
  bool own = ripstop_end_switch(f, target) == f->ends + s && r->view->port_up[f->port_base[target]];
  return r->sources[s] - (own && !end_dies(r, target));
}

void repair_list(repair *r, uint32_t s, uint32_t hops, uint16_t port) {
  RIPSTOP_GROW(r->member, r->members, r->member_room);
  r->mark[s] = r->marked;
  r->member[r->members++] = (member){.s = s, .hops = hops, .port = port};
}

void repair_add_member(repair *r, uint32_t address, uint32_t s) {
  repair_list(r, s, hops_of(r, address)[s], entries_of(r, address)[s]);
}

/* Adds the switches whose packets cross a root, the root first. */
static void add_tree(repair *r, uint32_t address, uint32_t root) {
  const switch_graph *c = &r->net;
  const uint32_t *hops = hops_of(r, address);
  const uint16_t *entry = entries_of(r, address);
  if (hops[root] == RIPSTOP_NONE || r->mark[root] == r->marked) return;
  uint32_t next = r->members;
  for (repair_add_member(r, address, root); next < r->members; next++) {
    uint32_t s = r->member[next].s;
    for (uint32_t out = c->out_first[s]; out < c->out_first[s + 1]; out++) {
      uint32_t other = c->to[out];
      if (hops[other] == hops[s] + 1 && r->mark[other] != r->marked && switch_graph_leads_back(c, entry, out))
        repair_add_member(r, address, other);
    }
  }
}

/* Sorts the nearest first, so that a root in another root's tree is found there. */
static void sort_roots(const repair *r, uint32_t address, uint32_t roots) {
  const uint32_t *hops = hops_of(r, address);
  for (uint32_t i = 1; i < roots; i++) {
    uint32_t root = r->list[i], k = i;
    for (; k > 0 && hops[r->list[k - 1]] > hops[root]; k--) r->list[k] = r->list[k - 1];
    r->list[k] = root;
  }
}

/* Subtracts the paths of members, from `first` on, from the loads. Returns how many there were. */
static uint64_t forget_flows(repair *r, uint32_t address, uint32_t first) {
  uint64_t paths = 0;
  for (uint32_t i = r->members; i-- > first;) {
    uint32_t s = r->member[i].s, own = repair_sources(r, address, s), c = onward(r, address, s);
    uint64_t flow = r->flow[s] + own;
    r->flow[s] = 0;
    paths += own;
    if (c == RIPSTOP_NONE) continue;
    r->load[c] -= flow;
    uint32_t next = r->net.to[c];
    if (r->mark[next] == r->marked)
      r->flow[next] += flow;
    else if (flow > 0)
      load_candidate(r, r->tables, address, next, (uint64_t)0 - flow);
  }
  return paths;
}

/* Finds the switches whose packets no longer reach the address. Returns how many paths are lost. Of the switches that
 * were lost before, only those that send packets join, unless `all` is set. The search for new paths finds out
 * whether others are needed. */
static uint64_t tear(repair *r, uint32_t address, uint32_t roots, bool all) {
  const uint32_t *hops = hops_of(r, address);
  torn *t = &r->torn[r->torns++];
  *t = (torn){.address = address, .first = r->members, .lost = r->lost[address]};
  r->marked++;
  sort_roots(r, address, roots);
  for (uint32_t i = 0; i < roots; i++) add_tree(r, address, r->list[i]);
  uint64_t paths = forget_flows(r, address, t->first);
  for (uint32_t s = 0; s < r->switches && r->lost[address] > 0; s++)
    if (hops[s] == RIPSTOP_NONE && (all || r->sources[s] > 0)) repair_add_member(r, address, s);
  t->count = r->members - t->first;
  return paths;
}

uint32_t repair_walk(const repair *r, const ripstop_forwarding *tables, uint32_t address, uint32_t s) {
  const ripstop_fabric *f = r->fabric;
  for (uint32_t hops = 0; hops < r->switches; hops++) {
    uint32_t c = switch_graph_onward(&r->net, r->view, tables, address, s);
    if (c == RIPSTOP_NONE) {
      uint32_t local = ripstop_forwarding_port(tables, address, f->ends + s), port = f->port_base[f->ends + s] + local;
      bool up = local < ripstop_node_ports(f, f->ends + s) && r->view->port_up[port];
      return up && f->port_node[f->peer[port]] == tables->node[address] ? hops : RIPSTOP_NONE;
    }
    s = r->net.to[c];
  }
  return RIPSTOP_NONE;
}

/* Subtracts the paths over the parts from the loads. Returns how many paths are lost. */
static uint64_t forget_paths(repair *r) {
  const ripstop_fabric *f = r->fabric;
  uint64_t paths = r->ends_die ? forget_sources(r) : 0;
  for (uint32_t a = 0; a < r->data; a++) {
    uint32_t target = r->tables->node[a], roots = list_roots(r, a);
    if (end_dies(r, target))
      r->list[0] = ripstop_end_switch(f, target) - f->ends, roots = 1; /* everything that
                                                                        * arrives */
    if (roots > 0) paths += tear(r, a, roots, false);
  }
  return paths;
}

/* ------------------------------------------------------------------ pairs */

/* Pairs that have a path, and at least one failing end node. */
static uint64_t pairs_of_the_dying(repair *r) {
  const ripstop_fabric *f = r->fabric;
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

/* True if the failed links between switches disconnect nothing: the ends of each still reach each other. */
static bool all_joined(repair *r) {
  const ripstop_fabric *f = r->fabric;
  bool none = !r->ends_die && r->parts.switches == 0;
  for (uint32_t i = 0; i < r->parts.links && none; i++)
    none = switch_graph_joined(&r->net, ripstop_link_node(f, r->parts.link[i], 0) - f->ends,
                               ripstop_link_node(f, r->parts.link[i], 1) - f->ends);
  return none;
}

/* ------------------------------------------------------------------ the whole repair */

uint64_t repair_worst(const repair *r) {
  uint64_t worst = 0;
  for (uint32_t c = 0; c < r->net.channels; c++)
    if (r->load[c] > worst) worst = r->load[c];
  return worst;
}

void repair_loads(const repair *r, uint64_t *load) {
  for (uint32_t port = 0; port < r->fabric->ports; port++) {
    const uint32_t channel = r->net.hop[port].channel;
    load[port] = channel == RIPSTOP_NONE ? 0 : r->load[channel];
  }
}

static void save(repair *r) {
  r->torns = r->members = 0;
  r->old_disconnected = r->disconnected;
  r->old_load = RIPSTOP_ARRAY(r->undo, r->net.channels, uint64_t);
  memcpy(r->old_load, r->load, r->net.channels * sizeof *r->old_load);
  depend_settle(&r->mixed);
  if (!r->looping) depend_sort(&r->mixed);
}

/* Lists and marks the parts that are alive. */
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
  r->ends_die = some_end_dies(r);
}

static void set_parts(repair *r, bool up) {
  ripstop_view_set_faults(r->view, &r->parts, up);
  for (uint32_t i = 0; i < r->parts.links; i++) r->link_dies[r->parts.link[i]] = false;
  for (uint32_t i = 0; i < r->parts.switches; i++) r->switch_dies[r->parts.switch_[i]] = false;
}

void repair_tear(repair *r, const ripstop_faults *parts, ripstop_what_if *out) {
  *out = (ripstop_what_if){0};
  ripstop_arena_clear(r->undo);
  mark(r, parts);
  save(r);
  if (r->ends_die) out->own = pairs_of_the_dying(r);
  out->on_it = forget_paths(r);
  set_parts(r, false);
  if (!all_joined(r)) r->disconnected = ripstop_view_disconnected_pairs(r->view);
  out->disconnected = r->disconnected - r->old_disconnected;
}

void repair_mend(repair *r, ripstop_what_if *out) {
  for (uint32_t i = 0; i < r->torns; i++) out->changed += repair_candidates(r, &r->torn[i], false);
  out->worst = repair_worst(r);
  r->now = r->tables;
  r->change = r->torn;
  r->changes = r->torns;
}

void repair_kill(repair *r, const ripstop_faults *parts, ripstop_what_if *out) {
  repair_tear(r, parts, out);
  repair_mend(r, out);
}

void repair_all(repair *r) {
  for (uint32_t a = 0; a < r->data; a++) {
    r->torns = r->members = 0;
    tear(r, a, 0, true);
    repair_candidates(r, &r->torn[0], true);
  }
}

static void restore(repair *r, const torn *t) {
  uint32_t *hops = hops_of(r, t->address);
  uint16_t *entry = entries_of(r, t->address);
  for (uint32_t i = 0; i < t->count; i++) {
    const member *m = &r->member[t->first + i];
    entry[m->s] = m->port;
    hops[m->s] = m->hops;
  }
  r->lost[t->address] = t->lost;
}

void repair_undo(repair *r) {
  for (uint32_t i = 0; i < r->torns; i++) restore(r, &r->torn[i]);
  set_parts(r, true);
  if (r->ends_die) trees_count_sources(r->view, r->sources);
  memcpy(r->load, r->old_load, r->net.channels * sizeof *r->load);
  depend_undo(&r->mixed);
  r->disconnected = r->old_disconnected;
}
