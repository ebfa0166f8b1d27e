/* rejudge.c - keeps paths and dependencies of the tables that were judged last, and brings them up to date by address.
 */
#include "tables/rejudge.h"

#include <string.h>

#include "base/memory.h"
#include "tables/depend.h"
#include "tables/trees.h"

enum { AHEAD = 16 }; /* rows that are fetched before they are used */

struct rejudge {
  const ripstop_view *view;
  ripstop_view before; /* the same with ports as they were at the last call */
  uint8_t *up;         /* [ports]: its port_up */
  const ripstop_forwarding *tables;
  bool valid;
  uint32_t ends;     /* addresses of end nodes */
  uint32_t *missing; /* [ends]: sources that do not reach the address */
  uint64_t lost;     /* their sum */
  uint64_t *load;    /* [ports] */
  uint64_t *flow;    /* [switches] */
  uint8_t *state;    /* [ends]: of the present call: WAITS, DONE */
  uint32_t *list;    /* [ends]: addresses that are not UNTOUCHED */
  uint32_t listed;
  trees was, is; /* with the ports before, and now */
  switch_graph net;
  depend graph;
  uint32_t *senders, sender_count; /* switches with live end nodes */
};

enum { UNTOUCHED, WAITS, DONE };

static bool is_simple(const ripstop_forwarding *t) {
  return !t->sets && !t->lane && !t->next_level && !t->drops && !t->groups;
}

static depend_mix mix_of(const rejudge *r) {
  return (depend_mix){.view = r->view, .tables = &r->tables, .table_count = 1, .levels = &r->tables, .level_count = 1};
}

rejudge *rejudge_new(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables) {
  const ripstop_fabric *f = view->fabric;
  const uint32_t switches = ripstop_fabric_switches(f);
  if (!is_simple(tables)) return NULL;
  rejudge *r = RIPSTOP_NEW(arena, rejudge);
  *r = (rejudge){.view = view, .before = *view, .tables = tables, .ends = ripstop_forwarding_ends(tables)};
  r->up = RIPSTOP_ARRAY(arena, f->ports, uint8_t);
  r->before.port_up = r->up;
  r->missing = RIPSTOP_ARRAY(arena, r->ends, uint32_t);
  r->load = RIPSTOP_ARRAY(arena, f->ports, uint64_t);
  r->flow = RIPSTOP_ARRAY(arena, switches, uint64_t);
  r->state = RIPSTOP_ARRAY(arena, r->ends, uint8_t);
  r->list = RIPSTOP_ARRAY(arena, r->ends, uint32_t);
  r->senders = RIPSTOP_ARRAY(arena, switches, uint32_t);
  trees_open(&r->was, arena, view);
  trees_open(&r->is, arena, view);
  r->was.view = &r->before;
  switch_graph_make(&r->net, view, (switch_graph_kind){.whole = true, .by_port = true}, arena);
  switch_graph_list_ends(&r->net, arena);
  const depend_mix m = mix_of(r);
  depend_open(&r->graph, arena, &r->net, &m, tables->lanes, DEPEND_LOGGED);
  return r;
}

/* ------------------------------------------------------------------ one address */

/* Adds or subtracts the paths to an address. */
static void count_paths(rejudge *r, trees *t, uint32_t address, bool add) {
  trees_look(t, r->tables, address);
  trees_flow(t, r->flow);
  for (uint32_t s = 0; s < t->switches; s++)
    if (t->fate[s] == TREE_HOME && t->leads[s] == TREE_GOES_ON)
      r->load[t->port[s]] += add ? r->flow[s] : 0 - r->flow[s];
}

/* Sources that do not reach the address that was looked up last. End nodes that are cut off do not count. */
static uint32_t count_missing(const trees *t) {
  uint32_t missing = 0;
  for (uint32_t s = 0; t->own != RIPSTOP_NONE && s < t->switches; s++)
    if (t->fate[s] != TREE_HOME) missing += trees_sources(t, s);
  return missing;
}

static void add_address(rejudge *r, uint32_t address) {
  depend_mix m = mix_of(r);
  count_paths(r, &r->is, address, true);
  r->lost += count_missing(&r->is) - (uint64_t)r->missing[address];
  r->missing[address] = count_missing(&r->is);
  m.address = address;
  depend_add(&r->graph, &m, r->senders, r->sender_count);
}

/* Additions become permanent; their log does not outlive the call. */
static void settle(rejudge *r) {
  depend_settle(&r->graph);
  depend_sort(&r->graph);
  depend_free(&r->graph);
}

/* ------------------------------------------------------------------ the whole tables */

static void count_sources(rejudge *r) {
  switch_graph_follow(&r->net);
  r->sender_count = 0;
  r->is.alive = 0;
  for (uint32_t s = 0; s < r->net.switches; s++)
    if (r->net.hosts[s] > 0) r->senders[r->sender_count++] = s;
  trees_count_sources(r->view, r->is.sources);
  for (uint32_t s = 0; s < r->net.switches; s++) r->is.alive += r->is.sources[s];
  memcpy(r->was.sources, r->is.sources, r->net.switches * sizeof *r->is.sources);
  r->was.alive = r->is.alive;
}

