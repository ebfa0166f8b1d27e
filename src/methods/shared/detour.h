/* detour.h - shortest paths via another switch, on any fabric: shared by the methods `valiant` and `ugal`.
 *
 * A packet gets a random switch when it is generated, one of those with end nodes. Its header is 0 while it takes a
 * minimal route to its destination, else 1 + the number of the intermediate switch. shortest.h has the candidates. */
#ifndef METHODS_SHARED_DETOUR_H
#define METHODS_SHARED_DETOUR_H

#include "methods/shared/shortest.h"

extern const ripstop_option ripstop_detour_options[];

/* ripstop_method.plan: ripstop_shortest_plan, and sets `draws`. */
ripstop_answer ripstop_detour_plan(ripstop_plan *p, ripstop_error *err);

/* Computes the header of a packet at its source, where the header still is a random number. 0 (minimal) if the target
 * is the packet's first or last switch. A hash replaces a target that cannot serve by one that can, so a packet is lost
 * only if no target delivers it. A pure function of random number, source and destination. */
uint64_t ripstop_detour_over(const ripstop_plan *p, const ripstop_head *head);

/* Candidates from a NIC, to one, or along the route that the header says; as ripstop_method.route. */
int ripstop_detour_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates);

#endif
