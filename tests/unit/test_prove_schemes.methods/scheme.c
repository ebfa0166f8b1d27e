/* scheme.c - for test_prove_schemes: routes over the switches of a fabric, and channels for them, right ones and wrong
 * ones, as papers and their mistakes have them.
 *
 * Routes lead to the destination's switch, with `over` via a target, mostly a random one. Before the target it is in
 * phase 0, behind it in phase 1:
 *
 *     switches, groups    a switch that has end nodes; a group other than the source's and the destination's
 *     away                a switch, where it is in another group, and the destination too
 *     doubt               as groups, or straight on, which a packet can think better of once in its source's group
 *     rail                the accelerator of the source's server on the destination's rail
 *
 * `aside` and `ordered-aside`: dimensions in any order, or from the first on, in each once to a wrong coordinate. A
 * switch's name is its coordinates; the first is its group. */
#include <stdlib.h>
#include <string.h>

#include "promises.h"
#include "ripstop/plugin/method.h"

enum { COORDS = 4, ESCAPE_LANE = 1 };
typedef enum candidates { ALL, LOWEST, ORDERED, GROUPS, ASIDE, ORDERED_ASIDE } candidates_word;
typedef enum over { NOTHING, SWITCHES, OTHER_GROUPS, AWAY, DOUBT, RAIL } over_word;
typedef enum lanes {
  ONE,
  HOP,
  PHASE,
  GLOBALS,
  TWO_GLOBALS,
  ONE_GLOBAL,
  LOCALS,
  PLACE,
  THREE_PLACES,
  PLACE_IN_DOUBT,
  BEFORE_TURN,
  LAST_GLOBAL,
  STRAIGHT,
  ESCAPE
} lanes_word;
static const char *const candidates_words[] = {"all", "lowest", "ordered", "groups", "aside", "ordered-aside", NULL};
static const char *const over_words[] = {"nothing", "switches", "groups", "away", "doubt", "rail", NULL};
static const char *const lanes_words[] = {"one",         "hop",         "phase",    "globals",      "two-globals",
                                          "one-global",  "locals",      "place",    "three-places", "place-in-doubt",
                                          "before-turn", "last-global", "straight", "escape",       NULL};

typedef struct config {
  int32_t candidates, over, lanes;
} config;

#define WORD RIPSTOP_OPTION_WORD
static const ripstop_option options[] = {
    {.name = "ways",
     .type = WORD,
     .offset = offsetof(config, candidates),
     .fallback = "all",
     .words = candidates_words},
    {.name = "over", .type = WORD, .offset = offsetof(config, over), .fallback = "nothing", .words = over_words},
    {.name = "lanes", .type = WORD, .offset = offsetof(config, lanes), .fallback = "one", .words = lanes_words},
    {0}};
static const char *const losses[] = {"no candidate", NULL};

typedef struct coordinates {
  uint32_t at[COORDS];
} coordinates;

typedef struct scheme {
  uint32_t *left;     /* [switches * nodes]: links from a node to a switch */
  coordinates *coord; /* [nodes], as the name has them */
  uint32_t groups;
} scheme;

/* ------------------------------------------------------------------ fabrics */

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

static bool is_group(int32_t over) { return over == OTHER_GROUPS || over == DOUBT; }

static bool has_ends(const ripstop_fabric *f, uint32_t node) {
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && ripstop_is_end(f, next_node(f, port))) return true;
  return false;
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
    if (ripstop_node_ports(f, v) > p->candidates_max) p->candidates_max = ripstop_node_ports(f, v);
  }
  p->data = s;
  p->channels = 8;
  if (c->over == SWITCHES || c->over == AWAY) p->random_headers = ripstop_fabric_switches(f);
  if (is_group(c->over)) p->random_headers = s->groups;
  p->candidates_max *= 3; /* straight on, over a group, and the escape */
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ a packet */

typedef struct packet {   /* the packet's state in its header */
  uint32_t target;        /* target of phase 0: a switch, counted from the first, or a group */
  uint32_t phase;         /* 2: behind its last link between groups, if the scheme has this phase */
  uint32_t hops, globals; /* links; of these between groups */
  uint32_t doubt;         /* 1: of its path only a local link straight on is behind it */
  uint32_t aside;         /* dimensions, a bit each */
} packet;

static uint64_t pack(const packet *k) {
  return k->target | k->phase << 16 | k->hops << 18 | k->globals << 23 | k->doubt << 27 | k->aside << 28;
}

static packet unpack(uint64_t h) {
  return (packet){(uint32_t)h & 0xffff, h >> 16 & 3, h >> 18 & 31, h >> 23 & 15, h >> 27 & 1, h >> 28 & 15};
}

