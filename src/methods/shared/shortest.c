/* shortest.c - the order of links, the tables that follow from it, and the candidates.
 *
 * Time: for each target a search and one visit to each link. Memory: for each target two bytes per switch and one per
 * switch port. */
#include "methods/shared/shortest.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/torus.h"
#include "ripstop/plugin/family.h"

#define MEMORY_MAX ((uint64_t)1 << 31) /* bytes of the tables */

const char *const ripstop_shortest_losses[] = {[SHORTEST_NO_PATH] = "no path is left",
                                               [SHORTEST_NO_CHANNEL] = "no channel is left",
                                               [SHORTEST_CUT_OFF] = "cut off from its switch",
                                               NULL};

const char *const ripstop_shortest_paths[] = {
    [SHORTEST_ALL] = "all", [SHORTEST_ORDERED] = "ordered", [SHORTEST_AUTO] = "auto", NULL};

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

/* The data that determine a link's place in the order. */
typedef struct landmarks {
  const ripstop_fabric *fabric;
  const uint32_t *height; /* [switches]: links to the nearest switch with end nodes */
  const uint32_t *rank;   /* [switches]: in a search of the whole fabric from its first switch */
  ripstop_torus torus;
  bool is_torus, is_grid, is_dragonfly;
} landmarks;

static uint64_t key_in_torus(const ripstop_torus *t, uint32_t node, uint32_t local) {
  uint32_t at = ripstop_coords(t->fabric, node)[local / 2];
  return (uint64_t)local << 32 | (local % 2 ? t->size[local / 2] - 1 - at : at);
}

/* By the coordinate that changes, with the last factor of the spec first; then by direction; then along it. */
static uint64_t key_in_grid(const ripstop_fabric *f, uint32_t port) {
  const uint16_t *from = ripstop_coords(f, f->port_node[port]), *to = ripstop_coords(f, f->port_node[f->peer[port]]);
  uint32_t d = 0;
  while (d + 1 < f->coords && from[d] == to[d]) d++;
  bool is_down = to[d] < from[d];
  return (uint64_t)(2 * d + is_down) << 32 | (uint32_t)(is_down ? UINT16_MAX - from[d] : from[d]);
}

/* Up is towards the lower rank. */
static uint64_t key_by_rank(const landmarks *l, uint32_t port) {
  const ripstop_fabric *f = l->fabric;
  uint32_t from = l->rank[f->port_node[port] - f->ends], to = l->rank[switch_beyond(f, port)];
  return to < from ? f->nodes - from : f->nodes + from;
}

static bool is_global(const ripstop_fabric *f, uint32_t port) {
  return ripstop_coords(f, f->port_node[port])[1] != ripstop_coords(f, f->port_node[f->peer[port]])[1];
}

/* The key of a link between two switches of equal height. */
static uint64_t key_of_flat(const landmarks *l, uint32_t port) {
  const ripstop_fabric *f = l->fabric;
  if (l->is_torus) return key_in_torus(&l->torus, f->port_node[port], port - f->port_base[f->port_node[port]]);
  if (l->is_grid) return key_in_grid(f, port);
  return (uint64_t)(l->is_dragonfly && is_global(f, port)) << 32 | key_by_rank(l, port);
}

enum { FLAT = 61, DOWN }; /* bits above all keys of links that are flat or lead up */

static uint64_t key_of(const landmarks *l, uint32_t port) {
  const ripstop_fabric *f = l->fabric;
  uint32_t from = l->height[f->port_node[port] - f->ends], to = l->height[switch_beyond(f, port)];
  if (from == to) return UINT64_C(1) << FLAT | key_of_flat(l, port);
  return from < to ? from : (UINT64_C(1) << DOWN) + f->nodes - from;
}

/* Continues a breadth-first search at queue[from], with `met` switches in the queue, over switches without a value.
 * Their value is their place in the queue, or one more than that of the switch before. Returns the length of the
 * queue. */
static uint32_t spread(const ripstop_fabric *f, uint32_t *queue, uint32_t from, uint32_t met, uint32_t *value,
                       bool is_rank) {
  for (; from < met; from++)
    for (uint32_t port = f->port_base[f->ends + queue[from]]; port < f->port_base[f->ends + queue[from] + 1]; port++) {
      if (!is_between_switches(f, port) || value[switch_beyond(f, port)] != RIPSTOP_NONE) continue;
      value[switch_beyond(f, port)] = is_rank ? met : value[queue[from]] + 1;
      queue[met++] = switch_beyond(f, port);
    }
  return met;
}

