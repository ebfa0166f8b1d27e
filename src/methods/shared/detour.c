/* detour.c - the order of links, the tables that follow from it, and the ways.
 *
 * Time: for each target a search and one look at each link and its successors. Memory: for each target two bytes a
 * switch and one a port. */
#include "methods/shared/detour.h"

#include <stdlib.h>

#include "fabric/torus.h"
#include "fabric/tree.h"

#define MEMORY_MAX ((uint64_t)1 << 30) /* bytes of the tables */

const char *const ripstop_detour_losses[] = {[DETOUR_NO_PATH] = "no path is left",
                                             [DETOUR_NO_CHANNEL] = "no channel is left",
                                             [DETOUR_CUT_OFF] = "cut off from its switch",
                                             NULL};

const ripstop_option ripstop_detour_options[] = {
    {.name = "spare",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(detour_config, spare),
     .min = 0,
     .max = RIPSTOP_CHANNELS_MAX - 1,
     .fallback = "0",
     .help = "channels beyond those that the fabric needs without faults, for ways round faults"},
    {0}};

static bool is_between_switches(const ripstop_fabric *f, uint32_t port) {
  return port >= f->ends && f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[port]]);
}

static uint32_t switch_beyond(const ripstop_fabric *f, uint32_t port) { return f->port_node[f->peer[port]] - f->ends; }

/* ------------------------------------------------------------------ the order */

typedef struct keyed {
  uint64_t key;
  uint32_t port;
} keyed;

static int by_key(const void *a, const void *b) {
  const keyed *x = a, *y = b;
  return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->port > y->port) - (x->port < y->port);
}

static uint64_t key_in_torus(const ripstop_torus *t, uint32_t node, uint32_t local) {
  uint32_t at = ripstop_coords(t->fabric, node)[local / 2];
  return (uint64_t)local << 32 | (local % 2 ? t->size[local / 2] - 1 - at : at);
}

static uint64_t key_in_tree(const ripstop_tree *t, uint32_t node, uint32_t local) {
  uint32_t level = ripstop_tree_level(t, node);
  return ripstop_tree_is_up(t, node, local) ? level : 2 * t->levels - level;
}

/* Up is towards the lower rank. */
static uint64_t key_by_rank(const ripstop_fabric *f, const uint32_t *rank, uint32_t port) {
  uint32_t from = rank[f->port_node[port] - f->ends], to = rank[switch_beyond(f, port)];
  return to < from ? f->nodes - from : f->nodes + from;
}

/* [switches]: when a breadth-first search over the whole fabric meets each; those that it does not meet come last. */
static uint32_t *rank_switches(ripstop_arena *arena, const ripstop_fabric *f) {
  uint32_t switches = ripstop_fabric_switches(f), *rank = RIPSTOP_ARRAY(arena, switches, uint32_t),
           *queue = RIPSTOP_ARRAY(arena, switches, uint32_t), met = 0, next = 0;
  for (uint32_t v = 0; v < switches; v++) rank[v] = RIPSTOP_NONE;
  for (uint32_t root = 0; root < switches; root++) {
    if (rank[root] != RIPSTOP_NONE) continue;
    rank[root] = met;
    for (queue[met++] = root; next < met; next++)
      for (uint32_t port = f->port_base[f->ends + queue[next]]; port < f->port_base[f->ends + queue[next] + 1]; port++)
        if (is_between_switches(f, port) && rank[switch_beyond(f, port)] == RIPSTOP_NONE) {
          rank[switch_beyond(f, port)] = met;
          queue[met++] = switch_beyond(f, port);
        }
  }
  return rank;
}

static const uint32_t *order_links(ripstop_arena *arena, const ripstop_fabric *f) {
  ripstop_torus torus;
  ripstop_tree tree;
  bool is_torus = ripstop_torus_from(f, &torus), is_tree = !is_torus && ripstop_tree_from(f, &tree);
  const uint32_t *rank = is_torus || is_tree ? NULL : rank_switches(arena, f);
  keyed *link = RIPSTOP_ARRAY(arena, f->ports, keyed);
  uint32_t *place = RIPSTOP_ARRAY(arena, f->ports, uint32_t), links = 0;
  for (uint32_t port = f->ends; port < f->ports; port++) {
    uint32_t node = f->port_node[port], local = port - f->port_base[node];
    if (!is_between_switches(f, port)) continue;
    link[links++] = (keyed){.key = is_torus  ? key_in_torus(&torus, node, local)
                                   : is_tree ? key_in_tree(&tree, node, local)
                                             : key_by_rank(f, rank, port),
                            .port = port};
  }
  if (links) qsort(link, links, sizeof *link, by_key);
  for (uint32_t i = 0; i < links; i++) place[link[i].port] = i;
  return place;
}

/* ------------------------------------------------------------------ the tables */

