/* link-fault-messages.c - "Distributed Dynamic Fault-Tolerant Routing in Fat Tree" (paper 001, section 5): the switch
 * above a dead link tells the others, which then choose on the way up only ports that still lead to the destination.
 * Paths stay minimal, one channel is enough. docs/methods/link-fault-messages.md explains the method and the readings.
 *
 * A fact is a link that must not be gone down, by number: the upward link fault message ULFM<l,c,k> names the link of
 * switch <l,c> at up port k. A switch of level l keeps the facts of its own level in its link fault table, one entry
 * <c',f> for each lower switch <l,c'> with a bit of f for each of its up ports; the states PS_k of its own up ports say
 * that the link is dead (level l) or that the way up ends at level PS_k.l (downward message DLFM). Only switches whose
 * digits below l are its own can be named in its table, so an entry is kept by its position, c' / half^l.
 *
 * The file has two independent constructions of the tables:
 *   settle tables  `plan`: level by level from the top, where a message would get to; this is what `route` uses and
 *                  what is proved
 *   protocol       the switches' state machines: what arrives at each port is kept per port, everything else is
 *                  computed from that, and the difference to what was last said goes out. What came down never goes
 *                  up again, so a withdrawal cannot chase its own echo, and the final state depends on the present
 *                  faults alone, whatever their history and the order of messages. */
#include <stdlib.h>
#include <string.h>

#include "fabric/tree.h"
#include "ripstop/plugin/method.h"

typedef enum { CASE3_PAPER, CASE3_PER_PORT } case3_rule;

typedef struct config {
  int64_t capacity;
  int32_t case3;
  int64_t delay, message_flits, probe, timeout, retries;
  bool withdraw;
} config;

static const char *const case3_words[] = {[CASE3_PAPER] = "paper", [CASE3_PER_PORT] = "per-port", NULL};
static const ripstop_option options[] = {
    {.name = "capacity",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, capacity),
     .min = 0,
     .max = RIPSTOP_FABRIC_MAX_PORTS,
     .fallback = "32",
     .help = "entries of a switch's link fault table; 0: as many as it needs"},
    {.name = "case3",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(config, case3),
     .words = case3_words,
     .fallback = "paper",
     .help = "flagged up ports whose level counts in the third case: all of them, or those that the entry lacks"},
    {.name = "withdraw",
     .type = RIPSTOP_OPTION_FLAG,
     .offset = offsetof(config, withdraw),
     .fallback = "on",
     .help = "whether switches take back what is no longer so; off: as printed, for faults that stay"},
    {.name = "delay",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, delay),
     .min = 1,
     .max = 1e6,
     .fallback = "10",
     .help = "cycles that a message takes for one hop, its handling included"},
    {.name = "message_flits",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, message_flits),
     .min = 0,
     .max = 1023,
     .fallback = "0",
     .help = "flits of a message, which holds its link against data; 0: messages have a channel of their own"},
    {.name = "probe",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, probe),
     .min = 0,
     .max = 1e9,
     .fallback = "0",
     .help = "cycles between two probes of a link; 0: a switch knows of its own dead links at once"},
    {.name = "timeout",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, timeout),
     .min = 1,
     .max = 1e9,
     .fallback = "50",
     .help = "cycles that a probe waits for its answer; more than two delays"},
    {.name = "retries",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, retries),
     .min = 0,
     .max = 100,
     .fallback = "2",
     .help = "probes sent again without an answer before a link is taken for dead"},
    {0}};

enum { NO_PORT_LEFT, NO_DOWN, CUT_OFF };
static const char *const losses[] = {
    [NO_PORT_LEFT] = "no up port is left", [NO_DOWN] = "the one down link is dead", [CUT_OFF] = "source cut off", NULL};

/* ------------------------------------------------------------------ the tree in numbers
 * Switch number s of level l has digits c with s = sum c_i * half^i; its position s / half^l tells the digits from l
 * on, and position q has the end nodes q * half^(l+1) and following below it. */

enum { LEVELS_MAX = 64, HALF_MAX = 64 };
#define NO_LEVEL   UINT8_MAX
#define MEMORY_MAX ((uint64_t)1 << 30) /* bytes of all tables, and of all switches' states */

typedef struct shape {
  ripstop_tree tree;
  uint32_t half, top;             /* top: the highest level */
  uint64_t all;                   /* a bit for each up port */
  uint32_t first[LEVELS_MAX];     /* node of switch number 0 of a level */
  uint32_t count[LEVELS_MAX];     /* switches of a level */
  uint32_t twins[LEVELS_MAX];     /* half^level: switches of one position */
  uint32_t positions[LEVELS_MAX]; /* count / twins */
  uint32_t fact[LEVELS_MAX];      /* number of the first fact of a level: links are numbered by switch and up port */
  uint32_t facts, words;          /* links between switches, and the words of a set of them */
} shape;

static void measure_tree(shape *s, const ripstop_fabric *f) {
  s->half = s->tree.half;
  s->top = s->tree.levels - 1;
  s->all = s->half == HALF_MAX ? UINT64_MAX : (UINT64_C(1) << s->half) - 1;
  s->facts = f->links - f->link_ends;
  s->words = (s->facts + 63) / 64;
  uint32_t node = f->ends, twins = 1;
  for (uint32_t level = 0; level <= s->top; level++, twins *= s->half) {
    s->first[level] = node;
    while (node < f->nodes && ripstop_tree_level(&s->tree, node) == level) node++;
    s->count[level] = node - s->first[level];
    s->twins[level] = twins;
    s->positions[level] = s->count[level] / twins;
    if (level < s->top) s->fact[level] = f->port_link[f->port_base[s->first[level]] + s->half] - f->link_ends;
  }
  s->fact[s->top] = s->facts;
}

static inline uint32_t number_of(const shape *s, uint32_t level, uint32_t node) { return node - s->first[level]; }

/* Level of the lowest common ancestors of positions a and b of a level. */
static inline uint32_t meet(const shape *s, uint32_t level, uint32_t a, uint32_t b) {
  for (; a != b && level < s->top; level++) a /= s->half, b /= s->half;
  return level;
}

/* Position of an end node's ancestors at a level. */
static inline uint32_t position_above(const shape *s, uint32_t level, uint32_t end) {
  return end / ripstop_tree_at(&s->tree, s->first[level])->span;
}

/* ------------------------------------------------------------------ the rules that both constructions share */

