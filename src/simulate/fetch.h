/* fetch.h - prefetches the memory that the next events and decisions will touch. */
#ifndef SIMULATE_FETCH_H
#define SIMULATE_FETCH_H

#include "simulate/state.h"

/* Takes the hooks if the rows of all parts are larger than the processor's caches. Call it when these rows, and nothing
 * else, are allocated. */
void fetch_open(run *r);

#endif
