/* strong.h - reachability in a fabric with one-way links: components are sets of nodes that reach each other, and a
 * pair of end nodes can have a path in one direction only. If all links carry packets in both directions, view.c
 * floods components, which is the same and cheaper. */
#ifndef RIPSTOP_FAULTS_STRONG_H
#define RIPSTOP_FAULTS_STRONG_H

#include "ripstop/plugin/faults.h"

/* Like ripstop_view_components, for strongly connected components. Cost: O(ports) for each component. */
uint32_t ripstop_strong_components(const ripstop_view *view, uint32_t *component);
/* Ordered pairs of distinct end nodes with a path from the first to the second. `component` is the output of
 * ripstop_strong_components. Cost: O(ports) for each component with end nodes. */
uint64_t ripstop_strong_pairs(const ripstop_view *view, const uint32_t *component);

#endif
