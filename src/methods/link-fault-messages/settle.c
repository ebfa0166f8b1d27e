/* settle.c - the tables of link-fault-messages as they are when all messages have arrived, computed with global
 * knowledge: level by level from the top, where a message would arrive. `route` and the proofs use them. */
#include <string.h>

#include "methods/link-fault-messages/link-fault-messages.h"

typedef struct settling {
  const ripstop_plan *plan;
  tables *t;
  const shape *s;
  const uint8_t *alive; /* port_up */
  uint64_t capacity;
  uint32_t *entries; /* [nodes]: recorded entries */
  uint32_t *mark;    /* [nodes]: the last message that arrived */
  uint32_t marks;
  uint32_t *reached[LEVELS_MAX], reaches[LEVELS_MAX]; /* nodes where it arrived, by level */
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

/* Nodes that a message from all reached nodes of `level` reaches over healthy ports first .. first + count - 1. */
static void reach_over(settling *x, uint32_t level, uint32_t first, uint32_t count, uint32_t next_level) {
  const ripstop_fabric *f = x->plan->fabric;
  for (uint32_t i = 0; i < x->reaches[level]; i++) {
    uint32_t port = f->port_base[x->reached[level][i]] + first;
    for (uint32_t end = port + count; port < end; port++)
      if (x->alive[port]) reach(x, next_level, f->port_node[f->peer[port]]);
  }
}

/* Case 1: the message of the switch `upper` about its failed down link, to <level,c> at `position`, travels up and then
 * down over healthy links, and is recorded at that level. */
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

static void spread_failed_links(settling *x, uint32_t level) {
  const shape *s = x->s;
  const ripstop_fabric *f = x->plan->fabric;
  for (uint32_t number = 0; number < s->count[level]; number++) {
    uint32_t port = f->port_base[s->first[level] + number] + s->half;
    for (uint32_t k = 0; k < s->half; k++, port++)
      if (!x->alive[port]) spread(x, level, f->port_node[f->peer[port]], number / s->twins[level], UINT64_C(1) << k);
  }
}

/* Cases 2 and 3 at a switch of the level above: for its children, all down links of a switch that it cannot reach count
 * as failed. */
static void notify_children(settling *x, uint32_t level, uint32_t number, uint32_t position) {
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
        notify_children(x, level, number, position);
  }
}

/* The states of up ports: own failed links, and parents whose up ports are all flagged. */
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
    spread_failed_links(x, level);
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

void ripstop_lfm_settle(ripstop_plan *p, tables *t) {
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
