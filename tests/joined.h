/* joined.h - which nodes are connected, by joining sets over links: independent of the library's flooding. */
#ifndef TESTS_JOINED_H
#define TESTS_JOINED_H

#include <stdlib.h>

#include "check.h"
#include "ripstop/plugin/faults.h"

static inline uint32_t joined_find(uint32_t *parent, uint32_t node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

/* Sets of connected nodes in the live fabric. To be freed. */
static inline uint32_t *joined_nodes(const ripstop_fabric *f, const uint8_t *failed_link, const uint8_t *failed_node) {
  uint32_t *parent = malloc(f->nodes * sizeof *parent);
  for (uint32_t v = 0; v < f->nodes; v++) parent[v] = v;
  for (uint32_t link = 0; link < f->links; link++) {
    uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1);
    if (!failed_link[link] && !failed_node[a] && !failed_node[b])
      parent[joined_find(parent, a)] = joined_find(parent, b);
  }
  return parent;
}

/* End nodes whose switches live are connected. */
static inline void assert_joined(const ripstop_fabric *f, const uint8_t *failed_link, const uint8_t *failed_node) {
  uint32_t *set = joined_nodes(f, failed_link, failed_node), first = RIPSTOP_NONE;
  for (uint32_t end = 0; end < f->ends; end++) {
    if (failed_node[ripstop_end_switch(f, end)]) continue;
    if (first == RIPSTOP_NONE) first = end;
    assert_int_equal(joined_find(set, end), joined_find(set, first));
  }
  free(set);
}

#endif
