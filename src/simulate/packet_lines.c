/* packet_lines.c - lines of waiting packets: adding, removing, listing. crossbar.c decides who goes.
 *
 * A packet requests its candidates when it enters the queue. Behind a head with the same candidates and header it needs
 * no request of its own when it becomes the head; in a mixed line it requests them again then.
 *
 * Lines are rows of a pool that grows in blocks and is reused, as bundles are (bundles.c). */
#include "simulate/packet_lines.h"

#include "ripstop/plugin/method.h"
#include "simulate/binding.h"
#include "simulate/core.h"
#include "simulate/crossbar.h"
#include "simulate/parts.h"

enum { BLOCK = 256 };

/* ------------------------------------------------------------------ rows */

static line *take_line(part *t) {
  lines *l = t->lines;
  line *own = l->spare;
  if (own) {
    l->spare = own->next;
    return own;
  }
  if (l->unused_lines == 0) {
    l->unused = RIPSTOP_ARRAY(t->more, BLOCK, line);
    l->unused_lines = BLOCK;
  }
  l->unused_lines--;
  return l->unused++;
}

static inline void forget(part *t, line *own) {
  if (SELDOM(own->head.candidates.next)) drop_bundles(t, own->head.candidates.next);
  own->head.candidates.next = NULL;
  own->head.candidates.vcs = 0;
}

static inline void drop_line(part *t, line *own) {
  forget(t, own);
  own->next = t->lines->spare;
  t->lines->spare = own;
}

static inline line_queue *queue_of(const part *t, const queue *q) { return &t->lines->queue[index_of(&t->shape, q)]; }

/* ------------------------------------------------------------------ the same candidates */

/* A position in a list of candidates, in the method's order. */
typedef struct place {
  const bundle *bundle;
  uint64_t left;
} place;

static bool advance(place *at) {
  at->left &= at->left - 1;
  if (at->left) return true;
  at->bundle = at->bundle->next;
  if (!at->bundle) return false;
  at->left = at->bundle->vcs;
  return true;
}

/* All but header and marks. */
static inline bool agree(const bundle *a, const bundle *b) {
  return a->word == b->word && a->rank == b->rank && a->space == b->space && a->weight == b->weight;
}

static __attribute__((noinline)) bool agree_in_order(const bundle *a, const bundle *b) {
  place one = {a, a->vcs}, other = {b, b->vcs};
  for (;;) {
    if (!agree(one.bundle, other.bundle) || (one.left & -one.left) != (other.left & -other.left)) return false;
    const bool more = advance(&one);
    if (more != advance(&other)) return false;
    if (!more) return true;
  }
}

/* Heads without candidates agree if both are to be discarded, or both are stalled. */
static inline bool same_candidates(const line *a, const line *b) {
  const bundle *one = &a->head.candidates, *other = &b->head.candidates;
  if (a->head.state != b->head.state) return false;
  if (!one->vcs || !other->vcs) return one->vcs == other->vcs;
  if (!one->next && !other->next) return one->vcs == other->vcs && agree(one, other);
  return agree_in_order(one, other);
}

/* The next head of the line cannot use this head's row of candidates. */
static inline bool differs_in_header(const line *a, const line *b) {
  const bundle *one = &a->head.candidates, *other = &b->head.candidates;
  return one->next || other->next || !one->vcs || one->header != other->header || one->marks != other->marks;
}

/* ------------------------------------------------------------------ listing */

/* The output VCs in this word that the heads of a queue's lines want; none if a head is to be discarded. */
static inline uint64_t wants_in(const line *first, uint32_t word, uint32_t words) {
  uint64_t vcs = 0;
  for (const line *own = first; own; own = own->next) {
    if (own->head.state != WAITING) continue;
    if (!any_candidate(&own->head)) return 0;
    for (const bundle *b = &own->head.candidates; b; b = b->next)
      if (words == 1 || b->word == word) vcs |= b->vcs;
  }
  return vcs;
}

static inline bool any_waits(const line *first) {
  for (const line *own = first; own; own = own->next)
    if (own->head.state == WAITING) return true;
  return false;
}

static inline __attribute__((always_inline)) void list_in(part *t, const sim_node *n, const queue *q, uint32_t words) {
  const line *first = lines_of(t, q);
  const uint64_t self = bit(q->number);
  const uint32_t at = words == 1 ? 0 : q->number / 64;
  uint64_t *old = wanted(n, q->number);
  for (uint32_t w = 0; w < words; w++) {
    const uint64_t vcs = first ? wants_in(first, w, words) : 0;
    for (uint64_t change = vcs ^ old[w]; change; change &= change - 1)
      wanting(n, 64 * w + (uint32_t)__builtin_ctzll(change))[at] ^= self;
    old[w] = vcs;
  }
  if (any_waits(first))
    listed_queues(n)[at] |= self;
  else
    listed_queues(n)[at] &= ~self;
}

void lines_list(part *t, const sim_node *n, const queue *q) {
  if (USUALLY(n->words == 1))
    list_in(t, n, q, 1);
  else
    list_in(t, n, q, n->words);
}