/* States of a switch's up ports: levels[k] is PS_k.l, NO_LEVEL where PS_k.f is 0. */
typedef struct ups {
  uint64_t flagged;
  const uint8_t *level;
} ups;

static uint8_t highest(const ups *u, uint64_t ports) {
  uint8_t most = 0;
  for (; ports; ports &= ports - 1) {
    uint8_t level = u->level[__builtin_ctzll(ports)];
    if (level > most) most = level;
  }
  return most;
}

/* Cases 2 and 3: whether no up port of this switch leads to <l,c'>, which is met at level `met`. */
static bool unreachable(const shape *s, const config *c, const ups *u, uint64_t entry, uint32_t met) {
  if (entry == s->all) return true;
  if (!entry || (entry | u->flagged) != s->all) return false;
  return met > highest(u, c->case3 == CASE3_PAPER ? u->flagged : u->flagged & ~entry);
}

/* Steps 2 and 3: the up ports that may be chosen towards a destination. */
static uint64_t allowed(const shape *s, const ups *u, uint64_t entry, uint32_t met) {
  uint64_t excluded = entry;
  for (uint64_t ports = u->flagged; ports; ports &= ports - 1) {
    int k = __builtin_ctzll(ports);
    if (u->level[k] < met) excluded |= UINT64_C(1) << k;
  }
  return s->all & ~excluded;
}

/* Step 4: the preferred port, else the next allowed one cyclically upward; at least one is allowed. */
static inline uint32_t next_allowed(uint64_t ports, uint32_t preferred) {
  uint64_t from = ports >> preferred << preferred;
  return (uint32_t)__builtin_ctzll(from ? from : ports);
}

/* ------------------------------------------------------------------ settled tables */

typedef struct tables {
  shape shape;
  uint64_t *entry[LEVELS_MAX]; /* [count * positions]: f of the entry of a position; 0: none */
  uint8_t *level[LEVELS_MAX];  /* [count * half]: PS_k.l or NO_LEVEL */
  uint64_t *flagged[LEVELS_MAX];
  uint32_t most_entries; /* that a switch would need */
} tables;

static inline ups ups_of(const tables *t, uint32_t level, uint32_t number) {
  return (ups){.flagged = t->flagged[level][number], .level = t->level[level] + (size_t)number * t->shape.half};
}

typedef struct settling {
  const ripstop_plan *plan;
  tables *t;
  const shape *s;
  const uint8_t *alive; /* port_up */
  uint64_t capacity;
  uint32_t *entries; /* [nodes] recorded */
  uint32_t *mark;    /* [nodes]: the last message that got there */
  uint32_t marks;
  uint32_t *reached[LEVELS_MAX], reaches[LEVELS_MAX]; /* nodes that it got to, by level */
} settling;

static void record(settling *x, uint32_t level, uint32_t node, uint32_t position, uint64_t bits) {
  uint64_t *entry = &x->t->entry[level][(size_t)number_of(x->s, level, node) * x->s->positions[level] + position];
  if (!*entry) {
    if (x->entries[node] == x->capacity) return;
    x->entries[node]++;
  }
  *entry |= bits;
}

static inline void reach(settling *x, uint32_t level, uint32_t node) {
  if (x->mark[node] == x->marks) return;
  x->mark[node] = x->marks;
  x->reached[level][x->reaches[level]++] = node;
}

/* Nodes that a message from all of `level` gets to over healthy ports `first .. first + count - 1`. */
static void reach_over(settling *x, uint32_t level, uint32_t first, uint32_t count, uint32_t next_level) {
  const ripstop_fabric *f = x->plan->fabric;
  for (uint32_t i = 0; i < x->reaches[level]; i++) {
    uint32_t port = f->port_base[x->reached[level][i]] + first;
    for (uint32_t end = port + count; port < end; port++)
      if (x->alive[port]) reach(x, next_level, f->port_node[f->peer[port]]);
  }
}

/* Case 1: the message of the switch `upper` about its dead down link, to <level,c> at `position`, goes up and then down
 * over healthy links, to be recorded at that level. */
static void spread(settling *x, uint32_t level, uint32_t upper, uint32_t position, uint64_t bit) {
  const shape *s = x->s;
  const ripstop_fabric *f = x->plan->fabric;
  x->marks++;
  for (uint32_t l = level + 1; l <= s->top; l++) x->reaches[l] = 0;
  reach(x, level + 1, upper);
  for (uint32_t l = level + 1; l < s->top; l++) reach_over(x, l, s->half, s->half, l + 1);
  for (uint32_t l = s->top; l > level + 1; l--) reach_over(x, l, 0, l == s->top ? s->tree.top_ports : s->half, l - 1);
  uint32_t downs = level + 1 == s->top ? s->tree.top_ports : s->half;
  for (uint32_t i = 0; i < x->reaches[level + 1]; i++) {
    uint32_t port = f->port_base[x->reached[level + 1][i]];
    for (uint32_t end = port + downs; port < end; port++)
      if (x->alive[port]) record(x, level, f->port_node[f->peer[port]], position, bit);
  }
}

static void spread_dead_links(settling *x, uint32_t level) {
  const shape *s = x->s;
  const ripstop_fabric *f = x->plan->fabric;
  for (uint32_t number = 0; number < s->count[level]; number++) {
    uint32_t port = f->port_base[s->first[level] + number] + s->half;
    for (uint32_t k = 0; k < s->half; k++, port++)
      if (!x->alive[port]) spread(x, level, f->port_node[f->peer[port]], number / s->twins[level], UINT64_C(1) << k);
  }
}

/* Cases 2 and 3 at a switch of the level above: for its children, all down links of the switch that it cannot reach are
 * as good as dead. */
static void tell_children(settling *x, uint32_t level, uint32_t number, uint32_t position) {
  const shape *s = x->s;
  const ripstop_fabric *f = x->plan->fabric;
  uint64_t bit = UINT64_C(1) << number / s->twins[level] % s->half;
  uint32_t port = f->port_base[s->first[level + 1] + number];
  for (uint32_t end = port + s->half; port < end; port++)
    for (uint32_t j = 0; j < s->half && x->alive[port]; j++)
      record(x, level, f->port_node[f->peer[port]], position * s->half + j, bit);
}

static void spread_unreachable(settling *x, uint32_t level) {
  const shape *s = x->s;
  uint32_t above = level + 1, positions = s->positions[above];
  const uint64_t *entry = x->t->entry[above];
  for (uint32_t number = 0; above < s->top && number < s->count[above]; number++) {
    ups u = ups_of(x->t, above, number);
    for (uint32_t position = 0; position < positions; position++, entry++)
      if (*entry && unreachable(s, x->plan->config, &u, *entry, meet(s, above, number / s->twins[above], position)))
        tell_children(x, level, number, position);
  }
}

