/* grid.h - the routers of meshes and HyperX: one for each tuple of coordinates. */
#ifndef RIPSTOP_FABRIC_GRID_H
#define RIPSTOP_FABRIC_GRID_H

#include "fabric/digits.h"
#include "fabric/sizes.h"
#include "fabric/wiring.h"

/* Begins a wiring with all routers, each with so many end nodes, and returns how many there are. The last coordinate
 * changes quickest from one router to the next; names show the first first. */
static inline uint32_t ripstop_grid_routers(ripstop_wiring *w, const ripstop_sizes *s, uint32_t ends) {
  uint32_t routers = (uint32_t)ripstop_sizes_product(s);
  *w = (ripstop_wiring){.coords = s->count};
  for (uint32_t i = 0; i < routers; i++) {
    uint16_t digit[RIPSTOP_SIZES_MAX]; /* the last coordinate is digit 0 */
    for (uint32_t d = s->count, rest = i; d-- > 0; rest /= s->size[d])
      digit[s->count - 1 - d] = (uint16_t)(rest % s->size[d]);
    ripstop_wiring_switch(w, ends, digit);
  }
  return routers;
}

/* The group of a link whose ends differ in one coordinate: group 0, numbered by the dimension, 0 the first in names. */
static inline uint32_t ripstop_grid_group(const ripstop_fabric *fabric, uint32_t link, uint32_t *number) {
  const uint32_t dimensions = fabric->coords - 1; /* the last coordinate is an end node's number at its router */
  for (uint32_t i = 0; i < dimensions; i++)
    if (ripstop_link_coord(fabric, link, 0, i) != ripstop_link_coord(fabric, link, 1, i)) *number = dimensions - 1 - i;
  return 0;
}

#endif
