/* torus.h - the geometry of tori for routing methods: sizes, coordinates, the shorter direction in a ring.
 *
 * Router port 2d leads to the next higher coordinate of dimension d, port 2d+1 to the next lower; what leaves by one
 * port arrives by the other of the same dimension. Behind these are the ports to its end nodes. */
#ifndef RIPSTOP_FABRIC_TORUS_H
#define RIPSTOP_FABRIC_TORUS_H

#include "fabric/digits.h"

enum { RIPSTOP_TORUS_MAX = 26 }; /* dimensions: more routers than 2^26 there cannot be */

typedef struct ripstop_torus {
  const ripstop_fabric *fabric;
  uint32_t dimensions, each; /* end nodes of a router */
  uint16_t size[RIPSTOP_TORUS_MAX];
} ripstop_torus;

/* False when the fabric is not a torus. */
bool ripstop_torus_from(const ripstop_fabric *fabric, ripstop_torus *out);

/* Hops upwards in a dimension from one coordinate to another, 0: none; downwards it is size - that. */
static inline uint32_t ripstop_torus_hops(const ripstop_torus *t, uint32_t d, uint32_t from, uint32_t to) {
  const uint32_t size = t->size[d];
  return to - from + (to < from ? size : 0);
}
/* The same from one node to another (routers or end nodes). */
static inline uint32_t ripstop_torus_up(const ripstop_torus *t, uint32_t d, uint32_t from, uint32_t to) {
  return ripstop_torus_hops(t, d, ripstop_coords(t->fabric, from)[d], ripstop_coords(t->fabric, to)[d]);
}
/* The port of the shorter way, given the hops upwards (> 0); half-way round goes up. */
static inline uint32_t ripstop_torus_port(const ripstop_torus *t, uint32_t d, uint32_t up) {
  return 2 * d + (2 * up > t->size[d]);
}
/* The router's port to an end node. */
static inline uint32_t ripstop_torus_end_port(const ripstop_torus *t, uint32_t end) {
  return 2 * t->dimensions + (t->each == 1 ? 0 : end % t->each);
}

#endif
