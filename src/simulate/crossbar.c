/* crossbar.c - who crosses a switch whose input queues have lines: docs/model.md, "Lines" and "Rounds".
 *
 * Requests are of input queues, as without lines: an output's set has a bit for each queue with a line that requests
 * it, and the arbiter picks a queue. Of its lines that request the output the one whose head came first goes. So sets
 * stay as small as without lines, and the lines of a queue are looked at only while the queue may go. */
#include "simulate/crossbar.h"

#include "simulate/choose.h"
#include "simulate/core.h"
#include "simulate/packet_lines.h"
#include "simulate/pick.h"

#include "base/no_heap.h"

#define INLINE static inline __attribute__((always_inline))

INLINE queue *queue_at(const part *t, const sim_node *n, uint32_t word, uint64_t set) {
  return &t->shape.queue[n->queue + 64 * word + (uint32_t)__builtin_ctzll(set)];
}

/* ------------------------------------------------------------------ grants */

static void grant_line(part *t, const sim_node *n, queue *q, line *own) {
  lines_present(t, q, own);
  grant_head(t, n, q, own->wanted, own->local);
  lines_pop(t, q, own);
}

/* The line to be discarded whose head came first; or NULL. */
static line *first_discard(const part *t, const queue *q) {
  line *best = NULL;
  for (line *own = lines_of(t, q); own; own = own->next)
    if (own->head.state == WAITING && !any_candidate(&own->head) &&
        (!best || line_arrived(t, own) < line_arrived(t, best)))
      best = own;
  return best;
}

/* Discards come first, because a discard occupies a crossbar input. */
static __attribute__((noinline)) void discard_lines(part *t, const sim_node *n, queue *q) {
  line *own = first_discard(t, q);
  if (!own) return;
  lines_present(t, q, own);
  discard_head(t, n, q);
  lines_pop(t, q, own);
}

/* ------------------------------------------------------------------ requests */

/* Requests an open candidate of a line's head, if it has one. */
INLINE bool request(part *t, const sim_node *n, const queue *q, line *own) {
  own->wanted.candidates = NULL;
  if (own->head.state != WAITING || !any_candidate(&own->head)) return false;
  own->head.last_port = q->last_port;
  own->wanted = choose_candidate(t, &own->head, n);
  if (!own->wanted.candidates) return false;
  own->local = (uint16_t)port_of_vc(&t->shape, own->wanted.vc);
  return true;
}

/* Requests of all lines of a queue. */
INLINE bool request_all(part *t, const sim_node *n, const queue *q, uint32_t words, uint32_t word, uint64_t self) {
  bool any = false;
  for (line *own = lines_of(t, q); own; own = own->next) {
    if (!request(t, n, q, own)) continue;
    t->request[own->local * words + word] |= self;
    t->requested[words == 1 ? 0 : own->local / 64] |= bit(own->local);
    any = true;
  }
  return any;
}

INLINE void describe(part *t, const queue *q, const line *own) {
  t->request_channel[q->number] = (uint8_t)(own->wanted.vc - own->local * t->shape.channels);
  t->request_flits[q->number] = own->head.flits;
}

/* The line that requests an output whose head came first. */
INLINE line *first_for(const part *t, const queue *q, uint32_t local) {
  line *best = NULL;
  for (line *own = lines_of(t, q); own; own = own->next)
    if (own->wanted.candidates && own->local == local && (!best || line_arrived(t, own) < line_arrived(t, best)))
      best = own;
  return best;
}

/* ------------------------------------------------------------------ rounds */

INLINE void take_side(part *t, const queue *q, uint32_t words) {
  if (words == 1)
    *t->contender &= ~((uint64_t)q->sharers << q->side);
  else
    take_some(t->contender, words, q->side, sharers_count(q));
}

INLINE void serve(part *t, const sim_node *n, uint32_t local, uint32_t words) {
  uint64_t *requests = &t->request[local * words], any = 0;
  for (uint32_t w = 0; w < words; w++) any |= requests[w] &= t->contender[w];
  if (any) {
    if (SELDOM(t->shape.weighs))
      for (uint32_t w = 0; w < words; w++)
        for (uint64_t set = requests[w]; set; set &= set - 1) {
          const queue *q = queue_at(t, n, w, set);
          describe(t, q, first_for(t, q, local));
        }
    queue *q = &t->shape.queue[n->queue + pick_request(t, n, local, requests, words)];
    grant_line(t, n, q, first_for(t, q, local));
    take_side(t, q, words);
  }
  for (uint32_t w = 0; w < words; w++) requests[w] = 0;
}

/* Members of `requested` from `from` on, before `to`. */
INLINE void serve_from(part *t, const sim_node *n, uint32_t from, uint32_t to, uint32_t words) {
  for (uint32_t w = from / 64; w <= (to - 1) / 64 && from < to; w++) {
    uint64_t set = t->requested[w];
    if (w == from / 64) set &= ~(bit(from) - 1);
    if (w == to / 64) set &= bit(to) - 1;
    t->requested[w] &= ~set;
    for (; set; set &= set - 1) serve(t, n, 64 * w + (uint32_t)__builtin_ctzll(set), words);
  }
}

