/* detour.h - shortest candidates over another switch, on any fabric: what the methods `valiant` and `ugal` share.
 *
 * A packet has a random switch from its generation on, one of those with end nodes. Its header is 0 while it goes
 * straight to its destination, else 1 + the number of the switch that it goes to first. shortest.h has the candidates.
 */
#ifndef METHODS_SHARED_DETOUR_H
#define METHODS_SHARED_DETOUR_H

#include "methods/shared/shortest.h"

extern const ripstop_option ripstop_detour_options[];

/* ripstop_method.plan: as ripstop_shortest_plan, and `draws`. */
ripstop_answer ripstop_detour_plan(ripstop_plan *p, ripstop_error *err);

/* The header of a packet at its source, where it still is a random number. 0 (straight) if the target is the packet's
 * first or last switch. A hash replaces a target that cannot serve by one that can, so a packet is lost only if no
 * target delivers it. A pure function of random number, source and destination. */
uint64_t ripstop_detour_over(const ripstop_plan *p, const ripstop_head *head);

/* From a network interface, to one, or along the way that the header says; as ripstop_method.route. */
int ripstop_detour_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates);

#endif
