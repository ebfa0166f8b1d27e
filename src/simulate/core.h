/* core.h - what the event loop does for features and for itself: waking, events, heads. Small and hot, so in a header.
 */
#ifndef SIMULATE_CORE_H
#define SIMULATE_CORE_H

#include "simulate/state.h"

/* ------------------------------------------------------------------ core.c */

/* Runs the cycles before `until`, or until the run ends. */
void engine_run(run *r, uint32_t until);
/* A cycle, with whatever there is to be done in it, by one thread: until everything has arrived and been answered, and
 * the rest. */
void begin_cycle(run *r);
void end_cycle(run *r);
enum { STOP_CYCLES = 1024 }; /* between two looks at the flag that stops the run */
/* The two steps of a cycle in which every part minds its own nodes. */
void arrivals(part *t);
void decisions(part *t);
/* A packet is lost, at a node (ripstop_loss.node); nothing happens to one that is lost already. */
void lose(part *t, packet *p, uint32_t node, uint32_t cause);
/* Gives a packet its link, now: one at full rate, and a slow one for `later` cycles more than it has flits. */
void send_packet(part *t, uint32_t port, uint32_t channel, uint32_t packet_index);
void send_slowly(part *t, uint32_t port, uint32_t channel, uint32_t packet_index, uint32_t later);

/* Grants the head of a queue its open candidate, if it has one, before the rounds and without an arbiter; the head's
 * crossbar side is free. For hooks.deciding. */
void grant_at_once(part *t, queue *q);

void post_out(part *t, uint32_t to, uint32_t cycle, sim_event event); /* into the outbox for that part */

/* ------------------------------------------------------------------ many.c: in nodes of several words */

void list_among_many(const sim_node *n, const queue *q);
void unlist_among_many(const sim_node *n, const queue *q);
bool open_among_many(const sim_node *n, uint32_t first, uint32_t vcs);
bool free_side_among_many(const sim_node *n, const queue *q);

/* ------------------------------------------------------------------ generations.c */

void take_next(part *t,
               uint32_t stream); /* the interface takes the next packet of a stream, now or at its generation */

/* ------------------------------------------------------------------ heads.c */

void load_candidates(part *t,
                     queue *q);      /* asks the method for the candidates of a head, which is WAITING or HELD then */
void become_head(part *t, queue *q); /* the same, and the head may go at once or waits */
void ask_anew(part *t, queue *q);    /* the same for a head that had candidates before, if one waits in this queue */
/* The method has answered with something that it may not. */
void break_rule(part *t, const queue *q, const char *what, unsigned number);

/* ------------------------------------------------------------------ bundles.c */

bundle *unused_bundle(part *t); /* when there are none that were in use before */

/* ------------------------------------------------------------------ packets */

static inline uint32_t take_packet(part *t) {
  const uint32_t index = t->free_packet;
  if (!t->free_packets) {
    t->unused_packets--;
    return t->unused_packet++;
  }
  t->free_packet = next_free(t, index);
  t->free_packets--;
  return index;
}

static inline void free_packet(part *t, uint32_t index) {
  t->packet[index].number = t->free_packet;
  t->free_packet = index;
  t->free_packets++;
}

/* As ripstop_source_next, for a copy of t->source[stream]. */
static inline void next_generation(const part *t, uint32_t stream, ripstop_source *source) {
  if (SELDOM(t->hook.next_generation))
    t->hook.next_generation(t, stream, source);
  else
    ripstop_source_next(t->run->sources, stream, source);
}

/* ------------------------------------------------------------------ events */

/* For a node of this part. */
static inline void post(part *t, uint32_t cycle, event_kind kind, uint32_t subject, uint32_t detail) {
  assert(wheel_reaches(&t->wheel, t->now, cycle));
  wheel_post(&t->wheel, cycle, make_event(kind, subject, detail));
}

/* The same for a cycle that the wheel may not reach. */
static inline void post_distant(part *t, uint32_t cycle, event_kind kind, uint32_t subject, uint32_t detail) {
  wheel_post_distant(&t->wheel, t->now, cycle, make_event(kind, subject, detail));
}

/* The node beyond this output port is another part's. */
static inline bool is_abroad(const part *t, uint32_t port) {
  return t->outbox && t->shape.output[port].part != t->number;
}

/* For the node beyond this output port; it may be another part's. */
static inline void post_beyond(part *t, uint32_t port, uint32_t cycle, event_kind kind, uint32_t subject,
                               uint32_t detail) {
  if (SELDOM(is_abroad(t, port)))
    post_out(t, t->shape.output[port].part, cycle, make_event(kind, subject, detail));
  else
    post(t, cycle, kind, subject, detail);
}

/* ------------------------------------------------------------------ waking */

static inline void wake_node(part *t, uint32_t v) {
  if (t->shape.node[v].awake) return;
  t->shape.node[v].awake = 1;
  t->active[t->active_count++] = v;
}

static inline void wake_queue(part *t, const queue *q) {
  dirty_queues(&t->shape.node[q->node])[q->number / 64] |= bit(q->number);
  wake_node(t, q->node);
}

/* The links of the `vcs` output VCs from `first` on are free: those that have room are open, and the heads that want
 * them are to be tried. Returns true if there are any; in a node of one word, where often no head waits. */
