/* owners.h - checks that every packet is in exactly one place. */
#ifndef SIMULATE_OWNERS_H
#define SIMULATE_OWNERS_H

#include "simulate/state.h"

/* Call it between two cycles. `seen`: scratch, [r->packets]. -1 with an error: a packet is in two places, or in
 * none. */
int owners_check(const run *r, uint8_t *seen, ripstop_error *err);

#endif
