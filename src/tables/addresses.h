/* addresses.h - the addresses of forwarding tables, which are in the order of nodes: where a node's are, and tables
 * with other ones. */
#ifndef TABLES_ADDRESSES_H
#define TABLES_ADDRESSES_H

#include "ripstop/forwarding.h"

/* The first address of a node, or of the next one that has any; t->addresses: of none. */
static inline uint32_t ripstop_first_address(const ripstop_forwarding *t, uint32_t node) {
  uint32_t first = 0, end = t->addresses;
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    if (t->node[middle] < node)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

/* Tables without entries for the addresses at `node`, which share service levels and VLs with `t`. */
ripstop_forwarding *forwarding_like(ripstop_arena *arena, const ripstop_forwarding *t, const uint32_t *node,
                                    uint32_t addresses);
/* Tables whose address i has the entries and service levels of the address from[i] of `t`; RIPSTOP_NONE: no entries.
 * They share its VLs. */
ripstop_forwarding *forwarding_select(ripstop_arena *arena, const ripstop_forwarding *t, const uint32_t *node,
                                      const uint32_t *from, uint32_t addresses);
/* The addresses that one of two tables has, to `node`, and which of its own each is, to `of_x` and `of_y`;
 * RIPSTOP_NONE: it has none. All are [addresses of x + addresses of y]. Returns their number. */
uint32_t forwarding_merge(const ripstop_forwarding *x, const ripstop_forwarding *y, uint32_t *node, uint32_t *of_x,
                          uint32_t *of_y);

#endif