/* The accelerator of its server on the other one's rail: all coordinates but the last. Itself in the same server. */
static uint32_t on_rail(const ripstop_plan *p, uint32_t from, uint32_t to) {
  const scheme *s = p->data;
  uint32_t at = p->fabric->ends;
  coordinates want = s->coord[from];
  if (memcmp(&want, &s->coord[to], (COORDS - 1) * sizeof want.at[0]) == 0) return from;
  want.at[COORDS - 1] = s->coord[to].at[COORDS - 1];
  while (!has_ends(p->fabric, at) || memcmp(&want, &s->coord[at], sizeof want) != 0) at++;
  return at;
}

static packet generated_at(const ripstop_plan *p, const ripstop_head *head) {
  const ripstop_fabric *f = p->fabric;
  const scheme *s = p->data;
  const config *c = p->config;
  const uint32_t first = ripstop_end_switch(f, head->node), last = ripstop_end_switch(f, head->destination);
  const uint32_t from = s->coord[first].at[0], to = s->coord[last].at[0];
  packet k = {.target = (uint32_t)head->header, .phase = c->over == NOTHING || (is_group(c->over) && from == to)};
  while (is_group(c->over) && !k.phase && (k.target == from || k.target == to)) k.target = (k.target + 1) % s->groups;
  if (c->over == AWAY) k.phase = from == to ? 2 : s->coord[f->ends + k.target].at[0] == from;
  if (c->over == RAIL) k.target = on_rail(p, first, last) - f->ends;
  k.doubt = c->over == DOUBT && !k.phase;
  return k;
}

/* Its target switch, or with RIPSTOP_NONE any of the group `k->target`. */
static uint32_t target_of(const ripstop_plan *p, const packet *k, uint32_t destination) {
  if (k->phase) return ripstop_end_switch(p->fabric, destination);
  return is_group(((const config *)p->config)->over) ? RIPSTOP_NONE : p->fabric->ends + k->target;
}

static bool is_there(const ripstop_plan *p, const packet *k, uint32_t node, uint32_t target) {
  const scheme *s = p->data;
  return target == RIPSTOP_NONE ? s->coord[node].at[0] == k->target : node == target;
}

/* ------------------------------------------------------------------ candidates */

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

static bool is_nearer(const ripstop_fabric *f, const scheme *s, uint32_t node, uint32_t next, uint32_t target) {
  const uint32_t *left = s->left + (size_t)(target - f->ends) * f->nodes;
  return left[next] < left[node];
}

/* Inside a group straight on; to another over a switch that has a cable there, from a spine over a leaf. */
static bool is_by_groups(const ripstop_fabric *f, const scheme *s, uint32_t node, uint32_t next, uint32_t target,
                         uint32_t group) {
  const bool stays = s->coord[next].at[0] == s->coord[node].at[0];
  if (s->coord[node].at[0] == group) return stays && is_nearer(f, s, node, next, target);
  if (leads_to(f, s, node, group)) return s->coord[next].at[0] == group;
  return stays && (leads_to(f, s, next, group) || !has_ends(f, node));
}

/* The dimension in which these two differ is one to go on in, and right behind this link, or aside for once. */
static bool is_aside(const config *c, const scheme *s, const packet *k, uint32_t node, uint32_t next, uint32_t target) {
  const uint32_t d = first_difference(s, node, next), right = s->coord[target].at[d];
  if (s->coord[node].at[d] == right) return false;
  if (c->candidates == ORDERED_ASIDE && d != first_difference(s, node, target)) return false;
  return s->coord[next].at[d] == right || !(k->aside >> d & 1);
}

static bool is_candidate(const ripstop_plan *p, const packet *k, uint32_t node, uint32_t next, uint32_t target) {
  const scheme *s = p->data;
  const config *c = p->config;
  if (c->candidates == GROUPS)
    return is_by_groups(p->fabric, s, node, next, target, target == RIPSTOP_NONE ? k->target : s->coord[target].at[0]);
  if (c->candidates == ASIDE || c->candidates == ORDERED_ASIDE) return is_aside(c, s, k, node, next, target);
  if (!is_nearer(p->fabric, s, node, next, target)) return false;
  return c->candidates != ORDERED || first_difference(s, node, next) == first_difference(s, node, target);
}

typedef struct hop { /* hop that a channel can depend on */
  bool is_global, is_last_group, is_straight, is_down;
} hop;

static uint8_t lane_of(const config *c, const packet *k, hop h) {
  const uint32_t phase = k->phase > 0, locals = k->hops - k->globals, place = phase ? 2U + h.is_last_group : k->globals;
  const uint32_t lane[] = {[ONE] = 0,
                           [HOP] = k->hops,
                           [PHASE] = phase,
                           [GLOBALS] = k->globals,
                           [TWO_GLOBALS] = k->globals > 0,
                           [ONE_GLOBAL] = h.is_global ? 0 : k->globals,
                           [LOCALS] = h.is_global ? 0 : locals,
                           [PLACE] = h.is_global ? phase : place,
                           [THREE_PLACES] = h.is_global ? phase : (place + 1) / 2,
                           [PLACE_IN_DOUBT] = h.is_global  ? k->globals
                                              : k->globals ? 1 + k->globals
                                                           : locals,
                           [BEFORE_TURN] = k->globals > h.is_down,
                           [LAST_GLOBAL] = k->phase + (h.is_global && k->phase == 1),
                           [STRAIGHT] = h.is_straight,
                           [ESCAPE] = 0};
  return (uint8_t)lane[c->lanes];
}

