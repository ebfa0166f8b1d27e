/* many.c - sets of nodes with more than 64 queues: what core.h does in one word. Separate, so that the code for the
 * usual node stays short and in registers. */
#include "simulate/core.h"

#include "base/no_heap.h"

void list_among_many(const sim_node *n, const queue *q) {
  const uint32_t words = n->words;
  uint64_t *wants = wanted(n, q->number), self = bit(q->number);
  for (uint32_t w = 0; w < words; w++) wants[w] = 0;
  for (const bundle *b = &q->candidates; b; b = b->next) {
    wants[b->word] |= b->vcs;
    for (uint64_t set = b->vcs; set; set &= set - 1) wanting(n, first_vc(b, set))[q->number / 64] |= self;
  }
  listed_queues(n)[q->number / 64] |= self;
}

void unlist_among_many(const sim_node *n, const queue *q) { unlist_in(n, q, n->words); }

static bool open_vc(const sim_node *n, uint32_t vc) {
  const uint64_t *want = wanting(n, vc);
  uint64_t *dirty = dirty_queues(n), any = 0;
  shut_vcs(n)[vc / 64] &= ~bit(vc);
  for (uint32_t i = 0; i < n->words; i++) {
    dirty[i] |= want[i];
    any |= want[i];
  }
  return any;
}

bool open_among_many(const sim_node *n, uint32_t first, uint32_t vcs) {
  bool any = false;
  for (uint32_t vc = first; vc < first + vcs; vc++)
    if (n->room[vc] > 0) any |= open_vc(n, vc);
  return any;
}

/* The head of this queue is to be discarded, or has an open candidate. A candidate that needs more than one packet's
 * space may count as open without it. */
static bool may_go(const sim_node *n, uint32_t number) {
  const uint64_t *wants = wanted(n, number), *shut = shut_vcs(n);
  uint64_t any = 0, open = 0;
  for (uint32_t w = 0; w < n->words; w++) {
    any |= wants[w];
    open |= wants[w] & ~shut[w];
  }
  return open || !any;
}

bool free_crossbar_among_many(const sim_node *n, const queue *q) {
  const uint32_t side = q->side;
  bool marks = false;
  take_sharers(busy_queues(n), n->words, q);
  for (uint64_t set = some_of(listed_queues(n), n->words, side, sharers_count(q)); set; set &= set - 1) {
    const uint32_t number = side + (uint32_t)__builtin_ctzll(set);
    if (!may_go(n, number)) continue;
    dirty_queues(n)[number / 64] |= bit(number);
    marks = true;
  }
  return marks;
}