static inline bool open_roomy(const sim_node *n, uint32_t first, uint32_t vcs) {
  uint64_t open = 0, any = 0, *sets = n->sets;
  for (uint32_t vc = first; vc < first + vcs; vc++)
    if (n->room[vc] > 0) open |= bit(vc);
  sets[0] &= ~open;                                                                    /* shut */
  if (!sets[3]) return false;                                                          /* listed */
  for (; open; open &= open - 1) any |= sets[4 + 2 * (uint32_t)__builtin_ctzll(open)]; /* wanting */
  sets[1] |= any;                                                                      /* dirty */
  return any;
}

/* The same in any node. */
static inline bool open_vcs(const sim_node *n, uint32_t first, uint32_t vcs) {
  return USUALLY(n->words == 1) ? open_roomy(n, first, vcs) : open_among_many(n, first, vcs);
}

/* The link that an output sends on may be free. */
static inline void wake_output(part *t, const output *out) {
  const sim_node *n = &t->shape.node[out->node];
  const uint32_t channels = t->shape.channels;
  if (out->busy <= t->now && open_vcs(n, out->local * channels, channels)) wake_node(t, out->node);
}

/* The link of an output port may be free, or there is room behind any of its output VCs. */
static inline void wake_link(part *t, uint32_t port) {
  const output *out = &t->shape.output[port];
  if (SELDOM(t->hook.link_woken) && !is_interface(&t->shape, out->node))
    t->hook.link_woken(t, port);
  else
    wake_output(t, out);
}

/* The link of an output is taken. */
static inline void shut_output(const sim_node *n, uint32_t local, uint32_t channels) {
  add_some(shut_vcs(n), n->words, local * channels, channels);
}

/* There is no room behind an output VC. */
static inline void shut_vc(const shape *s, uint32_t vc) {
  const output *out = &s->output[port_of_vc(s, vc)];
  const sim_node *n = &s->node[out->node];
  uint32_t own = vc - n->port * s->channels;
  shut_vcs(n)[own / 64] |= bit(own);
}

/* ------------------------------------------------------------------ heads */

/* A bundle for one more set of candidates. */
static inline bundle *take_bundle(part *t) {
  bundle *b = t->spare;
  if (!b) return unused_bundle(t);
  t->spare = b->next;
  return b;
}

static inline void drop_bundles(part *t, bundle *first) {
  bundle *last = first;
  while (last->next) last = last->next;
  last->next = t->spare;
  t->spare = first;
}

/* `stride`: words of the node's sets. */
static inline __attribute__((always_inline)) void unlist_in(const sim_node *n, const queue *q, uint32_t stride) {
  uint64_t *listed = n->sets + 3 * stride + (stride == 1 ? 0 : q->number / 64), others = ~bit(q->number);
  const uint64_t *wants = n->sets + (5 + 2 * q->number) * stride;
  if (!(*listed & ~others)) return;
  for (uint32_t w = 0; w < stride; w++)
    for (uint64_t set = wants[w]; set; set &= set - 1)
      listed[(1 + 2 * (64 * w + (uint32_t)__builtin_ctzll(set))) * stride] &= others;
  *listed &= others;
}

/* How many queues share a queue's crossbar side, and which, in a node of one word. */
static inline uint32_t side_size(const queue *q) { return (uint32_t)__builtin_popcount(q->mates); }
static inline uint64_t side_of(const queue *q) { return (uint64_t)q->mates << q->side; }

/* The output VCs that the head of a queue wants, in a node of one word. */
static inline uint64_t vcs_wanted(const queue *q) {
  uint64_t vcs = q->candidates.vcs;
  for (const bundle *b = q->candidates.next; b; b = b->next) vcs |= b->vcs;
  return vcs;
}

/* list_head in a node of one word: it wants these output VCs. */
static inline void list_for(const sim_node *n, const queue *q, uint64_t vcs) {
  const uint64_t self = bit(q->number);
  uint64_t *sets = n->sets;
  sets[5 + 2 * q->number] = vcs; /* wanted */
  for (; vcs; vcs &= vcs - 1) sets[4 + 2 * (uint32_t)__builtin_ctzll(vcs)] |= self;
  sets[3] |= self;
}

/* The head waits for what opens one of its candidates, or frees its crossbar side. */
static inline void list_head(const sim_node *n, const queue *q) {
  if (USUALLY(n->words == 1))
    list_for(n, q, vcs_wanted(q));
  else
    list_among_many(n, q);
}

static inline void unlist_head(const sim_node *n, const queue *q, uint32_t stride) {
  if (USUALLY(stride == 1))
    unlist_in(n, q, 1);
  else
    unlist_among_many(n, q);
}

/* The head, which is in this node of so many words, has no candidates any more. */
static inline void drop_candidates_in(part *t, const sim_node *n, queue *q, uint32_t stride) {
  unlist_head(n, q, stride);
  q->candidates.vcs = 0;
  if (!q->candidates.next) return;
  drop_bundles(t, q->candidates.next);
  q->candidates.next = NULL;
}

static inline void drop_candidates(part *t, queue *q) {
  const sim_node *n = &t->shape.node[q->node];
  drop_candidates_in(t, n, q, n->words);
}

/* A packet enters an input queue. */
static inline void push(part *t, queue *q, uint32_t packet_index, uint32_t arrived) {
  const shape *s = &t->shape;
  uint32_t at = q->head + q->length;
  if (at >= s->ring) at -= s->ring;
  s->slot[q->slot + at] = (sim_slot){.packet = packet_index, .arrived = arrived};
  if (q->length++ == 0) become_head(t, q);
}

#endif
