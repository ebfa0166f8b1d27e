/* levels.h - fat trees by their wiring: levels, what a level's switches have in common above and below, and trees of
 * destinations laid out by quotas. */
#ifndef MEND_LEVELS_H
#define MEND_LEVELS_H

#include "mend/trees.h"

enum { MEND_LEVELS = 8 };
#define MEND_SEVERAL (RIPSTOP_NONE - 1)

typedef struct mend_levels {
  const mend_net *net;
  uint32_t top;                 /* the highest level */
  uint8_t *level;               /* [switches]; leaves have 0 */
  bool plain;                   /* the frames allow all turns but those from down to up */
  uint32_t *above[MEND_LEVELS]; /* [switches]: what is joined without the levels below this one; RIPSTOP_NONE: lower */
  uint32_t *below[MEND_LEVELS]; /* [switches]: what is joined without the levels above this one; RIPSTOP_NONE: higher */
  uint32_t *index, *members;    /* [switches]: among those of its level in above[level]; how many these are */
  uint32_t *digit[MEND_LEVELS]; /* [switches]: of a leaf: which part of below[level] it is in, by below[level - 1] */
  uint32_t *digits[MEND_LEVELS]; /* [switches]: how many such parts there are; of level 0: its end nodes */
  uint32_t *ups, *up_first;      /* channels up of each switch, sorted by up_column */
  uint32_t *up_to, *up_column;   /* [of ups]: where it leads; above[level + 1] of that */
  uint32_t columns;              /* that leaves have ups into; 0: too many for `into` */
  uint32_t *column;              /* [of ups]: up_column as a number below `columns`, of leaves */
  /* [switches * columns]: of a leaf: its only up into each column, MEND_SEVERAL, or RIPSTOP_NONE. */
  uint32_t *into;
} mend_levels;

/* False: no tree. Leaves are the switches with end nodes, but for those with few. */
bool mend_levels_make(mend_levels *l, const mend_net *net, ripstop_arena *arena);
/* Up by levels, then down; and round by a leaf for what has no such way, between switches. */
void mend_levels_begin(mend_levels *l, mend_frames *frames, ripstop_arena *scratch);
/* Trees for all destinations. False: some switch found no way, or few leaves have one up and down. */
bool mend_levels_grow(const mend_levels *l, mend_trees *t);

#endif
