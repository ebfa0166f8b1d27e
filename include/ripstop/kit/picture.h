/* picture.h - pictures of single things; those of an experiment's figures are in report.h. */
#ifndef RIPSTOP_KIT_PICTURE_H
#define RIPSTOP_KIT_PICTURE_H

#include "ripstop/kit/protocol.h"

RIPSTOP_BEGIN

/* A self-contained SVG: the switches, trees by level with the top above, others in a ring; an arrow for every link and
 * direction that carried a message, coloured by the cycle in which the first arrived; the links that were down; the
 * switches whose candidates changed. */
void ripstop_update_flood_svg(const ripstop_update_flood *flood, ripstop_text *out);

/* A self-contained SVG of the plan's fabric, its failed parts, and the queues of a proof or certificate that can only
 * wait for each other. A cycle of them is red with numbers: each queue waits for the next, the last one for the first.
 * The other queues are faint. */
void ripstop_deadlock_svg(const ripstop_plan *plan, const ripstop_deadlocked_packet *queue, uint32_t queues,
                          ripstop_text *out);

RIPSTOP_END

#endif
