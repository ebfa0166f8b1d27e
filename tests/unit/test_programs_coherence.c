/* The coherence protocol, all of it: every state that some order of messages leads to, for two and three caches that
 * load, store and evict one line as they like. Lines know nothing of each other, so one stands for all.
 *
 * Each store makes a new version of the line, and all copies and messages carry the version that they are of. In every
 * state: one writer or readers, never both; every reader has the last version. Every load gets a version that was
 * the last one at some moment during the load: memory is linearizable. Versions are ranked, so that there
 * are finitely many states.
 *
 * Then the same with queues of bounded length between the nodes: with one queue for all messages it deadlocks, and with
 * one for each class it cannot, since a message only ever leads to messages of higher classes. */
#define XXH_INLINE_ALL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "check.h"
#include "programs/coherence.h"

/* ------------------------------------------------------------------ sets of states seen */

typedef struct seen_set {
  XXH128_hash_t *slot;
  size_t size, count; /* size is a power of two */
} seen_set;

static bool seen_put(seen_set *s, XXH128_hash_t hash) {
  size_t at = hash.low64 & (s->size - 1);
  for (; s->slot[at].low64 || s->slot[at].high64; at = (at + 1) & (s->size - 1))
    if (XXH128_isEqual(s->slot[at], hash)) return false;
  s->slot[at] = hash;
  s->count++;
  return true;
}

static bool seen_add(seen_set *s, const void *state, size_t bytes) {
  if (2 * s->count >= s->size) {
    seen_set bigger = {.size = s->size ? 2 * s->size : 4096};
    bigger.slot = calloc(bigger.size, sizeof *bigger.slot);
    for (size_t i = 0; i < s->size; i++)
      if (s->slot[i].low64 || s->slot[i].high64) seen_put(&bigger, s->slot[i]);
    free(s->slot);
    *s = bigger;
  }
  return seen_put(s, XXH3_128bits(state, bytes));
}

/* States still to be looked at; the last one found first. */
typedef struct to_do {
  char *state;
  size_t count, room, bytes;
} to_do;

static void push(to_do *s, const void *state) {
  if (s->count == s->room) {
    s->room = s->room ? 2 * s->room : 1024;
    s->state = realloc(s->state, s->room * s->bytes);
    assert_non_null(s->state);
  }
  memcpy(s->state + s->bytes * s->count++, state, s->bytes);
}

static void pop(to_do *s, void *state) { memcpy(state, s->state + s->bytes * --s->count, s->bytes); }

/* ------------------------------------------------------------------ one line, any order of messages */

enum { CACHES = 3, MESSAGES = 12, NO_VERSION = 255 };

typedef struct parcel {
  co_message message;
  uint8_t version;
} parcel;

typedef struct world { /* no holes: it is hashed as bytes */
  co_line line[CACHES];
  uint8_t copy[CACHES];  /* version */
  uint8_t since[CACHES]; /* a load waits: the last version when it began; else NO_VERSION */
  uint8_t sharers, owner, owned, awaits_unblock, awaits_copy, memory;
  uint8_t waiting, flying;
  parcel wait[CACHES]; /* at the home, first come first */
  parcel fly[MESSAGES];
  uint8_t last; /* version */
} world;

typedef struct search {
  uint32_t caches;
  seen_set seen;
  to_do stack;
  bool met[2][CO_STATES][CO_KINDS]; /* cache: state and message; home: busy or not */
} search;

static co_home home_of(const world *w) {
  return (co_home){.sharers = w->sharers,
                   .owner = w->owner,
                   .owned = w->owned,
                   .awaits_unblock = w->awaits_unblock,
                   .awaits_copy = w->awaits_copy};
}

static void set_home(world *w, const co_home *h) {
  w->sharers = (uint8_t)h->sharers, w->owner = h->owned ? h->owner : 0, w->owned = h->owned;
  w->awaits_unblock = h->awaits_unblock, w->awaits_copy = h->awaits_copy;
}

static int compare_parcels(const void *a, const void *b) { return memcmp(a, b, sizeof(parcel)); }

