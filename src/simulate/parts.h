/* parts.h - what the parts of a run have: wheels, packets, streams and scratch. */
#ifndef SIMULATE_PARTS_H
#define SIMULATE_PARTS_H

#include "simulate/state.h"

enum { LINE = 64 }; /* bytes of a cache line */

/* An array that starts at a multiple of so many bytes. */
void *aligned_rows(ripstop_arena *arena, size_t bytes, size_t alignment);
#define ROWS(arena, count, type) ((type *)aligned_rows((arena), (count) * sizeof(type), LINE))

static inline uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* The most that a node has. */
typedef struct extremes {
  uint32_t ports, words;
} extremes;

/* Packets that can be on their way to end nodes. */
uint64_t most_leaving(const shape *s);
/* All of them, once the shape has its rows. */
void parts_lay(run *r, extremes most);

#endif
