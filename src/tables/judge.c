/* judge.c - walks every pair through forwarding tables, all sources of an address at once (trees.h), and puts all
 * dependencies of their packets into one graph (depend.h). */
#include "ripstop/kit/judge.h"
#include "base/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "tables/depend.h"
#include "tables/multicast.h"
#include "tables/trees.h"

typedef struct judge {
  const ripstop_fabric *fabric;
  const ripstop_forwarding *tables;
  trees trees;
  uint64_t *flow;             /* [switches] */
  bool *failed;               /* [switches]: some address of the present end node is not reached from here */
  uint64_t *load, *histogram; /* [ports], [switches + 1] */
  uint64_t count[TREE_FATES]; /* paths */
} judge;

static void open_judge(judge *j, ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables) {
  uint32_t switches = ripstop_fabric_switches(view->fabric);
  *j = (judge){.fabric = view->fabric, .tables = tables};
  trees_open(&j->trees, arena, view);
  j->flow = RIPSTOP_ARRAY(arena, switches, uint64_t);
  j->failed = RIPSTOP_ARRAY(arena, switches, bool);
  j->load = RIPSTOP_ARRAY(arena, view->fabric->ports, uint64_t);
  j->histogram = RIPSTOP_ARRAY(arena, (size_t)switches + 1, uint64_t);
}

/* ------------------------------------------------------------------ one address */

/* Adds the sources of each switch to the account, and the paths that arrive to the channels that they use. */
static void walk_address(judge *j, uint32_t address) {
  const trees *t = &j->trees;
  trees_look(&j->trees, j->tables, address);
  trees_flow(t, j->flow);
  if (t->sets) trees_add_shares(t, j->flow, j->load);
  for (uint32_t s = 0; s < t->switches; s++) {
    uint32_t sources = trees_sources(t, s);
    j->count[t->fate[s]] += sources;
    if (t->fate[s] != TREE_HOME) j->failed[s] = true;
    if (t->fate[s] != TREE_HOME) continue;
    j->histogram[t->hops[s]] += sources;
    if (!t->sets && t->leads[s] == TREE_GOES_ON) j->load[t->port[s]] += j->flow[s];
  }
}

/* ------------------------------------------------------------------ all addresses */

/* Sources other than the present target that are disconnected. */
static uint32_t cut_off(const judge *j) {
  const trees *t = &j->trees;
  return j->fabric->ends - 1 - (t->alive - (t->own != RIPSTOP_NONE));
}

/* Sources that do not reach some address of the present target. */
static uint64_t unreached_of(const judge *j) {
  uint64_t unreached = cut_off(j);
  for (uint32_t s = 0; s < j->trees.switches; s++)
    if (j->failed[s]) unreached += trees_sources(&j->trees, s);
  return unreached;
}

static void walk_all(judge *j, ripstop_table_verdict *out) {
  const ripstop_forwarding *t = j->tables;
  uint32_t others = j->fabric->ends - 1;
  for (uint32_t address = 0, next; address < t->addresses && ripstop_is_end(j->fabric, t->node[address]);
       address = next) {
    uint32_t target = t->node[address];
    memset(j->failed, 0, j->trees.switches * sizeof *j->failed);
    for (next = address; next < t->addresses && t->node[next] == target; next++) {
      walk_address(j, next);
      out->paths += others;
      j->count[TREE_DEAD_END] += cut_off(j);
    }
    out->pairs += others;
    out->unreached += unreached_of(j);
  }
  out->reached = j->count[TREE_HOME];
  out->dead_ends = j->count[TREE_DEAD_END];
  out->astray = j->count[TREE_ASTRAY];
  out->loops = j->count[TREE_LOOP];
}

/* A packet for a switch has arrived when it is at that switch, whatever the switch's own entry says. */
static bool all_reach(const judge *j, uint32_t target) {
  const trees *t = &j->trees;
  for (uint32_t s = 0; s < t->switches; s++)
    if (t->sources[s] > 0 && t->fate[s] != TREE_HOME && j->fabric->ends + s != target) return false;
  return true;
}

static void walk_switches(judge *j, ripstop_table_verdict *out) {
  const ripstop_forwarding *t = j->tables;
  for (uint32_t a = 0; a < t->addresses; a++) {
    if (ripstop_is_end(j->fabric, t->node[a]) || !j->trees.view->node_up[t->node[a]]) continue;
    trees_look(&j->trees, t, a);
    out->switch_addresses++;
    out->switch_addresses_unreached += !all_reach(j, t->node[a]);
  }
}

static void tell_hops(const judge *j, ripstop_table_verdict *out) {
  uint64_t sum = 0;
  for (uint32_t hops = 0; hops <= j->trees.switches; hops++) {
    if (j->histogram[hops]) out->max_hops = hops;
    sum += hops * j->histogram[hops];
  }
  out->hops = j->histogram;
  out->mean_hops = out->reached ? (double)sum / (double)out->reached : NAN;
}