static void find_targets(ripstop_arena *arena, const ripstop_fabric *f, detours *d) {
  uint32_t *target = RIPSTOP_ARRAY(arena, d->switches, uint32_t), *node = RIPSTOP_ARRAY(arena, d->switches, uint32_t);
  for (uint32_t v = 0; v < d->switches; v++) target[v] = RIPSTOP_NONE;
  for (uint32_t end = 0; end < f->ends; end++) target[ripstop_end_switch(f, end) - f->ends] = 0;
  for (uint32_t v = 0; v < d->switches; v++)
    if (target[v] != RIPSTOP_NONE) {
      node[d->targets] = f->ends + v;
      target[v] = d->targets++;
    }
  d->target = target;
  d->node = node;
}

/* Whether a packet that came by one link rises on another. RIPSTOP_NONE: it comes from an end node. */
static inline uint32_t rises_between(const detours *d, uint32_t from, uint32_t to) {
  return from != RIPSTOP_NONE && d->place[to] < d->place[from];
}

/* The least rises on shortest ways from a switch on, for a packet that came by port `from` of another; DETOUR_AWAY. */
static uint32_t least_rises(const detours *d, const ripstop_fabric *f, const uint8_t *rises, uint32_t node,
                            uint32_t from) {
  uint32_t least = DETOUR_AWAY;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (rises[port] == DETOUR_AWAY) continue;
    uint32_t all = rises[port] + rises_between(d, from, port);
    if (all < least) least = all;
  }
  return least;
}

/* Distances to a target over links that are up; returns how many switches have one, the near ones first in `queue`. */
static uint32_t search(const ripstop_fabric *f, const uint8_t *up, uint32_t target, uint16_t *hops, uint32_t *queue) {
  uint32_t found = 0;
  for (uint32_t v = 0; v < ripstop_fabric_switches(f); v++) hops[v] = DETOUR_FAR;
  hops[target] = 0;
  queue[found++] = target;
  for (uint32_t i = 0; i < found; i++)
    for (uint32_t port = f->port_base[f->ends + queue[i]]; port < f->port_base[f->ends + queue[i] + 1]; port++) {
      if (!up[port] || !is_between_switches(f, port) || hops[switch_beyond(f, port)] != DETOUR_FAR) continue;
      hops[switch_beyond(f, port)] = (uint16_t)(hops[queue[i]] + 1);
      queue[found++] = switch_beyond(f, port);
    }
  return found;
}

/* Near switches come first, so that what is beyond a link is known. A packet that would rise for ever counts as one
 * that rises as often as a byte can say. */
static void count_rises(const detours *d, const ripstop_fabric *f, const uint8_t *up, const uint16_t *hops,
                        const uint32_t *queue, uint32_t found, uint8_t *rises) {
  for (uint32_t port = 0; port < f->ports; port++) rises[port] = DETOUR_AWAY;
  for (uint32_t i = 1; i < found; i++) {
    uint32_t v = queue[i];
    for (uint32_t port = f->port_base[f->ends + v]; port < f->port_base[f->ends + v + 1]; port++) {
      if (!up[port] || !is_between_switches(f, port) || hops[switch_beyond(f, port)] + 1 != hops[v]) continue;
      uint32_t next = switch_beyond(f, port), least = 0;
      if (hops[next]) least = least_rises(d, f, rises, f->ends + next, port);
      rises[port] = (uint8_t)(least < DETOUR_AWAY ? least : DETOUR_AWAY - 1);
    }
  }
}

/* The tables for the links that are up. */
static void fill(ripstop_arena *arena, const ripstop_fabric *f, const uint8_t *up, detours *d) {
  uint16_t *hops = RIPSTOP_ARRAY(arena, (size_t)d->targets * d->switches, uint16_t);
  uint8_t *rises = RIPSTOP_ARRAY(arena, (size_t)d->targets * f->ports, uint8_t);
  uint32_t *queue = RIPSTOP_ARRAY(arena, d->switches, uint32_t);
  d->hops = hops;
  d->rises = rises;
  for (uint32_t t = 0; t < d->targets; t++, hops += d->switches, rises += f->ports) {
    uint32_t found = search(f, up, d->node[t] - f->ends, hops, queue);
    count_rises(d, f, up, hops, queue, found, rises);
  }
}

/* Channels that any way over any target needs: as often as a packet from an end node can rise to a target, and then
 * from there, having come by any link, to another. */
static uint32_t count_channels(const detours *d, const ripstop_fabric *f) {
  uint32_t first = 0, second = 0;
  for (uint32_t t = 0; t < d->targets; t++) {
    const uint8_t *rises = d->rises + (size_t)t * f->ports;
    for (uint32_t i = 0; i < d->targets; i++) {
      uint32_t from_end = least_rises(d, f, rises, d->node[i], RIPSTOP_NONE);
      if (from_end != DETOUR_AWAY && from_end > first) first = from_end;
      for (uint32_t port = f->port_base[d->node[i]]; port < f->port_base[d->node[i] + 1]; port++) {
        if (!is_between_switches(f, port)) continue;
        uint32_t from_link = least_rises(d, f, rises, d->node[i], f->peer[port]);
        if (from_link != DETOUR_AWAY && from_link > second) second = from_link;
      }
    }
  }
  return 1 + first + second;
}

