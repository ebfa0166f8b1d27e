/* detours.h - for tests of intermediate nodes: a second computation of the pairs of routers that a method can serve
 * over such nodes, and a walk over all sets of so many failed links. */
#ifndef RIPSTOP_TESTS_DETOURS_H
#define RIPSTOP_TESTS_DETOURS_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/plugin/faults.h"

/* True if `first` leads to some router from which `second` leads on, for the pair from * routers + to. */
static inline bool serve_in_two(const uint8_t *first, const uint8_t *second, uint32_t routers, uint32_t pair) {
  const uint32_t from = pair / routers, to = pair % routers;
  for (uint32_t over = 0; over < routers; over++)
    if (first[from * routers + over] && second[over * routers + to]) return true;
  return false;
}

/* `served` has a byte for each ordered pair of routers, [from * routers + to], true if a direct path is up. Makes those
 * pairs true, too, that at most so many intermediate nodes connect by direct paths. */
static inline void serve_over_nodes(uint8_t *served, uint32_t routers, uint32_t intermediates) {
  const uint32_t pairs = routers * routers;
  uint8_t *direct = malloc(2 * (size_t)pairs), *before = direct + pairs;
  memcpy(direct, served, pairs);
  for (; intermediates > 0; intermediates--) {
    memcpy(before, served, pairs);
    for (uint32_t pair = 0; pair < pairs; pair++)
      served[pair] = before[pair] || serve_in_two(before, direct, routers, pair);
  }
  free(direct);
}

typedef void look_at_set(void *bed, void *context);

/* Takes each set of so many links between switches down in turn, calls `look`, and brings them up again. */
static inline void each_set_of_links(const ripstop_fabric *fabric, ripstop_view *view, uint32_t count,
                                     look_at_set *look, void *bed, void *context) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_combinations c;
  ripstop_combinations_first(arena, ripstop_faults_population(fabric, RIPSTOP_FAULTS_SWITCH_LINKS), count, &c);
  do {
    for (uint32_t i = 0; i < count; i++) ripstop_view_set_link(view, fabric->link_ends + c.part[i], false);
    look(bed, context);
    for (uint32_t i = 0; i < count; i++) ripstop_view_set_link(view, fabric->link_ends + c.part[i], true);
  } while (ripstop_combinations_next(&c));
  ripstop_arena_free(arena);
}

#endif