/* The states of up ports: own dead links, and parents all of whose up ports are flagged. */
static void settle_ports(settling *x, uint32_t level) {
  const shape *s = x->s;
  const ripstop_fabric *f = x->plan->fabric;
  for (uint32_t number = 0; number < s->count[level]; number++) {
    uint32_t port = f->port_base[s->first[level] + number] + s->half;
    uint8_t *state = x->t->level[level] + (size_t)number * s->half;
    for (uint32_t k = 0; k < s->half; k++, port++) {
      state[k] = NO_LEVEL;
      if (!x->alive[port])
        state[k] = (uint8_t)level;
      else if (level + 1 < s->top) {
        ups parent = ups_of(x->t, level + 1, number_of(s, level + 1, f->port_node[f->peer[port]]));
        if (parent.flagged == s->all) state[k] = highest(&parent, parent.flagged);
      }
      if (state[k] != NO_LEVEL) x->t->flagged[level][number] |= UINT64_C(1) << k;
    }
  }
}

static void settle(settling *x, uint64_t capacity) {
  const shape *s = x->s;
  x->capacity = capacity;
  for (uint32_t level = s->top; level-- > 0;) {
    settle_ports(x, level);
    spread_dead_links(x, level);
    spread_unreachable(x, level);
  }
}

static void clear(settling *x) {
  const shape *s = x->s;
  for (uint32_t level = 0; level < s->top; level++) {
    memset(x->t->entry[level], 0, (size_t)s->count[level] * s->positions[level] * sizeof *x->t->entry[level]);
    memset(x->t->flagged[level], 0, s->count[level] * sizeof *x->t->flagged[level]);
  }
  memset(x->entries, 0, x->plan->fabric->nodes * sizeof *x->entries);
}

static void settle_all(ripstop_plan *p, tables *t) {
  const config *c = p->config;
  const shape *s = &t->shape;
  settling x = {.plan = p, .t = t, .s = s, .alive = p->view->port_up};
  x.entries = RIPSTOP_ARRAY(p->arena, p->fabric->nodes, uint32_t);
  x.mark = RIPSTOP_ARRAY(p->arena, p->fabric->nodes, uint32_t);
  for (uint32_t level = 0; level <= s->top; level++)
    x.reached[level] = RIPSTOP_ARRAY(p->arena, s->count[level], uint32_t);
  settle(&x, UINT64_MAX);
  for (uint32_t v = p->fabric->ends; v < p->fabric->nodes; v++)
    if (x.entries[v] > t->most_entries) t->most_entries = x.entries[v];
  if (!c->capacity || t->most_entries <= c->capacity) return;
  clear(&x);
  settle(&x, (uint64_t)c->capacity);
}

static uint64_t protocol_bytes(const shape *s, const config *c);

/* Whether the options agree with each other. */
static ripstop_answer check_options(const config *c, ripstop_error *err) {
  if (c->probe && c->timeout <= 2 * c->delay) {
    ripstop_fail(err, "link-fault-messages: timeout=%lld, but probe and answer take %lld cycles", (long long)c->timeout,
                 (long long)(2 * c->delay));
    return RIPSTOP_ERROR;
  }
  if (c->message_flits > c->delay) {
    ripstop_fail(err, "link-fault-messages: message_flits=%lld, but a hop takes delay=%lld cycles",
                 (long long)c->message_flits, (long long)c->delay);
    return RIPSTOP_ERROR;
  }
  return RIPSTOP_APPLIES;
}