/* [switches]: place in a breadth-first search over the whole fabric; switches that it does not reach come last. */
static const uint32_t *rank_switches(ripstop_arena *arena, const ripstop_fabric *f) {
  uint32_t switches = ripstop_fabric_switches(f), *rank = RIPSTOP_ARRAY(arena, switches, uint32_t),
           *queue = RIPSTOP_ARRAY(arena, switches, uint32_t), met = 0;
  for (uint32_t v = 0; v < switches; v++) rank[v] = RIPSTOP_NONE;
  for (uint32_t root = 0; root < switches; root++) {
    if (rank[root] != RIPSTOP_NONE) continue;
    rank[root] = met;
    queue[met] = root;
    met = spread(f, queue, met, met + 1, rank, true);
  }
  return rank;
}

/* [switches]: RIPSTOP_NONE if no switch with end nodes can be reached. */
static const uint32_t *heights(ripstop_arena *arena, const ripstop_fabric *f, const shortest *s) {
  uint32_t *height = RIPSTOP_ARRAY(arena, s->switches, uint32_t), *queue = RIPSTOP_ARRAY(arena, s->switches, uint32_t);
  for (uint32_t v = 0; v < s->switches; v++) height[v] = s->target[v] == RIPSTOP_NONE ? RIPSTOP_NONE : 0;
  for (uint32_t t = 0; t < s->targets; t++) queue[t] = s->node[t] - f->ends;
  spread(f, queue, 0, s->targets, height, false);
  return height;
}

static const uint32_t *order_links(ripstop_arena *arena, const ripstop_fabric *f, const shortest *s) {
  const char *family = f->family->name;
  landmarks l = {.fabric = f, .height = heights(arena, f, s), .rank = rank_switches(arena, f)};
  l.is_torus = ripstop_torus_from(f, &l.torus);
  l.is_grid = strcmp(family, "mesh") == 0 || strcmp(family, "hyperx") == 0;
  l.is_dragonfly = strcmp(family, "dragonfly") == 0;
  keyed *link = RIPSTOP_ARRAY(arena, f->ports, keyed);
  uint32_t *place = RIPSTOP_ARRAY(arena, f->ports, uint32_t), links = 0;
  for (uint32_t port = f->ends; port < f->ports; port++)
    if (is_between_switches(f, port)) link[links++] = (keyed){.key = key_of(&l, port), .port = port};
  if (links) qsort(link, links, sizeof *link, by_key);
  for (uint32_t i = 0; i < links; i++) place[link[i].port] = i;
  return place;
}

/* ------------------------------------------------------------------ the tables */

uint32_t ripstop_shortest_targets(ripstop_arena *arena, const ripstop_fabric *f, const uint32_t **targets,
                                  const uint32_t **nodes) {
  uint32_t switches = ripstop_fabric_switches(f), *target = RIPSTOP_ARRAY(arena, switches, uint32_t),
           *node = RIPSTOP_ARRAY(arena, switches, uint32_t), count = 0;
  for (uint32_t v = 0; v < switches; v++) target[v] = RIPSTOP_NONE;
  for (uint32_t end = 0; end < f->ends; end++) target[ripstop_end_switch(f, end) - f->ends] = 0;
  for (uint32_t v = 0; v < switches; v++)
    if (target[v] != RIPSTOP_NONE) {
      node[count] = f->ends + v;
      target[v] = count++;
    }
  *targets = target;
  *nodes = node;
  return count;
}

/* Among a switch's links on shortest paths, those with the wanted number of rises, the most or the least. */
typedef struct brim {
  uint32_t rises;       /* SHORTEST_AWAY: there are none */
  uint32_t first, last; /* range of their places */
} brim;

/* Memory for filling the tables. */
typedef struct space {
  uint16_t *hops;
  uint8_t *rises;
  uint32_t *beyond; /* [ports of switches]: the switch that a link leads to; RIPSTOP_NONE: it is down, or leads to no
                     * switch */
  uint32_t *queue;  /* [switches] */
  brim *brim;       /* [switches] */
  uint32_t *last;   /* [switches]: the last place of a link that leads there; 0: none */
} space;

