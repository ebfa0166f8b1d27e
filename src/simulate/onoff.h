/* onoff.h - flow control by XON and XOFF in place of credits: docs/model.md, "Space". */
#ifndef SIMULATE_ONOFF_H
#define SIMULATE_ONOFF_H

#include "simulate/state.h"

/* The state of one part; arrays of queues are shared by all parts. */
typedef struct words {
  int32_t xoff, xon;        /* units */
  int32_t *stalled;         /* [queues]: units of the packets inside */
  uint8_t *xoff_sent;       /* [queues]: the last signal sent was XOFF */
  uint32_t *touched, count; /* queues of this part that changed in this cycle */
  uint8_t *is_touched;      /* [queues] */
} words;

/* Checks the options of this flow control, lays out its state and takes the hooks, if the switch has it. */
int onoff_open(run *r, ripstop_error *err);
/* Packets that a slow queue before a switch may hold: at most `wanted`, and exactly that without XON/XOFF. */
uint32_t onoff_places(const run *r, const shape *s, uint32_t wanted);

#endif
