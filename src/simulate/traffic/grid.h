/* grid.h - digit patterns: every coordinate of the destination is that of the source, shifted along its dimension.
 *
 * The coordinates are those of the router that the end node hangs from, on the fabrics whose routers form a grid of
 * dimensions: torus and kns. Of several end nodes on a router each goes to the one of the same rank on the other
 * router. On all other fabrics the number of the end node is taken for a single coordinate. */
#ifndef SIMULATE_TRAFFIC_GRID_H
#define SIMULATE_TRAFFIC_GRID_H

#include <string.h>

#include "fabric/digits.h"
#include "simulate/traffic/map.h"

/* Places 0 .. ends-1: a router's number in the grid, dimension 0 lowest, times the end nodes per router, plus rank. */
typedef struct rs_grid {
  const rs_fabric *fabric; /* NULL: one dimension, place = end node */
  uint32_t dimensions, per_router;
  uint32_t size[RS_DIGITS_MAX];
} rs_grid;

static inline void rs_grid_from(const rs_fabric *fabric, rs_grid *grid) {
  const char *family = fabric->family->name;
  *grid = (rs_grid){.dimensions = 1, .per_router = 1, .size = {fabric->ends}};
  if (strcmp(family, "torus") != 0 && strcmp(family, "kns") != 0) return;
  *grid = (rs_grid){.fabric = fabric, .dimensions = fabric->coords};
  for (uint32_t end = 0; end < fabric->ends; end++)
    for (uint32_t d = 0; d < grid->dimensions; d++) {
      uint32_t digit = rs_coords(fabric, rs_end_switch(fabric, end))[d];
      if (digit >= grid->size[d]) grid->size[d] = digit + 1;
    }
  uint32_t routers = 1;
  for (uint32_t d = 0; d < grid->dimensions; d++) routers *= grid->size[d];
  grid->per_router = fabric->ends / routers;
}

/* The number of an end node's router in the grid. */
static inline uint32_t rs_grid_router(const rs_grid *grid, uint32_t end) {
  if (!grid->fabric) return end;
  const uint16_t *digit = rs_coords(grid->fabric, rs_end_switch(grid->fabric, end));
  uint32_t router = 0;
  for (uint32_t d = grid->dimensions; d-- > 0;) router = router * grid->size[d] + digit[d];
  return router;
}

/* The router with every coordinate shifted. */
static inline uint32_t rs_grid_shift(const rs_grid *grid, uint32_t router, uint32_t (*shift)(uint32_t size)) {
  uint32_t shifted = 0;
  for (uint32_t d = 0, stride = 1; d < grid->dimensions; stride *= grid->size[d++]) {
    uint32_t size = grid->size[d], digit = router / stride % size;
    shifted += (digit + shift(size)) % size * stride;
  }
  return shifted;
}

/* A digit pattern: `shift` says by how much a coordinate grows in a dimension of that size. */
static inline int rs_map_of_shift(rs_arena *arena, const rs_fabric *fabric, const char *pattern,
                                  uint32_t (*shift)(uint32_t size), const void **table, rs_error *err) {
  rs_grid grid;
  rs_grid_from(fabric, &grid);
  uint32_t *place = RS_ARRAY(arena, fabric->ends, uint32_t);  /* of each end node */
  uint32_t *end_at = RS_ARRAY(arena, fabric->ends, uint32_t); /* of each place */
  uint32_t *placed = RS_ARRAY(arena, fabric->ends, uint32_t); /* end nodes of each router so far */
  for (uint32_t end = 0; end < fabric->ends; end++) {
    uint32_t router = rs_grid_router(&grid, end);
    place[end] = router * grid.per_router + placed[router]++;
    end_at[place[end]] = end;
  }
  uint32_t *to = RS_ARRAY(arena, fabric->ends, uint32_t);
  for (uint32_t end = 0; end < fabric->ends; end++) {
    uint32_t router = place[end] / grid.per_router, rank = place[end] % grid.per_router;
    to[end] = end_at[rs_grid_shift(&grid, router, shift) * grid.per_router + rank];
  }
  return rs_map_finish(fabric, pattern, to, table, err);
}

#endif
