/* match.h - finds a fabric in an earlier picture of it, in which more was alive: missing parts count as failed. */
#ifndef MEND_MATCH_H
#define MEND_MATCH_H

#include "ripstop/plugin/faults.h"

/* Sets `view`, of the earlier fabric, to the parts that `now` has; `present` ([nodes]) gets the nodes that are there.
 * Nodes are matched by GUIDs and LIDs, cables by the numbers of their ports. False: a part is new, and nothing was
 * set. */
bool match_view(const ripstop_fabric *now, ripstop_view *view, uint8_t *present);

#endif