/* Versions become ranks, messages are sorted, what does not count is wiped out. */
static void normalise(world *w) {
  uint8_t *version[2 * CACHES + 2 + CACHES + MESSAGES], **v = version;
  for (uint32_t i = 0; i < CACHES; i++) {
    const co_line *line = &w->line[i];
    bool has =
        co_readable(line) || (line->state == CO_IM && line->granted) || line->state == CO_EI || line->state == CO_MI;
    if (!has) w->copy[i] = NO_VERSION;
    *v++ = &w->copy[i], *v++ = &w->since[i];
  }
  *v++ = &w->memory, *v++ = &w->last;
  for (uint32_t i = 0; i < w->waiting; i++) *v++ = &w->wait[i].version;
  for (uint32_t i = 0; i < w->flying; i++) *v++ = &w->fly[i].version;
  uint8_t rank[256] = {0}, next = 0;
  for (uint8_t **each = version; each < v; each++) rank[**each] = 1;
  for (int i = 0; i < NO_VERSION; i++)
    if (rank[i]) rank[i] = next++;
  rank[NO_VERSION] = NO_VERSION;
  for (uint8_t **each = version; each < v; each++) **each = rank[**each];
  memset(&w->wait[w->waiting], 0, (CACHES - w->waiting) * sizeof(parcel));
  memset(&w->fly[w->flying], 0, (MESSAGES - w->flying) * sizeof(parcel));
  qsort(w->fly, w->flying, sizeof(parcel), compare_parcels);
}

static void send_all(world *w, const co_out *out, uint8_t version, co_class above) {
  for (uint32_t i = 0; i < out->count; i++) {
    assert_true(co_class_of(out->message[i].kind) >= above);
    assert_true(w->flying < MESSAGES);
    bool data = co_has_data(out->message[i].kind);
    assert_true(!data || version != NO_VERSION);
    w->fly[w->flying++] = (parcel){out->message[i], data ? version : NO_VERSION};
  }
}

static void finish_access(world *w, uint32_t node, uint8_t got) {
  if (w->since[node] != NO_VERSION) { /* a load */
    assert_true(got != NO_VERSION && got >= w->since[node] && got <= w->last);
    w->since[node] = NO_VERSION;
  } else {
    assert_int_equal(got, w->last);
    w->copy[node] = ++w->last;
  }
}

static void to_home(world *w, parcel p);

/* After each step of the home the first of those who wait there has another try. */
static void try_waiting(world *w) {
  while (w->waiting) {
    co_home h = home_of(w);
    if (co_busy(&h)) return;
    parcel first = w->wait[0];
    memmove(&w->wait[0], &w->wait[1], --w->waiting * sizeof(parcel));
    to_home(w, first);
  }
}

static void to_home(world *w, parcel p) {
  co_home h = home_of(w);
  co_out out;
  co_home_step(&h, &p.message, &out);
  assert_false(out.wrong);
  if (out.defer) {
    assert_true(w->waiting < CACHES);
    w->wait[w->waiting++] = p;
    return;
  }
  set_home(w, &h);
  if (out.keep) w->memory = p.version;
  send_all(w, &out, w->memory, co_class_of(p.message.kind) + 1);
}

static void to_cache(world *w, parcel p) {
  uint32_t node = p.message.to;
  uint8_t before = w->copy[node];
  co_out out;
  co_cache_step(&w->line[node], CACHES, &p.message, &out);
  assert_false(out.wrong);
  if (out.keep) w->copy[node] = p.version;
  send_all(w, &out, before, co_class_of(p.message.kind) + 1);
  if (out.ready) finish_access(w, node, w->copy[node]);
}

static void deliver(search *s, world *w, uint32_t index) {
  parcel p = w->fly[index];
  w->fly[index] = w->fly[--w->flying];
  co_class class_ = co_class_of(p.message.kind);
  if (class_ == CO_REQUEST || class_ == CO_COMPLETION) {
    s->met[1][w->awaits_unblock + 2 * w->awaits_copy][p.message.kind] = true;
    to_home(w, p);
    try_waiting(w);
  } else {
    s->met[0][w->line[p.message.to].state][p.message.kind] = true;
    to_cache(w, p);
  }
  normalise(w);
}