/* The output that a cycle's rounds begin with: cycle x the golden ratio, whose multiples are spread evenly. Cycle mod
 * ports would fall into step with the arbiters' turns: 4 ports whose inputs never send to their own output would carry
 * 0.75. */
static inline uint32_t first_output(uint32_t cycle, uint32_t ports) {
  return (uint32_t)((uint64_t)(uint32_t)(cycle * UINT32_C(2654435769)) * ports >> 32);
}

INLINE void serve_all(part *t, const sim_node *n, uint32_t words) {
  const uint32_t first = t->lines->turning ? first_output(t->now, n->ports) : 0;
  serve_from(t, n, first, n->ports, words);
  serve_from(t, n, 0, first, words);
}

/* The queues that may go: those marked, whose crossbar inputs are free. */
INLINE bool first_requests(part *t, const sim_node *n, uint32_t words) {
  bool any = false;
  for (uint32_t w = 0; w < words; w++) {
    const uint64_t set = dirty_queues(n)[w];
    dirty_queues(n)[w] = 0;
    t->lines->examined[w] |= set;
    listed_queues(n)[w] &= ~set;
    t->contender[w] = set & ~busy_queues(n)[w];
  }
  for (uint32_t w = 0; w < words; w++)
    for (uint64_t set = t->contender[w]; set; set &= set - 1) {
      if (busy_queues(n)[w] & set & -set) continue;
      queue *q = queue_at(t, n, w, set);
      if (SELDOM(first_discard(t, q) != NULL)) discard_lines(t, n, q);
    }
  for (uint32_t w = 0; w < words; w++) {
    t->contender[w] &= ~busy_queues(n)[w];
    for (uint64_t set = t->contender[w]; set; set &= set - 1) {
      if (request_all(t, n, queue_at(t, n, w, set), words, w, set & -set))
        any = true;
      else
        t->contender[w] &= ~(set & -set);
    }
  }
  return any;
}

INLINE bool next_requests(part *t, const sim_node *n, uint32_t words) {
  bool any = false;
  for (uint32_t w = 0; w < words; w++)
    for (uint64_t set = t->contender[w]; set; set &= set - 1) {
      if (request_all(t, n, queue_at(t, n, w, set), words, w, set & -set))
        any = true;
      else
        t->contender[w] &= ~(set & -set);
    }
  return any;
}

/* Computes what a queue wants after one of its lines was tried. */
INLINE void list_again(part *t, const sim_node *n, const queue *q) {
  if (lines_of(t, q) || *wanted(n, q->number)) lines_list(t, n, q);
}

/* Lists the queues that were tried and still wait. */
INLINE void list_examined(part *t, const sim_node *n, uint32_t words) {
  for (uint32_t w = 0; w < words; w++) {
    uint64_t set = t->lines->examined[w];
    t->lines->examined[w] = 0;
    for (; set; set &= set - 1) {
      const queue *q = queue_at(t, n, w, set);
      if (words > 1)
        lines_list(t, n, q);
      else
        list_again(t, n, q);
    }
  }
}

INLINE void rounds(part *t, const sim_node *n, uint32_t words) {
  for (bool any = first_requests(t, n, words); any; any = next_requests(t, n, words)) serve_all(t, n, words);
  list_examined(t, n, words);
}

static __attribute__((noinline)) void rounds_of_many(part *t, const sim_node *n) { rounds(t, n, n->words); }

/* switch.escape: exhausted. A grant takes space that other heads wait for, which may then request candidates of a
 * higher rank. So every round tries all waiting lines. */
static __attribute__((noinline)) void exhausted_lines(part *t, const sim_node *n) {
  bool any;
  do {
    for (uint32_t w = 0; w < n->words; w++) dirty_queues(n)[w] |= listed_queues(n)[w];
    any = first_requests(t, n, n->words);
    if (any) serve_all(t, n, n->words);
    list_examined(t, n, n->words);
  } while (any);
}

/* The usual case in a node of one word: one marked queue, with one line. The same rounds without tables of requests. */
INLINE bool try_alone(part *t, const sim_node *n, uint64_t self) {
  queue *q = queue_at(t, n, 0, self);
  line *own = lines_of(t, q);
  if (!own || own->next || own->head.state != WAITING || !any_candidate(&own->head)) return false;
  *dirty_queues(n) = 0;
  *listed_queues(n) &= ~self;
  if (!(*busy_queues(n) & self) && request(t, n, q, own)) {
    if (SELDOM(t->shape.weighs)) describe(t, q, own);
    pick_request(t, n, own->local, &self, 1);
    grant_line(t, n, q, own);
  }
  list_again(t, n, q);
  return true;
}

static inline void rounds_of_one(part *t, const sim_node *n, uint64_t dirty) {
  if ((dirty & (dirty - 1)) || !try_alone(t, n, dirty)) rounds(t, n, 1);
}

void crossbar_rounds(part *t, const sim_node *n) {
  if (is_interface(&t->shape, (uint32_t)(n - t->shape.node)))
    t->shape.exhausted ? exhausted_rounds(t, n) : usual_rounds(t, n);
  else if (SELDOM(t->shape.exhausted))
    exhausted_lines(t, n);
  else if (SELDOM(n->words > 1))
    rounds_of_many(t, n);
  else if (*dirty_queues(n))
    rounds_of_one(t, n, *dirty_queues(n));
}
