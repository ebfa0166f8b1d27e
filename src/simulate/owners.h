/* owners.h - that every packet is in one place: nothing doubled, nothing gone. */
#ifndef SIMULATE_OWNERS_H
#define SIMULATE_OWNERS_H

#include "simulate/state.h"

/* Between two cycles. `seen` is scratch, [r->packets]. -1 with an error: a packet is in two places, or in none. */
int owners_check(const run *r, uint8_t *seen, ripstop_error *err);

#endif
