/* row_reach.h - computes for all pairs at once which routers of a kns fabric with failed links reach each other by
 * Hybrid-DOR, directly or via intermediate nodes.
 *
 * Hybrid-DOR corrects the digits of a router's number one after the other, digit 0 first (dimension order). Each step
 * crosses a line and uses the links of both routers into it. A router reaches another directly if all links on that
 * path are up, and with j intermediate nodes if all links on each of the j + 1 subpaths are.
 *
 * Rows. R(s) is the set of routers that s reaches, T(d) the set of those that reach d. What a router reaches by the
 * dimensions d .. n-1 follows from what routers reach by d+1 .. n-1: if its link of dimension d is up, the union over
 * all routers of its line with such a link; else its own set. So the routers of a line that can cross it share a row,
 * and rows grow by one dimension at a time, from the last to the first. With each intermediate node they grow by all
 * dimensions once more. T grows in the same manner from the first to the last.
 *
 * In a line where not all such routers reach each other (ripstop_kns_uneven) each router has a row of its own.
 *
 * Classes. Routers with the same R are a class of sources: the routers of a line of dimension 0 whose links into it are
 * up; among the others those of a line of dimension 1; and so on. Classes of destinations are defined alike, from the
 * last dimension downwards. k^n routers with f failed links are in at most k^(n-1) + f classes of each kind, and k more
 * for each uneven line.
 *
 * Cost: O(n k^n) for the links, and k^2n / 64 steps for each dimension and subpath, fewer with few failed links.
 * Memory: k^n bits for each class and number of intermediate nodes, and for each line during the construction.
 *
 * Routers are numbers 0 .. k^n - 1. */
#ifndef METHODS_INTERMEDIATE_NODES_ROW_REACH_H
#define METHODS_INTERMEDIATE_NODES_ROW_REACH_H

#include "base/bits.h"
#include "methods/intermediate-nodes/detour_lines.h"

/* The classes of sources or of destinations. */
typedef struct ripstop_reach_side {
  uint32_t classes;
  uint32_t *of;     /* [routers]: the class */
  uint32_t *first;  /* [classes]: a router of the class */
  uint64_t *weight; /* [classes]: end nodes of its routers */
} ripstop_reach_side;

typedef struct ripstop_reach {
  ripstop_kns kns;
  ripstop_kns_faults faults;
  uint32_t words;  /* words of a set of routers, including unused ones */
  uint64_t *alive; /* [n * words]: routers whose link into their line of a dimension is up */
  uint8_t *uneven; /* [n * lines]: ripstop_kns_uneven */
  uint32_t *ends;  /* [routers]: end nodes whose link is up */
  bool uniform;    /* `ends` is `concentration` for all */
  ripstop_reach_side from, to;
  uint64_t *to_row;  /* [to.classes * words]: T */
  uint32_t most;     /* most intermediate nodes */
  uint64_t **within; /* [most + 1]: [from.classes * words]: R, and what is reached with so many intermediate nodes */
} ripstop_reach;

enum { RIPSTOP_REACH_ROUTERS = 1 << 14 }; /* most routers */

/* `port_up` is a view's and must outlive it; memory from the arena. False: more than RIPSTOP_REACH_ROUTERS. */
bool ripstop_reach_build(ripstop_arena *arena, const ripstop_kns *kns, const uint8_t *port_up, uint32_t most,
                         ripstop_reach *out);

static inline bool ripstop_reach_alive(const ripstop_reach *r, uint32_t router, uint32_t d) {
  return ripstop_bit_test(r->alive + (size_t)d * r->words, router);
}
/* True if a packet can cross the line of dimension d from one of its routers to another. */
static inline bool ripstop_reach_crosses(const ripstop_reach *r, uint32_t from, uint32_t to, uint32_t d) {
  return ripstop_kns_crosses(&r->faults, from, to, d);
}
static inline const uint64_t *ripstop_reach_from(const ripstop_reach *r, uint32_t source) {
  return r->within[0] + (size_t)r->from.of[source] * r->words;
}
static inline const uint64_t *ripstop_reach_to(const ripstop_reach *r, uint32_t destination) {
  return r->to_row + (size_t)r->to.of[destination] * r->words;
}
static inline bool ripstop_reach_directly(const ripstop_reach *r, uint32_t source, uint32_t destination) {
  return ripstop_bit_test(ripstop_reach_from(r, source), destination);
}
/* True if at most so many intermediate nodes suffice, 0 .. most. */
static inline bool ripstop_reach_within(const ripstop_reach *r, uint32_t source, uint32_t destination,
                                        uint32_t intermediates) {
  return ripstop_bit_test(r->within[intermediates] + (size_t)r->from.of[source] * r->words, destination);
}
/* The fewest intermediate nodes; RIPSTOP_NONE: not within `most`. */
static inline uint32_t ripstop_reach_fewest(const ripstop_reach *r, uint32_t source, uint32_t destination) {
  uint32_t j = 0;
  if (!ripstop_reach_within(r, source, destination, r->most)) return RIPSTOP_NONE;
  while (!ripstop_reach_within(r, source, destination, j)) j++;
  return j;
}
/* Digits in which two routers differ: the lines between them. */
static inline uint32_t ripstop_reach_hops(const ripstop_reach *r, uint32_t a, uint32_t b) {
  uint32_t hops = 0;
  for (uint32_t d = 0; d < r->kns.dimensions; d++)
    hops += ripstop_kns_digit(&r->kns, a, d) != ripstop_kns_digit(&r->kns, b, d);
  return hops;
}
/* Ordered pairs of distinct end nodes with links that are up that at most so many intermediate nodes join, 0 .. most.
 * End nodes of one router need none. */
uint64_t ripstop_reach_pairs(const ripstop_reach *r, uint32_t intermediates);

#endif
