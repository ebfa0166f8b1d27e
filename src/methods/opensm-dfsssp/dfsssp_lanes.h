/* dfsssp_lanes.h - the virtual lanes that OpenSM's engine `dfsssp` gives to pairs (Domke, Hoefler and Nagel 2011).
 *
 * All paths begin on VL 0. A search for cycles in its channel dependency graph finds one after the other; the paths
 * of the cycle's least used dependency move to VL 1, and so on from VL to VL. VLs that are left over at the end
 * are shared out: a pair may then use several. */
#ifndef METHODS_OPENSM_DFSSSP_DFSSSP_LANES_H
#define METHODS_OPENSM_DFSSSP_DFSSSP_LANES_H

#include "methods/shared/opensm_sssp.h"

/* A pair with VL v may use `count[v]` VLs from v on. */
typedef struct ripstop_dfsssp_lanes {
  uint32_t count[RIPSTOP_LANES];
} ripstop_dfsssp_lanes;

/* Writes the VL of each pair of an end node and an address to tables->level ([ends * addresses]), of each part by
 * itself, and what it may use besides to `out` ([parts]). `lid` has a LID for each node, which decides ties. -1:
 * `lanes` are too few. */
int ripstop_dfsssp_assign(const ripstop_opensm *net, const ripstop_opensm_targets *targets, const uint32_t *lid,
                          uint32_t lanes, ripstop_forwarding *tables, ripstop_dfsssp_lanes *out, ripstop_error *err);

#endif
