/* opensm_repairs.c - the tables that an engine of OpenSM writes after each of many faults (opensm.h), by differences
 * from the state in which it was opened.
 *
 * Switches and channels keep their numbers; failed channels are marked. Hops are counted again only to switches to
 * which they change (the engine's `stays`). A switch is touched when one of its channels failed, or when the set of its
 * channels with the fewest hops to some switch has changed. Its ports depend only on its own channels and on the order
 * of addresses. So a touched switch goes through all addresses again, and every other switch writes what it wrote.
 *
 * Invariant: `tables` are those of the first state, but for the entries in `log`, which has the ports before. */
#include <string.h>

#include "methods/shared/opensm_ports.h"
#include "tables/entry_log.h"

/* The address of an adapter or, after all of these, of a switch, in the order in which ports are given. */
typedef struct place {
  uint32_t address, to; /* to: the switch */
} place;

typedef struct repairs {
  ripstop_opensm_engine *engine;
  const void *config;
  const ripstop_forwarding *old;
  ripstop_arena *arena, *scratch; /* scratch: memory of the present state */
  /* The first state. */
  ripstop_opensm_rules first;
  uint8_t *least, *hop; /* [switches * switches], [switches * channels]: to each switch */
  const uint32_t *order, *ends;
  place *place;
  uint32_t places, adapters; /* adapters: the first of the places */
  uint32_t *from;            /* [switches]: the first place of its adapters */
  uint32_t *entry;  /* [switches * places]: channel; `net.graph.channels`, which stays alive, where there is none */
  uint8_t *chosen;  /* the same: it was not kept */
  uint8_t *chooses; /* [switches]: some entry was not */
  uint8_t *other;   /* [addresses]: the tables are not the old ones there */
  /* The present one. */
  ripstop_opensm net;
  ripstop_opensm_kept kept;
  ripstop_opensm_rules rules;
  uint8_t *live;                        /* [channels + 1] */
  uint32_t *dead, *left;                /* [channels]; [switches]: live end nodes there */
  bool fewer;                           /* some end node is gone */
  const uint8_t **least_now, **hop_now; /* [switches] */
  uint8_t *moved, *touched;             /* [switches]: these are others; see above */
  ripstop_forwarding *tables;
  entry_log log;
  uint8_t *changed;     /* [addresses] */
  uint32_t *address;    /* [addresses] */
  uint32_t *given;      /* [channels + 1] */
  uint32_t *best, many; /* [channels]: to switch `best_to`, of the touched one; RIPSTOP_NONE: not known */
  uint32_t best_to;
} repairs;

/* ------------------------------------------------------------------ the first state */

static void list_places(repairs *r) {
  const ripstop_view *v = r->net.graph.view;
  const ripstop_fabric *f = v->fabric;
  r->place = RIPSTOP_ARRAY(r->arena, f->nodes, place);
  r->from = RIPSTOP_ARRAY(r->arena, r->net.graph.switches, uint32_t);
  for (uint32_t i = 0; i < r->net.graph.switches; i++) {
    uint32_t s = r->order[i], node = r->net.graph.node[s];
    r->from[s] = r->places;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
      if (v->port_up[port] && ripstop_is_end(f, f->port_node[f->peer[port]]))
        r->place[r->places++] = (place){.address = f->port_node[f->peer[port]], .to = s};
  }
  r->adapters = r->places;
  for (uint32_t s = 0; s < r->net.graph.switches; s++)
    r->place[r->places++] = (place){.address = r->net.graph.node[s], .to = s};
}

static void read_entries(repairs *r) {
  uint32_t switches = r->net.graph.switches;
  size_t entries = (size_t)switches * r->places;
  r->entry = RIPSTOP_ARRAY(r->arena, entries, uint32_t);
  r->chosen = RIPSTOP_ARRAY(r->arena, entries, uint8_t);
  r->chooses = RIPSTOP_ARRAY(r->arena, switches, uint8_t);
  for (uint32_t p = 0; p < r->places; p++) {
    const uint32_t address = r->place[p].address, to = r->place[p].to;
    const uint8_t *least = r->least_now[to], *hop = r->hop_now[to];
    for (uint32_t s = 0; s < switches; s++) {
      size_t at = (size_t)s * r->places + p;
      uint32_t channel = s == to ? RIPSTOP_NONE : ripstop_opensm_channel(&r->net, r->tables, address, s);
      r->entry[at] = channel == RIPSTOP_NONE ? r->net.graph.channels : channel;
      if (channel == RIPSTOP_NONE) continue;
      uint32_t old = ripstop_opensm_channel(&r->net, r->old, address, s);
      r->chosen[at] = old == RIPSTOP_NONE || hop[old] != least[s];
      r->chooses[s] |= r->chosen[at];
    }
  }
}