static void tell_loads(const judge *j, ripstop_arena *arena, ripstop_table_verdict *out) {
  const ripstop_fabric *f = j->fabric;
  uint64_t *sorted = RIPSTOP_ARRAY(arena, 2 * (size_t)(f->links - f->link_ends) + 1, uint64_t);
  out->load = j->load;
  out->unit = j->trees.unit;
  out->worst_port = RIPSTOP_NONE;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    const uint32_t *port = &f->link_port[2 * (size_t)link];
    if (!j->trees.view->port_up[port[0]]) continue;
    out->unused_links += j->load[port[0]] == 0 && j->load[port[1]] == 0;
    for (unsigned side = 0; side < 2; side++) {
      uint64_t load = sorted[out->channels++] = j->load[port[side]];
      out->unused += load == 0;
      if (out->worst_port == RIPSTOP_NONE || load > out->worst) out->worst = load, out->worst_port = port[side];
    }
  }
  qsort(sorted, out->channels, sizeof *sorted, ripstop_by_u64);
  if (out->channels > 0) out->p99 = sorted[(uint32_t)(((uint64_t)out->channels * 99 + 99) / 100) - 1];
}

static void take_cycles(ripstop_table_verdict *out, const depend_cycles *cycles) {
  out->in_loops = cycles->vertices;
  out->loop_length = cycles->length;
  out->loop = cycles->cycle;
  out->credit_loop = cycles->length > 0;
}

/* Adds what multicast packets wait for to the graph of unicast packets. */
static void add_multicast(depend *d, const depend_mix *m, ripstop_arena *arena, ripstop_table_verdict *out) {
  depend_cycles cycles;
  depend_add_groups(d, m, 0);
  depend_search(d, m->view, arena, &cycles);
  take_cycles(out, &cycles);
  out->multicast = multicast_judge(arena, m, d->lanes);
  if (cycles.length > 0) multicast_name_waiters(arena, m, d->lanes, out);
}

static void find_loop(const judge *j, ripstop_arena *arena, const ripstop_forwarding *levels,
                      ripstop_table_verdict *out) {
  ripstop_forwarding wide = *j->tables;
  const ripstop_forwarding *const t = &wide;
  RIPSTOP_LOCAL_ARENA(scratch);
  depend d;
  depend_cycles cycles;
  wide.lanes = out->lanes = depend_lanes(j->tables, levels);
  const depend_mix m = {.view = j->trees.view, .tables = &t, .table_count = 1, .levels = &levels, .level_count = 1};
  depend_make(&d, scratch, &m, t->lanes, ripstop_forwarding_ends(t));
  depend_search(&d, m.view, arena, &cycles);
  take_cycles(out, &cycles);
  out->credit_loop_unicast = out->credit_loop;
  out->lanes_used = depend_lanes_used(&d);
  if (t->groups) add_multicast(&d, &m, arena, out);
}

/* Ordered pairs whose second end node has an address to which no physical path leads. */
static uint64_t disconnected(ripstop_arena *arena, const judge *j) {
  const ripstop_fabric *f = j->fabric;
  uint32_t *component = RIPSTOP_ARRAY(arena, f->nodes, uint32_t);
  uint64_t *members = RIPSTOP_ARRAY(arena, f->nodes, uint64_t), pairs = 0;
  ripstop_view_components(j->trees.view, component);
  for (uint32_t end = 0; end < f->ends; end++)
    if (component[end] != RIPSTOP_NONE) members[component[end]]++;
  for (uint32_t a = 0; a < j->tables->addresses && ripstop_is_end(f, j->tables->node[a]); a++) {
    uint32_t end = j->tables->node[a];
    if (a > 0 && j->tables->node[a - 1] == end) continue;
    pairs += f->ends - (component[end] == RIPSTOP_NONE ? 1 : members[component[end]]);
  }
  return pairs;
}

int ripstop_judge(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                  const ripstop_forwarding *levels, ripstop_table_verdict *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  judge j;
  *out = (ripstop_table_verdict){0};
  open_judge(&j, arena, view, tables);
  walk_all(&j, out);
  walk_switches(&j, out);
  tell_hops(&j, out);
  tell_loads(&j, arena, out);
  out->disconnected = disconnected(arena, &j);
  find_loop(&j, arena, levels ? levels : tables, out);
  return 0;
}

void ripstop_judge_print_lane(ripstop_text *out, const ripstop_fabric *fabric, uint32_t lanes, uint32_t lane) {
  char name[RIPSTOP_NAME_MAX];
  uint32_t port = lane / lanes, node = fabric->port_node[port];
  ripstop_node_name(fabric, node, name);
  ripstop_text_add(out, "%s[%u]", name, port - fabric->port_base[node]);
  if (lanes > 1) ripstop_text_add(out, " VL %u", lane % lanes);
}
