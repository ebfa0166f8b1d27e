/* words.h - flow control by XON and XOFF in place of credits: docs/model.md, "Space". */
#ifndef SIMULATE_WORDS_H
#define SIMULATE_WORDS_H

#include "simulate/state.h"

/* Of a part; arrays of queues are those of all parts. */
typedef struct words {
  int32_t xoff, xon;        /* units */
  int32_t *stalled;         /* [queues]: units of the packets that have entered and not left */
  uint8_t *told_off;        /* [queues]: the last word sent was XOFF */
  uint32_t *touched, count; /* queues of this part that `held` has changed of in this cycle */
  uint8_t *is_touched;      /* [queues] */
} words;

/* Where the switch has this flow control: checks its options, lays it out and takes the hooks. */
int words_open(run *r, ripstop_error *err);
/* Packets that a slow queue to a switch may hold, at most the requested number; without XON/XOFF that number. */
uint32_t words_places(const run *r, const shape *s, uint32_t wished);

#endif
