/* plain.h - cycles without work for the whole run. */
#ifndef SIMULATE_PLAIN_H
#define SIMULATE_PLAIN_H

#include "simulate/state.h"

/* The first cycle from now on, at most `until`, in which one thread has to do something for all parts before the
 * arrivals or after the decisions. */
uint32_t plain_until(const run *r, uint32_t until);
/* The first cycle from the next one on in which a feature has work for the whole run; UINT32_MAX: none. */
uint32_t plain_features(const run *r);
/* No node is awake in the next cycle, and the parts' outboxes are empty. */
bool plain_idle(const run *r);
/* Between two cycles: sets the clocks of all parts to the first cycle, at most `until`, in which something happens. */
void plain_skip(run *r, uint32_t until);

#endif