static space open_space(ripstop_arena *arena, const ripstop_fabric *f, shortest *s) {
  space own = {.hops = RIPSTOP_ARRAY(arena, (size_t)s->targets * s->switches, uint16_t),
               .rises = RIPSTOP_ARRAY(arena, (size_t)s->targets * (f->ports - f->ends), uint8_t),
               .beyond = RIPSTOP_ARRAY(arena, f->ports - f->ends, uint32_t),
               .queue = RIPSTOP_ARRAY(arena, s->switches, uint32_t),
               .brim = RIPSTOP_ARRAY(arena, s->switches, brim),
               .last = RIPSTOP_ARRAY(arena, s->switches, uint32_t)};
  s->hops = own.hops;
  s->rises = own.rises;
  for (uint32_t port = f->ends; port < f->ports; port++)
    if (is_between_switches(f, port) && s->place[port] > own.last[switch_beyond(f, port)])
      own.last[switch_beyond(f, port)] = s->place[port];
  return own;
}

/* Distances to a target; returns how many switches have one; near ones come first in the queue. */
static uint32_t search(const ripstop_fabric *f, const space *own, uint32_t target, uint16_t *hops) {
  uint32_t found = 0, *queue = own->queue;
  memset(hops, 0xff, ripstop_fabric_switches(f) * sizeof *hops); /* SHORTEST_FAR */
  hops[target] = 0;
  queue[found++] = target;
  for (uint32_t i = 0; i < found; i++)
    for (uint32_t port = f->port_base[f->ends + queue[i]]; port < f->port_base[f->ends + queue[i] + 1]; port++) {
      uint32_t next = own->beyond[port - f->ends];
      if (next == RIPSTOP_NONE || hops[next] != SHORTEST_FAR) continue;
      hops[next] = (uint16_t)(hops[queue[i]] + 1);
      queue[found++] = next;
    }
  return found;
}

/* Adds a link with this number of rises. */
static inline void add_to_brim(brim *b, uint32_t rises, uint32_t place, bool most) {
  if (b->rises == SHORTEST_AWAY || (most ? rises > b->rises : rises < b->rises))
    *b = (brim){.rises = rises, .first = place, .last = place};
  if (rises != b->rises) return;
  b->first = place < b->first ? place : b->first;
  b->last = place > b->last ? place : b->last;
}

/* The rises of a packet from there on that came by the link with this place. One more rise on one link is never less
 * than none on another with one rise more, so links with the wanted number decide. */
static inline uint32_t rises_beyond(const brim *b, uint32_t place, bool most) {
  return b->rises + ((most ? b->first : b->last) < place);
}

/* Near switches come first, so that what is beyond a link is known. A packet that would rise forever gets the largest
 * count of a byte. */
static void count_rises(const shortest *s, const ripstop_fabric *f, const space *own, bool most, const uint16_t *hops,
                        uint32_t found, uint8_t *rises) {
  brim *brims = own->brim;
  memset(rises, SHORTEST_AWAY, f->ports - f->ends);
  for (uint32_t v = 0; v < s->switches; v++) brims[v].rises = SHORTEST_AWAY;
  for (uint32_t i = 1; i < found; i++) {
    uint32_t v = own->queue[i];
    for (uint32_t port = f->port_base[f->ends + v]; port < f->port_base[f->ends + v + 1]; port++) {
      uint32_t next = own->beyond[port - f->ends];
      if (next == RIPSTOP_NONE || hops[next] + 1 != hops[v]) continue;
      uint32_t all = hops[next] ? rises_beyond(&brims[next], s->place[port], most) : 0;
      rises[port - f->ends] = (uint8_t)(all < SHORTEST_AWAY ? all : SHORTEST_AWAY - 1);
      add_to_brim(&brims[v], rises[port - f->ends], s->place[port], most);
    }
  }
}

/* The rises of packets to the targets. */
typedef struct rises_of_legs {
  uint32_t first;  /* packets from an end node */
  uint32_t second; /* packets that come by any link and start again */
} rises_of_legs;

