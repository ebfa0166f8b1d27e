/* scheme.c - for test_prove_schemes: ways over the switches of a fabric, and channels for them, right ones and wrong
 * ones, as papers and their mistakes have them.
 *
 * Ways lead to the destination's switch, with `over` by way of a target that the packet draws: a switch that has end
 * nodes, or a group other than the source's and the destination's. On the way there it is in phase 0, behind it in
 * phase 1. A switch's name is its coordinates; the first is its group. */
#include <stdlib.h>

#include "promises.h"
#include "ripstop/plugin/method.h"

enum { COORDS = 4 };
typedef enum ways { ALL, LOWEST, ORDERED, GROUPS } ways_word;
typedef enum over { NOTHING, SWITCHES, OTHER_GROUPS } over_word;
typedef enum lanes { ONE, HOP, PHASE, GLOBALS, TWO_GLOBALS, ONE_GLOBAL, LOCALS, PLACE, THREE_PLACES } lanes_word;
static const char *const ways_words[] = {"all", "lowest", "ordered", "groups", NULL};
static const char *const over_words[] = {"nothing", "switches", "groups", NULL};
static const char *const lanes_words[] = {"one",        "hop",    "phase", "globals",      "two-globals",
                                          "one-global", "locals", "place", "three-places", NULL};

typedef struct config {
  int32_t ways, over, lanes;
} config;

#define WORD RIPSTOP_OPTION_WORD
static const ripstop_option options[] = {
    {.name = "ways", .type = WORD, .offset = offsetof(config, ways), .fallback = "all", .words = ways_words},
    {.name = "over", .type = WORD, .offset = offsetof(config, over), .fallback = "nothing", .words = over_words},
    {.name = "lanes", .type = WORD, .offset = offsetof(config, lanes), .fallback = "one", .words = lanes_words},
    {0}};
static const char *const losses[] = {"no way", NULL};

typedef struct coordinates {
  uint32_t at[COORDS];
} coordinates;

typedef struct scheme {
  uint32_t *left;     /* [switches * nodes]: links from a node to a switch */
  coordinates *coord; /* [nodes], as the name has them */
  uint32_t groups;
} scheme;

/* ------------------------------------------------------------------ what there is */

static uint32_t next_node(const ripstop_fabric *f, uint32_t port) { return f->port_node[f->peer[port]]; }

static void measure(const ripstop_fabric *f, uint32_t from, uint32_t *left, uint32_t *list) {
  uint32_t count = 1;
  for (uint32_t v = 0; v < f->nodes; v++) left[v] = RIPSTOP_NONE;
  left[from] = 0;
  list[0] = from;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t port = f->port_base[list[i]]; port < f->port_base[list[i] + 1]; port++) {
      const uint32_t next = f->peer[port] == RIPSTOP_NONE ? from : next_node(f, port);
      if (left[next] != RIPSTOP_NONE || ripstop_is_end(f, next)) continue;
      left[next] = left[list[i]] + 1;
      list[count++] = next;
    }
}

static void read_name(const ripstop_fabric *f, uint32_t node, uint32_t *coord) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, name);
  char *at = name;
  for (int i = 0; i < COORDS && *at; i++) {
    coord[i] = (uint32_t)strtoul(at, &at, 10);
    while (*at && (*at < '0' || *at > '9')) at++;
  }
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  scheme *s = RIPSTOP_NEW(p->arena, scheme);
  uint32_t *list = RIPSTOP_ARRAY(p->arena, f->nodes, uint32_t);
  s->left = RIPSTOP_ARRAY(p->arena, (size_t)ripstop_fabric_switches(f) * f->nodes, uint32_t);
  s->coord = RIPSTOP_ARRAY(p->arena, f->nodes, coordinates);
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    measure(f, v, s->left + (size_t)(v - f->ends) * f->nodes, list);
    read_name(f, v, s->coord[v].at);
    if (s->coord[v].at[0] >= s->groups) s->groups = s->coord[v].at[0] + 1;
    if (ripstop_node_ports(f, v) > p->ways_max) p->ways_max = ripstop_node_ports(f, v);
  }
  p->data = s;
  p->channels = 8;
  if (c->over == SWITCHES) p->draws = ripstop_fabric_switches(f);
  if (c->over == OTHER_GROUPS) p->draws = s->groups;
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ a packet */

typedef struct packet { /* what its header holds */
  uint32_t target;      /* of phase 0: a switch, counted from the first, or a group */
  uint32_t phase, hops, globals, locals;
} packet;

static uint64_t pack(const packet *k) {
  return k->target | k->phase << 16 | k->hops << 17 | k->globals << 22 | k->locals << 26;
}

static packet unpack(uint64_t h) {
  return (packet){(uint32_t)h & 0xffff, h >> 16 & 1, h >> 17 & 31, h >> 22 & 15, h >> 26 & 15};
}

static packet born(const ripstop_plan *p, const ripstop_head *head) {
  const ripstop_fabric *f = p->fabric;
  const scheme *s = p->data;
  const config *c = p->config;
  const uint32_t from = s->coord[ripstop_end_switch(f, head->node)].at[0];
  const uint32_t to = s->coord[ripstop_end_switch(f, head->destination)].at[0];
  packet k = {.target = (uint32_t)head->header, .phase = c->over == NOTHING || (c->over == OTHER_GROUPS && from == to)};
  while (c->over == OTHER_GROUPS && !k.phase && (k.target == from || k.target == to))
    k.target = (k.target + 1) % s->groups;
  return k;
}

