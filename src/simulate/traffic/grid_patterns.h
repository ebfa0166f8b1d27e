/* grid_patterns.h - digit patterns: the destination's coordinates are the source's, each shifted along its dimension.
 *
 * For fabrics whose routers form a grid: torus, kns, mesh and hyperx. If a router has several end nodes, each sends to
 * its counterpart on the other router. On all other fabrics the number of the end node is the only coordinate. */
#ifndef SIMULATE_TRAFFIC_GRID_PATTERNS_H
#define SIMULATE_TRAFFIC_GRID_PATTERNS_H

#include <string.h>

#include "ripstop/plugin/family.h"

#include "fabric/digits.h"
#include "simulate/traffic/map.h"

/* The shift of a coordinate in a dimension of `size`. */
typedef uint32_t ripstop_shift(uint32_t size);

/* The number of the end nodes' coordinates that are dimensions of a grid, from coordinate 0 on; 0: the fabric is no
 * grid. */
static inline uint32_t ripstop_grid_dimensions(const ripstop_fabric *fabric) {
  if (strcmp(fabric->family->name, "torus") == 0) return fabric->coords;
  static const char *const families[] = {"kns", "mesh", "hyperx"};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strcmp(fabric->family->name, families[i]) == 0)
      return fabric->coords - 1; /* the last one counts a router's end nodes */
  return 0;
}

/* The number of values of each coordinate of the end nodes. */
static inline void ripstop_grid_sizes(const ripstop_fabric *fabric, uint32_t *size) {
  for (uint32_t i = 0; i < fabric->coords; i++) size[i] = 1;
  for (uint32_t end = 0; end < fabric->ends; end++)
    for (uint32_t i = 0; i < fabric->coords; i++)
      if (ripstop_coords(fabric, end)[i] >= size[i]) size[i] = ripstop_coords(fabric, end)[i] + 1u;
}

/* The coordinates of an end node, each shifted (NULL: not), as one number. */
static inline uint32_t ripstop_grid_place(const ripstop_fabric *fabric, const uint32_t *size, uint32_t end,
                                          ripstop_shift *shift) {
  uint32_t place = 0, dimensions = ripstop_grid_dimensions(fabric);
  for (uint32_t i = fabric->coords; i-- > 0;) {
    uint32_t digit = ripstop_coords(fabric, end)[i];
    if (shift && i < dimensions) digit = (digit + shift(size[i])) % size[i];
    place = place * size[i] + digit;
  }
  return place;
}

/* Makes the table of a digit pattern. */
static inline int ripstop_map_of_shift(ripstop_arena *arena, const ripstop_fabric *fabric, const char *pattern,
                                       ripstop_shift *shift, const void **table, ripstop_error *err) {
  uint32_t *to = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t);
  if (ripstop_grid_dimensions(fabric) == 0) {
    for (uint32_t end = 0; end < fabric->ends; end++) to[end] = (end + shift(fabric->ends)) % fabric->ends;
  } else {
    uint32_t size[RIPSTOP_DIGITS_MAX], places = 1;
    uint32_t *end_at = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t); /* [places]: the last end node there; every place
                                                                      * is taken */
    ripstop_grid_sizes(fabric, size);
    for (uint32_t i = 0; i < fabric->coords; i++) places *= size[i];
    const uint32_t each = fabric->ends / places; /* end nodes that no coordinate distinguishes have consecutive
                                                  * numbers */
    for (uint32_t end = 0; end < fabric->ends; end++) end_at[ripstop_grid_place(fabric, size, end, NULL)] = end;
    for (uint32_t end = 0; end < fabric->ends; end++)
      to[end] = end_at[ripstop_grid_place(fabric, size, end, shift)] - (each - 1 - end % each);
  }
  return ripstop_map_finish(fabric, pattern, to, table, err);
}

#endif
