/* tables.c - from all states of all destinations to entries with only the fields that matter.
 *
 * The fields that candidates depend on are found for each destination. Beginning with all fields of a head, one after
 * another is left out while states that then are equal have the same candidates. Entries have the fields that any
 * destination needs. So all destinations are walked twice, once to find these fields and once to write the entries,
 * and only the states of one destination are in memory at a time.
 *
 * Cost: time O(S log S) and memory O(S) for the states S of a destination, plus the entries. */
#include "ripstop/kit/tables.h"
#include "base/local.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/memory.h"
#include "base/sort.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"
#include "tables/walk.h"

enum { EVERYTHING = RIPSTOP_BY_PORT | RIPSTOP_BY_CHANNEL | RIPSTOP_BY_HEADER | RIPSTOP_BY_SOURCE | RIPSTOP_BY_CLASS };

/* In the order in which they are left out, and printed. */
static const struct {
  unsigned bit;
  const char *name;
} by[] = {{RIPSTOP_BY_CLASS, "the class"},
          {RIPSTOP_BY_SOURCE, "the source"},
          {RIPSTOP_BY_HEADER, "the header"},
          {RIPSTOP_BY_CHANNEL, "the input channel"},
          {RIPSTOP_BY_PORT, "the input port"}};
enum { BYS = sizeof by / sizeof *by };

typedef struct maker {
  ripstop_tables *tables;
  walk walk;
  uint32_t *order; /* states, sorted so that equal ones are adjacent */
  uint32_t order_room;
  uint64_t limit, entry_room, candidate_room, candidates;
  ripstop_entry *entry;
  ripstop_candidate *candidate;
} maker;

/* ------------------------------------------------------------------ heads with some fields ignored */

static ripstop_head reduced(const ripstop_head *h, unsigned mask) {
  return (ripstop_head){.node = h->node,
                        .destination = h->destination,
                        .in_port = mask & RIPSTOP_BY_PORT ? h->in_port : RIPSTOP_NONE,
                        .channel = mask & RIPSTOP_BY_CHANNEL ? h->channel : 0,
                        .header = mask & RIPSTOP_BY_HEADER ? h->header : 0,
                        .source = mask & RIPSTOP_BY_SOURCE ? h->source : 0,
                        .class_ = mask & RIPSTOP_BY_CLASS ? h->class_ : 0};
}

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_heads(const ripstop_head *a, const ripstop_head *b) {
  int order = compare(a->node, b->node);
  if (!order) order = compare(a->destination, b->destination);
  if (!order) order = compare(a->class_, b->class_);
  if (!order) order = compare(a->source, b->source);
  if (!order) order = compare(a->in_port, b->in_port);
  if (!order) order = compare(a->channel, b->channel);
  return order ? order : compare(a->header, b->header);
}

/* ------------------------------------------------------------------ fields that candidates depend on */

static bool same_candidates(const walk *w, const walk_state *a, const walk_state *b) {
  if (a->candidates != b->candidates || a->loss != b->loss) return false;
  for (uint32_t i = 0; i < a->candidates; i++) {
    const ripstop_candidate *x = &w->candidate[a->first + i], *y = &w->candidate[b->first + i];
    if (x->port != y->port || x->channel != y->channel || x->header != y->header || x->rank != y->rank ||
        x->space != y->space || x->marks != y->marks || x->weight != y->weight)
      return false;
  }
  return true;
}

static bool has_port(const walk *w, const walk_state *s, uint16_t port) {
  for (uint32_t i = 0; i < s->candidates; i++)
    if (w->candidate[s->first + i].port == port) return true;
  return false;
}

static bool ports_within(const walk *w, const walk_state *a, const walk_state *b) {
  for (uint32_t i = 0; i < a->candidates; i++)
    if (!has_port(w, b, w->candidate[a->first + i].port)) return false;
  return true;
}

static bool same_ports(const walk *w, const walk_state *a, const walk_state *b) {
  return ports_within(w, a, b) && ports_within(w, b, a);
}

typedef struct order {
  const walk_state *state;
  unsigned mask; /* the fields of heads that are compared */
} order;

static int compare_states(const void *context, const void *a, const void *b) {
  const order *o = context;
  ripstop_head x = reduced(&o->state[*(const uint32_t *)a].head, o->mask),
               y = reduced(&o->state[*(const uint32_t *)b].head, o->mask);
  return compare_heads(&x, &y);
}

