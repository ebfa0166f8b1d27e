/* count.c - counts the pairs that link-fault-messages delivers, without walking.
 *
 * For each switch it computes the set of end nodes to which a packet on its up path there is delivered. The sets of a
 * level follow from those above it, 64 end nodes at a time. Single positions are visited only where a table or a port's
 * state deviates from the preferred ports. */
#include <stdlib.h>
#include <string.h>

#include "methods/link-fault-messages/link-fault-messages.h"

typedef struct counting {
  const ripstop_plan *plan;
  const tables *t;
  const shape *s;
  uint32_t words;
  uint64_t *digit; /* [top * half * words]: the end nodes by their digit of a level */
  uint64_t *down;  /* [switches * words]: the end nodes that a switch reaches downward */
  uint64_t *to;    /* [switches * words]: all that it delivers to */
} counting;

static inline uint64_t *set_of(const counting *c, uint64_t *sets, uint32_t node) {
  return sets + (size_t)(node - c->s->tree.ends) * c->words;
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

/* Adds what a packet that prefers port k is delivered to by the up port port[k]; RIPSTOP_NONE: it is lost. */
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

/* The delivered sets of the parents of a switch below the top. */
static void find_parents(const counting *c, uint32_t node, uint64_t **parent) {
  const ripstop_fabric *f = c->plan->fabric;
  uint32_t port = f->port_base[node] + c->s->half;
  for (uint32_t k = 0; k < c->s->half; k++) parent[k] = set_of(c, c->to, f->port_node[f->peer[port + k]]);
}

/* By any healthy shortest path. */
static void go_any_candidate(const counting *c, uint32_t node) {
  uint64_t *to = set_of(c, c->to, node), *parent[HALF_MAX];
  const uint8_t *up = c->plan->view->port_up + c->plan->fabric->port_base[node] + c->s->half;
  find_parents(c, node, parent);
  for (uint32_t k = 0; k < c->s->half; k++)
    for (uint32_t w = 0; up[k] && w < c->words; w++) to[w] |= parent[k][w];
}

/* By the method's candidates: first as if no faults were known, then again where a port is excluded. */
static void go_the_methods_candidate(const counting *c, uint32_t level, uint32_t number) {
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

/* End nodes below a switch are reached downward or not at all. */
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
        go_any_candidate(&c, s->first[level] + number);
      else
        go_the_methods_candidate(&c, level, number);
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
  ripstop_free(c.down);
  return lost;
}

uint64_t ripstop_lfm_lost_pairs(const ripstop_plan *p) { return count_lost(p, false); }

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
const char *const ripstop_lfm_fact_names[] = {[NO_SHORTEST_PATH] = "no_shortest_path_pairs",
                                              [DEAD_ENDS] = "dead_end_pairs",
                                              [MAX_ENTRIES] = "max_table_entries",
                                              NULL};

void ripstop_lfm_facts(const ripstop_plan *p, uint64_t *value) {
  value[NO_SHORTEST_PATH] = count_lost(p, true);
  value[DEAD_ENDS] = count_lost(p, false) - count_refused(p);
  value[MAX_ENTRIES] = ((const tables *)p->data)->most_entries;
}