static void compare_with_old(repairs *r) {
  size_t switches = ripstop_fabric_switches(r->old->fabric);
  r->other = RIPSTOP_ARRAY(r->arena, r->old->addresses, uint8_t);
  for (uint32_t a = 0; a < r->old->addresses; a++)
    r->other[a] = memcmp(r->old->port + a * switches, r->tables->port + a * switches, switches * sizeof(uint16_t)) != 0;
}

static void count_all_hops(repairs *r) {
  const ripstop_opensm *net = &r->net;
  r->hop = RIPSTOP_ARRAY(r->arena, (size_t)net->graph.switches * net->graph.channels, uint8_t);
  r->least = RIPSTOP_ARRAY(r->arena, (size_t)net->graph.switches * net->graph.switches, uint8_t);
  for (uint32_t to = 0; to < net->graph.switches; to++) {
    r->hop_now[to] = r->hop + (size_t)to * net->graph.channels;
    r->least_now[to] = r->least + (size_t)to * net->graph.switches;
    r->first.hops(net, r->first.engine, to, r->hop + (size_t)to * net->graph.channels,
                  r->least + (size_t)to * net->graph.switches);
  }
}

/* Shortest distances, which engines that count otherwise want too. */
static const uint8_t *all_distances(const ripstop_opensm *net, ripstop_arena *arena) {
  uint32_t *queue = RIPSTOP_ARRAY(arena, net->graph.switches, uint32_t);
  uint8_t *least = RIPSTOP_ARRAY(arena, (size_t)net->graph.switches * net->graph.switches, uint8_t);
  for (uint32_t to = 0; to < net->graph.switches; to++)
    ripstop_opensm_search(net, queue, to, least + (size_t)to * net->graph.switches);
  return least;
}

static void make_arrays(repairs *r) {
  const ripstop_opensm *net = &r->net;
  r->live = RIPSTOP_ARRAY(r->arena, (size_t)net->graph.channels + 1, uint8_t);
  r->live[net->graph.channels] = 1;
  r->dead = RIPSTOP_ARRAY(r->arena, net->graph.channels, uint32_t);
  r->left = RIPSTOP_ARRAY(r->arena, net->graph.switches, uint32_t);
  r->least_now = RIPSTOP_ARRAY(r->arena, net->graph.switches, const uint8_t *);
  r->hop_now = RIPSTOP_ARRAY(r->arena, net->graph.switches, const uint8_t *);
  r->moved = RIPSTOP_ARRAY(r->arena, net->graph.switches, uint8_t);
  r->touched = RIPSTOP_ARRAY(r->arena, net->graph.switches, uint8_t);
  r->changed = RIPSTOP_ARRAY(r->arena, r->old->addresses, uint8_t);
  r->address = RIPSTOP_ARRAY(r->arena, r->old->addresses, uint32_t);
  r->given = RIPSTOP_ARRAY(r->arena, (size_t)net->graph.channels + 1, uint32_t);
  r->best = RIPSTOP_ARRAY(r->arena, net->graph.channels, uint32_t);
}

static void get_to_know(repairs *r) {
  make_arrays(r);
  count_all_hops(r);
  r->tables = ripstop_opensm_route(&r->net, &r->first, r->old, r->arena);
  r->log = (entry_log){.tables = r->tables, .arena = r->arena};
  r->ends = r->net.ends;
  r->order = ripstop_opensm_order(&r->net, r->arena);
  r->kept.engine = r->first.engine;
  list_places(r);
  read_entries(r);
  compare_with_old(r);
}

void *ripstop_opensm_repairs_open(ripstop_opensm_engine *engine, const void *config, const ripstop_view *view,
                                  const ripstop_forwarding *old, ripstop_answer *answer, ripstop_error *err) {
  if (!ripstop_opensm_knows(old, answer, err)) return NULL;
  ripstop_arena *arena = ripstop_arena_new();
  repairs *r = RIPSTOP_NEW(arena, repairs);
  *r = (repairs){.engine = engine, .config = config, .old = old, .arena = arena, .scratch = ripstop_arena_new()};
  ripstop_opensm_discover(&r->net, view, arena);
  r->kept.least = all_distances(&r->net, arena);
  r->net.kept = &r->kept;
  *answer = engine(config, &r->net, arena, &r->first, err);
  if (*answer == RIPSTOP_APPLIES) {
    get_to_know(r);
    return r;
  }
  ripstop_opensm_repairs_close(r);
  return NULL;
}