static void sort_states(maker *m, unsigned mask) {
  for (uint32_t i = 0; i < m->walk.states; i++) m->order[i] = i;
  const order o = {m->walk.state, mask};
  ripstop_sort(m->order, m->walk.states, sizeof *m->order, compare_states, &o);
}

typedef bool (*likeness)(const walk *w, const walk_state *a, const walk_state *b);

/* True if states with the same node and the same fields of the mask have the same candidates, or ports. */
static bool enough(maker *m, unsigned mask, likeness same) {
  sort_states(m, mask);
  for (uint32_t i = 1; i < m->walk.states; i++) {
    const walk_state *a = &m->walk.state[m->order[i - 1]], *b = &m->walk.state[m->order[i]];
    ripstop_head x = reduced(&a->head, mask), y = reduced(&b->head, mask);
    if (compare_heads(&x, &y) == 0 && !same(&m->walk, a, b)) return false;
  }
  return true;
}

/* A sufficient part of `mask`. There may be several sufficient parts. */
static unsigned needed(maker *m, unsigned mask, likeness same) {
  if (enough(m, 0, same)) return 0;
  for (unsigned i = 0; i < BYS; i++)
    if (enough(m, mask & ~by[i].bit, same)) mask &= ~by[i].bit;
  return mask;
}

static bool through_one_port(const walk *w) {
  for (uint32_t i = 0; i < w->states; i++)
    for (uint32_t k = 1; k < w->state[i].candidates; k++)
      if (w->candidate[w->state[i].first + k].port != w->candidate[w->state[i].first].port) return false;
  return true;
}

static void look(maker *m) {
  ripstop_tables *t = m->tables;
  if (m->walk.states > m->order_room) {
    m->order_room = m->walk.states;
    m->order = ripstop_realloc(m->order, m->order_room, sizeof *m->order);
  }
  const unsigned candidates = needed(m, EVERYTHING, same_candidates);
  t->by |= candidates;
  t->ports_by |= needed(m, candidates, same_ports); /* fields that determine candidates also determine their ports */
  t->one_port &= through_one_port(&m->walk);
}

/* ------------------------------------------------------------------ entries */

static void add_candidates(maker *m, const ripstop_candidate *candidate, uint32_t candidates) {
  if (m->candidates + candidates > m->candidate_room) {
    m->candidate_room = 2 * m->candidate_room + candidates + 1024;
    m->candidate = ripstop_arena_realloc(m->tables->arena, m->candidate, m->candidate_room, sizeof *m->candidate);
  }
  if (candidates) memcpy(m->candidate + m->candidates, candidate, candidates * sizeof *candidate);
  m->candidates += candidates;
}

static void add_entry(maker *m, const ripstop_head *h, const walk_state *s) {
  ripstop_tables *t = m->tables;
  RIPSTOP_GROW_IN(t->arena, m->entry, t->entries, m->entry_room);
  m->entry[t->entries++] = (ripstop_entry){.node = h->node,
                                           .destination = h->destination,
                                           .in_port = h->in_port,
                                           .source = h->source,
                                           .header = h->header,
                                           .channel = h->channel,
                                           .class_ = h->class_,
                                           .loss = s->loss,
                                           .candidates = s->candidates,
                                           .first = m->candidates};
  add_candidates(m, m->walk.candidate + s->first, s->candidates);
}

static void write_entries(maker *m) {
  unsigned mask = m->tables->by;
  ripstop_head last = {.node = RIPSTOP_NONE};
  sort_states(m, mask);
  for (uint32_t i = 0; i < m->walk.states; i++) {
    const walk_state *s = &m->walk.state[m->order[i]];
    ripstop_head head = reduced(&s->head, mask);
    if (compare_heads(&head, &last)) add_entry(m, &head, s);
    last = head;
  }
}

static ripstop_head head_of(const ripstop_entry *e) {
  return (ripstop_head){.node = e->node,
                        .destination = e->destination,
                        .in_port = e->in_port,
                        .source = e->source,
                        .header = e->header,
                        .channel = e->channel,
                        .class_ = e->class_};
}

static int compare_entries(const void *a, const void *b) {
  ripstop_head x = head_of(a), y = head_of(b);
  return compare_heads(&x, &y);
}

/* ------------------------------------------------------------------ the whole conversion */

static ripstop_answer too_many(const maker *m, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(on);
  ripstop_tables_by_print(&on, m->tables->by);
  return ripstop_does_not_apply(err, "method %s: its tables have more than %llu entries%s%s",
                                m->tables->plan->method->name, (unsigned long long)m->limit,
                                on.length ? ", since candidates depend on " : "", on.length ? on.data : "");
}

