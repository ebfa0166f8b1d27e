/* trees.h - one in-tree for each destination, and the paths that all of them lay on the channels.
 *
 * Destinations are the addresses of the live end nodes, then the live switches. Switches attract no paths; they must
 * only be reachable. There is one path from each end node to each address of another end node at a different switch. */
#ifndef MEND_TREES_H
#define MEND_TREES_H

#include "mend/grow.h"

typedef struct mend_trees {
  const switch_graph *net;
  mend_orders *orders;
  ripstop_stream *random;
  bool by_pair;
  uint8_t *share;  /* [switches]: VCs that destinations prefer, where all turns are open; NULL: by their numbers */
  uint32_t count;  /* destinations; the net->addresses of one end node are adjacent */
  uint32_t *home;  /* [count]: the switch */
  uint8_t *weight; /* [count]: 1 for addresses of end nodes, 0 for switches */
  uint16_t *rows;  /* [... * switches]: ports, as in tables; RIPSTOP_NO_PORT: at home, or in another component */
  uint32_t *row;   /* [count]: index of each destination's row, among as many as there are addresses, alive or not */
  uint8_t *mask;   /* [count * switches]: VCs in which the whole path is allowed */
  uint32_t *load;  /* [channels]: paths */
  /* A tree for each switch by required turns alone, which nothing can remove. */
  uint32_t *safe_next; /* [switches * switches]: channels */
  uint8_t *safe_mask;
  /* The number of trees that use a turn in a VC. These turns are required; all others are as open as the order. NULL:
   * the orders are fixed. */
  uint32_t *used;  /* [turns * VCs] */
  uint8_t *vain;   /* [turns]: VCs in which a turn has closed a cycle since polishing began */
  uint16_t *grown; /* [switches]: scratch */
  bool steady;     /* no branch moves to a longer path */
  /* Switches whose pointer has changed, where no two neighbours may change for one destination; NULL: all may. */
  uint8_t *changed; /* [count * switches] */
} mend_trees;

static inline uint16_t *mend_trees_row(const mend_trees *t, uint32_t d) {
  return t->rows + (size_t)t->row[d] * t->net->switches;
}

/* Makes all but the trees themselves, which go to `rows`: those of all addresses in forwarding tables of every node,
 * end nodes first. NULL: allocates rows. */
void mend_trees_make(mend_trees *t, mend_orders *orders, bool by_pair, uint16_t *rows, ripstop_stream *random,
                     ripstop_arena *arena);
/* secure.c: grows the safe trees. Makes turns required where needed, and sets `share` to the VCs of the trees. False:
 * these orders cannot have them. */
bool mend_trees_secure(mend_trees *t);
/* Grows trees for all destinations, each `passes` times again beside all others. */
void mend_trees_balance(mend_trees *t, uint32_t passes);
/* Grows trees over the busiest channels again, where that makes them cheaper. */
void mend_trees_relieve(mend_trees *t);
void mend_trees_lay(mend_trees *t, const uint16_t *row, bool add); /* adds or removes the paths of a tree */
/* Writes a tree of channels as a row. */
void mend_trees_write(const switch_graph *net, const uint32_t *next, uint16_t *row);
uint32_t mend_trees_worst(const mend_trees *t);
void mend_trees_add(mend_trees *t, uint32_t d, bool add); /* adds or removes a destination's paths */

/* loose.c: for trees that keep to one VC each: from here on turns become required when trees use them, and open again
 * when none does. Turns that are required already stay so. The safe trees are void. */
void mend_trees_loosen(mend_trees *t, ripstop_arena *arena);
/* Grows the tree of an end node whose paths are laid on no channel, at the prices of `g`, in any VC, where that
 * improves the busiest channels. */
void mend_trees_regrow(mend_trees *t, mend_grow *g, uint32_t d);
/* True if the turns of a tree go up, or can, when switch s sends over channel c. Then they are counted, and the turns
 * that s used before are not. */
bool mend_trees_turn_to(mend_trees *t, uint32_t d, uint32_t s, uint32_t c);

/* polish.c: moves single branches off channels that carry more than `enough`, the busiest first, as long as that
 * helps. Makes at most `most` moves, each of one pointer. The cost of a channel grows by the power MEND_STEEP of its
 * load, and up to `steepest` after rounds without improvement. */
enum { MEND_ALL = 0x7FFFFFFF, MEND_STEEP = 16, MEND_STEEPEST = 256 };
void mend_trees_polish(mend_trees *t, uint32_t rounds, uint64_t enough, uint32_t steepest, uint32_t most);

#endif
