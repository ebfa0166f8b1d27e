/* opensm.c - see opensm.h. Hops are counted again for each destination switch rather than kept for all: a matrix of
 * switches by channels would be the largest thing here by far. */
#include "methods/shared/opensm.h"

#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "fabric/ib_subnet.h"
#include "methods/shared/opensm_ports.h"

/* ------------------------------------------------------------------ discovery */

typedef struct named {
  uint64_t guid; /* turned */
  uint32_t node;
} named;

/* OpenSM compares GUIDs as they came over the wire, so on all but big-endian computers the last byte counts most. */
static uint64_t turn(uint64_t guid) {
  uint64_t turned = 0;
  for (unsigned i = 0; i < sizeof guid; i++) turned = turned << 8 | (guid >> 8 * i & 0xFF);
  return turned;
}

static int by_guid(const void *a, const void *b) {
  const named *x = a, *y = b;
  if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/* Writes the live switches to `node` [switches of the fabric], their GUIDs to `guid`. Returns their number. */
static uint32_t list_switches(const ripstop_view *view, uint32_t *node, uint64_t *guid, ripstop_arena *arena) {
  const ripstop_fabric *f = view->fabric;
  named *list = RIPSTOP_ARRAY(arena, ripstop_fabric_switches(f), named);
  uint32_t switches = 0;
  for (uint32_t n = f->ends; n < f->nodes; n++) {
    ib_subnet_node found;
    if (!view->node_up[n]) continue;
    ib_subnet_node_of(f, n, &found);
    list[switches++] = (named){.guid = turn(found.guid), .node = n};
  }
  qsort(list, switches, sizeof *list, by_guid);
  for (uint32_t s = 0; s < switches; s++) node[s] = list[s].node, guid[s] = turn(list[s].guid);
  return switches;
}

void ripstop_opensm_discover(ripstop_opensm *net, const ripstop_view *view, ripstop_arena *arena) {
  uint32_t most = ripstop_fabric_switches(view->fabric), *node = RIPSTOP_ARRAY(arena, most, uint32_t);
  uint64_t *guid = RIPSTOP_ARRAY(arena, most, uint64_t);
  uint32_t switches = list_switches(view, node, guid, arena);
  *net = (ripstop_opensm){.guid = guid};
  switch_graph_make(&net->graph, view, (switch_graph_kind){.by_port = true, .node = node, .switches = switches}, arena);
  uint8_t *live = RIPSTOP_ARRAY(arena, net->graph.channels, uint8_t);
  memset(live, 1, net->graph.channels);
  net->ends = net->graph.hosts;
  net->live = live;
}

/* ------------------------------------------------------------------ hops */

void ripstop_opensm_search(const ripstop_opensm *net, uint32_t *queue, uint32_t to, uint8_t *least) {
  uint32_t head = 0, tail = 0;
  memset(least, RIPSTOP_OPENSM_FAR, net->graph.switches);
  least[to] = 0;
  queue[tail++] = to;
  for (; head < tail && least[queue[head]] < RIPSTOP_OPENSM_FAR - 1; head++)
    for (uint32_t s = queue[head], c = net->graph.out_first[s]; c < net->graph.out_first[s + 1]; c++) {
      if (least[net->graph.to[c]] != RIPSTOP_OPENSM_FAR || !net->live[c]) continue;
      least[net->graph.to[c]] = (uint8_t)(least[s] + 1);
      queue[tail++] = net->graph.to[c];
    }
}

void ripstop_opensm_shortest(const ripstop_opensm *net, void *engine, uint32_t to, uint8_t *hop, uint8_t *least) {
  ripstop_opensm_search(net, engine, to, least);
  for (uint32_t c = 0; c < net->graph.channels; c++) {
    uint8_t on = net->live[c] ? least[net->graph.to[c]] : RIPSTOP_OPENSM_FAR;
    hop[c] = (uint8_t)(on + (on < RIPSTOP_OPENSM_FAR));
  }
}

/* Some live channel still leads from the switch to one that was a hop nearer. */
static bool leads_nearer(const ripstop_opensm *net, const uint8_t *least, uint32_t s) {
  for (uint32_t c = net->graph.out_first[s]; c < net->graph.out_first[s + 1]; c++)
    if (net->live[c] && least[net->graph.to[c]] + 1 == least[s]) return true;
  return false;
}

bool ripstop_opensm_as_far(const ripstop_opensm *net, const void *engine, uint32_t to) {
  const ripstop_opensm_kept *k = net->kept;
  const uint8_t *least = k->least + (size_t)to * net->graph.switches;
  (void)engine;
  for (uint32_t i = 0; i < k->deads; i++) {
    uint32_t c = k->dead[i], s = net->graph.to[net->graph.back[c]];
    if (least[net->graph.to[c]] + 1 == least[s] && !leads_nearer(net, least, s)) return false;
  }
  return true;
}

/* ------------------------------------------------------------------ ports */

typedef struct work {
  const ripstop_opensm *net;
  const ripstop_opensm_rules *rules;
  const ripstop_forwarding *old; /* NULL: nothing is kept */
  ripstop_forwarding *tables;
  uint32_t *given; /* [channels]: addresses of adapters */
  uint8_t *hop, *least;
  uint32_t turn;   /* number of the present destination switch */
  uint32_t *found; /* [switches]: the turn in which the best channels were looked for */
  uint32_t *many;  /* [switches]: how many these are, */
  uint32_t *best;  /* [channels]: from the first channel of the switch on: with the fewest hops to the switch at hand */
} work;

static void count_hops(work *w, uint32_t to) {
  w->rules->hops(w->net, w->rules->engine, to, w->hop, w->least);
  w->turn++;
}

uint32_t ripstop_opensm_best(const ripstop_opensm *net, const ripstop_opensm_rules *rules, const uint8_t *hop,
                             uint32_t least, uint32_t s, uint32_t *best) {
  uint32_t count = 0;
  for (uint32_t c = net->graph.out_first[s]; c < net->graph.out_first[s + 1]; c++) {
    bool other = rules->first_neighbour && count > 0 && net->graph.to[c] != net->graph.to[best[0]];
    if (hop[c] == least && net->live[c] && !other) best[count++] = c;
  }
  return count;
}

uint32_t ripstop_opensm_channel(const ripstop_opensm *net, const ripstop_forwarding *tables, uint32_t address,
                                uint32_t s) {
  const ripstop_fabric *f = net->graph.view->fabric;
  uint32_t node = net->graph.node[s], port = ripstop_forwarding_port(tables, address, node);
  return port < ripstop_node_ports(f, node) ? net->graph.hop[f->port_base[node] + port].channel : RIPSTOP_NONE;
}

/* The channel of the old entry, where it has the fewest hops still; with any neighbour. */
static uint32_t keep(const work *w, uint32_t s, uint32_t address) {
  if (!w->old) return RIPSTOP_NONE;
  uint32_t c = ripstop_opensm_channel(w->net, w->old, address, s);
  return c != RIPSTOP_NONE && w->hop[c] == w->least[s] ? c : RIPSTOP_NONE;
}

uint32_t ripstop_opensm_least_given(const uint32_t *list, uint32_t count, const uint32_t *given) {
  uint32_t best = count > 0 ? list[0] : RIPSTOP_NONE;
  for (uint32_t i = 1; i < count; i++)
    if (given[list[i]] < given[best]) best = list[i];
  return best;
}

static uint32_t choose(work *w, uint32_t s) {
  uint32_t *list = w->best + w->net->graph.out_first[s];
  if (w->found[s] != w->turn) {
    w->many[s] = ripstop_opensm_best(w->net, w->rules, w->hop, w->least[s], s, list);
    w->found[s] = w->turn;
  }
  return ripstop_opensm_least_given(list, w->many[s], w->given);
}

/* The entries of an address behind the switch at hand, everywhere else. */
static void route_address(work *w, uint32_t to, uint32_t address, bool counts) {
  for (uint32_t s = 0; s < w->net->graph.switches; s++) {
    if (s == to || w->least[s] == RIPSTOP_OPENSM_FAR) continue;
    uint32_t c = keep(w, s, address);
    if (c == RIPSTOP_NONE) c = choose(w, s);
    if (c == RIPSTOP_NONE) continue;
    ripstop_forwarding_set(w->tables, address, w->net->graph.node[s], w->net->graph.local[c]);
    w->given[c] += counts;
  }
}

static void route_adapters(work *w, uint32_t to) {
  const ripstop_view *v = w->net->graph.view;
  const ripstop_fabric *f = v->fabric;
  uint32_t node = w->net->graph.node[to];
  if (w->net->ends[to] == 0) return;
  count_hops(w, to);
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (!v->port_up[port] || !ripstop_is_end(f, f->port_node[f->peer[port]])) continue;
    uint32_t end = f->port_node[f->peer[port]];
    ripstop_forwarding_set(w->tables, end, node, (uint16_t)(port - f->port_base[node]));
    route_address(w, to, end, true);
  }
}

