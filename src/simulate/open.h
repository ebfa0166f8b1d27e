/* open.h - laying out a simulation, and doing away with it. */
#ifndef SIMULATE_OPEN_H
#define SIMULATE_OPEN_H

#include "simulate/state.h"

/* Everything up to the first cycle. The plan must outlive the run. NULL on error. */
run *run_new(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_error *err);
void run_free(run *r);
/* With config, fabric, arena, view and plan given: checks everything and makes the rest. open.c */
int run_open(run *r, ripstop_error *err);

#endif
