/* fib_waits.h - which directions of cables packets wait for, and the cycles of these waits.
 *
 * A link is one direction of a cable between switches, a vertex a link and one of its classes of packets. Packets that
 * came by a link wait for the link that the hash commits them to, so every next hop of a set is a dependency of its
 * own, and any cycle is a deadlock that can happen. The dependencies of a vertex are a row of bits, one for each vertex
 * that leaves the switch behind its link. */
#ifndef RIPSTOP_TABLES_ETHERNET_FIB_WAITS_H
#define RIPSTOP_TABLES_ETHERNET_FIB_WAITS_H

#include "tables/ethernet/fib.h"

typedef struct fib_waits {
  const fib *f;
  uint32_t classes;            /* classes of packets on each link */
  uint32_t links;              /* sorted by the switch that sends */
  uint32_t *port_of, *link_of; /* [links]: the port that sends; [ports]: RIPSTOP_NONE: no link */
  uint32_t *first_out;         /* [switches + 1]: the first link of each switch */
  uint32_t *into;              /* [links]: the switch behind it */
  size_t *first_row;           /* [links]: the first word of the rows of its classes in `bits` */
  uint32_t *words;             /* [switches]: of a row of its incoming links */
  uint64_t *bits;
  size_t bit_words;
} fib_waits;

typedef struct fib_cycles {
  uint32_t vertices; /* in cycles */
  uint32_t length;   /* the length of a shortest one; 0: there is none */
  uint32_t *cycle;   /* [length]: vertices, each waits for the next; begins with the first by number */
} fib_cycles;

/* Without dependencies. */
void fib_waits_open(fib_waits *w, const fib *f, uint32_t classes, ripstop_arena *arena);
/* Packets that came by link `in` of class `a` wait for link `out` of class `b`, which leaves the switch behind `in`. */
static inline void fib_waits_add(fib_waits *w, uint32_t in, uint32_t a, uint32_t out, uint32_t b) {
  const uint32_t s = w->into[in], bit = (out - w->first_out[s]) * w->classes + b;
  w->bits[w->first_row[in] + (size_t)a * w->words[s] + bit / 64] |= UINT64_C(1) << bit % 64;
}
/* Adds the dependencies of packets of one class under the entries. */
void fib_waits_fill(fib_waits *w, const fib_state *state);
/* The cycle belongs to the arena. */
void fib_waits_cycles(const fib_waits *w, ripstop_arena *arena, fib_cycles *out);
/* A true for each vertex in a cycle ([links * classes]). */
uint32_t fib_waits_in_cycles(const fib_waits *w, bool *in);
/* "leaf3[swp1]" or "leaf3[swp1].3", in the arena of the fib. */
const char *fib_vertex_name(const fib_waits *w, uint32_t vertex);

#endif