typedef struct busy {
  uint32_t ends, switch_;
} busy;

static int by_ends(const void *a, const void *b) {
  const busy *x = a, *y = b;
  if (x->ends != y->ends) return x->ends > y->ends ? -1 : 1;
  return (x->switch_ > y->switch_) - (x->switch_ < y->switch_);
}

const uint32_t *ripstop_opensm_order(const ripstop_opensm *net, ripstop_arena *arena) {
  busy *list = RIPSTOP_ARRAY(arena, net->graph.switches, busy);
  uint32_t *order = RIPSTOP_ARRAY(arena, net->graph.switches, uint32_t);
  for (uint32_t s = 0; s < net->graph.switches; s++) list[s] = (busy){.ends = net->ends[s], .switch_ = s};
  qsort(list, net->graph.switches, sizeof *list, by_ends);
  for (uint32_t i = 0; i < net->graph.switches; i++) order[i] = list[i].switch_;
  return order;
}

static void route_all(work *w, ripstop_arena *scratch) {
  uint32_t switches = w->net->graph.switches;
  const uint32_t *order = ripstop_opensm_order(w->net, scratch);
  for (uint32_t i = 0; i < switches; i++) {
    ripstop_task_progress("forwarding tables", i, 2 * (uint64_t)switches);
    route_adapters(w, order[i]);
  }
  for (uint32_t s = 0; s < switches; s++) {
    uint32_t node = w->net->graph.node[s];
    ripstop_task_progress("forwarding tables", (uint64_t)switches + s, 2 * (uint64_t)switches);
    count_hops(w, s);
    route_address(w, s, node, false);
    if (ib_subnet_first_port(w->net->graph.view->fabric) == 0) ripstop_forwarding_set(w->tables, node, node, 0);
  }
}