/* Counts rises to the target of the brims: over all its candidates, or those that rise least. */
static void add_legs(const shortest *s, const ripstop_fabric *f, const space *own, rises_of_legs *legs) {
  for (uint32_t i = 0; i < s->targets; i++) {
    const uint32_t v = s->node[i] - f->ends;
    const brim *b = &own->brim[v];
    if (b->rises == SHORTEST_AWAY) continue;
    const uint32_t again = b->rises + (b->first < own->last[v]);
    if (b->rises > legs->first) legs->first = b->rises;
    if (again > legs->second) legs->second = again;
  }
}

/* The tables for links that are `up`, with the most rises of shortest paths or the least. */
static rises_of_legs fill(const ripstop_fabric *f, const uint8_t *up, bool most, const shortest *s, const space *own) {
  uint16_t *hops = own->hops;
  uint8_t *rises = own->rises;
  rises_of_legs legs = {0};
  for (uint32_t port = f->ends; port < f->ports; port++)
    own->beyond[port - f->ends] = up[port] && is_between_switches(f, port) ? switch_beyond(f, port) : RIPSTOP_NONE;
  for (uint32_t t = 0; t < s->targets; t++, hops += s->switches, rises += f->ports - f->ends) {
    ripstop_task_progress("tables of shortest paths", t, s->targets);
    uint32_t found = search(f, own, s->node[t] - f->ends, hops);
    count_rises(s, f, own, most, hops, found, rises);
    add_legs(s, f, own, &legs);
  }
  return legs;
}

/* Virtual channels that any route to any target needs: the most rises of a packet from an end node; with a second
 * target also the most rises from there, for a packet that came by any link. */
static uint32_t channels_for(rises_of_legs needed, uint32_t legs) {
  return 1 + needed.first + (legs > 1 ? needed.second : 0);
}

/* If ordered paths need fewer, the message says so. */
static ripstop_answer refuse_channels(const ripstop_plan *p, uint32_t ordered, ripstop_error *err) {
  const char *name = p->method->name;
  const uint32_t spare = (uint32_t)((const shortest_config *)p->config)->spare;
  ripstop_fail(err, "%s: %s needs %u virtual channels; at most %d are possible", name, p->fabric->spec, p->channels,
               RIPSTOP_CHANNELS_MAX);
  if (ordered + spare <= RIPSTOP_CHANNELS_MAX)
    ripstop_fail(err,
                 "%s: %s needs %u virtual channels for every shortest path; at most %d are possible, and "
                 "%s:paths=ordered needs %u",
                 name, p->fabric->spec, p->channels, RIPSTOP_CHANNELS_MAX, name, ordered + spare);
  return RIPSTOP_DOES_NOT_APPLY;
}

/* Fills tables for the fabric without faults, which determine the number of virtual channels, and then for the present
 * view. */
static ripstop_answer fill_and_count(ripstop_plan *p, shortest *s, uint32_t legs, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  const shortest_config *c = p->config;
  uint8_t *up = RIPSTOP_ARRAY(p->arena, f->ports, uint8_t);
  const space own = open_space(p->arena, f, s);
  s->whole = p->view->failed_links + p->view->failed_switches == 0;
  for (uint32_t port = 0; port < f->ports; port++) up[port] = f->peer[port] != RIPSTOP_NONE;
  const uint32_t most = c->paths == SHORTEST_ORDERED ? 0 : channels_for(fill(f, up, true, s, &own), legs),
                 least = c->paths == SHORTEST_ALL ? most : channels_for(fill(f, up, false, s, &own), legs);
  s->all = c->paths == SHORTEST_ALL || (c->paths == SHORTEST_AUTO && most <= least + 1);
  p->channels = (s->all ? most : least) + (uint32_t)c->spare;
  if (p->channels > RIPSTOP_CHANNELS_MAX)
    return refuse_channels(p, s->all ? channels_for(fill(f, up, false, s, &own), legs) : p->channels, err);
  if (c->paths == SHORTEST_ALL || !s->whole) fill(f, p->view->port_up, false, s, &own);
  return RIPSTOP_APPLIES;
}

