/* reach.h - which routers of a kns fabric with dead links reach which by Hybrid-DOR, directly or over intermediate
 * nodes, for all pairs at once.
 *
 * Hybrid-DOR corrects the digits of a router's number one after the other, digit 0 first (dimension order); each step
 * crosses a line and uses the links of both routers into it. A router reaches another directly when all links on that
 * one way are alive, and with j intermediate nodes when each of the j + 1 ways is.
 *
 * Rows and classes. R(s) is the set of routers that s reaches, T(d) the set of those that reach d. A router whose link
 * of dimension 0 is alive steps anywhere on its line first, so all such routers of a line have the same R: they are one
 * class of sources. One whose link is dead goes on with dimension 1, and is in a class with those of its line there
 * that do so too; and so on. In the same way there are classes of destinations, from the last dimension downwards. With
 * one intermediate node s reaches d when R(s) and T(d) have a router in common, which is asked once for a pair of
 * classes; with j, when R(s) meets a class that reaches d with j - 1. k^n routers with f dead links are in at most
 * k^(n-1) + f classes of each kind.
 *
 * Cost: O(n k^n) for the links, O(n k^n log k / 64) for each class, and up to k^n / 64 for each pair of classes, mostly
 * one step. Memory: k^n bits for each class, and a bit for each pair of classes and number of intermediate nodes.
 *
 * Routers are numbers 0 .. k^n - 1. */
#ifndef METHODS_INTERMEDIATE_NODES_REACH_H
#define METHODS_INTERMEDIATE_NODES_REACH_H

#include "base/bits.h"
#include "methods/intermediate-nodes/lines.h"

/* The classes of one kind. */
typedef struct ripstop_reach_side {
  uint32_t classes;
  uint32_t *of;        /* [routers]: the class */
  uint32_t *next;      /* [routers]: another router of the class; RIPSTOP_NONE: the last */
  uint32_t *first;     /* [classes]: where that begins */
  uint32_t *dimension; /* [classes]: the first that its routers can cross; RIPSTOP_NONE: a router without live links */
  uint64_t *row;       /* [classes * words]: R, or T */
  uint32_t *low;       /* [classes]: words of the row before this one are 0, */
  uint32_t *high;      /* [classes]: as are those from this one on */
  uint64_t *weight;    /* [classes]: end nodes of its routers */
} ripstop_reach_side;

typedef struct ripstop_reach {
  ripstop_kns kns;
  ripstop_kns_faults faults;
  uint32_t words;  /* of a set of routers, some of them empty */
  uint64_t *alive; /* [n * words]: routers whose link into their line of a dimension is alive */
  uint32_t *ends;  /* [routers]: end nodes whose link is alive */
  bool uniform;    /* it is `concentration` everywhere */
  ripstop_reach_side from, to;
  uint32_t most;     /* intermediate nodes that are allowed */
  uint32_t to_words; /* of a set of classes of destinations */
  uint64_t **within; /* [most + 1]: from 1 on: bits [from.classes * to_words] */
} ripstop_reach;

enum { RIPSTOP_REACH_ROUTERS = 1 << 14 }; /* most routers */

/* For a view's `port_up`, which must outlive it; memory from the arena. False: more than RIPSTOP_REACH_ROUTERS. */
bool ripstop_reach_build(ripstop_arena *arena, const ripstop_kns *kns, const uint8_t *port_up, uint32_t most,
                         ripstop_reach *out);

static inline bool ripstop_reach_alive(const ripstop_reach *r, uint32_t router, uint32_t d) {
  return ripstop_bit_test(r->alive + (size_t)d * r->words, router);
}
static inline const uint64_t *ripstop_reach_from(const ripstop_reach *r, uint32_t source) {
  return r->from.row + (size_t)r->from.of[source] * r->words;
}
static inline const uint64_t *ripstop_reach_to(const ripstop_reach *r, uint32_t destination) {
  return r->to.row + (size_t)r->to.of[destination] * r->words;
}
static inline bool ripstop_reach_directly(const ripstop_reach *r, uint32_t source, uint32_t destination) {
  return ripstop_bit_test(ripstop_reach_from(r, source), destination);
}
/* Whether at most so many intermediate nodes do, 0 .. most. */
static inline bool ripstop_reach_within(const ripstop_reach *r, uint32_t source, uint32_t destination,
                                        uint32_t intermediates) {
  if (intermediates == 0) return ripstop_reach_directly(r, source, destination);
  return ripstop_bit_test(r->within[intermediates] + (size_t)r->from.of[source] * r->to_words, r->to.of[destination]);
}
/* The fewest intermediate nodes; RIPSTOP_NONE: not within `most`. */
static inline uint32_t ripstop_reach_fewest(const ripstop_reach *r, uint32_t source, uint32_t destination) {
  uint32_t j = 0;
  if (!ripstop_reach_within(r, source, destination, r->most)) return RIPSTOP_NONE;
  while (!ripstop_reach_within(r, source, destination, j)) j++;
  return j;
}
/* Digits in which two routers differ: the lines that are crossed between them. */
static inline uint32_t ripstop_reach_hops(const ripstop_reach *r, uint32_t a, uint32_t b) {
  uint32_t hops = 0;
  for (uint32_t d = 0; d < r->kns.dimensions; d++)
    hops += ripstop_kns_digit(&r->kns, a, d) != ripstop_kns_digit(&r->kns, b, d);
  return hops;
}
/* Ordered pairs of distinct end nodes with live links that are joined by at most so many intermediate nodes, 0 ..
 * most. End nodes of one router need none. */
uint64_t ripstop_reach_pairs(const ripstop_reach *r, uint32_t intermediates);

#endif
