/* deliveries.h - telling somebody of every delivery. */
#ifndef SIMULATE_DELIVERIES_H
#define SIMULATE_DELIVERIES_H

#include "simulate/state.h"

/* After the agents: where somebody wants to hear of deliveries, takes the hooks. */
void deliveries_open(run *r);

#endif