void ripstop_opensm_repairs_close(void *kept) {
  repairs *r = kept;
  ripstop_arena_free(r->scratch);
  ripstop_arena_free(r->arena);
}

/* ------------------------------------------------------------------ failures */

static bool is_alive(const repairs *r, uint32_t p) {
  const ripstop_view *v = r->net.graph.view;
  uint32_t address = r->place[p].address;
  return p < r->adapters ? v->port_up[v->fabric->port_base[address]] : v->node_up[address];
}

static void look_at_channels(repairs *r) {
  const ripstop_view *v = r->net.graph.view;
  r->kept.deads = 0;
  for (uint32_t s = 0; s < r->net.graph.switches; s++) {
    uint32_t node = r->net.graph.node[s], base = v->fabric->port_base[node];
    for (uint32_t c = r->net.graph.out_first[s]; c < r->net.graph.out_first[s + 1]; c++) {
      r->live[c] = v->port_up[base + r->net.graph.local[c]];
      if (!r->live[c] && v->node_up[node]) r->dead[r->kept.deads++] = c;
    }
  }
  r->kept.dead = r->dead;
  r->net.live = r->live;
}

static void look_at_adapters(repairs *r) {
  memset(r->left, 0, r->net.graph.switches * sizeof *r->left);
  for (uint32_t p = 0; p < r->adapters; p++) r->left[r->place[p].to] += is_alive(r, p);
  r->fewer = memcmp(r->left, r->ends, r->net.graph.switches * sizeof *r->left) != 0;
  r->net.ends = r->left;
}

/* ------------------------------------------------------------------ hops */

static void count_again(repairs *r, uint32_t to) {
  uint8_t *least = RIPSTOP_ARRAY(r->scratch, r->net.graph.switches, uint8_t);
  uint8_t *hop = RIPSTOP_ARRAY(r->scratch, r->net.graph.channels, uint8_t);
  r->rules.hops(&r->net, r->rules.engine, to, hop, least);
  r->least_now[to] = least;
  r->hop_now[to] = hop;
}

/* The set of a switch's channels with the fewest hops to `to` has changed, apart from failed ones. */
static bool has_others(const repairs *r, uint32_t s, uint32_t to) {
  const ripstop_opensm *net = &r->net;
  const uint8_t *was = r->hop + (size_t)to * net->graph.channels, *is = r->hop_now[to];
  const uint8_t least_was = r->least[(size_t)to * net->graph.switches + s], least_is = r->least_now[to][s];
  const uint32_t first = net->graph.out_first[s], count = net->graph.out_first[s + 1] - first;
  if (least_was == least_is && memcmp(was + first, is + first, count) == 0) return false;
  for (uint32_t c = first; c < first + count; c++)
    if ((was[c] == least_was && least_was != RIPSTOP_OPENSM_FAR) !=
        (is[c] == least_is && least_is != RIPSTOP_OPENSM_FAR))
      return true;
  return false;
}

static void find_moved(repairs *r) {
  const ripstop_opensm *net = &r->net;
  bool alike = r->rules.hops == r->first.hops;
  for (uint32_t to = 0; to < net->graph.switches; to++) {
    r->least_now[to] = r->least + (size_t)to * net->graph.switches;
    r->hop_now[to] = r->hop + (size_t)to * net->graph.channels;
    r->moved[to] =
        net->graph.view->node_up[net->graph.node[to]] && !(alike && r->rules.stays(net, r->rules.engine, to));
    if (!r->moved[to]) continue;
    count_again(r, to);
    for (uint32_t s = 0; s < net->graph.switches; s++)
      r->touched[s] |= s != to && !r->touched[s] && has_others(r, s, to);
  }
}

/* Ports that were chosen by earlier ones depend on end nodes that are gone, too. */
static void find_touched(repairs *r) {
  for (uint32_t s = 0; s < r->net.graph.switches; s++) r->touched[s] = r->fewer && r->chooses[s];
  for (uint32_t i = 0; i < r->kept.deads; i++) r->touched[r->net.graph.to[r->net.graph.back[r->dead[i]]]] = 1;
  find_moved(r);
}

/* ------------------------------------------------------------------ entries */

static void put(repairs *r, uint32_t address, uint32_t s, uint16_t port) {
  const uint32_t node = r->net.graph.node[s];
  if (ripstop_forwarding_port(r->tables, address, node) != port) entry_log_write(&r->log, address, node, port);
}

static uint32_t choose(repairs *r, uint32_t s, uint32_t to) {
  if (r->best_to != to)
    r->many = ripstop_opensm_best(&r->net, &r->rules, r->hop_now[to], r->least_now[to][s], s, r->best);
  r->best_to = to;
  return ripstop_opensm_least_given(r->best, r->many, r->given);
}