/* Whether there is memory for the tables. */
static ripstop_answer check_size(const shape *s, const config *c, const char *fabric, ripstop_error *err) {
  uint64_t bytes = 0;
  for (uint32_t level = 0; level < s->top; level++)
    bytes += (uint64_t)s->count[level] * s->positions[level] * sizeof(uint64_t);
  if (bytes <= MEMORY_MAX && protocol_bytes(s, c) <= MEMORY_MAX) return RIPSTOP_APPLIES;
  ripstop_fail(err, "link-fault-messages: the tables of %s take more than 1 GiB", fabric);
  return RIPSTOP_DOES_NOT_APPLY;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  tables *t = RIPSTOP_NEW(p->arena, tables);
  shape *s = &t->shape;
  if (!ripstop_tree_from(p->fabric, &s->tree)) {
    ripstop_fail(err, "link-fault-messages is for fat trees, not for %s", p->fabric->spec);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  ripstop_answer answer = check_options(c, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  if (s->tree.half > HALF_MAX) {
    ripstop_fail(err, "link-fault-messages: %u up ports are more than an entry's %d bits", s->tree.half, HALF_MAX);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  measure_tree(s, p->fabric);
  answer = check_size(s, c, p->fabric->spec, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  for (uint32_t level = 0; level < s->top; level++) {
    t->entry[level] = RIPSTOP_ARRAY(p->arena, (size_t)s->count[level] * s->positions[level], uint64_t);
    t->level[level] = RIPSTOP_ARRAY(p->arena, (size_t)s->count[level] * s->half, uint8_t);
    t->flagged[level] = RIPSTOP_ARRAY(p->arena, s->count[level], uint64_t);
  }
  settle_all(p, t);
  p->data = t;
  p->channels = 1;
  p->ways_max = 1;
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ routing */

/* Step 1, and whether it is all: 1 or a loss when the way is down or from the source; 0: a way up is to be found. */
static int go_down(const ripstop_plan *p, const shape *s, const ripstop_head *head, ripstop_way *way) {
  *way = (ripstop_way){.port = 0, .space = 1};
  if (ripstop_is_end(p->fabric, head->node))
    return p->view->port_up[p->fabric->port_base[head->node]] ? 1 : -(1 + CUT_OFF);
  if (!ripstop_tree_above(&s->tree, head->node, head->destination)) return 0;
  way->port = (uint16_t)ripstop_tree_down_port(&s->tree, ripstop_tree_level(&s->tree, head->node), head->destination);
  return 1;
}

/* Steps 2 to 4. */
static int go_up(const shape *s, uint32_t level, uint32_t position, uint32_t destination, const ups *u, uint64_t entry,
                 ripstop_way *way) {
  uint64_t ports = allowed(s, u, entry, meet(s, level, position, position_above(s, level, destination)));
  if (!ports) return -(1 + NO_PORT_LEFT);
  way->port = (uint16_t)(s->half + next_allowed(ports, ripstop_tree_down_port(&s->tree, level, destination)));
  return 1;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *way) {
  const tables *t = p->data;
  const shape *s = &t->shape;
  int down = go_down(p, s, head, way);
  if (down < 0 || ripstop_is_end(p->fabric, head->node)) return down;
  if (down) return p->view->port_up[p->fabric->port_base[head->node] + way->port] ? 1 : -(1 + NO_DOWN);
  uint32_t level = ripstop_tree_level(&s->tree, head->node), number = number_of(s, level, head->node);
  ups u = ups_of(t, level, number);
  uint64_t entry = t->entry[level][(size_t)number * s->positions[level] + position_above(s, level, head->destination)];
  return go_up(s, level, number / s->twins[level], head->destination, &u, entry, way);
}

/* ------------------------------------------------------------------ counting pairs
 * A set of end nodes for each switch: those to which a packet on its way up there is delivered. The sets of a level
 * follow from those above it, a word of 64 end nodes at a time; only where a table or a port's state deviates from the
 * preferred ports do single positions have to be looked at. */

typedef struct counting {
  const ripstop_plan *plan;
  const tables *t;
  const shape *s;
  uint32_t words;
  uint64_t *digit; /* [top * half * words]: the end nodes whose digit of a level is so */
  uint64_t *down;  /* [switches * words]: the end nodes below that a switch reaches downward */
  uint64_t *to;    /* [switches * words]: all that it delivers to */
} counting;

static inline uint64_t *set_of(const counting *c, uint64_t *sets, uint32_t node) {
  return sets + (size_t)(node - c->s->tree.ends) * c->words;
}

/* The end nodes first .. first + count - 1 that lie in a word. */
static inline uint64_t part(uint32_t first, uint32_t count, uint32_t word) {
  uint32_t from = first > 64 * word ? first - 64 * word : 0, end = first + count - 64 * word;
  return (end >= 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1) >> from << from;
}

static void find_down(const counting *c) {
  const ripstop_fabric *f = c->plan->fabric;
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    uint64_t *down = set_of(c, c->down, v);
    uint32_t downs = ripstop_node_ports(f, v) - ripstop_tree_ups(&c->s->tree, v);
    for (uint32_t port = f->port_base[v]; port < f->port_base[v] + downs; port++) {
      if (!c->plan->view->port_up[port]) continue;
      uint32_t below = f->port_node[f->peer[port]];
      if (ripstop_is_end(f, below))
        down[below / 64] |= UINT64_C(1) << (below & 63);
      else
        for (uint32_t w = 0; w < c->words; w++) down[w] |= set_of(c, c->down, below)[w];
    }
  }
}

/* The way up that the method chooses for a packet that prefers port k: `port[k]`; RIPSTOP_NONE: it is lost. */
static void take(const counting *c, uint64_t *to, uint64_t *const *parent, uint32_t level, uint32_t first,
                 uint32_t count, const uint32_t *port) {
  uint32_t half = c->s->half;
  for (uint32_t w = first / 64; w <= (first + count - 1) / 64; w++) {
    uint64_t found = 0, within = part(first, count, w);
    for (uint32_t k = 0; k < half; k++)
      if (port[k] != RIPSTOP_NONE) found |= c->digit[((size_t)level * half + k) * c->words + w] & parent[port[k]][w];
    to[w] = (to[w] & ~within) | (found & within);
  }
}

/* The parents of a switch below the top: what they deliver to. */
static void find_parents(const counting *c, uint32_t node, uint64_t **parent) {
  const ripstop_fabric *f = c->plan->fabric;
  uint32_t port = f->port_base[node] + c->s->half;
  for (uint32_t k = 0; k < c->s->half; k++) parent[k] = set_of(c, c->to, f->port_node[f->peer[port + k]]);
}

/* By any healthy shortest path. */
static void go_any_way(const counting *c, uint32_t node) {
  uint64_t *to = set_of(c, c->to, node), *parent[HALF_MAX];
  const uint8_t *up = c->plan->view->port_up + c->plan->fabric->port_base[node] + c->s->half;
  find_parents(c, node, parent);
  for (uint32_t k = 0; k < c->s->half; k++)
    for (uint32_t w = 0; up[k] && w < c->words; w++) to[w] |= parent[k][w];
}

/* By the ways that the method takes: first as if nothing were known, then again where a port may not be chosen. */
static void go_the_methods_way(const counting *c, uint32_t level, uint32_t number) {
  const shape *s = c->s;
  uint32_t node = s->first[level] + number, own = number / s->twins[level],
           span = ripstop_tree_at(&s->tree, node)->span;
  uint64_t *to = set_of(c, c->to, node), *parent[HALF_MAX];
  const uint64_t *entry = c->t->entry[level] + (size_t)number * s->positions[level];
  uint32_t chosen[HALF_MAX];
  ups u = ups_of(c->t, level, number);
  find_parents(c, node, parent);
  for (uint32_t k = 0; k < s->half; k++) chosen[k] = k;
  take(c, to, parent, level, 0, s->tree.ends, chosen);
  for (uint32_t q = 0; q < s->positions[level]; q++) {
    if (q == own || !(entry[q] | u.flagged)) continue;
    uint64_t ports = allowed(s, &u, entry[q], meet(s, level, own, q));
    if (ports == s->all) continue;
    for (uint32_t k = 0; k < s->half; k++) chosen[k] = ports ? next_allowed(ports, k) : RIPSTOP_NONE;
    take(c, to, parent, level, q * span, span, chosen);
  }
}

/* What lies below a switch is reached downward or not at all. */
static void turn_down(const counting *c, uint32_t level, uint32_t number) {
  uint32_t node = c->s->first[level] + number, span = ripstop_tree_at(&c->s->tree, node)->span;
  uint32_t first = number / c->s->twins[level] * span;
  uint64_t *to = set_of(c, c->to, node), *down = set_of(c, c->down, node);
  for (uint32_t w = first / 64; w <= (first + span - 1) / 64; w++) to[w] = (to[w] & ~part(first, span, w)) | down[w];
}

static counting start_counting(const ripstop_plan *p) {
  const tables *t = p->data;
  const shape *s = &t->shape;
  uint32_t ends = p->fabric->ends;
  counting c = {.plan = p, .t = t, .s = s, .words = (ends + 63) / 64};
  size_t switches = (size_t)ripstop_fabric_switches(p->fabric) * c.words, digits = (size_t)s->top * s->half * c.words;
  c.down = ripstop_realloc(NULL, 2 * switches + digits, sizeof *c.down);
  memset(c.down, 0, (2 * switches + digits) * sizeof *c.down);
  c.to = c.down + switches;
  c.digit = c.to + switches;
  for (uint32_t level = 0; level < s->top; level++)
    for (uint32_t e = 0; e < ends; e++)
      c.digit[((size_t)level * s->half + ripstop_tree_down_port(&s->tree, level, e)) * c.words + e / 64] |= UINT64_C(1)
                                                                                                            << (e & 63);
  return c;
}

/* `any`: by any healthy shortest path instead of the method's. */
static uint64_t count_lost(const ripstop_plan *p, bool any) {
  const ripstop_fabric *f = p->fabric;
  counting c = start_counting(p);
  const shape *s = c.s;
  find_down(&c);
  memcpy(set_of(&c, c.to, s->first[s->top]), set_of(&c, c.down, s->first[s->top]),
         (size_t)s->count[s->top] * c.words * sizeof *c.to);
  for (uint32_t level = s->top; level-- > 0;)
    for (uint32_t number = 0; number < s->count[level]; number++) {
      if (any)
        go_any_way(&c, s->first[level] + number);
      else
        go_the_methods_way(&c, level, number);
      turn_down(&c, level, number);
    }
  uint64_t lost = 0;
  for (uint32_t e = 0; e < f->ends; e++) {
    if (!p->view->port_up[f->port_base[e]]) {
      lost += f->ends - 1;
      continue;
    }
    lost += f->ends; /* it is in its own switch's set */
    const uint64_t *to = set_of(&c, c.to, ripstop_end_switch(f, e));
    for (uint32_t w = 0; w < c.words; w++) lost -= (uint64_t)__builtin_popcountll(to[w]);
  }
  free(c.down);
  return lost;
}

static uint64_t lost_pairs(const ripstop_plan *p) { return count_lost(p, false); }

/* Pairs whose packets get no farther than to their first switch. */
static uint64_t count_refused(const ripstop_plan *p) {
  const tables *t = p->data;
  const shape *s = &t->shape;
  const ripstop_fabric *f = p->fabric;
  uint64_t refused = 0;
  for (uint32_t leaf = 0; leaf < s->count[0]; leaf++) {
    uint32_t node = s->first[0] + leaf, downs = ripstop_node_ports(f, node) - ripstop_tree_ups(&s->tree, node), up = 0;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node] + downs; port++) up += p->view->port_up[port];
    refused += (uint64_t)(downs - up) * (f->ends - 1) + (uint64_t)up * (downs - up);
    for (uint32_t other = 0; s->top > 0 && other < s->positions[0]; other++) {
      ups u = ups_of(t, 0, leaf);
      uint64_t entry = t->entry[0][(size_t)leaf * s->positions[0] + other];
      if (other != leaf && !allowed(s, &u, entry, meet(s, 0, leaf, other))) refused += (uint64_t)up * downs;
    }
  }
  return refused;
}

enum { NO_SHORTEST_PATH, DEAD_ENDS, MAX_ENTRIES };
static const char *const fact_names[] = {[NO_SHORTEST_PATH] = "no_shortest_path_pairs",
                                         [DEAD_ENDS] = "dead_end_pairs",
                                         [MAX_ENTRIES] = "max_table_entries",
                                         NULL};

static void facts(const ripstop_plan *p, uint64_t *value) {
  value[NO_SHORTEST_PATH] = count_lost(p, true);
  value[DEAD_ENDS] = count_lost(p, false) - count_refused(p);
  value[MAX_ENTRIES] = ((const tables *)p->data)->most_entries;
}

/* ------------------------------------------------------------------ the protocol: messages and memory */

typedef enum { FACT, LEVEL, SYNC, PROBE, ANSWER } message_kind;

typedef struct message {
  uint8_t kind;
  uint8_t on;    /* FACT: it holds, 0: it is taken back; ANSWER: nothing is missing */
  uint8_t level; /* LEVEL (DLFM): how high the sender's ways up end; NO_LEVEL: they lead to the top again */
  uint8_t zero;
  uint32_t fact;    /* FACT (ULFM) */
  uint32_t session; /* SYNC, PROBE: since when the messages are counted */
  uint32_t sent;    /* PROBE: how many facts and levels went before it in this session */
} message;

typedef struct port_memory {
  bool dead;
  uint8_t heard, told;                 /* DLFM, NO_LEVEL: none */
  uint8_t tries;                       /* probes without an answer */
  bool answered;                       /* the last one */
  uint32_t session, sent;              /* of what this switch tells */
  uint32_t heard_session, heard_count; /* of what it hears */
} port_memory;

/* A switch's state, followed by its arrays: of `words` for each port what the neighbour tells and what it has been
 * told; three such sets of scratch; of the table's slots the entries; of up ports the levels; of ports their memory. */
typedef struct memory {
  uint64_t flagged;
  uint32_t node, entries;
  bool starting; /* nothing but START has happened yet, and dead ports */
} memory;

typedef struct entry {
  uint64_t bits;
  uint32_t position;
} entry;

typedef struct arrays {
  memory *m;
  uint64_t *heard, *told, *scratch;
  entry *entry;
  port_memory *port;
  uint8_t *level;
} arrays;

enum { FROM_ABOVE, FROM_BELOW, DERIVED, SCRATCH };

static uint32_t slots_of(const shape *s, const config *c, uint32_t level) {
  if (level == s->top) return 0;
  return c->capacity && c->capacity < s->positions[level] ? (uint32_t)c->capacity : s->positions[level];
}

static size_t bytes_of(const shape *s, const config *c, uint32_t level, uint32_t ports) {
  return sizeof(memory) + ((size_t)2 * ports + SCRATCH) * s->words * sizeof(uint64_t) +
         slots_of(s, c, level) * sizeof(entry) + ports * sizeof(port_memory) + s->half;
}

static uint64_t protocol_bytes(const shape *s, const config *c) {
  uint64_t bytes = 0;
  for (uint32_t level = 0; level <= s->top; level++)
    bytes += s->count[level] * (uint64_t)bytes_of(s, c, level, level == s->top ? s->tree.top_ports : 2 * s->half);
  return bytes;
}

static const shape *shape_of(const ripstop_plan *p) { return &((const tables *)p->data)->shape; }

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  const shape *s = shape_of(p);
  return bytes_of(s, p->config, ripstop_tree_level(&s->tree, node), ripstop_node_ports(p->fabric, node));
}

static arrays open_memory(const shape *s, const config *c, uint32_t level, uint32_t ports, const void *state) {
  arrays a = {.m = (memory *)state};
  a.heard = (uint64_t *)(a.m + 1);
  a.told = a.heard + (size_t)ports * s->words;
  a.scratch = a.told + (size_t)ports * s->words;
  a.entry = (entry *)(a.scratch + (size_t)SCRATCH * s->words);
  a.port = (port_memory *)(a.entry + slots_of(s, c, level));
  a.level = (uint8_t *)(a.port + ports);
  return a;
}

/* A switch in one step. */
typedef struct agent {
  const ripstop_plan *plan;
  const shape *s;
  const config *c;
  uint32_t node, level, number, ports, downs;
  bool leaf; /* its down ports lead to end nodes */
  arrays a;
  const ripstop_event *event;
  ripstop_actions *actions;
  bool changed; /* its ways have */
} agent;

static bool linked(const agent *g, uint32_t port) { return !g->leaf || port >= g->downs; }

/* The number of the link at a port. */
static uint32_t fact_at(const agent *g, uint32_t port) {
  return g->plan->fabric->port_link[g->plan->fabric->port_base[g->node] + port] - g->plan->fabric->link_ends;
}

static uint64_t *heard_at(const agent *g, uint32_t port) { return g->a.heard + (size_t)port * g->s->words; }
static uint64_t *told_at(const agent *g, uint32_t port) { return g->a.told + (size_t)port * g->s->words; }

static void add_fact(uint64_t *set, uint32_t fact) { set[fact / 64] |= UINT64_C(1) << (fact & 63); }

/* `half` facts of one switch. */
static uint64_t entry_bits(const shape *s, const uint64_t *set, uint32_t fact) {
  uint64_t bits = set[fact / 64] >> (fact & 63);
  if ((fact & 63) && (fact & 63) + s->half > 64) bits |= set[fact / 64 + 1] << (64 - (fact & 63));
  return bits & s->all;
}

/* The facts of a level that lie in a word. */
static uint64_t level_part(const shape *s, uint32_t level, uint32_t word) {
  uint32_t first = s->fact[level], end = level < s->top ? first + s->count[level] * s->half : first;
  if (first >= 64 * (word + 1) || end <= 64 * word) return 0;
  return part(first, end - first, word);
}

/* ------------------------------------------------------------------ the protocol: what is heard and told */

static entry *find_entry(const arrays *a, uint32_t position) {
  for (uint32_t i = 0; i < a->m->entries; i++)
    if (a->entry[i].position == position) return &a->entry[i];
  return NULL;
}

/* What the table should hold of a position. */
static uint64_t bits_of(const agent *g, uint32_t position) {
  const shape *s = g->s;
  uint32_t twins = s->twins[g->level], number = position * twins + g->number % twins;
  return entry_bits(s, g->a.scratch + (size_t)FROM_ABOVE * s->words, s->fact[g->level] + number * s->half);
}

/* The table: entries stay in the order in which they came, a new one needs a free slot. */
static void update_table(agent *g) {
  arrays *a = &g->a;
  uint32_t kept = 0, slots = slots_of(g->s, g->c, g->level);
  for (uint32_t i = 0; i < a->m->entries; i++) {
    entry now = {.bits = bits_of(g, a->entry[i].position), .position = a->entry[i].position};
    g->changed |= now.bits != a->entry[i].bits;
    if (now.bits) a->entry[kept++] = now;
  }
  a->m->entries = kept;
  for (uint32_t position = 0; position < g->s->positions[g->level] && a->m->entries < slots; position++) {
    uint64_t bits = bits_of(g, position);
    if (!bits || find_entry(a, position)) continue;
    a->entry[a->m->entries++] = (entry){.bits = bits, .position = position};
    g->changed = true;
  }
}

static void update_ports(agent *g) {
  uint64_t flagged = 0;
  for (uint32_t k = 0; g->level < g->s->top && k < g->s->half; k++) {
    const port_memory *port = &g->a.port[g->s->half + k];
    uint8_t level = port->dead ? (uint8_t)g->level : port->heard;
    g->changed |= level != g->a.level[k];
    g->a.level[k] = level;
    if (level != NO_LEVEL) flagged |= UINT64_C(1) << k;
  }
  g->a.m->flagged = flagged;
}

static ups present_ups(const arrays *a) { return (ups){.flagged = a->m->flagged, .level = a->level}; }

/* Cases 2 and 3: the down links of each switch that cannot be reached from here. */
static void derive(agent *g, uint64_t *out) {
  const shape *s = g->s;
  if (g->leaf || g->level == s->top) return;
  ups u = present_ups(&g->a);
  uint32_t below = g->level - 1, own = g->number / s->twins[below] % s->half;
  for (uint32_t i = 0; i < g->a.m->entries; i++) {
    const entry *e = &g->a.entry[i];
    if (!unreachable(s, g->c, &u, e->bits, meet(s, g->level, g->number / s->twins[g->level], e->position))) continue;
    uint32_t named = e->position * s->twins[g->level] + g->number % s->twins[g->level];
    for (uint32_t j = 0; j < s->half; j++)
      add_fact(out, s->fact[below] + (named - own * s->twins[below] + j * s->twins[below]) * s->half + own);
  }
}

/* What the ports tell, gathered: from above and from below. There is one way up to a switch from below it, so that no
 * two ports below tell the same. A dead port's word counts for nothing, unless nothing is ever taken back. */
static void gather(agent *g) {
  uint32_t words = g->s->words;
  uint64_t *above = g->a.scratch + (size_t)FROM_ABOVE * words, *below = g->a.scratch + (size_t)FROM_BELOW * words,
           *derived = g->a.scratch + (size_t)DERIVED * words;
  memset(g->a.scratch, 0, (size_t)SCRATCH * words * sizeof *g->a.scratch);
  for (uint32_t port = 0; port < g->ports; port++) {
    if (!linked(g, port) || (g->a.port[port].dead && g->c->withdraw)) continue;
    const uint64_t *heard = heard_at(g, port);
    uint64_t *from = port < g->downs ? below : above;
    for (uint32_t w = 0; w < words; w++) from[w] |= heard[w];
  }
  update_ports(g);
  if (g->level < g->s->top) update_table(g);
  derive(g, derived);
}

static void send(agent *g, uint32_t port, message m) {
  port_memory *at = &g->a.port[port];
  if (m.kind == FACT || m.kind == LEVEL) at->sent++;
  ripstop_act_send(g->actions, port, &m);
}

static void tell_facts(agent *g, uint32_t port, uint32_t word, uint64_t now) {
  uint64_t *told = told_at(g, port) + word;
  if (!g->c->withdraw) now |= *told;
  for (uint64_t change = *told ^ now; change; change &= change - 1) {
    uint32_t bit = (uint32_t)__builtin_ctzll(change);
    send(g, port, (message){.kind = FACT, .on = now >> bit & 1, .fact = 64 * word + bit});
  }
  *told = now;
}

/* Everything that a port should know, and does not. */
static void tell(agent *g, uint32_t port) {
  const shape *s = g->s;
  bool down = port < g->downs;
  const uint64_t *heard = heard_at(g, port), *set = g->a.scratch;
  for (uint32_t w = 0; w < s->words; w++) {
    const uint64_t *above = set + w, *below = above + (size_t)FROM_BELOW * s->words,
                   *derived = above + (size_t)DERIVED * s->words;
    uint64_t now = *below;
    if (down) now = (*below & ~heard[w]) | (*above & ~level_part(s, g->level, w)) | *derived;
    for (uint32_t x = 0; !g->leaf && x < g->downs; x++)
      if (g->a.port[x].dead && x != port && fact_at(g, x) / 64 == w) now |= UINT64_C(1) << (fact_at(g, x) & 63);
    tell_facts(g, port, w, now);
  }
  if (!down || g->level == s->top) return;
  ups u = present_ups(&g->a);
  uint8_t level = u.flagged == s->all ? highest(&u, u.flagged) : NO_LEVEL;
  port_memory *at = &g->a.port[port];
  if (level == at->told || (!g->c->withdraw && at->told != NO_LEVEL && level == NO_LEVEL)) return;
  at->told = level;
  send(g, port, (message){.kind = LEVEL, .level = level});
}

static void tell_all(agent *g) {
  gather(g);
  for (uint32_t port = 0; port < g->ports; port++)
    if (linked(g, port) && !g->a.port[port].dead) tell(g, port);
  if (g->changed) ripstop_act_ways_changed(g->actions);
}

/* ------------------------------------------------------------------ the protocol: events */

static void forget_heard(agent *g, uint32_t port) {
  if (g->c->withdraw) memset(heard_at(g, port), 0, g->s->words * sizeof(uint64_t));
  g->a.port[port].heard = NO_LEVEL;
}

static void forget_told(agent *g, uint32_t port) {
  memset(told_at(g, port), 0, g->s->words * sizeof(uint64_t));
  g->a.port[port].told = NO_LEVEL;
}

/* A new session: the neighbour forgets what it heard on this link, and is told everything. Needed only where messages
 * can be lost without the switches' knowledge. */
static void begin_session(agent *g, uint32_t port) {
  port_memory *at = &g->a.port[port];
  forget_told(g, port);
  at->session = (uint32_t)g->event->cycle;
  at->sent = 0;
  if (g->c->probe) send(g, port, (message){.kind = SYNC, .session = at->session});
}

/* With probes the neighbour may never have missed the link: it says again what it has said when a session of its own
 * begins, so that what was heard in the present one is kept until then. */
static void link_down(agent *g, uint32_t port) {
  ripstop_act_link_found(g->actions, port, false);
  g->a.port[port].dead = true;
  g->changed = true;
  if (!g->c->probe) forget_heard(g, port);
}

static void link_up(agent *g, uint32_t port) {
  ripstop_act_link_found(g->actions, port, true);
  g->a.port[port].dead = false;
  g->changed = true;
  begin_session(g, port);
}

static void send_probe(agent *g, uint32_t port) {
  port_memory *at = &g->a.port[port];
  at->answered = false;
  send(g, port, (message){.kind = PROBE, .session = at->session, .sent = at->sent});
  ripstop_act_timer(g->actions, port, (uint64_t)g->c->timeout);
}

/* The timer of a port: the time for an answer is over, or, with timers above the ports' numbers, the next probe is due.
 * True: the link has just been found dead. */
static bool on_timer(agent *g, uint32_t timer) {
  uint32_t port = timer % g->ports;
  port_memory *at = &g->a.port[port];
  if (timer >= g->ports) {
    at->tries = 0;
    send_probe(g, port);
    return false;
  }
  if (!at->answered && !at->dead && at->tries < g->c->retries) {
    at->tries++;
    send_probe(g, port);
    return false;
  }
  ripstop_act_timer(g->actions, g->ports + port, (uint64_t)g->c->probe); /* whatever is found: probes go on for ever */
  if (at->answered || at->dead) return false;
  link_down(g, port);
  return true;
}

static void on_probe(agent *g, uint32_t port, const message *m) {
  port_memory *at = &g->a.port[port];
  bool complete = m->session == at->heard_session && m->sent == at->heard_count;
  send(g, port, (message){.kind = ANSWER, .on = complete});
}

/* True: a link lives again, or the neighbour misses something. */
static bool on_answer(agent *g, uint32_t port, const message *m) {
  port_memory *at = &g->a.port[port];
  at->answered = true;
  if (at->dead)
    link_up(g, port);
  else if (!m->on)
    begin_session(g, port);
  else
    return false;
  return true;
}

/* True: what the switch knows may have changed. */
static bool on_message(agent *g, uint32_t port, const message *m) {
  port_memory *at = &g->a.port[port];
  uint64_t *heard = heard_at(g, port), bit = UINT64_C(1) << (m->fact & 63);
  switch ((message_kind)m->kind) {
  case FACT:
    at->heard_count++;
    if (m->on)
      heard[m->fact / 64] |= bit;
    else
      heard[m->fact / 64] &= ~bit;
    return true;
  case LEVEL:
    at->heard_count++;
    at->heard = m->level;
    return true;
  case SYNC:
    at->heard_session = m->session;
    at->heard_count = 0;
    forget_heard(g, port);
    return true;
  case PROBE:
    on_probe(g, port, m);
    return false;
  case ANSWER:
    return on_answer(g, port, m);
  }
  return false;
}

static void on_start(agent *g) {
  g->a.m->starting = true;
  g->a.m->node = g->node;
  for (uint32_t port = 0; port < g->ports; port++) {
    g->a.port[port].heard = NO_LEVEL;
    if (!linked(g, port)) continue;
    begin_session(g, port);
    if (g->c->probe) send_probe(g, port);
  }
  update_ports(g);
}

/* With probes a switch finds out by itself how its links are; only those that are dead when it starts it is told of. */
static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  const shape *s = shape_of(p);
  uint32_t level = ripstop_tree_level(&s->tree, node), ports = ripstop_node_ports(p->fabric, node);
  agent g = {.plan = p,
             .s = s,
             .c = p->config,
             .node = node,
             .level = level,
             .number = number_of(s, level, node),
             .ports = ports,
             .downs = ports - ripstop_tree_ups(&s->tree, node),
             .leaf = level == 0,
             .a = open_memory(s, p->config, level, ports, state),
             .event = event,
             .actions = actions};
  bool news = false, told = !g.c->probe || g.a.m->starting;
  if (event->kind == RIPSTOP_EVENT_START) on_start(&g);
  if (event->kind != RIPSTOP_EVENT_START && event->kind != RIPSTOP_EVENT_LINK_DOWN) g.a.m->starting = false;
  if (event->kind == RIPSTOP_EVENT_LINK_DOWN && told && linked(&g, event->port))
    link_down(&g, event->port), news = true;
  if (event->kind == RIPSTOP_EVENT_LINK_UP && told && linked(&g, event->port)) link_up(&g, event->port), news = true;
  if (event->kind == RIPSTOP_EVENT_TIMER) news = on_timer(&g, event->timer);
  if (event->kind == RIPSTOP_EVENT_MESSAGE) news = on_message(&g, event->port, event->message);
  if (news) tell_all(&g);
}

