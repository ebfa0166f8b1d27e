/* grow.h - the in-tree of one destination: at every switch the channel that leads on, such that from every switch the
 * whole way is allowed in one lane at least. */
#ifndef MEND_GROW_H
#define MEND_GROW_H

#include "mend/frame.h"
#include "mend/heap.h"

typedef struct mend_grow {
  mend_frames *frames;
  const uint8_t *turns; /* frames->allow or frames->hard: the turns that are taken */
  const double *price;  /* [channels], positive; INFINITY: dead */
  bool extend;          /* where no way is left, turns are made hard */
  uint32_t searches;    /* for one way, when turns close circles */
  uint32_t tries;       /* ways that may be fixed for one tree; each is of a switch more, so `switches` are enough */
  const uint32_t *kept; /* [switches]: channels that are decided on; RIPSTOP_NONE: open. NULL: all are open */
  /* A tree to the destination that is allowed in some lanes: where others fail, switches take its ways, as far as they
   * are open. NULL: none. */
  const uint32_t *safe; /* [switches] */
  const uint8_t *safe_mask;
  /* By mend_grow_look_ahead: no turn is tried that closes a circle with hard ones. NULL: that is found out by trying.
   */
  uint64_t *after; /* [channels * words]: one bit for each channel that hard turns of the lane at hand lead to */
  uint32_t *added; /* [channels]: turns */
  ripstop_stream *random;
  uint32_t *next; /* [switches]: a channel; RIPSTOP_NONE: the destination itself, or it cannot be reached */
  uint8_t *mask;  /* [switches]: lanes that are allowed all the way */
  /* The rest is scratch. */
  double *distance;          /* [switches] */
  uint32_t *fixed;           /* [switches]: a channel that has been decided on; RIPSTOP_NONE: none */
  uint32_t *hops, *queue;    /* [switches]: hops from where a way begins */
  double *cost;              /* [channels] */
  uint32_t *parent;          /* [channels] */
  uint8_t *banned, *settled; /* [turns], [channels] */
  mend_heap heap;
} mend_grow;

void mend_grow_make(mend_grow *g, mend_frames *frames, ripstop_stream *random, ripstop_arena *arena);
/* Where turns are made hard and many are already: it takes the square of the channels in memory, and so only where
 * these are few. */
void mend_grow_look_ahead(mend_grow *g, ripstop_arena *arena);
/* Only lanes of the set are used. False: some switch of the destination's part found no way. */
bool mend_grow_tree(mend_grow *g, uint32_t to, unsigned lanes);

#endif
