/* trees.h - one in-tree for each destination, and the paths that all of them lay on the channels.
 *
 * Destinations are the live end nodes, then the live switches; switches attract no paths, they are only to be reached.
 * A path is one for each ordered pair of end nodes at different switches. */
#ifndef MEND_TREES_H
#define MEND_TREES_H

#include "mend/grow.h"

typedef struct mend_trees {
  const mend_net *net;
  mend_frames *frames;
  ripstop_stream *random;
  bool by_pair;
  uint8_t *share;  /* [switches]: lanes that destinations prefer, all turns being open; NULL: by their numbers */
  uint32_t count;  /* of destinations */
  uint32_t *home;  /* [count]: the switch */
  uint8_t *weight; /* [count]: 1 for end nodes, 0 for switches */
  uint32_t *next;  /* [count * switches]: channels; RIPSTOP_NONE: at home, or not in its part */
  uint8_t *mask;   /* [count * switches]: lanes in which the whole way is allowed */
  uint32_t *load;  /* [channels]: paths */
  /* A tree for each switch by hard turns alone, which nothing can take away. */
  uint32_t *safe_next; /* [switches * switches] */
  uint8_t *safe_mask;
} mend_trees;

/* Everything but the trees themselves. */
void mend_trees_make(mend_trees *t, mend_frames *frames, bool by_pair, ripstop_stream *random, ripstop_arena *arena);
/* secure.c: the safe trees; makes turns hard where that is needed, and `share` the lanes of the trees. False: these
 * frames cannot have them. */
bool mend_trees_secure(mend_trees *t);
/* Trees for all destinations, each grown anew `passes` times beside all others. */
void mend_trees_balance(mend_trees *t, uint32_t passes);
/* Trees over the busiest channels are grown anew, where that makes them cheaper. */
void mend_trees_relieve(mend_trees *t);
uint32_t mend_trees_worst(const mend_trees *t);
void mend_trees_add(mend_trees *t, uint32_t d, bool add); /* a destination's paths, or take them away */

/* polish.c: moves single branches off channels that carry more than `enough`, the busiest first, as long as that helps.
 */
void mend_trees_polish(mend_trees *t, uint32_t rounds, uint64_t enough);

#endif
