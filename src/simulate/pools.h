/* pools.h - the channels of an input port share its space (switch.buffers: port): docs/model.md, "Pools".
 *
 * Each channel has a reserve of one longest packet. What the packets of a channel take beyond it comes out of the
 * port's pool. The sender knows what each channel takes. `shape.space` of an output VC is what the channel can still
 * get: the rest of its reserve and all that is left of the pool. So it changes for all output VCs of a port together.
 * Code that compares free units needs no rule of its own.
 *
 * Invariant, with u = taken of an output VC that leads to a switch: space = max(0, reserve - u) + size - the sum of
 * max(0, u - reserve) over the port's output VCs. */
#ifndef SIMULATE_POOLS_H
#define SIMULATE_POOLS_H

#include "simulate/state.h"

struct pools {
  int32_t reserve; /* units of each channel */
  int32_t size;    /* units of a port's pool */
  int32_t *taken;  /* [output VCs]: units of the channel beyond, as the sender knows */
};

static inline int32_t beyond_reserve(const struct pools *p, int32_t units) {
  return units > p->reserve ? units - p->reserve : 0;
}
static inline int32_t left_of_reserve(const struct pools *p, int32_t units) {
  return units < p->reserve ? p->reserve - units : 0;
}

/* The channel of an output VC takes `units` more. shape.space of this output VC has it already. */
static inline void pools_note(const shape *s, uint32_t port, uint32_t channel, int32_t units) {
  struct pools *p = s->pools;
  const uint32_t first = port * s->channels;
  int32_t *taken = &p->taken[first + channel];
  const int32_t before = beyond_reserve(p, *taken), change = beyond_reserve(p, *taken += units) - before;
  for (uint32_t c = 0; change && c < s->channels; c++)
    if (c != channel) s->space[first + c] -= change;
}

/* Checks the run's options, and sets the sizes of shape. Call it when channels and packet lengths are known. */
int pools_read(run *r, shape *s, ripstop_error *err);
/* Allocates rows for the output VCs. */
void pools_lay(run *r, shape *s);

#endif