/* ------------------------------------------------------------------ the protocol: asked by others */

static int ways(const ripstop_plan *p, const void *state, const ripstop_head *head, ripstop_way *way) {
  const shape *s = shape_of(p);
  int down = go_down(p, s, head, way);
  if (down < 0 || ripstop_is_end(p->fabric, head->node)) return down;
  uint32_t level = ripstop_tree_level(&s->tree, head->node), ports = ripstop_node_ports(p->fabric, head->node);
  arrays a = open_memory(s, p->config, level, ports, state);
  if (down) {
    bool end_link = level == 0;
    bool up = end_link ? p->view->port_up[p->fabric->port_base[head->node] + way->port] : !a.port[way->port].dead;
    return up ? 1 : -(1 + NO_DOWN);
  }
  ups u = present_ups(&a);
  const entry *e = find_entry(&a, position_above(s, level, head->destination));
  return go_up(s, level, number_of(s, level, head->node) / s->twins[level], head->destination, &u, e ? e->bits : 0,
               way);
}

static uint64_t delay(const ripstop_plan *p, const void *message_) {
  (void)message_;
  return (uint64_t)((const config *)p->config)->delay;
}

static uint32_t flits(const ripstop_plan *p, const void *message_) {
  (void)message_;
  return (uint32_t)((const config *)p->config)->message_flits;
}

