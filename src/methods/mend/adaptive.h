/* adaptive.h - mend's plan with several candidates: every shortest one that the channel order of its virtual channel
 * permits.
 *
 * A virtual channel has an order of its channels, and packets only go from a channel to a later one (mend.h). So
 * packets cannot wait for each other in a cycle, whatever the selection function picks, and each arrives or reaches the
 * end of the order. Candidates are only channels from which the destination can be reached within the order. The tables
 * use such candidates, so every pair that they serve is served.
 *
 * One candidate has rank 0: the tables' own, or one that depends on the destination if the packet has left that route.
 * The others need space for two packets. So packets spread while there is space, but do not fill the last place of a
 * queue that is the first candidate of others. */
#ifndef METHODS_MEND_ADAPTIVE_H
#define METHODS_MEND_ADAPTIVE_H

#include "mend/mend_tables.h"
#include "ripstop/plugin/method.h"

typedef struct mend_adaptive mend_adaptive;

/* Memory from the plan's arena; keeps no reference to `mend`. NULL, with the reason in err: too large. */
const mend_adaptive *ripstop_mend_adaptive(ripstop_plan *p, const ripstop_mend *mend, ripstop_error *err);
/* The number of candidates at a switch, or at an end node whose link is up; 0: none. */
int ripstop_mend_adaptive_candidates(const ripstop_plan *p, const mend_adaptive *a, const ripstop_head *head,
                                     ripstop_candidate *candidates);

#endif
