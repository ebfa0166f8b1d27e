/* opensm_sssp.h - the forwarding tables of OpenSM's engines `sssp` and `dfsssp`: shortest paths to one destination
 * after the other, where each channel weighs more the more paths it has (Hoefler, Schneider and Lumsdaine 2009).
 *
 * A channel weighs P^2 at first, for P adapters and switches, so that no path gets longer than the shortest. Ties are
 * decided by the order in which a heap of four children returns switches, so the heap is OpenSM's. */
#ifndef METHODS_SHARED_OPENSM_SSSP_H
#define METHODS_SHARED_OPENSM_SSSP_H

#include "methods/shared/opensm.h"

/* The order in which destinations are routed: adapters by switch, then switches; nodes of one part are adjacent, since
 * each part is routed as if it had a subnet manager of its own. */
typedef struct ripstop_opensm_targets {
  uint32_t *node; /* [first[parts]] */
  uint32_t *first;
  uint32_t parts;
} ripstop_opensm_targets;

void ripstop_opensm_list_targets(const ripstop_opensm *net, ripstop_arena *arena, ripstop_opensm_targets *out);

/* The tables, in memory of the arena; all paths have level 0. NULL: some path is longer than OpenSM can count, which
 * ends at 2^31 (so with 20,000 nodes at five hops). */
ripstop_forwarding *ripstop_opensm_sssp(const ripstop_opensm *net, const ripstop_opensm_targets *targets,
                                        ripstop_arena *arena, ripstop_error *err);

#endif
