/* addresses.h - the addresses of forwarding tables, which are in the order of nodes: where a node's are, and tables
 * with other ones. */
#ifndef TABLES_ADDRESSES_H
#define TABLES_ADDRESSES_H

#include "ripstop/plugin/forwarding.h"

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

/* Tables without entries for the addresses at `node`, which share service levels, VLs and sets with `t`. */
ripstop_forwarding *forwarding_like(ripstop_arena *arena, const ripstop_forwarding *t, const uint32_t *node,
                                    uint32_t addresses);
/* Tables whose address i has the entries and service levels of the address from[i] of `t`; RIPSTOP_NONE: no entries.
 * They share its VLs and sets. */
ripstop_forwarding *forwarding_select(ripstop_arena *arena, const ripstop_forwarding *t, const uint32_t *node,
                                      const uint32_t *from, uint32_t addresses);
/* True if both tables have the same next hops for an address at a switch, with the same weights. */
bool forwarding_same_hops(const ripstop_forwarding *x, const ripstop_forwarding *y, uint32_t address, uint32_t switch_);
static inline bool forwarding_same(const ripstop_forwarding *x, const ripstop_forwarding *y, uint32_t address,
                                   uint32_t switch_) {
  if (x->sets != y->sets) return forwarding_same_hops(x, y, address, switch_);
  return ripstop_forwarding_port(x, address, switch_) == ripstop_forwarding_port(y, address, switch_);
}
/* A copy of all groups, in another arena; NULL: they are unknown. */
const ripstop_groups *forwarding_copy_groups(ripstop_arena *arena, const ripstop_forwarding *t);
/* A copy of all sets, in another arena; NULL: there are none. */
ripstop_hop_sets *forwarding_copy_sets(ripstop_arena *arena, const ripstop_forwarding *t);
/* -1 with an error that begins with `what`: entries have several next hops, or packets change their service levels or
 * are dropped. */
int forwarding_check_simple(const ripstop_forwarding *t, const char *what, ripstop_error *err);
/* The addresses that one of two tables has, to `node`, and which of its own each is, to `of_x` and `of_y`;
 * RIPSTOP_NONE: it has none. All are [addresses of x + addresses of y]. Returns their number. */
uint32_t forwarding_merge(const ripstop_forwarding *x, const ripstop_forwarding *y, uint32_t *node, uint32_t *of_x,
                          uint32_t *of_y);

#endif
