/* addresses.h - where a node's addresses are in forwarding tables, which have them in the order of nodes. */
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

#endif
