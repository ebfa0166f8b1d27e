/* plain.h - cycles in which nobody has to do anything for the whole run. */
#ifndef SIMULATE_PLAIN_H
#define SIMULATE_PLAIN_H

#include "simulate/state.h"

/* The first cycle from now on, `until` at most, in which one thread has to do something for all parts before the
 * arrivals or after the decisions. */
uint32_t plain_until(const run *r, uint32_t until);
/* The first cycle from the next one on in which a feature has something to do for the whole run; UINT32_MAX: none. */
uint32_t plain_features(const run *r);
/* Nobody decides in the next cycle, and parts have nothing for each other. */
bool plain_idle(const run *r);
/* Between two cycles: the clocks of all parts go on to the first cycle, `until` at most, in which something happens. */
void plain_skip(run *r, uint32_t until);

#endif
