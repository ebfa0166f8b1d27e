/* choose.h - which of its candidates a head requests: docs/model.md, "Rounds". Inline, because every hop does it. */
#ifndef SIMULATE_CHOOSE_H
#define SIMULATE_CHOOSE_H

#include "base/bits.h"
#include "ripstop/plugin/selection.h"
#include "simulate/state.h"
#include "simulate/vcs.h"

/* One of n equal candidates: docs/model.md, tie rule. */
static inline uint32_t break_tie(const shape *s, const packet *p, uint32_t n) {
  return (uint32_t)((uint64_t)ripstop_random_word(&s->ties, serial_of(s, p), p->hops) * n >> 32);
}

/* The output VCs among `vcs`, none of them shut, that have space for the head. */
static __attribute__((noinline)) uint64_t fitting_of_many(const part *t, const queue *q, const sim_node *n,
                                                          const bundle *b, uint64_t vcs) {
  const shape *s = &t->shape;
  const int32_t needed = units_needed(s, q->flits, b->space);
  for (uint64_t set = vcs; set; set &= set - 1) {
    uint32_t vc = first_vc(b, set);
    if (n->room[vc] < needed || (t->hook.shut && t->hook.shut(t, q, port_of_vc(s, vc)))) vcs &= ~(set & -set);
  }
  return vcs;
}

/* The same. Usually `vcs` has one member, the escape VC. */
static __attribute__((noinline)) uint64_t fitting_candidates(const part *t, const queue *q, const sim_node *n,
                                                             const bundle *b, uint64_t vcs) {
  if (vcs & (vcs - 1) || t->hook.shut) return fitting_of_many(t, q, n, b, vcs);
  return n->room[first_vc(b, vcs)] < units_needed(&t->shape, q->flits, b->space) ? 0 : vcs;
}

/* The output VCs of a bundle that are not shut and have space for the head. */
static inline uint64_t open_candidates(const part *t, const queue *q, const sim_node *n, const bundle *b) {
  uint64_t open = b->vcs & ~shut_vcs(n)[b->word];
  return open && b->space > t->shape.sure_space ? fitting_candidates(t, q, n, b, open) : open;
}

/* Requests the first of these output VCs of a bundle. */
static inline head_request head_request_for(const bundle *b, uint64_t vcs) {
  return (head_request){b, first_vc(b, vcs)};
}

/* Candidates of the lowest rank, in the method's order, as the selection function sees them. */
typedef struct open_list {
  uint32_t count;
  int32_t most;
  uint8_t number[UINT8_MAX]; /* 0, 1, 2 ... */
  int32_t space[UINT8_MAX];
  ripstop_candidate candidate[UINT8_MAX];
  head_request head_request[UINT8_MAX];
} open_list;

static inline void list_candidate(const shape *s, open_list *l, const bundle *b, uint32_t vc, int32_t space) {
  uint32_t port = port_of_vc(s, vc), i = l->count;
  if (s->roomiest && i && space < l->most) return;
  if (s->roomiest && i && space > l->most) i = 0;
  l->most = space;
  l->number[i] = (uint8_t)i;
  l->space[i] = space;
  l->candidate[i] = (ripstop_candidate){.header = b->header,
                                        .port = (uint16_t)port,
                                        .channel = (uint8_t)(vc - port * s->channels),
                                        .rank = b->rank,
                                        .space = b->space,
                                        .marks = b->marks,
                                        .weight = b->weight};
  l->head_request[i] = (head_request){b, vc};
  l->count = i + 1;
}

/* The same for a candidate that stands for several output VCs, the first of its channel's being `vc`. True if it is the
 * last in the list now. */
static inline bool list_candidate_with_vcs(const shape *s, open_list *l, const bundle *b, uint32_t vc, int32_t space) {
  list_candidate(s, l, b, vc, space);
  const uint32_t last = l->count - 1; /* a list that has a candidate is never empty again */
  if (l->head_request[last].candidates != b || l->head_request[last].vc != vc) return false;
  l->candidate[last].channel = s->channel_of_plan[l->candidate[last].channel];
  return true;
}

/* Calls the selection function, or the tie rule, for two candidates or more of one rank. Returns a position in the
 * list. `p`: the packet that chooses, of this queue. binding.c */
uint32_t choose_of_list(const part *t, const queue *q, const packet *p, const open_list *list);

/* The same as call_selection where each candidate stands for several output VCs. vcs.c */
head_request choose_among_vcs(const part *t, const queue *q, const sim_node *n, uint32_t rank);

