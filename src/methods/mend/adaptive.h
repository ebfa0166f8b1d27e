/* adaptive.h - mend's plan with more than one way: every shortest one that the frame of its lane permits.
 *
 * A lane's frame is an order of its channels, and packets go only from channels to such of higher number (mend.h). So
 * whatever they choose, none can wait for each other in a cycle, and each arrives or comes to the end of the order;
 * and from no channel is one chosen that does not lead to the destination within the order. The tables are one such
 * choice, so every pair that they serve is served.
 *
 * One way has rank 0: the tables' own, or where the packet has left that, one that its destination picks. The others
 * ask for the room of two packets, so that packets keep apart while there is space, and none fills the last place of a
 * queue that others have for their own. */
#ifndef METHODS_MEND_ADAPTIVE_H
#define METHODS_MEND_ADAPTIVE_H

#include "ripstop/mend.h"
#include "ripstop/plugin/method.h"

typedef struct mend_adaptive mend_adaptive;

/* From the plan's arena; `mend` is not kept. NULL: too large, and err tells. */
const mend_adaptive *ripstop_mend_adaptive(ripstop_plan *p, const ripstop_mend *mend, ripstop_error *err);
/* How many ways at a switch or an end node whose own link is up; 0: none. */
int ripstop_mend_adaptive_candidates(const ripstop_plan *p, const mend_adaptive *a, const ripstop_head *head,
                                     ripstop_candidate *candidates);

#endif