/* One of the head's candidates is open, or the head is to be discarded. */
static inline bool may_go(const sim_node *n, const line *own) {
  if (!any_candidate(&own->head)) return true;
  for (const bundle *b = &own->head.candidates; b; b = b->next)
    if (b->vcs & ~shut_vcs(n)[b->word]) return true;
  return false;
}

/* A line has begun: its head goes on in this cycle, or waits. */
static inline void go_or_wait(part *t, const queue *q, const line *own) {
  const sim_node *n = &t->shape.node[q->node];
  const bool busy = busy_queues(n)[q->number / 64] & bit(q->number);
  if (own->head.state != WAITING) return;
  if (!busy && may_go(n, own))
    wake_queue(t, q);
  else if (!(dirty_queues(n)[q->number / 64] & bit(q->number)))
    lines_list(t, n, q); /* else the decision of this cycle does it */
}

/* ------------------------------------------------------------------ adding and removing */

static inline void begin_line(part *t, const queue *q, line *own, uint16_t slot) {
  own->head = (queue){.node = q->node,
                      .slot = q->slot,
                      .head = slot,
                      .length = 1,
                      .number = q->number,
                      .in_port = q->in_port,
                      .last_port = q->last_port,
                      .channel = q->channel,
                      .plan_channel = q->plan_channel};
  own->tail = slot;
  own->mixed = false;
  load_candidates(t, &own->head);
}

static inline void join(part *t, line_queue *lq, line *own, line *fresh, bool mixed) {
  t->lines->next[own->head.slot + own->tail] = fresh->tail;
  own->tail = fresh->tail;
  own->head.length++;
  own->mixed |= mixed;
  lq->last = own;
  drop_line(t, fresh);
}

/* The line whose head has the same candidates, of several the one whose head came first; or NULL. */
static inline line *find_line(const part *t, const line_queue *lq, const line *fresh) {
  line *best = NULL;
  for (line *own = lq->first; own; own = own->next)
    if (same_candidates(own, fresh) && (!best || line_arrived(t, own) < line_arrived(t, best))) best = own;
  return best;
}

/* Puts the packet of a slot into a line. Returns the line if it begins with this packet. */
static line *add_slot(part *t, const queue *q, uint16_t slot) {
  lines *l = t->lines;
  line_queue *lq = queue_of(t, q);
  line *fresh = take_line(t);
  l->next[q->slot + slot] = 0;
  begin_line(t, q, fresh, slot);
  line *own = lq->first ? find_line(t, lq, fresh) : NULL;
  if (own) {
    join(t, lq, own, fresh, differs_in_header(own, fresh));
    return NULL;
  }
  if (SELDOM(lq->lines == l->most)) {
    l->full++;
    join(t, lq, lq->last, fresh, true);
    return NULL;
  }
  fresh->next = lq->first;
  lq->first = lq->last = fresh;
  lq->lines++;
  return fresh;
}

void lines_add(part *t, queue *q, uint32_t packet_index, uint32_t arrived) {
  lines *l = t->lines;
  line_queue *lq = queue_of(t, q);
  const uint16_t slot = lq->free;
  assert(slot); /* the sender counts the places */
  lq->free = l->next[q->slot + slot];
  t->shape.slot[q->slot + slot] = (sim_slot){.packet = packet_index, .arrived = arrived};
  const line *fresh = add_slot(t, q, slot);
  if (fresh) go_or_wait(t, q, fresh);
}

void lines_present(part *t, queue *q, const line *own) {
  sim_slot *slots = &t->shape.slot[q->slot];
  assert(q->state == EMPTY);
  slots[0] = slots[own->head.head];
  q->head = 0;
  q->length = 1;
  q->flits = own->head.flits;
  q->candidates = own->head.candidates;
  q->candidates.next = NULL; /* the line keeps the others */
}

static void remove_line(part *t, line_queue *lq, line *own) {
  line **at = &lq->first;
  while (*at != own) at = &(*at)->next;
  *at = own->next;
  lq->lines--;
  drop_line(t, own);
}

void lines_pop(part *t, queue *q, line *own) {
  lines *l = t->lines;
  line_queue *lq = queue_of(t, q);
  const uint16_t slot = own->head.head, next = l->next[q->slot + slot];
  l->next[q->slot + slot] = lq->free;
  lq->free = slot;
  if (--own->head.length == 0) {
    remove_line(t, lq, own);
    return;
  }
  own->head.head = next;
  const packet *p = head_of(t, &own->head);
  if (own->mixed || p->truncated) {
    own->head.last_port = q->last_port;
    binding_pops(t, &own->head, true);
    forget(t, own);
    load_candidates(t, &own->head);
    binding_pops(t, &own->head, false);
    return;
  }
  own->head.flits = p->flits;
}

/* ------------------------------------------------------------------ again from the start */

static bool came_first(const sim_slot *slots, uint16_t a, uint16_t b) { return slots[a].arrived < slots[b].arrived; }