/* Calls the selection function to pick one of several open candidates of one rank, from all bundles. */
static __attribute__((noinline)) head_request call_selection(const part *t, const queue *q, const sim_node *n,
                                                             uint32_t rank) {
  const shape *s = &t->shape;
  open_list list;
  if (s->vcs > 1) return choose_among_vcs(t, q, n, rank);
  list.count = 0;
  for (const bundle *b = &q->candidates; b; b = b->next)
    for (uint64_t set = b->rank == rank ? open_candidates(t, q, n, b) : 0; set; set &= set - 1)
      list_candidate(s, &list, b, first_vc(b, set), n->room[first_vc(b, set)]);
  return list.head_request[list.count == 1 ? 0 : choose_of_list(t, q, head_of(t, q), &list)];
}

/* The output VCs of a bundle with the most free space behind them. */
static inline uint64_t roomiest_vcs(const bundle *b, uint64_t vcs, const int32_t *room) {
  uint64_t best = 0;
  int32_t most = 0;
  for (; vcs; vcs &= vcs - 1) {
    int32_t space = room[first_vc(b, vcs)];
    if (space < most) continue;
    best = (space == most ? best : 0) | (vcs & -vcs);
    most = space;
  }
  return best;
}

/* One of several open candidates of one bundle. */
static inline head_request choose_vc(const part *t, const queue *q, const sim_node *n, const bundle *b, uint64_t open) {
  const shape *s = &t->shape;
  if (s->lists) return call_selection(t, q, n, b->rank);
  if (s->roomiest) open = roomiest_vcs(b, open, n->room);
  const uint64_t others = open & (open - 1);
  if (others)
    for (uint32_t i = break_tie(s, head_of(t, q), others & (others - 1) ? ripstop_popcount64(open) : 2); i > 0; i--)
      open &= open - 1;
  return head_request_for(b, open);
}

/* One of the candidates of lowest rank from all bundles. `b` is the first bundle with open ones. */
static __attribute__((noinline)) head_request choose_bundle(const part *t, const queue *q, const sim_node *n,
                                                            const bundle *b, uint64_t open) {
  const bundle *best = b;
  bool several = false;
  for (b = b->next; b; b = b->next) {
    if (b->rank > best->rank) continue;
    uint64_t more = open_candidates(t, q, n, b);
    if (!more) continue;
    several = b->rank == best->rank;
    best = b;
    open = more;
  }
  if (several) return call_selection(t, q, n, best->rank);
  return open & (open - 1) ? choose_vc(t, q, n, best, open) : head_request_for(best, open);
}

/* A candidate of the bundle has space for the head, even if its link is busy. */
static inline bool has_room(const part *t, const queue *q, const sim_node *n, const bundle *b) {
  const int32_t needed = units_needed(&t->shape, q->flits, b->space);
  for (uint64_t set = b->vcs; set; set &= set - 1) {
    uint32_t vc = first_vc(b, set);
    if (n->room[vc] >= needed && !(t->hook.shut && t->hook.shut(t, q, port_of_vc(&t->shape, vc)))) return true;
  }
  return false;
}

/* The first bundle of lowest rank among those with room, or NULL. */
static inline const bundle *lowest_with_room(const part *t, const queue *q, const sim_node *n) {
  const bundle *lowest = NULL;
  for (const bundle *b = &q->candidates; b; b = b->next)
    if ((!lowest || b->rank < lowest->rank) && has_room(t, q, n, b)) lowest = b;
  return lowest;
}

/* switch.escape: exhausted. Returns an open candidate of lowest rank. Returns none while a candidate of lower rank has
 * space but is not open. */
static __attribute__((noinline)) head_request choose_exhausted(const part *t, const queue *q, const sim_node *n) {
  const bundle *lowest = lowest_with_room(t, q, n), *open = NULL;
  uint32_t bundles = 0;
  for (const bundle *b = lowest; b; b = b->next)
    if (b->rank == lowest->rank && open_candidates(t, q, n, b)) {
      if (!open) open = b;
      bundles++;
    }
  if (!open) return (head_request){0};
  if (bundles > 1) return call_selection(t, q, n, open->rank);
  const uint64_t vcs = open_candidates(t, q, n, open);
  return vcs & (vcs - 1) ? choose_vc(t, q, n, open, vcs) : head_request_for(open, vcs);
}

/* The candidate that a head requests; no bundle if none is open. Most methods list candidates of low rank first. */
static inline __attribute__((always_inline)) head_request choose_candidate(const part *t, const queue *q,
                                                                           const sim_node *n) {
  const bundle *b = &q->candidates;
  uint64_t open = open_candidates(t, q, n, b);
  if (!open && SELDOM(t->shape.exhausted)) return choose_exhausted(t, q, n);
  while (!open) {
    b = b->next;
    if (!b) return (head_request){0};
    open = open_candidates(t, q, n, b);
  }
  for (const bundle *next = b->next; next; next = next->next)
    if (next->rank <= b->rank)
      return SELDOM(t->shape.exhausted) ? choose_exhausted(t, q, n) : choose_bundle(t, q, n, b, open);
  return open & (open - 1) ? choose_vc(t, q, n, b, open) : head_request_for(b, open);
}

#endif
