/* updown_escape.h - an escape on virtual channel 0 for adaptive routing on any fabric: shortest paths that go up and
 * then down in the order of a breadth-first search (Schroeder et al. 1991). Shared by methods that are adaptive on
 * their other channels (Silla and Duato 2000).
 *
 * A packet that has entered the escape stays there, and its header says whether it has gone down. So queues of the
 * escape wait for queues of the escape alone: up queues for those nearer to the root or down queues, down queues for
 * those farther from it. No cycle is possible. Every packet elsewhere has a candidate that enters the escape.
 *
 * Central: tables for the present view. */
#ifndef METHODS_SHARED_UPDOWN_ESCAPE_H
#define METHODS_SHARED_UPDOWN_ESCAPE_H

#include "ripstop/plugin/method.h"

/* The state of a packet, in the lowest bits of its header. */
enum { ESCAPE_OUTSIDE, ESCAPE_RISES, ESCAPE_FALLS, ESCAPE_PHASES };

#define ESCAPE_FAR UINT16_MAX /* no path */

typedef struct updown_escape {
  uint32_t switches, targets;
  const uint32_t *target;  /* [switches]: the number of the switch among those with end nodes; RIPSTOP_NONE: none */
  const uint32_t *place;   /* [switches]: in the order of the search */
  const uint16_t *hops;    /* [targets * switches]: on shortest paths */
  const uint16_t *left[2]; /* likewise up and then down, and only down */
} updown_escape;

enum { ESCAPE_MAY_RISE, ESCAPE_MUST_FALL };

/* Fills the tables for plan->view; each component's search begins at `root`, or at its first switch. Sets
 * plan->candidates_max for `channels` candidates on each port. */
ripstop_answer ripstop_updown_escape_plan(ripstop_plan *plan, updown_escape *out, uint32_t root, uint32_t channels,
                                          ripstop_error *err);

/* The row of tables for an end node. */
size_t ripstop_updown_escape_row(const updown_escape *escape, const ripstop_fabric *fabric, uint32_t end);

/* The candidates of the escape at a switch other than the destination's, of rank 1. `header` is written with the phase
 * added; its lowest bits are ignored. Returns how many there are; 0: no path. */
int ripstop_updown_escape_candidates(const ripstop_plan *plan, const updown_escape *escape, const ripstop_head *head,
                                     uint64_t header, ripstop_candidate *candidates);

/* Candidates at an end node, or at the destination's switch. 0: the head is elsewhere. Else as ripstop_method.route;
 * `cut_off`: the loss if that link is down. */
int ripstop_updown_escape_ends(const ripstop_plan *plan, const ripstop_head *head, int cut_off,
                               ripstop_candidate *candidates);

#endif
