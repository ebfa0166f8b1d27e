/* deliveries.h - reports every delivery to the caller. */
#ifndef SIMULATE_DELIVERIES_H
#define SIMULATE_DELIVERIES_H

#include "simulate/state.h"

/* Takes the hooks if the scenario has on_delivery; call it after agents_open. */
void deliveries_open(run *r);

#endif
