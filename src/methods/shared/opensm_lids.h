/* opensm_lids.h - the LIDs on which the tables of some of OpenSM's engines depend. */
#ifndef METHODS_SHARED_OPENSM_LIDS_H
#define METHODS_SHARED_OPENSM_LIDS_H

#include "ripstop/fabric.h"
#include "ripstop/plugin/base.h"

/* The first LID of each node ([nodes], in memory of the arena): the dump's, if each node has one of its own. Else those
 * that OpenSM assigns: it runs on the first adapter, which gets LID 1, and the others follow in the order of GUIDs, the
 * last byte first. NULL: there are not so many LIDs. */
const uint32_t *ripstop_opensm_lids(const ripstop_fabric *fabric, ripstop_arena *arena, ripstop_error *err);

#endif