/* ------------------------------------------------------------------ tables */

static const uint32_t *all_nodes(const ripstop_fabric *f, ripstop_arena *arena) {
  uint32_t *node = RIPSTOP_ARRAY(arena, f->nodes, uint32_t);
  for (uint32_t n = 0; n < f->nodes; n++) node[n] = n;
  return node;
}

ripstop_forwarding *ripstop_opensm_route(const ripstop_opensm *net, const ripstop_opensm_rules *rules,
                                         const ripstop_forwarding *old, ripstop_arena *arena) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_fabric *f = net->graph.view->fabric;
  ripstop_forwarding *tables = ripstop_forwarding_in(arena, f, all_nodes(f, scratch), f->nodes);
  work w = {.net = net, .rules = rules, .old = old, .tables = tables};
  w.given = RIPSTOP_ARRAY(scratch, net->graph.channels, uint32_t);
  w.hop = RIPSTOP_ARRAY(scratch, net->graph.channels, uint8_t);
  w.least = RIPSTOP_ARRAY(scratch, net->graph.switches, uint8_t);
  w.found = RIPSTOP_ARRAY(scratch, net->graph.switches, uint32_t);
  w.many = RIPSTOP_ARRAY(scratch, net->graph.switches, uint32_t);
  w.best = RIPSTOP_ARRAY(scratch, net->graph.channels, uint32_t);
  route_all(&w, scratch);
  return tables;
}

static ripstop_forwarding *route(ripstop_opensm_engine *engine, const void *config, const ripstop_view *view,
                                 const ripstop_forwarding *old, ripstop_arena *arena, ripstop_answer *answer,
                                 ripstop_error *err) {
  ripstop_opensm net;
  ripstop_opensm_rules rules = {.first_neighbour = false};
  ripstop_forwarding *tables = NULL;
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_opensm_discover(&net, view, scratch);
  *answer = engine(config, &net, scratch, &rules, err);
  if (*answer == RIPSTOP_APPLIES) tables = ripstop_opensm_route(&net, &rules, old, arena);
  return tables;
}

ripstop_answer ripstop_opensm_plan(ripstop_plan *p, ripstop_opensm_engine *engine, ripstop_error *err) {
  ripstop_answer answer;
  p->data = route(engine, p->config, p->view, NULL, p->arena, &answer, err);
  return answer;
}

bool ripstop_opensm_knows(const ripstop_forwarding *old, ripstop_answer *answer, ripstop_error *err) {
  if (old->addresses == old->fabric->nodes) return true;
  *answer = RIPSTOP_DOES_NOT_APPLY;
  ripstop_fail(err, "some node has several addresses: how OpenSM routes these is not known here");
  return false;
}

ripstop_forwarding *ripstop_opensm_repair(ripstop_opensm_engine *engine, const void *config, const ripstop_view *view,
                                          const ripstop_forwarding *old, ripstop_answer *answer, ripstop_error *err) {
  if (!ripstop_opensm_knows(old, answer, err)) return NULL;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_forwarding *tables = route(engine, config, view, old, arena, answer, err);
  if (!tables) ripstop_arena_free(arena);
  return tables;
}

ripstop_answer ripstop_opensm_minhop(const void *config, const ripstop_opensm *net, ripstop_arena *arena,
                                     ripstop_opensm_rules *out, ripstop_error *err) {
  (void)config;
  (void)err;
  *out = (ripstop_opensm_rules){.hops = ripstop_opensm_shortest,
                                .stays = ripstop_opensm_as_far,
                                .engine = RIPSTOP_ARRAY(arena, net->graph.switches, uint32_t)};
  return RIPSTOP_APPLIES;
}

void ripstop_opensm_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric;
  (void)config;
  *out = (ripstop_guarantees){0};
}