/* Its target switch, or with RIPSTOP_NONE any of the group `k->target`. */
static uint32_t target_of(const ripstop_plan *p, const packet *k, uint32_t destination) {
  if (k->phase) return ripstop_end_switch(p->fabric, destination);
  return ((const config *)p->config)->over == SWITCHES ? p->fabric->ends + k->target : RIPSTOP_NONE;
}

static bool is_there(const ripstop_plan *p, const packet *k, uint32_t node, uint32_t target) {
  const scheme *s = p->data;
  return target == RIPSTOP_NONE ? s->coord[node].at[0] == k->target : node == target;
}

/* ------------------------------------------------------------------ its ways */

static uint32_t first_difference(const scheme *s, uint32_t a, uint32_t b) {
  uint32_t i = 0;
  while (i < COORDS && s->coord[a].at[i] == s->coord[b].at[i]) i++;
  return i;
}

static bool leads_to(const ripstop_fabric *f, const scheme *s, uint32_t node, uint32_t group) {
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, next_node(f, port)) &&
        s->coord[next_node(f, port)].at[0] == group)
      return true;
  return false;
}

/* Inside a group straight on; to another over the switch that has a cable there. */
static bool is_by_groups(const ripstop_fabric *f, const scheme *s, uint32_t node, uint32_t next, uint32_t target,
                         uint32_t group) {
  if (s->coord[node].at[0] == group) return next == target;
  if (leads_to(f, s, node, group)) return s->coord[next].at[0] == group;
  return s->coord[next].at[0] == s->coord[node].at[0] && leads_to(f, s, next, group);
}

static bool is_way(const ripstop_plan *p, const packet *k, uint32_t node, uint32_t next, uint32_t target) {
  const scheme *s = p->data;
  const config *c = p->config;
  if (c->ways == GROUPS)
    return is_by_groups(p->fabric, s, node, next, target, target == RIPSTOP_NONE ? k->target : s->coord[target].at[0]);
  const uint32_t *left = s->left + (size_t)(target - p->fabric->ends) * p->fabric->nodes;
  if (left[next] >= left[node]) return false;
  return c->ways != ORDERED || first_difference(s, node, next) == first_difference(s, node, target);
}

static uint8_t lane_of(const config *c, const packet *k, bool is_global, bool is_last_group) {
  const uint32_t place = 2 * k->phase + is_last_group;
  const uint32_t lane[] = {[ONE] = 0,
                           [HOP] = k->hops,
                           [PHASE] = k->phase,
                           [GLOBALS] = k->globals,
                           [TWO_GLOBALS] = k->globals > 0,
                           [ONE_GLOBAL] = is_global ? 0 : k->globals,
                           [LOCALS] = is_global ? 0 : k->locals,
                           [PLACE] = is_global ? k->phase : place,
                           [THREE_PLACES] = is_global ? k->phase : (place + 1) / 2};
  return (uint8_t)lane[c->lanes];
}

static ripstop_way way_to(const ripstop_plan *p, packet k, uint32_t node, uint32_t port, uint32_t target) {
  const scheme *s = p->data;
  const uint32_t next = next_node(p->fabric, p->fabric->port_base[node] + port);
  const bool is_global = s->coord[node].at[0] != s->coord[next].at[0];
  const bool is_last = target != RIPSTOP_NONE && s->coord[node].at[0] == s->coord[target].at[0];
  ripstop_way way = {.port = (uint16_t)port, .space = 1, .channel = lane_of(p->config, &k, is_global, is_last)};
  k.hops++;
  k.globals += is_global;
  k.locals += !is_global;
  way.header = pack(&k);
  return way;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  packet k = ripstop_is_end(f, head->node) ? born(p, head) : unpack(head->header);
  uint32_t target = target_of(p, &k, head->destination), lowest = RIPSTOP_NONE;
  int count = 0;
  *ways = (ripstop_way){.space = 1, .header = pack(&k)};
  if (ripstop_is_end(f, head->node)) return 1;
  if (!k.phase && is_there(p, &k, head->node, target)) k.phase = 1, target = target_of(p, &k, head->destination);
  if (k.phase && head->node == target) {
    ways->port = (uint16_t)ripstop_end_switch_port(f, head->destination);
    return 1;
  }
  for (uint32_t port = 0; port < ripstop_node_ports(f, head->node); port++) {
    if (f->peer[f->port_base[head->node] + port] == RIPSTOP_NONE) continue;
    const uint32_t next = next_node(f, f->port_base[head->node] + port);
    if (ripstop_is_end(f, next) || !is_way(p, &k, head->node, next, target)) continue;
    if (c->ways == LOWEST && next >= lowest) continue;
    if (c->ways == LOWEST) lowest = next, count = 0;
    ways[count++] = way_to(p, k, head->node, port, target);
  }
  return count ? count : -1;
}

const ripstop_method ripstop_method_scheme = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "scheme",
    .summary = "ways and channels of papers, and of their mistakes",
    .source = "a test",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = promise_nothing,
};
