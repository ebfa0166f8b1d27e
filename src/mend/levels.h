/* levels.h - fat trees by their wiring: levels, columns and pods, and trees of destinations laid out by quotas. */
#ifndef MEND_LEVELS_H
#define MEND_LEVELS_H

#include "mend/trees.h"

enum { MEND_LEVELS = 8 };
#define MEND_SEVERAL (RIPSTOP_NONE - 1)

typedef struct mend_levels {
  const switch_graph *net;
  uint32_t top;                  /* the highest level */
  uint8_t *level;                /* [switches]; leaves have 0 */
  bool plain;                    /* the orders allow all turns but those from down to up */
  uint32_t *above[MEND_LEVELS];  /* [switches]: component without the levels below this one; RIPSTOP_NONE: the switch
                                  * is lower */
  uint32_t *below[MEND_LEVELS];  /* [switches]: component without the levels above this one; RIPSTOP_NONE: the switch
                                  * is higher */
  uint32_t *index, *members;     /* [switches]: number among those of its level in above[level]; count of these */
  uint32_t *digit[MEND_LEVELS];  /* [switches]: for a leaf, its sub-pod in below[level], numbered by below[level - 1] */
  uint32_t *digits[MEND_LEVELS]; /* [switches]: number of such sub-pods; at level 0, its end nodes */
  uint32_t *ups, *up_first;      /* channels up of each switch, sorted by up_column */
  uint32_t *up_to, *up_column;   /* [by ups]: where it leads; above[level + 1] there */
  uint32_t columns;              /* columns that leaves have channels up into; 0: too many for `into` */
  uint32_t *column;              /* [by ups]: for leaves, up_column as a number below `columns` */
  /* [switches * columns]: for a leaf, its only channel up into each column, MEND_SEVERAL, or RIPSTOP_NONE. */
  uint32_t *into;
} mend_levels;

/* False: not a fat tree. Leaves are the switches with end nodes, except those with few. */
bool mend_levels_make(mend_levels *l, const switch_graph *net, ripstop_arena *arena);
/* Orders channels up by level, then down. Between switches without such a path, routes pass a leaf. */
void mend_levels_begin(mend_levels *l, mend_orders *orders, ripstop_arena *scratch);
/* Grows trees for all destinations. False: some switch found no path, or few leaves have a path up and down. */
bool mend_levels_grow(const mend_levels *l, mend_trees *t);

#endif
