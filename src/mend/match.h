/* match.h - a fabric found again in an earlier picture of it, in which more was alive: what is gone is dead there. */
#ifndef MEND_MATCH_H
#define MEND_MATCH_H

#include "ripstop/faults.h"

/* Sets `view`, of the earlier fabric, to what of it is in `now`; `present` ([nodes]) gets the nodes that are. Nodes are
 * known by GUIDs and LIDs, cables by the numbers of their ports. false: something is new, and nothing was set. */
bool match_view(const ripstop_fabric *now, ripstop_view *view, uint8_t *present);

#endif
