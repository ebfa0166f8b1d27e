/* core.h - what the event loop and its features share: waking nodes, posting events, listing heads. Small and hot, so
 * inline. */
#ifndef SIMULATE_CORE_H
#define SIMULATE_CORE_H

#include "simulate/state.h"

/* ------------------------------------------------------------------ core.c */

/* Runs the cycles before `until`, or until the run ends. */
void engine_run(run *r, uint32_t until);
/* One cycle in one thread, in two halves: all arrivals and what answers them; then the decisions. */
void begin_cycle(run *r);
void end_cycle(run *r);
enum { STOP_CYCLES = 1024 }; /* between two checks of the flag that stops the run */
/* The two steps of a cycle in which every part handles its own nodes alone. */
void arrivals(part *t);
void decisions(part *t);
/* Counts a packet as lost at a node (ripstop_loss.node); does nothing if it is lost already. */
void lose(part *t, packet *p, uint32_t node, uint32_t cause);
/* A packet of a queue has no candidates, and was not lost before. */
void note_no_candidate(part *t, const queue *q, const packet *p);
/* Puts a packet on its link now: a link at full rate, or a slow one that takes `later` cycles more than the packet has
 * flits. */
void send_packet(part *t, uint32_t port, uint32_t channel, uint32_t packet_index);
void send_slowly(part *t, uint32_t port, uint32_t channel, uint32_t packet_index, uint32_t later);

/* Grants the head of a queue its open candidate, if it has one, before the rounds and without an arbiter. The head's
 * crossbar input must be free. For hooks.deciding. */
void grant_at_once(part *t, queue *q);
/* For hooks.rounds. Grants the head of a queue this candidate through a local port, or discards it; its crossbar input
 * is free. */
void grant_head(part *t, const sim_node *n, queue *q, head_request granted, uint32_t local);
void discard_head(part *t, const sim_node *n, queue *q);
/* The crossbar input of a queue is free: wakes the heads that share it. */
void crossbar_freed(part *t, const sim_node *n, const queue *q);
/* The rounds of a node without a hook: with switch.escape open, and exhausted. And, for hooks.rounds, with several
 * channels for each of the plan's: outputs are served from another one on in each cycle. */
void usual_rounds(part *t, const sim_node *n);
void exhausted_rounds(part *t, const sim_node *n);
void turning_rounds(part *t, const sim_node *n);
void exhausted_turning_rounds(part *t, const sim_node *n);

void post_out(part *t, uint32_t to, uint32_t cycle, sim_event event); /* puts it into the outbox for part `to` */

/* ------------------------------------------------------------------ many.c: nodes of several words */

void list_among_many(const sim_node *n, const queue *q);
void unlist_among_many(const sim_node *n, const queue *q);
bool open_among_many(const sim_node *n, uint32_t first, uint32_t vcs);
bool free_crossbar_among_many(const sim_node *n, const queue *q);

/* ------------------------------------------------------------------ generation.c */

void take_next(part *t, uint32_t stream); /* the NIC takes the stream's next packet, now or when it is generated */

/* ------------------------------------------------------------------ heads.c */

void load_candidates(part *t, queue *q); /* gets the head's candidates from the method; the head becomes WAITING or
                                          * STALLED */
void become_head(part *t, queue *q);     /* loads candidates, then wakes the head or lists it as waiting */
void reload_head(part *t, queue *q);     /* does this again for a waiting head that had candidates */
/* Gives the head of a line, which is not listed by itself, these of its candidates in place of all. */
void replace_candidates(part *t, queue *q, const ripstop_candidate *candidate, uint32_t candidates);
/* Gives a waiting head these of its candidates in place of all, then wakes or lists it as become_head does. */
void keep_candidates(part *t, queue *q, const ripstop_candidate *candidate, uint32_t candidates);
/* For bound_packets.c: checks a method's answer for a packet of this queue, and makes of it candidates for one port
 * each. Returns their number; 0: the packet is lost (loss_of), or the run fails. */
uint32_t accept_bound(part *t, queue *q, const packet *p, ripstop_candidate *candidate, int candidates);
/* Fails the run: the method's answer breaks the rules of method.h. */
void break_rule(part *t, const queue *q, const char *what, unsigned number);

/* ------------------------------------------------------------------ bundles.c */

bundle *unused_bundle(part *t); /* a new one; call it when no spare one is left */

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

/* Moves a copy of t->source[stream] to the next packet. */
static inline void next_generation(const part *t, uint32_t stream, ripstop_source *source) {
  if (SELDOM(t->hook.next_generation))
    t->hook.next_generation(t, stream, source);
  else
    ripstop_source_next(t->run->sources, stream, source);
}

/* ------------------------------------------------------------------ events */

/* Posts an event for a node of this part. */
static inline void post(part *t, uint32_t cycle, event_kind kind, uint32_t subject, uint32_t detail) {
  assert(wheel_reaches(&t->wheel, t->now, cycle));
  wheel_post(&t->wheel, cycle, make_event(kind, subject, detail));
}

/* The same for a cycle that may lie beyond the wheel. */
static inline void post_distant(part *t, uint32_t cycle, event_kind kind, uint32_t subject, uint32_t detail) {
  wheel_post_distant(&t->wheel, t->now, cycle, make_event(kind, subject, detail));
}

/* The node beyond this output port belongs to another part. */
static inline bool is_in_other_part(const part *t, uint32_t port) {
  return t->outbox && t->shape.output[port].part != t->number;
}

