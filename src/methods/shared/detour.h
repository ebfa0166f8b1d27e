/* detour.h - shortest ways over another switch, on any fabric: what the methods `valiant` and `ugal` share.
 *
 * A packet draws a switch at its birth, one of those with end nodes. Its header is 0 while it goes straight to its
 * destination, else 1 + the number of the switch that it goes to first. shortest.h has the ways. */
#ifndef METHODS_SHARED_DETOUR_H
#define METHODS_SHARED_DETOUR_H

#include "methods/shared/shortest.h"

extern const ripstop_option ripstop_detour_options[];

/* ripstop_method.plan: as ripstop_shortest_plan, and `draws`. */
ripstop_answer ripstop_detour_plan(ripstop_plan *p, ripstop_error *err);

/* The header for a packet that goes over a target first; 0 where that is no way round, or none that is left. */
uint64_t ripstop_detour_over(const ripstop_plan *p, const ripstop_head *head, uint32_t target);

/* From a network interface, to one, or along the way that the header says; as ripstop_method.route. */
int ripstop_detour_ways(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways);

#endif