static void print(const ripstop_plan *p, const void *message_, ripstop_text *out) {
  const message *m = message_;
  char name[RIPSTOP_NAME_MAX];
  switch ((message_kind)m->kind) {
  case FACT:
    ripstop_link_name(p->fabric, p->fabric->link_ends + m->fact, name);
    ripstop_text_add(out, "%sULFM %s", m->on ? "" : "withdraw ", name);
    break;
  case LEVEL:
    if (m->level == NO_LEVEL)
      ripstop_text_add(out, "withdraw DLFM");
    else
      ripstop_text_add(out, "DLFM %u", m->level);
    break;
  case SYNC:
    ripstop_text_add(out, "sync");
    break;
  case PROBE:
    ripstop_text_add(out, "probe");
    break;
  case ANSWER:
    ripstop_text_add(out, m->on ? "answer" : "answer: resend");
    break;
  }
}

/* {"table":{"0/2.1":"10"},"ports":{"3":1}}: bits of the highest up port first, as the paper writes entries; the levels
 * of flagged up ports. */
static void json(const ripstop_plan *p, const void *state, ripstop_text *out) {
  const shape *s = shape_of(p);
  const memory *m = state;
  uint32_t level = ripstop_tree_level(&s->tree, m->node);
  arrays a = open_memory(s, p->config, level, ripstop_node_ports(p->fabric, m->node), state);
  ripstop_text_add(out, "{\"table\":{");
  for (uint32_t position = 0, printed = 0; position < s->positions[level]; position++) {
    const entry *e = find_entry(&a, position);
    char name[RIPSTOP_NAME_MAX];
    if (!e) continue;
    ripstop_node_name(
        p->fabric, s->first[level] + position * s->twins[level] + number_of(s, level, m->node) % s->twins[level], name);
    ripstop_text_add(out, "%s\"%s\":\"", printed++ ? "," : "", name);
    for (uint32_t k = s->half; k-- > 0;) ripstop_text_add(out, "%c", e->bits >> k & 1 ? '1' : '0');
    ripstop_text_add(out, "\"");
  }
  ripstop_text_add(out, "},\"ports\":{");
  for (uint32_t k = 0, printed = 0; k < s->half; k++)
    if (m->flagged >> k & 1) ripstop_text_add(out, "%s\"%u\":%u", printed++ ? "," : "", s->half + k, a.level[k]);
  ripstop_text_add(out, "}}");
}

static const ripstop_proto proto = {
    .message_size = sizeof(message),
    .flits = flits,
    .settled = true,
    .state_size = state_size,
    .step = step,
    .ways = ways,
    .delay = delay,
    .print = print,
    .json = json,
};

/* ------------------------------------------------------------------ together */

/* Fewer dead links than up ports fill no entry, alone or with port states, so nothing is derived: each fault excludes
 * at most one up port, and takes at most one entry of a table. */
static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  ripstop_tree tree;
  *out = (ripstop_guarantees){.minimal = true, .deadlock_free = true};
  if (!ripstop_tree_from(fabric, &tree)) return;
  out->tolerates = tree.half - 1;
  if (c->capacity && c->capacity < out->tolerates) out->tolerates = (uint32_t)c->capacity;
}

const ripstop_method ripstop_method_link_fault_messages = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "link-fault-messages",
    .summary = "fat trees: switches tell each other of dead links; shortest paths, chosen on the way up",
    .source = "paper 001, section 5",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .proto = &proto,
    .lost_pairs = lost_pairs,
    .fact_names = fact_names,
    .facts = facts,
};