/* Posts an event for the node beyond this output port, which may belong to another part. */
static inline void post_beyond(part *t, uint32_t port, uint32_t cycle, event_kind kind, uint32_t subject,
                               uint32_t detail) {
  if (SELDOM(is_in_other_part(t, port)))
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

/* The links of the `vcs` output VCs from `first` on are free. Opens those with space and marks the heads that want them
 * as dirty. Returns true if there are any. For a node of one word, where often no head waits. */
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

/* The same for any node. */
static inline bool open_vcs(const sim_node *n, uint32_t first, uint32_t vcs) {
  return USUALLY(n->words == 1) ? open_roomy(n, first, vcs) : open_among_many(n, first, vcs);
}

/* The link of an output may have become free. */
static inline void wake_output(part *t, const output *out) {
  const sim_node *n = &t->shape.node[out->node];
  const uint32_t channels = t->shape.channels;
  if (out->busy <= t->now && open_vcs(n, out->local * channels, channels)) wake_node(t, out->node);
}

/* The link of an output port may have become free, or space behind one of its output VCs. */
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

/* No space is left behind an output VC. */
static inline void shut_vc(const shape *s, uint32_t vc) {
  const output *out = &s->output[port_of_vc(s, vc)];
  const sim_node *n = &s->node[out->node];
  uint32_t own = vc - n->port * s->channels;
  shut_vcs(n)[own / 64] |= bit(own);
}

/* ------------------------------------------------------------------ rounds */

/* The output that a cycle's rounds begin with where a crossbar input requests several: cycle x the golden ratio, whose
 * multiples are spread evenly. Cycle mod ports would fall into step with the arbiters' turns: 4 ports whose inputs
 * never send to their own output would carry 0.75. */
static inline uint32_t first_output(uint32_t cycle, uint32_t ports) {
  return (uint32_t)((uint64_t)(uint32_t)(cycle * UINT32_C(2654435769)) * ports >> 32);
}

/* ------------------------------------------------------------------ heads */

/* A valid candidate for one port, as most are. `up`: of the node's ports. */
static inline bool is_plain(const shape *s, const sim_node *n, const uint8_t *up, const ripstop_candidate *candidate) {
  return !candidate->more && candidate->port < n->ports && up[candidate->port] && candidate->channel < s->channels &&
         candidate->space - 1u < s->plain_space;
}

/* Returns a bundle for another set of candidates. */
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

/* `stride`: words per set of the node. */
static inline __attribute__((always_inline)) void unlist_in(const sim_node *n, const queue *q, uint32_t stride) {
  uint64_t *listed = n->sets + 3 * stride + (stride == 1 ? 0 : q->number / 64), others = ~bit(q->number);
  const uint64_t *wants = n->sets + (5 + 2 * q->number) * stride;
  if (!(*listed & ~others)) return;
  for (uint32_t w = 0; w < stride; w++)
    for (uint64_t set = wants[w]; set; set &= set - 1)
      listed[(1 + 2 * (64 * w + (uint32_t)__builtin_ctzll(set))) * stride] &= others;
  *listed &= others;
}

/* The number and the set of the queues that share a queue's crossbar input; the set for a node of one word. */
static inline uint32_t sharers_count(const queue *q) { return (uint32_t)__builtin_popcount(q->sharers); }
static inline uint64_t sharers_of(const queue *q) { return (uint64_t)q->sharers << q->side; }
/* Adds them to a set of `stride` words, in two of which they may lie; removes them. */
static inline void add_sharers(uint64_t *set, uint32_t stride, const queue *q) {
  const uint32_t word = stride == 1 ? 0 : q->side / 64, shift = q->side & 63;
  set[word] |= (uint64_t)q->sharers << shift;
  if (stride > 1 && shift > 48 && q->sharers >> (64 - shift)) set[word + 1] |= q->sharers >> (64 - shift);
}
static inline void take_sharers(uint64_t *set, uint32_t stride, const queue *q) {
  const uint32_t word = stride == 1 ? 0 : q->side / 64, shift = q->side & 63;
  set[word] &= ~((uint64_t)q->sharers << shift);
  if (stride > 1 && shift > 48 && q->sharers >> (64 - shift)) set[word + 1] &= ~(uint64_t)(q->sharers >> (64 - shift));
}

/* The output VCs that the head of a queue wants, in a node of one word. */
static inline uint64_t vcs_wanted(const queue *q) {
  uint64_t vcs = q->candidates.vcs;
  for (const bundle *b = q->candidates.next; b; b = b->next) vcs |= b->vcs;
  return vcs;
}

/* list_head in a node of one word: the head wants these output VCs. */
static inline void list_for(const sim_node *n, const queue *q, uint64_t vcs) {
  const uint64_t self = bit(q->number);
  uint64_t *sets = n->sets;
  sets[5 + 2 * q->number] = vcs; /* wanted */
  for (; vcs; vcs &= vcs - 1) sets[4 + 2 * (uint32_t)__builtin_ctzll(vcs)] |= self;
  sets[3] |= self;
}

/* The head waits until an event opens one of its candidates or frees its crossbar input. */
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

/* Removes the candidates of a head in node `n`, whose sets have `stride` words. */
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

/* Appends a packet to an input queue. */
static inline void push(part *t, queue *q, uint32_t packet_index, uint32_t arrived) {
  const shape *s = &t->shape;
  uint32_t at = q->head + q->length;
  if (at >= s->ring) at -= s->ring;
  s->slot[q->slot + at] = (sim_slot){.packet = packet_index, .arrived = arrived};
  if (q->length++ == 0) become_head(t, q);
}

#endif