bool rejudge_read(rejudge *r, ripstop_forwarding *tables) {
  const ripstop_fabric *f = r->view->fabric;
  r->valid = false;
  if (!is_simple(tables) || tables->lanes != r->graph.lanes || ripstop_forwarding_ends(tables) != r->ends) return false;
  r->tables = tables;
  r->lost = 0;
  memcpy(r->up, r->view->port_up, f->ports);
  memset(r->load, 0, f->ports * sizeof *r->load);
  memset(r->missing, 0, r->ends * sizeof *r->missing);
  count_sources(r);
  depend_clear(&r->graph);
  for (uint32_t address = 0; address < r->ends; address++) add_address(r, address);
  settle(r);
  r->valid = r->graph.sorted && r->lost == 0;
  return r->valid;
}

/* ------------------------------------------------------------------ changes */

static void touch(rejudge *r, uint32_t address) {
  if (address >= r->ends || r->state[address] != UNTOUCHED) return;
  r->state[address] = WAITS;
  r->list[r->listed++] = address;
}

/* Touches the addresses whose entries lead into a port. */
static void touch_port(rejudge *r, uint32_t port) {
  const ripstop_fabric *f = r->view->fabric;
  const size_t switches = ripstop_fabric_switches(f);
  const uint32_t node = f->port_node[port], local = port - f->port_base[node];
  const uint16_t *entry = r->tables->port + (node - f->ends);
  for (uint32_t address = 0; address < r->ends; address++, entry += switches) {
    __builtin_prefetch(entry + (address + AHEAD < r->ends ? AHEAD * switches : 0));
    if (*entry == local) touch(r, address);
  }
}

/* Touches the addresses of changed channels. False: an end node's link has changed, and so all paths. */
static bool touch_ports(rejudge *r) {
  const ripstop_fabric *f = r->view->fabric;
  for (uint32_t port = 0; port < f->ports; port++) {
    if (r->up[port] == r->view->port_up[port]) continue;
    if (port < f->port_base[f->ends] || ripstop_is_end(f, f->port_node[f->peer[port]])) return false;
    touch_port(r, port);
  }
  return true;
}

/* Gives entries of one address their old ports, or the present ones again. */
static void swap_entries(ripstop_forwarding *tables, ripstop_mended_entry *entry, uint32_t entries) {
  for (uint32_t i = 0; i < entries; i++) {
    uint16_t now = ripstop_forwarding_port(tables, entry[i].address, entry[i].switch_);
    ripstop_forwarding_set(tables, entry[i].address, entry[i].switch_, entry[i].was);
    entry[i].was = now;
  }
}

/* Takes away the paths that the address had. */
static void take_away_old(rejudge *r, ripstop_forwarding *tables, ripstop_mended_entry *entry, uint32_t entries) {
  swap_entries(tables, entry, entries);
  count_paths(r, &r->was, entry->address, false);
  swap_entries(tables, entry, entries);
  r->state[entry->address] = DONE;
}

/* False: an address comes twice. */
static bool take_away_changed(rejudge *r, ripstop_forwarding *tables, ripstop_mended_entry *entry, uint32_t entries) {
  for (uint32_t i = 0, next; i < entries; i = next) {
    for (next = i; next < entries && entry[next].address == entry[i].address;) next++;
    if (entry[i].address >= r->ends) continue;
    if (r->state[entry[i].address] == DONE) return false;
    touch(r, entry[i].address);
    take_away_old(r, tables, entry + i, next - i);
  }
  return true;
}

static bool follow(rejudge *r, ripstop_forwarding *tables, ripstop_mended_entry *entry, uint32_t entries) {
  if (!touch_ports(r) || !take_away_changed(r, tables, entry, entries)) return false;
  for (uint32_t i = 0; i < r->listed; i++)
    if (r->state[r->list[i]] == WAITS) count_paths(r, &r->was, r->list[i], false);
  for (uint32_t i = 0; i < r->listed; i++) add_address(r, r->list[i]);
  memcpy(r->up, r->view->port_up, r->view->fabric->ports);
  bool good = r->lost == 0 && !depend_cycle(&r->graph, r->view);
  settle(r);
  r->valid = good && r->graph.sorted;
  return good;
}

bool rejudge_follow(rejudge *r, ripstop_forwarding *tables, const ripstop_mended_entry *entry, uint32_t entries) {
  if (!r->valid || r->tables != tables) return false;
  r->valid = false;
  ripstop_mended_entry *list = ripstop_realloc(NULL, (size_t)entries + 1, sizeof *list);
  if (entries > 0) memcpy(list, entry, entries * sizeof *list);
  bool good = follow(r, tables, list, entries);
  for (uint32_t i = 0; i < r->listed; i++) r->state[r->list[i]] = UNTOUCHED;
  r->listed = 0;
  ripstop_free(list);
  return good;
}

depend *rejudge_graph(rejudge *r, const ripstop_forwarding *tables) {
  return r->valid && r->tables == tables ? &r->graph : NULL;
}

void rejudge_mix(rejudge *r, const ripstop_forwarding *older, const ripstop_mended_entry *entry, uint32_t entries) {
  const ripstop_forwarding *const both[] = {older, r->tables};
  depend_mix m = {.view = r->view, .tables = both, .table_count = 2, .levels = both, .level_count = 2};
  for (uint32_t i = 0; i < entries; i++) {
    if (entry[i].address >= r->ends || (i > 0 && entry[i].address == entry[i - 1].address)) continue;
    m.address = entry[i].address;
    depend_add(&r->graph, &m, r->senders, r->sender_count);
  }
}

void rejudge_forget(rejudge *r) { r->valid = false; }

uint64_t rejudge_worst(const rejudge *r) {
  uint64_t worst = 0;
  for (uint32_t port = 0; port < r->view->fabric->ports; port++)
    if (r->load[port] > worst) worst = r->load[port];
  return worst;
}
