/* parts.h - what each part of a run has: wheel, packets, streams and scratch. */
#ifndef SIMULATE_PARTS_H
#define SIMULATE_PARTS_H

#include "simulate/state.h"

enum { LINE = 64 }; /* bytes of a cache line */

/* An array that starts at a multiple of `alignment` bytes. */
void *aligned_rows(ripstop_arena *arena, size_t bytes, size_t alignment);
#define ROWS(arena, count, type) ((type *)aligned_rows((arena), (count) * sizeof(type), LINE))

static inline uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
/* D of a port's link. */
static inline uint32_t reach_of(const shape *s, uint32_t port) { return s->reach ? s->reach[port] : s->link; }

/* The most that any node has. */
typedef struct extremes {
  uint32_t ports, words;
} extremes;

/* Most packets that can travel to end nodes. */
uint64_t most_leaving(const shape *s);
/* Rows of packets for each queue without a bound, to begin with. */
enum { UNLIMITED_PLACES = 4 };
/* Lays out all parts; the shape must have its rows. */
void parts_lay(run *r, extremes most);
/* Between two cycles: gives the run more rows of packets if some of its queues have no bound and few rows are left. */
void parts_grow(run *r);

#endif
