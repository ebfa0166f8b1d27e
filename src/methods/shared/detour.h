/* detour.h - shortest ways over another switch, on any fabric: what the methods `valiant` and `ugal` share.
 *
 * A packet has a random switch from its birth on, one of those with end nodes. Its header is 0 while it goes straight
 * to its destination, else 1 + the number of the switch that it goes to first. shortest.h has the ways. */
#ifndef METHODS_SHARED_DETOUR_H
#define METHODS_SHARED_DETOUR_H

#include "methods/shared/shortest.h"

extern const ripstop_option ripstop_detour_options[];

/* ripstop_method.plan: as ripstop_shortest_plan, and `draws`. */
ripstop_answer ripstop_detour_plan(ripstop_plan *p, ripstop_error *err);

/* The header of a packet at its source, whose header is its draw of a target: 0 to go straight, where the target is the
 * first or the last switch of the packet. A target that cannot serve is replaced by another that can, spread by a hash:
 * a packet only sets out on what delivers it, where anything does. A pure function of draw, source and destination. */
uint64_t ripstop_detour_over(const ripstop_plan *p, const ripstop_head *head);

/* From a network interface, to one, or along the way that the header says; as ripstop_method.route. */
int ripstop_detour_ways(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways);

#endif