/* The operations that the processor of a node may request now; at most one request is pending for a line. */
static bool wishes(world *w, uint32_t node, co_kind kind) {
  co_line *line = &w->line[node];
  if (!co_stable(line) || (kind == CO_EVICT && line->state == CO_I)) return false;
  co_message in = {.kind = (uint8_t)kind, .to = (uint8_t)node};
  co_out out;
  uint8_t before = w->copy[node];
  if (kind == CO_LOAD) w->since[node] = w->last;
  co_cache_step(line, CACHES, &in, &out);
  assert_false(out.wrong);
  send_all(w, &out, before, CO_REQUEST);
  if (out.ready) finish_access(w, node, w->copy[node]);
  normalise(w);
  return true;
}

static void check(const world *w, uint32_t caches) {
  for (uint32_t i = 0; i < caches; i++) {
    if (co_readable(&w->line[i])) assert_int_equal(w->copy[i], w->last);
    for (uint32_t j = 0; j < caches; j++)
      if (i != j && co_writable(&w->line[i])) assert_false(co_readable(&w->line[j]));
  }
  if (w->flying) return;
  /* quiet: no node waits, and the directory knows who has the line */
  assert_int_equal(w->waiting, 0);
  assert_false(w->awaits_unblock || w->awaits_copy);
  for (uint32_t i = 0; i < caches; i++) {
    assert_true(co_stable(&w->line[i]));
    assert_int_equal(co_writable(&w->line[i]), w->owned && w->owner == i);
    if (w->line[i].state == CO_S) assert_true(w->sharers >> i & 1);
  }
  if (!w->owned) assert_int_equal(w->memory, w->last);
}

/* From every state messages alone lead to rest, whatever their order: they get fewer or of higher classes. */
static void visit(search *s, world *w) {
  normalise(w);
  if (!seen_add(&s->seen, w, sizeof *w)) return;
  check(w, s->caches);
  push(&s->stack, w);
}

static void walk_all(search *s) {
  world w;
  memset(&w, 0, sizeof w);
  s->stack.bytes = sizeof w;
  memset(w.since, NO_VERSION, sizeof w.since);
  visit(s, &w);
  while (s->stack.count) {
    pop(&s->stack, &w);
    for (uint32_t i = 0; i < w.flying; i++) {
      world next = w;
      deliver(s, &next, i);
      visit(s, &next);
    }
    for (uint32_t node = 0; node < s->caches; node++)
      for (co_kind kind = CO_LOAD; kind <= CO_EVICT; kind++) {
        world next = w;
        if (wishes(&next, node, kind)) visit(s, &next);
      }
  }
  free(s->stack.state);
  free(s->seen.slot);
}

static void coherent_with_two_caches(void **state) {
  (void)state;
  search s = {.caches = 2};
  walk_all(&s);
  assert_int_equal(s.seen.count, 2386); /* docs/programs.md has this number */
}

static void coherent_with_three_caches(void **state) {
  (void)state;
  search s = {.caches = 3};
  walk_all(&s);
  assert_int_equal(s.seen.count, 232327);
  /* the races that the protocol is made for do happen */
  assert_true(s.met[0][CO_IS][CO_INVALIDATE]);
  assert_true(s.met[0][CO_IS_ONCE][CO_DATA_SHARED]);
  assert_true(s.met[0][CO_IS_ONCE][CO_DATA_EXCLUSIVE]);
  assert_true(s.met[0][CO_SM][CO_INVALIDATE]);
  assert_true(s.met[0][CO_MI][CO_YIELD]);
  assert_true(s.met[0][CO_MI][CO_SHARE]);
  assert_true(s.met[0][CO_EI][CO_YIELD]);
  assert_true(s.met[0][CO_IM][CO_ACK]);
}

/* ------------------------------------------------------------------ queues of bounded length
 * Two caches and a home, each with an input and an output queue, of one message each, for every class or for all
 * classes together. A message is taken from its input queue when there is room for all that it leads to. */

enum { ENDS = 2, HOME = ENDS, NODES = ENDS + 1, LINES = 4, ROOM = 2 };

typedef struct entry {
  co_message message;
  uint8_t line;
} entry;

typedef struct queue {
  uint8_t count;
  entry entry[ROOM];
} queue;

