/* crossbar.c - who crosses a switch whose input queues have lines: docs/model.md, "Lines" and "Rounds".
 *
 * Requests are of input queues, as without lines: an output's set has a bit for each queue with a line that requests
 * it, and the arbiter picks a queue. Of its lines that request the output the one whose head came first goes. So sets
 * stay as small as without lines, and the lines of a queue are looked at only while the queue may go.
 *
 * With a speedup (shape.quarters > 4) the crossbar moves a flit in each of its steps, of which 4 cycles have
 * `quarters`. Step k begins 4 k / quarters cycles after cycle 0, and each step of a cycle has rounds of its own. A
 * packet that is granted in step k occupies its crossbar input and output until step k + flits, or until its last flit
 * can have come. Within a cycle only the end of a crossing can let others go: without one the remaining steps are
 * skipped. */
#include "simulate/crossbar.h"

#include <string.h>

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

/* The first step that begins in this cycle or later. */
static inline uint64_t first_step(const shape *s, uint64_t cycle) { return (cycle * s->quarters + 3) / 4; }

static inline uint64_t *ending_in(const part *t, const sim_node *n) {
  return &t->lines->ending[(size_t)(n - t->shape.node) * t->shape.enters_words];
}

/* Returns the step in which the head of a queue, granted now, has crossed. */
static uint64_t crossing_ends(const part *t, const queue *q) {
  const shape *s = &t->shape;
  const uint64_t entered = (uint64_t)s->slot[q->slot].arrived + s->pipeline;
  const uint64_t sent = t->lines->step + q->flits, whole = first_step(s, entered + q->flits);
  return sent > whole ? sent : whole;
}

/* Occupies a crossbar input and an output until a step. */
static void occupy(part *t, const sim_node *n, queue *q, uint32_t local, uint64_t until) {
  const shape *s = &t->shape;
  const uint32_t cycle = (uint32_t)(4 * until / s->quarters),
                 free = (uint32_t)((4 * until + s->quarters - 1) / s->quarters);
  t->lines->queue[index_of(s, q)].until = until;
  q->state = LEAVING;
  q->last_port = (uint16_t)local;
  add_sharers(busy_queues(n), n->words, q);
  s->output[n->port + local].busy = free;
  shut_output(n, local, s->channels);
  if (t->outbox && q->feeder != t->number && !t->hook.stalled)
    post_out(t, q->feeder, free + s->credit, make_event(SPACE, q->upstream, (uint32_t)units(s, q->flits)));
  if (cycle == t->now)
    ending_in(t, n)[q->number / 64] |= bit(q->number);
  else
    post(t, cycle, CROSSED, index_of(s, q), n->port + local);
}

/* A grant with a speedup. There are output queues. */
static void cross(part *t, const sim_node *n, queue *q, const line *own) {
  const shape *s = &t->shape;
  const uint32_t packet_index = s->slot[q->slot].packet;
  const bundle *taken = own->wanted.candidates;
  packet *p = &t->packet[packet_index];
  if (t->hook.leaving) t->hook.leaving(t, q, own->wanted.vc);
  p->header = taken->header;
  p->marks |= taken->marks;
  q->candidates.vcs = 0;
  occupy(t, n, q, own->local, crossing_ends(t, q));
  t->hook.granted(t, n->port * s->channels + own->wanted.vc, packet_index);
}

/* The packet of a queue has crossed. In the middle of a cycle its space counts as free from the next one on. */
static void has_crossed(part *t, const sim_node *n, queue *q) {
  const shape *s = &t->shape;
  output *out = &s->output[n->port + q->last_port];
  const bool late = 4 * t->lines->queue[index_of(s, q)].until % s->quarters;
  q->length = 0;
  q->state = EMPTY;
  if (SELDOM(t->hook.stalled))
    t->hook.stalled(t, index_of(s, q), -units(s, q->flits));
  else if (SELDOM(q->feeder != t->number))
    t->wheel.posted++; /* occupy did it */
  else
    post(t, t->now + late + s->credit, SPACE, q->upstream, (uint32_t)units(s, q->flits));
  crossbar_freed(t, n, q);
  out->busy = t->now;
  wake_output(t, out);
  if (SELDOM(t->hook.output_freed)) t->hook.output_freed(t, q->node);
}

