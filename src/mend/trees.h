/* trees.h - one in-tree for each destination, and the paths that all of them lay on the channels.
 *
 * Destinations are the addresses of the live end nodes, then the live switches; switches attract no paths, they are
 * only to be reached. A path is one for each end node and each address of another at a different switch. */
#ifndef MEND_TREES_H
#define MEND_TREES_H

#include "mend/grow.h"

typedef struct mend_trees {
  const mend_net *net;
  mend_frames *frames;
  ripstop_stream *random;
  bool by_pair;
  uint8_t *share;  /* [switches]: lanes that destinations prefer, all turns being open; NULL: by their numbers */
  uint32_t count;  /* of destinations; net->addresses of one end node stand together */
  uint32_t *home;  /* [count]: the switch */
  uint8_t *weight; /* [count]: 1 for addresses of end nodes, 0 for switches */
  uint16_t *rows;  /* [... * switches]: ports, as in tables; RIPSTOP_NO_PORT: at home, or not in its part */
  uint32_t *row;   /* [count]: a destination's among them, as many as addresses of all that is alive or dead */
  uint8_t *mask;   /* [count * switches]: lanes in which the whole way is allowed */
  uint32_t *load;  /* [channels]: paths */
  /* A tree for each switch by hard turns alone, which nothing can take away. */
  uint32_t *safe_next; /* [switches * switches]: channels */
  uint8_t *safe_mask;
  /* How many trees take a turn in a lane: such turns are hard, all others as open as the order. NULL: the frames are
   * fixed. */
  uint32_t *used;  /* [turns * lanes] */
  uint8_t *vain;   /* [turns]: lanes in which a turn has closed a circle since polishing began */
  uint16_t *grown; /* [switches]: scratch */
  /* Switches whose pointer has changed, where no two neighbours may change for one destination; NULL: all may. */
  uint8_t *changed; /* [count * switches] */
} mend_trees;

static inline uint16_t *mend_trees_row(const mend_trees *t, uint32_t d) {
  return t->rows + (size_t)t->row[d] * t->net->switches;
}

/* Everything but the trees themselves, which come into `rows`: all addresses' of forwarding tables of every node, those
 * of end nodes first. NULL: into rows of their own. */
void mend_trees_make(mend_trees *t, mend_frames *frames, bool by_pair, uint16_t *rows, ripstop_stream *random,
                     ripstop_arena *arena);
/* secure.c: the safe trees; makes turns hard where that is needed, and `share` the lanes of the trees. False: these
 * frames cannot have them. */
bool mend_trees_secure(mend_trees *t);
/* Trees for all destinations, each grown anew `passes` times beside all others. */
void mend_trees_balance(mend_trees *t, uint32_t passes);
/* Trees over the busiest channels are grown anew, where that makes them cheaper. */
void mend_trees_relieve(mend_trees *t);
void mend_trees_lay(mend_trees *t, const uint16_t *row, bool add); /* the paths of a tree */
/* A tree of channels as a row. */
void mend_trees_write(const mend_net *net, const uint32_t *next, uint16_t *row);
uint32_t mend_trees_worst(const mend_trees *t);
void mend_trees_add(mend_trees *t, uint32_t d, bool add); /* a destination's paths, or take them away */

/* loose.c: of trees that keep to one lane each: from here on turns become hard as trees take them, and open again;
 * those that are hard already stay so. The safe trees are none any more. */
void mend_trees_loosen(mend_trees *t, ripstop_arena *arena);
/* The tree of an end node whose paths are laid on no channel, anew at the prices of `g`, in whatever lane, where that
 * makes the busiest channels better. */
void mend_trees_regrow(mend_trees *t, mend_grow *g, uint32_t d);
/* Whether the turns of a tree go up, or can, when switch s sends over channel c; then they are counted, and those that
 * it took before are not. */
bool mend_trees_turn_to(mend_trees *t, uint32_t d, uint32_t s, uint32_t c);

/* polish.c: moves single branches off channels that carry more than `enough`, the busiest first, as long as that helps,
 * but so many at most, each by one pointer. What a channel costs grows by the power MEND_STEEP of what it carries, and
 * up to `steepest` after rounds in vain. */
enum { MEND_ALL = 0x7FFFFFFF, MEND_STEEP = 16, MEND_STEEPEST = 256 };
void mend_trees_polish(mend_trees *t, uint32_t rounds, uint64_t enough, uint32_t steepest, uint32_t most);

#endif