ripstop_answer ripstop_shortest_plan(ripstop_plan *p, uint32_t legs, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  const char *name = p->method->name;
  shortest *s = RIPSTOP_NEW(p->arena, shortest);
  s->switches = ripstop_fabric_switches(f);
  s->targets = ripstop_shortest_targets(p->arena, f, &s->target, &s->node);
  const uint64_t bytes = (uint64_t)s->targets * (s->switches * sizeof(uint16_t) + f->ports - f->ends);
  if (bytes > MEMORY_MAX)
    return ripstop_does_not_apply(
        err, "%s: tables of %u switches with end nodes x %u switches of %s take %.3g GiB; at most 2 are possible", name,
        s->targets, s->switches, f->spec, (double)bytes / (1 << 30));
  s->place = order_links(p->arena, f, s);
  if (fill_and_count(p, s, legs, err) != RIPSTOP_APPLIES) return RIPSTOP_DOES_NOT_APPLY;
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    uint32_t ports = 0;
    for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++) ports += is_between_switches(f, port);
    if (ports > p->candidates_max) p->candidates_max = ports;
  }
  if (p->candidates_max > UINT8_MAX)
    return ripstop_does_not_apply(err, "%s: a switch of %s has more than %d cables to others", name, f->spec,
                                  UINT8_MAX);
  p->data = s;
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ candidates */

/* A packet that came by one link rises on another. RIPSTOP_NONE: it comes from an end node. */
static inline uint32_t rises_between(const shortest *s, uint32_t from, uint32_t to) {
  return from != RIPSTOP_NONE && s->place[to] < s->place[from];
}

/* The fewest rises on shortest paths from a switch for a packet that came by port `from` of another; SHORTEST_AWAY: no
 * path. */
static inline uint32_t rises_from(const shortest *s, const ripstop_fabric *f, const uint8_t *rises, uint32_t node,
                                  uint32_t from) {
  uint32_t best = SHORTEST_AWAY;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (rises[port - f->ends] == SHORTEST_AWAY) continue;
    uint32_t all = rises[port - f->ends] + rises_between(s, from, port);
    if (best == SHORTEST_AWAY || all < best) best = all;
  }
  return best;
}

uint32_t ripstop_shortest_rises_from(const ripstop_plan *p, uint32_t node, uint32_t target) {
  const shortest *s = p->data;
  return rises_from(s, p->fabric, shortest_rises(s, p->fabric, target), node, RIPSTOP_NONE);
}

int ripstop_shortest_candidates(const ripstop_plan *p, const ripstop_head *head, uint32_t target, bool begins,
                                uint32_t reserve, ripstop_candidate like, ripstop_candidate *candidates) {
  const shortest *s = p->data;
  const ripstop_fabric *f = p->fabric;
  const uint8_t *rises = shortest_rises(s, f, target);
  uint32_t base = f->port_base[head->node], came_by = f->peer[base + head->in_port];
  if (ripstop_is_end(f, f->port_node[came_by])) came_by = RIPSTOP_NONE;
  uint32_t channel = came_by == RIPSTOP_NONE ? 0 : head->channel, left = p->channels - 1 - channel;
  uint32_t counted = begins ? RIPSTOP_NONE : came_by, least = rises_from(s, f, rises, head->node, counted);
  if (least == SHORTEST_AWAY) return -(1 + SHORTEST_NO_PATH);
  if (left < reserve) return -(1 + SHORTEST_NO_CHANNEL);
  left -= reserve;
  int count = 0;
  for (uint32_t port = base; port < f->port_base[head->node + 1]; port++) {
    if (rises[port - f->ends] == SHORTEST_AWAY || !p->view->port_up[port]) continue;
    uint32_t rise = rises_between(s, came_by, port);
    bool is_wanted = s->all || rises[port - f->ends] + rises_between(s, counted, port) == least;
    if (!is_wanted || rises[port - f->ends] + rise > left) continue;
    like.port = (uint16_t)(port - base);
    like.channel = (uint8_t)(channel + rise);
    candidates[count++] = like;
  }
  return count ? count : -(1 + SHORTEST_NO_CHANNEL);
}

int ripstop_shortest_end(const ripstop_plan *p, const ripstop_head *head, uint32_t local, uint64_t header,
                         ripstop_candidate *candidate) {
  *candidate = (ripstop_candidate){.port = (uint16_t)local, .space = 1, .header = header};
  return p->view->port_up[p->fabric->port_base[head->node] + local] ? 1 : -(1 + SHORTEST_CUT_OFF);
}