/* Sorts slots by arrival: a heap, since the order that the lines give is not nearly sorted. */
static void sift(uint16_t *sorted, uint32_t from, uint32_t count, const sim_slot *slots) {
  for (uint32_t child; (child = 2 * from + 1) < count; from = child) {
    if (child + 1 < count && came_first(slots, sorted[child], sorted[child + 1])) child++;
    if (!came_first(slots, sorted[from], sorted[child])) return;
    const uint16_t moved = sorted[from];
    sorted[from] = sorted[child];
    sorted[child] = moved;
  }
}

static void sort_slots(uint16_t *sorted, uint32_t count, const sim_slot *slots) {
  for (uint32_t i = count / 2; i-- > 0;) sift(sorted, i, count, slots);
  for (uint32_t i = count; i-- > 1;) {
    const uint16_t last = sorted[i];
    sorted[i] = sorted[0];
    sorted[0] = last;
    sift(sorted, 0, i, slots);
  }
}

void lines_rebuild(part *t, queue *q) {
  lines *l = t->lines;
  line_queue *lq = queue_of(t, q);
  uint32_t count = 0;
  while (lq->first) {
    line *own = lq->first;
    for (uint16_t slot = own->head.head; slot; slot = l->next[q->slot + slot]) l->sorted[count++] = slot;
    remove_line(t, lq, own);
  }
  sort_slots(l->sorted, count, &t->shape.slot[q->slot]);
  for (uint32_t i = 0; i < count; i++) add_slot(t, q, l->sorted[i]);
  lines_list(t, &t->shape.node[q->node], q);
  if (lq->first) wake_queue(t, q);
}

/* ------------------------------------------------------------------ looking */

static const sim_slot *next_in_lines(const part *t, const queue *q, packet_walk *walk) {
  const sim_slot *slots = &t->shape.slot[q->slot];
  if (walk->i++ == 0) {
    walk->line = lines_of(t, q);
    walk->slot = walk->line ? walk->line->head.head : 0;
    if (q->state == LEAVING) return slots;
  }
  while (!walk->slot) {
    if (!walk->line || !walk->line->next) return NULL;
    walk->line = walk->line->next;
    walk->slot = walk->line->head.head;
  }
  const uint16_t slot = walk->slot;
  walk->slot = t->lines->next[q->slot + slot];
  return &slots[slot];
}

const sim_slot *next_packet(const part *t, const queue *q, packet_walk *walk) {
  if (has_lines(t, q)) return next_in_lines(t, q, walk);
  return walk->i < q->length ? slot_of(&t->shape, q, walk->i++) : NULL;
}

uint64_t lines_full(const run *r) {
  uint64_t sum = 0;
  for (uint32_t i = 0; r->part->lines && i < r->shape->parts; i++) sum += r->part[i].lines->full;
  return sum;
}

/* ------------------------------------------------------------------ opening */

static bool on_entering(part *t, uint32_t index, uint32_t packet_index) {
  const shape *s = &t->shape;
  if (SELDOM(t->hook.stalled)) t->hook.stalled(t, index, units_of(s, &t->packet[packet_index]));
  if (SELDOM(binding_delays(t, &s->queue[index], packet_index))) return true;
  lines_add(t, &s->queue[index], packet_index, head_came(s, &t->packet[packet_index], t->now));
  return true;
}

/* A place for each packet of an input queue, of which there are at most UINT16_MAX, and slot 0. */
static void lay_slots(run *r, lines *l) {
  shape *s = &r->part->shape;
  const uint32_t each = s->ring + 1;
  const size_t all = s->streams + (size_t)(s->queues - s->streams) * each;
  s->slot = ROWS(r->arena, all, sim_slot);
  l->next = RIPSTOP_ARRAY(r->arena, all, uint16_t);
  l->queue = RIPSTOP_ARRAY(r->arena, s->queues, line_queue);
  for (uint32_t i = s->streams; i < s->queues; i++) {
    const uint32_t first = s->queue[i].slot = s->streams + (i - s->streams) * each;
    l->queue[i].free = 1;
    for (uint32_t slot = 1; slot < each - 1; slot++) l->next[first + slot] = (uint16_t)(slot + 1);
  }
}

int lines_open(run *r, uint32_t most, bool turning, ripstop_error *err) {
  shape *s = &r->part->shape;
  if (r->plan->control_flits)
    return ripstop_fail(err, "switch.queues: method %s sends control packets, which need input queues of one line",
                        r->plan->method->name);
  lines all = {.most = most, .turning = turning};
  lay_slots(r, &all);
  if (s->quarters > 4) all.ending = RIPSTOP_ARRAY(r->arena, (size_t)s->fabric->nodes * s->enters_words, uint64_t);
  for (uint32_t i = 0; i < s->parts; i++) {
    lines *l = r->part[i].lines = RIPSTOP_NEW(r->arena, lines);
    *l = all;
    l->sorted = RIPSTOP_ARRAY(r->arena, s->ring + 1, uint16_t);
    l->examined = RIPSTOP_ARRAY(r->arena, s->enters_words, uint64_t);
  }
  r->part->hook.entering = on_entering;
  r->part->hook.rounds = crossbar_rounds;
  return 0;
}