static ripstop_candidate candidate_to(const ripstop_plan *p, packet k, uint32_t node, uint32_t port, uint32_t target) {
  const scheme *s = p->data;
  const config *c = p->config;
  const uint32_t next = next_node(p->fabric, p->fabric->port_base[node] + port), d = first_difference(s, node, next);
  const hop h = {.is_global = s->coord[node].at[0] != s->coord[next].at[0],
                 .is_last_group = target != RIPSTOP_NONE && s->coord[node].at[0] == s->coord[target].at[0],
                 .is_straight = target != RIPSTOP_NONE && is_nearer(p->fabric, s, node, next, target),
                 .is_down = has_ends(p->fabric, next)};
  ripstop_candidate candidate = {.port = (uint16_t)port, .space = 1, .channel = lane_of(c, &k, h)};
  k.hops++;
  k.globals += h.is_global;
  if (c->lanes == LAST_GLOBAL && h.is_global && k.phase == 1) k.phase = 2;
  if (c->candidates >= ASIDE && !h.is_straight) k.aside |= 1U << d;
  candidate.header = pack(&k);
  return candidate;
}

/* The candidates of a packet that has decided. */
static int decided(const ripstop_plan *p, const ripstop_head *head, packet k, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  const uint32_t target = target_of(p, &k, head->destination);
  uint32_t lowest = RIPSTOP_NONE;
  int count = 0;
  for (uint32_t port = 0; port < ripstop_node_ports(f, head->node); port++) {
    if (f->peer[f->port_base[head->node] + port] == RIPSTOP_NONE) continue;
    const uint32_t next = next_node(f, f->port_base[head->node] + port);
    if (ripstop_is_end(f, next) || !is_candidate(p, &k, head->node, next, target)) continue;
    if (c->candidates == LOWEST && next >= lowest) continue;
    if (c->candidates == LOWEST) lowest = next, count = 0;
    candidates[count++] = candidate_to(p, k, head->node, port, target);
  }
  return count;
}

/* Straight on, which leaves it in doubt if that is its first link and stays in the group; or over the group that it
 * has drawn. */
static int in_doubt(const ripstop_plan *p, const ripstop_head *head, packet k, ripstop_candidate *candidates) {
  packet straight = k, over = k;
  straight.phase = 1;
  straight.doubt = over.doubt = 0;
  int count = decided(p, head, straight, candidates);
  for (int i = 0; i < count; i++) {
    packet then = unpack(candidates[i].header);
    if (then.globals || then.hops > 1) continue;
    then.phase = 0;
    then.doubt = 1;
    candidates[i].header = pack(&then);
  }
  return count + decided(p, head, over, candidates + count);
}

/* In order of the dimensions on the other VC, for good. */
static int escaping(const ripstop_plan *p, const ripstop_head *head, packet k, ripstop_candidate *candidates) {
  const uint32_t router = ripstop_end_switch(p->fabric, head->destination);
  const scheme *s = p->data;
  int count = 0, all = decided(p, head, k, candidates);
  for (int i = 0; i < all; i++) {
    const uint32_t next = next_node(p->fabric, p->fabric->port_base[head->node] + candidates[i].port);
    if (first_difference(s, head->node, next) != first_difference(s, head->node, router)) continue;
    if (!is_nearer(p->fabric, s, head->node, next, router)) continue;
    candidates[count] = candidates[i];
    candidates[count++].channel = ESCAPE_LANE;
  }
  return count;
}

static int between_switches(const ripstop_plan *p, const ripstop_head *head, packet k, ripstop_candidate *candidates) {
  const bool escapes = ((const config *)p->config)->lanes == ESCAPE;
  int count = 0;
  if (k.doubt) return in_doubt(p, head, k, candidates);
  if (!escapes || head->channel != ESCAPE_LANE) count = decided(p, head, k, candidates);
  return escapes ? count + escaping(p, head, k, candidates + count) : count;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  packet k = ripstop_is_end(f, head->node) ? generated_at(p, head) : unpack(head->header);
  *candidates = (ripstop_candidate){.space = 1, .header = pack(&k)};
  if (ripstop_is_end(f, head->node)) return 1;
  if (!k.phase && is_there(p, &k, head->node, target_of(p, &k, head->destination))) k.phase = 1;
  if (k.phase && head->node == ripstop_end_switch(f, head->destination)) {
    candidates->port = (uint16_t)ripstop_end_switch_port(f, head->destination);
    return 1;
  }
  const int count = between_switches(p, head, k, candidates);
  return count ? count : -1;
}

const ripstop_method ripstop_method_scheme = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "scheme",
    .summary = "routes and channels of papers, and of their mistakes",
    .source = "a test",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = promise_nothing,
};