/* XOFF and XON count a packet that ends its crossing with the cycle, and not yet one that ends it within the cycle. */
void crossbar_crossed(part *t, uint32_t index, uint32_t port) {
  (void)port;
  queue *q = &t->shape.queue[index];
  const sim_node *n = &t->shape.node[q->node];
  if (4 * t->lines->queue[index].until == (uint64_t)t->now * t->shape.quarters) {
    has_crossed(t, n, q);
    return;
  }
  ending_in(t, n)[q->number / 64] |= bit(q->number);
  wake_node(t, q->node);
}

static void grant_line(part *t, const sim_node *n, queue *q, line *own) {
  lines_present(t, q, own);
  if (SELDOM(t->shape.quarters > 4))
    cross(t, n, q, own);
  else
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
  t->request_channel[q->number] = t->shape.channel_of_plan[own->wanted.vc - own->local * t->shape.channels];
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
    *t->contender &= ~sharers_of(q);
  else
    take_sharers(t->contender, words, q);
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

/* Serves the requests of lines for the outputs from `from` on, before `to`. */
INLINE void serve_lines(part *t, const sim_node *n, uint32_t from, uint32_t to, uint32_t words) {
  for (uint32_t w = from / 64; w <= (to - 1) / 64 && from < to; w++) {
    uint64_t set = t->requested[w];
    if (w == from / 64) set &= ~(bit(from) - 1);
    if (w == to / 64) set &= bit(to) - 1;
    t->requested[w] &= ~set;
    for (; set; set &= set - 1) serve(t, n, 64 * w + (uint32_t)__builtin_ctzll(set), words);
  }
}

INLINE void serve_all(part *t, const sim_node *n, uint32_t words) {
  const uint32_t first = t->lines->turning ? first_output(t->now, n->ports) : 0;
  serve_lines(t, n, first, n->ports, words);
  serve_lines(t, n, 0, first, words);
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

static __attribute__((noinline)) void rounds_of_two(part *t, const sim_node *n) { rounds(t, n, 2); }
static __attribute__((noinline)) void rounds_of_many(part *t, const sim_node *n) {
  if (n->words == 2)
    rounds_of_two(t, n);
  else
    rounds(t, n, n->words);
}

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

/* ------------------------------------------------------------------ matchings of a number of rounds */

/* Turns requests of queues into those of their crossbar inputs. */
static void take_requests(part *t, const sim_node *n) {
  lines *l = t->lines;
  memset(l->inputs, 0, (size_t)n->ports * n->words * sizeof *l->inputs);
  for (uint32_t local = 0; local < n->ports; local++)
    for (uint32_t w = 0; w < n->words; w++) {
      uint64_t *requests = &t->request[local * n->words + w];
      for (uint64_t set = *requests; set; set &= set - 1) {
        const uint32_t side = queue_at(t, n, w, set)->side;
        l->inputs[local * n->words + side / 64] |= bit(side);
      }
      *requests = 0;
    }
  memset(t->requested, 0, (n->ports + 63u) / 64 * sizeof *t->requested);
}

/* Grants the line whose head came first, among those that share a crossbar input and request an output. */
static void grant_matched(part *t, const sim_node *n, uint32_t side, uint32_t local) {
  queue *first = &t->shape.queue[n->queue + side], *goes = NULL;
  line *best = NULL;
  for (queue *q = first; q < first + sharers_count(first); q++) {
    if (!(t->contender[q->number / 64] & bit(q->number))) continue;
    line *own = first_for(t, q, local);
    if (!own || (best && line_arrived(t, best) <= line_arrived(t, own))) continue;
    best = own;
    goes = q;
  }
  assert(best);
  take_side(t, goes, n->words);
  grant_line(t, n, goes, best);
}

static void match(part *t, const sim_node *n, uint32_t round) {
  const lines *l = t->lines;
  const uint32_t v = (uint32_t)(n - t->shape.node);
  const ripstop_matching_round it = {.inputs = n->queues,
                                     .outputs = n->ports,
                                     .words = n->words,
                                     .requests = l->inputs,
                                     .node = v,
                                     .cycle = t->now,
                                     .round = round,
                                     .seed = t->shape.seed};
  for (uint32_t i = 0; i < n->queues; i++) l->output_of[i] = RIPSTOP_NONE;
  t->shape.matching->match(l->matching_state[v], &it, l->output_of);
  for (uint32_t i = 0; i < n->queues; i++)
    if (l->output_of[i] != RIPSTOP_NONE) grant_matched(t, n, i, l->output_of[i]);
}

/* A head that could go after the last round tries again in the next step. */
static void try_later(part *t, const sim_node *n) {
  for (uint32_t w = 0; w < n->words; w++) dirty_queues(n)[w] |= t->contender[w];
  wake_node(t, (uint32_t)(n - t->shape.node));
}

static __attribute__((noinline)) void matched_rounds(part *t, const sim_node *n) {
  const uint32_t most = t->shape.matching->rounds(t->shape.matching_config);
  for (uint32_t w = 0; w < n->words && t->shape.exhausted; w++) dirty_queues(n)[w] |= listed_queues(n)[w];
  bool any = first_requests(t, n, n->words);
  if (any && t->shape.exhausted) wake_node(t, (uint32_t)(n - t->shape.node)); /* a grant takes space */
  for (uint32_t round = 0; any; round++) {
    take_requests(t, n);
    if (round == most) break;
    match(t, n, round);
    any = next_requests(t, n, n->words);
  }
  if (any) try_later(t, n);
  list_examined(t, n, n->words);
}

/* Ends the crossings that are over in the present step. */
static void end_crossings(part *t, const sim_node *n) {
  uint64_t *ending = ending_in(t, n);
  for (uint32_t w = 0; w < n->words; w++)
    for (uint64_t set = ending[w]; set; set &= set - 1) {
      queue *q = queue_at(t, n, w, set);
      if (t->lines->queue[index_of(&t->shape, q)].until > t->lines->step) continue;
      ending[w] &= ~(set & -set);
      has_crossed(t, n, q);
    }
}

/* Something may go in the next step. */
static bool any_left(const part *t, const sim_node *n) {
  uint64_t any = 0;
  for (uint32_t w = 0; w < n->words; w++) any |= ending_in(t, n)[w] | dirty_queues(n)[w];
  return any;
}

static inline void rounds_of_one(part *t, const sim_node *n, uint64_t dirty) {
  if ((dirty & (dirty - 1)) || !try_alone(t, n, dirty)) rounds(t, n, 1);
}

INLINE void rounds_of_switch(part *t, const sim_node *n) {
  if (SELDOM(t->shape.matching != NULL))
    matched_rounds(t, n);
  else if (SELDOM(t->shape.exhausted))
    exhausted_lines(t, n);
  else if (SELDOM(n->words > 1))
    rounds_of_many(t, n);
  else if (*dirty_queues(n))
    rounds_of_one(t, n, *dirty_queues(n));
}

/* Without anything to end or to try, only links have woken the switch. */
static void rounds_of_steps(part *t, const sim_node *n) {
  const uint64_t end = first_step(&t->shape, (uint64_t)t->now + 1);
  for (uint64_t step = first_step(&t->shape, t->now); step < end && any_left(t, n); step++) {
    t->lines->step = step;
    end_crossings(t, n);
    rounds_of_switch(t, n);
  }
}

void crossbar_rounds(part *t, const sim_node *n) {
  if (is_interface(&t->shape, (uint32_t)(n - t->shape.node)))
    t->shape.exhausted ? exhausted_rounds(t, n) : usual_rounds(t, n);
  else if (t->shape.quarters > 4)
    rounds_of_steps(t, n);
  else
    rounds_of_switch(t, n);
}
