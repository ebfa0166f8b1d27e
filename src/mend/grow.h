/* grow.h - the in-tree of one destination: a next channel at every switch, such that each whole path is allowed in at
 * least one VC. */
#ifndef MEND_GROW_H
#define MEND_GROW_H

#include "mend/channel_order.h"
#include "mend/heap.h"

typedef struct mend_grow {
  mend_orders *orders;
  const uint8_t *turns; /* frames->allow or frames->hard: the turns that may be used */
  const double *price;  /* [channels], positive; INFINITY: failed */
  bool extend;          /* if no path remains, make more turns required */
  uint32_t searches;    /* searches for one path, when turns close cycles */
  uint32_t tries;       /* paths that may be fixed for one tree; each adds a switch, so `switches` are enough */
  const uint32_t *kept; /* [switches]: channels that are already decided; RIPSTOP_NONE: open. NULL: all are open */
  /* A tree to the destination that is allowed in some VCs. Where all else fails, switches take its paths as far as
   * they are open. NULL: none. */
  const uint32_t *safe; /* [switches] */
  const uint8_t *safe_mask;
  /* Set by mend_grow_look_ahead: no turn is tried that closes a cycle with required ones. NULL: cycles are found by
   * trying. */
  uint64_t *after; /* [channels * words]: one bit for each channel that required turns of the current VC lead to */
  uint32_t *added; /* [channels]: turns */
  ripstop_stream *random;
  uint32_t *next; /* [switches]: a channel; RIPSTOP_NONE: the destination itself, or no path */
  uint8_t *mask;  /* [switches]: VCs that are allowed along the whole path */
  /* Scratch. */
  double *distance;          /* [switches] */
  uint32_t *fixed;           /* [switches]: a channel that has been decided; RIPSTOP_NONE: none */
  uint32_t *hops, *queue;    /* [switches]: hops from where a path begins */
  double *cost;              /* [channels] */
  uint32_t *parent;          /* [channels] */
  uint8_t *banned, *settled; /* [turns], [channels] */
  mend_heap heap;
} mend_grow;

void mend_grow_make(mend_grow *g, mend_orders *orders, ripstop_stream *random, ripstop_arena *arena);
/* Prepares `after`. It needs bits for the square of the number of channels, so it serves small fabrics where many
 * turns are required already. */
void mend_grow_look_ahead(mend_grow *g, ripstop_arena *arena);
/* Grows a tree in the given VCs only. False: some switch of the destination's component found no path. */
bool mend_grow_tree(mend_grow *g, uint32_t to, unsigned lanes);

#endif