static uint32_t find_channel(repairs *r, uint32_t s, uint32_t p) {
  const uint32_t to = r->place[p].to;
  const uint8_t *hop = r->hop_now[to], least = r->least_now[to][s];
  if (least == RIPSTOP_OPENSM_FAR) return RIPSTOP_NONE;
  uint32_t old = ripstop_opensm_channel(&r->net, r->old, r->place[p].address, s);
  return old != RIPSTOP_NONE && r->live[old] && hop[old] == least ? old : choose(r, s, to);
}

static void route_place(repairs *r, uint32_t s, uint32_t p, uint32_t counts) {
  uint32_t c = find_channel(r, s, p);
  put(r, r->place[p].address, s, c == RIPSTOP_NONE ? RIPSTOP_NO_PORT : r->net.graph.local[c]);
  if (c != RIPSTOP_NONE) r->given[c] += counts;
}

/* The entries of a touched switch for places of one switch; those stay whatever has been given that were kept, and lead
 * into a live channel, or into none. `counts`: 1 where a port that is given counts. */
static void route_places(repairs *r, uint32_t s, uint32_t p, uint32_t end, uint32_t counts) {
  const size_t row = (size_t)s * r->places;
  const bool moved = r->moved[r->place[p].to];
  for (; p < end; p++) {
    uint32_t c = r->entry[row + p];
    if (moved || r->chosen[row + p] || !r->live[c])
      route_place(r, s, p, counts);
    else
      r->given[c] += counts;
  }
}

/* All of them, in the order in which ports are given. */
static void route_switch(repairs *r, uint32_t s, const uint32_t *order) {
  const ripstop_opensm *net = &r->net;
  memset(r->given + net->graph.out_first[s], 0,
         (net->graph.out_first[s + 1] - net->graph.out_first[s]) * sizeof *r->given);
  r->best_to = RIPSTOP_NONE;
  for (uint32_t i = 0; i < net->graph.switches; i++) {
    uint32_t to = order[i], p = r->from[to], end = p + r->ends[to];
    if (to == s || p == end) continue;
    if (!r->fewer) route_places(r, s, p, end, 1);
    for (; r->fewer && p < end; p++)
      if (is_alive(r, p)) route_places(r, s, p, p + 1, 1);
  }
  for (uint32_t p = r->adapters; p < r->places; p++)
    if (r->place[p].to != s && is_alive(r, p)) route_places(r, s, p, p + 1, 0);
}

static void clear_switch(repairs *r, uint32_t s) {
  for (uint32_t a = 0; a < r->old->addresses; a++) put(r, a, s, RIPSTOP_NO_PORT);
}

static void clear_address(repairs *r, uint32_t address) {
  for (uint32_t s = 0; s < r->net.graph.switches; s++) put(r, address, s, RIPSTOP_NO_PORT);
}

static void write_entries(repairs *r) {
  const ripstop_opensm *net = &r->net;
  const uint32_t *order = r->fewer ? ripstop_opensm_order(net, r->scratch) : r->order;
  for (uint32_t p = 0; p < r->places; p++)
    if (!is_alive(r, p)) clear_address(r, r->place[p].address);
  for (uint32_t s = 0; s < net->graph.switches; s++) {
    if (!net->graph.view->node_up[net->graph.node[s]])
      clear_switch(r, s);
    else if (r->touched[s])
      route_switch(r, s, order);
  }
}

/* Addresses with other entries than the old ones, also where these were no more than half right before. */
static uint32_t list_changed(repairs *r) {
  size_t switches = ripstop_fabric_switches(r->old->fabric);
  uint32_t count = 0;
  memcpy(r->changed, r->other, r->old->addresses);
  entry_log_mark(&r->log, r->changed);
  for (uint32_t a = 0; a < r->old->addresses; a++) {
    if (!r->changed[a]) continue;
    const uint16_t *was = r->old->port + a * switches, *is = r->tables->port + a * switches;
    if (memcmp(was, is, switches * sizeof *was) != 0) r->address[count++] = a;
  }
  return count;
}

ripstop_answer ripstop_opensm_repairs_follow(void *kept, ripstop_repaired *out, ripstop_error *err) {
  repairs *r = kept;
  entry_log_undo(&r->log, 0);
  ripstop_arena_clear(r->scratch);
  look_at_channels(r);
  look_at_adapters(r);
  ripstop_answer answer = r->engine(r->config, &r->net, r->scratch, &r->rules, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  find_touched(r);
  write_entries(r);
  *out = (ripstop_repaired){.tables = r->tables, .address = r->address, .addresses = list_changed(r)};
  return answer;
}
