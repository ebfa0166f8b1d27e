/* forest.h - disjoint sets of items 0, 1, ...: each item has a parent, and a root is its own parent. */
#ifndef RIPSTOP_BASE_FOREST_H
#define RIPSTOP_BASE_FOREST_H

#include <stdint.h>

/* The root of the item's set; halves the path. */
static inline uint32_t ripstop_root(uint32_t *parent, uint32_t item) {
  while (parent[item] != item) item = parent[item] = parent[parent[item]];
  return item;
}

#endif
