/* forest.h - disjoint sets of items 0, 1, ...: each item has a parent, and a root is its own parent. The root of a set
 * is its smallest item, as long as ripstop_join alone joins sets. */
#ifndef RIPSTOP_BASE_FOREST_H
#define RIPSTOP_BASE_FOREST_H

#include "ripstop/plugin/base.h"

/* The root of the item's set; halves the path. */
static inline uint32_t ripstop_root(uint32_t *parent, uint32_t item) {
  while (parent[item] != item) item = parent[item] = parent[parent[item]];
  return item;
}

/* Each item is a set of its own. The forest belongs to the arena. */
static inline uint32_t *ripstop_forest(ripstop_arena *arena, uint32_t items) {
  uint32_t *parent = RIPSTOP_ARRAY(arena, (size_t)items + 1, uint32_t);
  for (uint32_t i = 0; i < items; i++) parent[i] = i;
  return parent;
}

/* Makes the sets of two items one. */
static inline void ripstop_join(uint32_t *parent, uint32_t one, uint32_t two) {
  const uint32_t a = ripstop_root(parent, one), b = ripstop_root(parent, two);
  parent[a < b ? b : a] = a < b ? a : b;
}

#endif
