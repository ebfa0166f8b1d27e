/* chains.h - trees by quotas in a fat tree whose columns share tops (columns.c). There the channels down differ from
 * one end node of a leaf to the next, as well as those up.
 *
 * A chain leads from the destination's leaf up: each switch of it has a quota of the paths to the leaf, gives each of
 * its channels a part of that, and the switch at the end of the channel continues. Paths come down the chain. The other
 * switches of a column go up where the switch of the chain comes down. */
#ifndef MEND_CHAINS_H
#define MEND_CHAINS_H

#include "mend/levels.h"

typedef struct mend_chains {
  const mend_levels *l;
  const mend_trees *t;
  const bool *reaches;              /* [switches]: has a path up and down to the leaf */
  const bool *leads;                /* [switches]: ... which makes no path longer than the longest has to be */
  const uint32_t *down;             /* [switches]: a channel down to the leaf; RIPSTOP_NONE: none */
  const uint32_t *order;            /* [switches]: from the top down */
  uint32_t *member_first, *members; /* [switches + 1], [switches]: switches of a column, by its name */
  double *all, *used;               /* [switches]: destinations whose chains lead over a switch, and those so far */
  /* The present destination. */
  uint32_t leaf;
  uint16_t *row;
  uint8_t *laid;  /* [switches]: it has its entry */
  uint8_t *chain; /* [switches]: and leads into the chain, or is part of it */
} mend_chains;

void mend_chains_make(mend_chains *k, const mend_levels *l, const mend_trees *t, ripstop_arena *arena);
/* Fills the row of one destination: entries of switches that reach its leaf. A destination that attracts no paths has
 * no chain. */
void mend_chains_lay(mend_chains *k, uint32_t leaf, bool chain, uint16_t *row);

#endif
