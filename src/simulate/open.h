/* open.h - lays out and frees a simulation. */
#ifndef SIMULATE_OPEN_H
#define SIMULATE_OPEN_H

#include "simulate/state.h"

/* Prepares everything up to the first cycle. The plan must outlive the run. NULL on error. */
run *run_new(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, ripstop_error *err);
void run_free(run *r);
/* Checks and makes everything else, given config, fabric, arena, view and plan. In open.c. */
int run_open(run *r, ripstop_error *err);

#endif