typedef struct crowd { /* no holes: it is hashed as bytes */
  co_line line[LINES][ENDS];
  uint8_t sharers[LINES], owner[LINES], owned[LINES], awaits_unblock[LINES], awaits_copy[LINES];
  uint8_t waiting[LINES];
  co_message wait[LINES][ENDS];
  uint8_t stores[ENDS]; /* lines that the cache is still to store to */
  queue in[NODES][CO_CLASSES], out[NODES][CO_CLASSES];
} crowd;

typedef struct rules {
  bool one_queue; /* for all classes */
  uint32_t room;
  uint32_t lines;
  bool endless; /* loads, stores and evictions without end, in place of the stores */
} rules;

static uint32_t queue_of(const rules *r, const co_message *m) { return r->one_queue ? 0 : co_class_of(m->kind); }

static bool emit(crowd *c, const rules *r, uint32_t line, const co_out *out) {
  for (uint32_t i = 0; i < out->count; i++) {
    const co_message *m = &out->message[i];
    queue *q = &c->out[m->from][queue_of(r, m)];
    if (q->count == r->room) return false;
    q->entry[q->count++] = (entry){*m, (uint8_t)line};
  }
  return true;
}

static entry take(queue *q) {
  entry first = q->entry[0];
  memmove(&q->entry[0], &q->entry[1], --q->count * sizeof *q->entry);
  memset(&q->entry[q->count], 0, sizeof *q->entry);
  return first;
}

static bool home_step(crowd *c, const rules *r, uint32_t line, const co_message *m) {
  co_home h = {.sharers = c->sharers[line],
               .owner = c->owner[line],
               .owned = c->owned[line],
               .awaits_unblock = c->awaits_unblock[line],
               .awaits_copy = c->awaits_copy[line]};
  co_out out;
  co_home_step(&h, m, &out);
  assert_false(out.wrong);
  if (out.defer) {
    c->wait[line][c->waiting[line]++] = *m;
    return true;
  }
  c->sharers[line] = (uint8_t)h.sharers, c->owner[line] = h.owned ? h.owner : 0, c->owned[line] = h.owned;
  c->awaits_unblock[line] = h.awaits_unblock, c->awaits_copy[line] = h.awaits_copy;
  return emit(c, r, line, &out);
}

static bool cache_step(crowd *c, const rules *r, uint32_t line, const co_message *m) {
  co_out out;
  co_cache_step(&c->line[line][m->to], HOME, m, &out);
  assert_false(out.wrong);
  return emit(c, r, line, &out);
}

/* One of the moves that a state may make; false: it cannot be made. */
static bool move(crowd *c, const rules *r, uint32_t what) {
  uint32_t queues = NODES * CO_CLASSES;
  if (what < queues) { /* over the network */
    queue *from = &c->out[what / CO_CLASSES][what % CO_CLASSES];
    if (!from->count) return false;
    queue *to = &c->in[from->entry[0].message.to][what % CO_CLASSES];
    if (to->count == r->room) return false;
    to->entry[to->count++] = take(from);
    return true;
  }
  what -= queues;
  if (what < queues) { /* a message is taken */
    queue *q = &c->in[what / CO_CLASSES][what % CO_CLASSES];
    if (!q->count) return false;
    entry e = take(q);
    return e.message.to == HOME ? home_step(c, r, e.line, &e.message) : cache_step(c, r, e.line, &e.message);
  }
  what -= queues;
  if (what < r->lines) { /* the home takes up a request that has waited */
    if (!c->waiting[what] || c->awaits_unblock[what] || c->awaits_copy[what]) return false;
    co_message first = c->wait[what][0];
    memmove(&c->wait[what][0], &c->wait[what][1], --c->waiting[what] * sizeof first);
    memset(&c->wait[what][c->waiting[what]], 0, sizeof first);
    return home_step(c, r, what, &first);
  }
  what -= r->lines;
  uint32_t end = what % ENDS, line = what / ENDS % r->lines, kind = what / ENDS / r->lines;
  if (!co_stable(&c->line[line][end])) return false;
  co_message head_request = {.kind = CO_STORE, .to = (uint8_t)end};
  if (r->endless) {
    head_request.kind = (uint8_t)(CO_LOAD + kind);
    if (kind == CO_EVICT && c->line[line][end].state == CO_I) return false;
  } else {
    if (kind || !(c->stores[end] >> line & 1)) return false;
    c->stores[end] &= (uint8_t) ~(1u << line);
  }
  return cache_step(c, r, line, &head_request);
}

