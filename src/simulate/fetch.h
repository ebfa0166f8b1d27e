/* fetch.h - asking memory for what the next events and decisions will touch, before it is needed. */
#ifndef SIMULATE_FETCH_H
#define SIMULATE_FETCH_H

#include "simulate/state.h"

/* When everything is laid out: takes the hooks where the engine is larger than the processor's caches. */
void fetch_open(run *r);

#endif
