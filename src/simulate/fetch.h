/* fetch.h - asking memory for what the next events and decisions will touch, before it is needed. */
#ifndef SIMULATE_FETCH_H
#define SIMULATE_FETCH_H

#include "simulate/state.h"

/* When the rows of all parts are laid out, and nothing else: takes the hooks where these are larger than the
 * processor's caches. */
void fetch_open(run *r);

#endif