static ripstop_answer too_many_states(const maker *m, uint32_t destination, ripstop_error *err) {
  return ripstop_does_not_apply(err, "method %s: packets for end node %u have more than %u states",
                                m->tables->plan->method->name, destination, m->walk.limit);
}

/* Walks every destination and calls `then` for its states. */
static ripstop_answer for_each(maker *m, void (*then)(maker *m), ripstop_error *err) {
  for (uint32_t destination = 0; destination < m->tables->plan->fabric->ends; destination++) {
    ripstop_answer answer = walk_destination(&m->walk, destination, err);
    if (answer == RIPSTOP_ERROR) return answer;
    if (answer == RIPSTOP_DOES_NOT_APPLY) return too_many_states(m, destination, err);
    then(m);
    if (m->tables->entries > m->limit) return too_many(m, err);
  }
  return RIPSTOP_APPLIES;
}

static ripstop_answer make(maker *m, ripstop_error *err) {
  const ripstop_plan *plan = m->tables->plan;
  if (ripstop_plan_check_tables(plan, err)) return RIPSTOP_ERROR;
  ripstop_answer answer = for_each(m, look, err);
  if (answer == RIPSTOP_APPLIES) answer = for_each(m, write_entries, err);
  if (answer == RIPSTOP_APPLIES && m->tables->entries)
    qsort(m->entry, m->tables->entries, sizeof *m->entry, compare_entries);
  m->tables->entry = m->entry;
  m->tables->candidate = m->candidate;
  return answer;
}

ripstop_tables *ripstop_tables_open(const ripstop_plan *plan, uint64_t limit, ripstop_answer *answer,
                                    ripstop_error *err) {
  if (answer) *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_tables *t = RIPSTOP_NEW(arena, ripstop_tables);
  *t = (ripstop_tables){.plan = plan, .one_port = true, .arena = arena};
  maker m = {.tables = t, .limit = limit, .walk = {.plan = plan, .limit = RIPSTOP_FABRIC_MAX_PORTS}};
  ripstop_answer result = make(&m, err);
  walk_free(&m.walk);
  ripstop_free(m.order);
  if (answer) *answer = result;
  if (result == RIPSTOP_APPLIES) return t;
  ripstop_arena_free(arena);
  return NULL;
}

void ripstop_tables_free(ripstop_tables *tables) {
  if (tables) ripstop_arena_free(tables->arena);
}

/* ------------------------------------------------------------------ queries */

/* The first entry that does not come before the head. */
static uint64_t search(const ripstop_tables *t, const ripstop_head *wanted) {
  uint64_t low = 0, high = t->entries;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    ripstop_head head = head_of(&t->entry[middle]);
    if (compare_heads(&head, wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const ripstop_entry *ripstop_tables_find(const ripstop_tables *t, const ripstop_head *head) {
  ripstop_head wanted = reduced(head, t->by), found;
  uint64_t at = search(t, &wanted);
  if (at == t->entries) return NULL;
  found = head_of(&t->entry[at]);
  return compare_heads(&found, &wanted) == 0 ? &t->entry[at] : NULL;
}

void ripstop_tables_by_print(ripstop_text *out, unsigned mask) {
  for (unsigned i = 0; i < BYS; i++) {
    if (!(mask & by[i].bit)) continue;
    mask &= ~by[i].bit;
    ripstop_text_add(out, "%s%s", by[i].name, !mask ? "" : mask & (mask - 1) ? ", " : " and ");
  }
}

static ripstop_answer no_plain_table(const ripstop_tables *t, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(on);
  ripstop_tables_by_print(&on, t->ports_by);
  if (on.length)
    ripstop_fail(err, "method %s: no plain forwarding table, ports depend on %s", t->plan->method->name, on.data);
  else
    ripstop_fail(err, "method %s: no plain forwarding table, packets may choose between ports", t->plan->method->name);
  return RIPSTOP_DOES_NOT_APPLY;
}

ripstop_answer ripstop_tables_ports(const ripstop_tables *t, uint32_t node, uint32_t *port, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  if (!t->one_port || t->ports_by) return no_plain_table(t, err);
  for (uint32_t end = 0; end < t->plan->fabric->ends; end++) port[end] = RIPSTOP_NONE;
  for (uint64_t i = search(t, &(ripstop_head){.node = node}); i < t->entries && t->entry[i].node == node; i++)
    if (t->entry[i].candidates) port[t->entry[i].destination] = t->candidate[t->entry[i].first].port;
  return RIPSTOP_APPLIES;
}