static uint32_t moves(const rules *r) { return 2 * NODES * CO_CLASSES + r->lines + 3 * ENDS * r->lines; }

static bool unfinished(const crowd *c, const rules *r) {
  for (uint32_t line = 0; line < r->lines; line++)
    for (uint32_t end = 0; end < ENDS; end++)
      if (!co_stable(&c->line[line][end])) return true;
  return false;
}

/* Every state that the moves lead to; returns how many there are in which something waits and nothing can move. */
static size_t standstills(const rules *r, const crowd *start, size_t *states, crowd *witness) {
  seen_set seen = {0};
  to_do stack = {.bytes = sizeof *start};
  crowd c = *start;
  size_t found = 0;
  seen_add(&seen, &c, sizeof c);
  push(&stack, &c);
  uint32_t wishes_from = 2 * NODES * CO_CLASSES + r->lines;
  while (stack.count) {
    pop(&stack, &c);
    bool moved = false;
    for (uint32_t what = 0; what < moves(r); what++) {
      crowd next = c;
      if (!move(&next, r, what)) continue;
      moved |= what < wishes_from;
      if (seen_add(&seen, &next, sizeof next)) push(&stack, &next);
    }
    if (!moved && unfinished(&c, r)) {
      found++;
      *witness = c;
    }
  }
  *states = seen.count;
  free(seen.slot);
  free(stack.state);
  return found;
}

/* Cache 0 has lines 0 and 1 and requests line 3; cache 1 requests lines 0 to 2. */
static crowd crossing_stores(void) {
  crowd c;
  memset(&c, 0, sizeof c);
  for (uint32_t line = 0; line < 2; line++) c.line[line][0].state = CO_M, c.owned[line] = 1;
  c.stores[0] = 1 << 3;
  c.stores[1] = 1 << 0 | 1 << 1 | 1 << 2;
  return c;
}

static void one_queue_for_all_messages_deadlocks(void **state) {
  (void)state;
  rules r = {.one_queue = true, .room = 1, .lines = LINES};
  crowd start = crossing_stores(), w;
  size_t states;
  assert_true(standstills(&r, &start, &states, &w) > 0);
  print_message("one queue: %zu states; a deadlock:\n", states);
  for (uint32_t node = 0; node < NODES; node++)
    for (int out = 0; out < 2; out++) {
      const queue *q = out ? &w.out[node][0] : &w.in[node][0];
      if (q->count)
        print_message("  %s %u %s: %s for line %u, to %u\n", node == HOME ? "home" : "cache", node,
                      out ? "sends" : "is to take", co_kind_words[q->entry[0].message.kind], q->entry[0].line,
                      q->entry[0].message.to);
    }
  /* a ring: who is to take something has no room to send, and what he sends has no room where it goes */
  for (uint32_t node = 0; node < NODES; node++) {
    if (w.in[node][0].count) assert_int_equal(w.out[node][0].count, r.room);
    if (w.out[node][0].count) assert_int_equal(w.in[w.out[node][0].entry[0].message.to][0].count, r.room);
  }
  assert_int_equal(w.in[HOME][0].count, r.room);
}

static void a_queue_for_each_class_does_not(void **state) {
  (void)state;
  rules r = {.room = 1, .lines = LINES};
  crowd start = crossing_stores(), w;
  size_t states;
  assert_int_equal(standstills(&r, &start, &states, &w), 0);
  assert_int_equal(states, 4692);
}

static void nor_with_one_line_and_any_wishes(void **state) {
  (void)state;
  rules r = {.room = 1, .lines = 1, .endless = true};
  crowd start, w;
  memset(&start, 0, sizeof start);
  size_t states;
  assert_int_equal(standstills(&r, &start, &states, &w), 0);
  assert_int_equal(states, 7677);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coherent_with_two_caches), cmocka_unit_test(coherent_with_three_caches),
      cmocka_unit_test(one_queue_for_all_messages_deadlocks), cmocka_unit_test(a_queue_for_each_class_does_not),
      cmocka_unit_test(nor_with_one_line_and_any_wishes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
