/* to_self.h - packets whose destination is their source (ripstop_pattern.to_self). */
#ifndef SIMULATE_TO_SELF_H
#define SIMULATE_TO_SELF_H

#include "simulate/state.h"

/* Takes the hook if the run has such packets. -1: another feature of the run has it. Call it last of all that take it.
 */
int to_self_open(run *r, ripstop_error *err);

#endif
