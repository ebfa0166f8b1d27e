/* chakra_order.h - the order in which a rank begins the nodes of its Chakra trace, by which collectives of different
 * ranks find each other. */
#ifndef WORKLOAD_CHAKRA_ORDER_H
#define WORKLOAD_CHAKRA_ORDER_H

#include "formats/traces/chakra_trace.h"

/* The nodes of a trace as indices, by when each begins if communication takes no time: computations take their
 * durations, one at a time on each processor; of those that may begin in one moment the lowest id is first. Memory from
 * the arena. NULL: some nodes wait for each other forever; *stuck is the first of them. `control`: ctrl_deps count too.
 */
uint32_t *chakra_order(ripstop_arena *arena, const chakra_trace *trace, bool control, uint32_t *stuck);

#endif
