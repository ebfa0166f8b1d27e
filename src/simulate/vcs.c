/* vcs.c - which output VC a packet takes where several stand for one channel of the plan (switch.vcs): vcs.h. */
#include "simulate/vcs.h"

#include "base/bits.h"
#include "simulate/choose.h"

#include "base/no_heap.h"

/* ------------------------------------------------------------------ candidates with their output VCs */

static uint64_t vcs_of(const part *t, const queue *q, const sim_node *n, bool open, const bundle *b) {
  return open ? open_candidates(t, q, n, b) : b->vcs;
}

/* Moves to the next bundle with output VCs that the walk has not taken. */
static bool find_left(const part *t, const queue *q, const sim_node *n, bool open, vc_walk *walk) {
  while (walk->next && !walk->left) {
    if (walk->begun) walk->next = walk->next->next;
    walk->begun = true;
    if (walk->next) walk->left = vcs_of(t, q, n, open, walk->next);
  }
  return walk->next;
}

/* Takes the output VCs of the present candidate from a bundle. */
static void take_vcs(const shape *s, vc_walk *walk) {
  for (; walk->left && first_vc(walk->next, walk->left) < walk->first + s->vcs; walk->left &= walk->left - 1)
    walk->set |= 1u << (first_vc(walk->next, walk->left) - walk->first);
}

/* The next bundle has the rest of the present candidate's output VCs, which lie in two words. */
static bool has_rest(const shape *s, const vc_walk *walk) {
  const bundle *rest = walk->next->next;
  return s->vc != RIPSTOP_VC_HASH && rest && rest->word == walk->next->word + 1 &&
         walk->first + s->vcs > 64 * rest->word && walk->first < 64 * rest->word;
}

bool next_candidate(const part *t, const queue *q, const sim_node *n, bool open, vc_walk *walk) {
  const shape *s = &t->shape;
  if (!find_left(t, q, n, open, walk)) return false;
  walk->bundle = walk->next;
  walk->first = candidate_of_vc(s, first_vc(walk->next, walk->left)) * s->vcs;
  walk->set = 0;
  take_vcs(s, walk);
  if (!has_rest(s, walk)) return true;
  walk->next = walk->next->next;
  walk->left = vcs_of(t, q, n, open, walk->next);
  take_vcs(s, walk);
  return true;
}

int32_t most_room(const vc_walk *walk, const int32_t *room) {
  int32_t most = INT32_MIN;
  for (uint32_t set = walk->set; set; set &= set - 1) {
    const int32_t own = room[walk->first + (uint32_t)__builtin_ctz(set)];
    if (own > most) most = own;
  }
  return most;
}

/* ------------------------------------------------------------------ one of a candidate's output VCs */

static uint32_t roomiest_of(uint32_t set, const int32_t *room) {
  uint32_t best = 0;
  int32_t most = INT32_MIN;
  for (; set; set &= set - 1) {
    const int32_t own = room[__builtin_ctz(set)];
    if (own < most) continue;
    best = (own == most ? best : 0) | (set & -set);
    most = own;
  }
  return best;
}

static uint32_t random_word(const part *t, const queue *q, const packet *p) {
  const shape *s = &t->shape;
  if (s->vc == RIPSTOP_VC_RANDOM)
    return ripstop_random_word(&s->vc_words, (uint64_t)q->node << 32 | t->now, q->in_port);
  return ripstop_random_word(&s->vc_words, serial_of(s, p), p->hops);
}

uint32_t choose_vc_of(const part *t, const queue *q, const packet *p, uint32_t set, const int32_t *room) {
  if (t->shape.vc == RIPSTOP_VC_SPACE) set = roomiest_of(set, room);
  if (set & (set - 1)) {
    const uint64_t word = random_word(t, q, p);
    for (uint32_t i = (uint32_t)(word * ripstop_popcount64(set) >> 32); i > 0; i--) set &= set - 1;
  }
  return (uint32_t)__builtin_ctz(set);
}

/* Moves to the next candidate of this rank that is open. */
static inline bool next_open(const part *t, const queue *q, const sim_node *n, uint32_t rank, vc_walk *walk) {
  while (next_candidate(t, q, n, true, walk))
    if (walk->bundle->rank == rank) return true;
  return false;
}

/* Two open candidates or more. */
static __attribute__((noinline)) head_request choose_of_several(const part *t, const queue *q, const sim_node *n,
                                                                uint32_t rank) {
  const shape *s = &t->shape;
  const packet *p = head_of(t, q);
  uint32_t set[UINT8_MAX];
  open_list list;
  list.count = 0;
  for (vc_walk walk = {.next = &q->candidates}; next_open(t, q, n, rank, &walk);)
    if (list_candidate_with_vcs(s, &list, walk.bundle, walk.first, most_room(&walk, n->room)))
      set[list.count - 1] = walk.set;
  const uint32_t i = list.count == 1 ? 0 : choose_of_list(t, q, p, &list);
  const head_request own = list.head_request[i];
  return (head_request){own.candidates, own.vc + choose_vc_of(t, q, p, set[i], &n->room[own.vc])};
}

head_request choose_among_vcs(const part *t, const queue *q, const sim_node *n, uint32_t rank) {
  vc_walk walk = {.next = &q->candidates};
  if (!next_open(t, q, n, rank, &walk)) return (head_request){0}; /* not reached: the caller has seen one */
  const vc_walk first = walk;
  if (next_open(t, q, n, rank, &walk)) return choose_of_several(t, q, n, rank);
  const int32_t *room = &n->room[first.first];
  return (head_request){first.bundle, first.first + choose_vc_of(t, q, head_of(t, q), first.set, room)};
}