static bool is_whole(const ripstop_plan *p) { return p->view->dead_links + p->view->dead_switches == 0; }

/* For the fabric without faults, which says how many channels there are. */
static void fill_whole(const ripstop_plan *p, ripstop_arena *arena, detours *d) {
  uint8_t *up = RIPSTOP_ARRAY(arena, p->fabric->ports, uint8_t);
  for (uint32_t port = 0; port < p->fabric->ports; port++) up[port] = p->fabric->peer[port] != RIPSTOP_NONE;
  fill(arena, p->fabric, up, d);
}

ripstop_answer ripstop_detour_plan(ripstop_plan *p, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  const char *name = p->method->name;
  detours *d = RIPSTOP_NEW(p->arena, detours);
  d->switches = ripstop_fabric_switches(f);
  find_targets(p->arena, f, d);
  if ((uint64_t)d->targets * (d->switches * sizeof(uint16_t) + f->ports) > MEMORY_MAX) {
    ripstop_fail(err, "%s: the tables of %s take more than 1 GiB", name, f->spec);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  d->place = order_links(p->arena, f);
  fill_whole(p, p->arena, d);
  p->channels = count_channels(d, f) + (uint32_t)((const detour_config *)p->config)->spare;
  if (p->channels > RIPSTOP_CHANNELS_MAX) {
    ripstop_fail(err, "%s: %s needs %u channels; there are at most %d", name, f->spec, p->channels,
                 RIPSTOP_CHANNELS_MAX);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  if (!is_whole(p)) fill(p->arena, f, p->view->port_up, d);
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > p->ways_max) p->ways_max = ripstop_node_ports(f, v);
  p->draws = d->targets;
  p->data = d;
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ ways */

static uint16_t hops_between(const detours *d, const ripstop_plan *p, uint32_t node, uint32_t target) {
  return d->hops[(size_t)target * d->switches + node - p->fabric->ends];
}

uint64_t ripstop_detour_over(const ripstop_plan *p, const ripstop_head *head, uint32_t target) {
  const detours *d = p->data;
  uint32_t here = ripstop_is_end(p->fabric, head->node) ? ripstop_end_switch(p->fabric, head->node) : head->node,
           last = detour_target(d, p, head->destination);
  bool is_round = d->node[target] != here && target != last;
  bool is_left = is_round && hops_between(d, p, here, target) != DETOUR_FAR &&
                 hops_between(d, p, d->node[target], last) != DETOUR_FAR;
  return is_left ? 1 + (uint64_t)target : 0;
}

/* The shortest ways to a target on which the packet rises least. */
static int ways_to(const ripstop_plan *p, const ripstop_head *head, uint32_t target, ripstop_way like,
                   ripstop_way *ways) {
  const detours *d = p->data;
  const ripstop_fabric *f = p->fabric;
  const uint8_t *rises = d->rises + (size_t)target * f->ports;
  uint32_t base = f->port_base[head->node], came_by = f->peer[base + head->in_port];
  if (ripstop_is_end(f, f->port_node[came_by])) came_by = RIPSTOP_NONE;
  uint32_t least = least_rises(d, f, rises, head->node, came_by), channel = came_by == RIPSTOP_NONE ? 0 : head->channel;
  int count = 0;
  if (least == DETOUR_AWAY) return -(1 + DETOUR_NO_PATH);
  for (uint32_t port = base; port < f->port_base[head->node + 1]; port++) {
    uint32_t rise = rises_between(d, came_by, port);
    if (rises[port] == DETOUR_AWAY || rises[port] + rise != least || channel + rise >= p->channels) continue;
    like.port = (uint16_t)(port - base);
    like.channel = (uint8_t)(channel + rise);
    if (p->view->port_up[port]) ways[count++] = like;
  }
  return count ? count : -(1 + DETOUR_NO_CHANNEL);
}

static int to_end(const ripstop_plan *p, const ripstop_head *head, uint32_t local, uint64_t header, ripstop_way *way) {
  *way = (ripstop_way){.port = (uint16_t)local, .space = 1, .header = header};
  return p->view->port_up[p->fabric->port_base[head->node] + local] ? 1 : -(1 + DETOUR_CUT_OFF);
}

int ripstop_detour_ways(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const detours *d = p->data;
  if (ripstop_is_end(p->fabric, head->node)) return to_end(p, head, 0, head->header, ways);
  uint32_t last = detour_target(d, p, head->destination);
  uint64_t header = head->header && d->node[head->header - 1] == head->node ? 0 : head->header;
  if (!header && d->node[last] == head->node)
    return to_end(p, head, ripstop_end_switch_port(p->fabric, head->destination), 0, ways);
  uint32_t target = header ? (uint32_t)header - 1 : last;
  uint32_t links = hops_between(d, p, head->node, target);
  if (header) links += hops_between(d, p, d->node[target], last);
  return ways_to(p, head, target, (ripstop_way){.header = header, .space = 1, .weight = (uint16_t)links}, ways);
}
