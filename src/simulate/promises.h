/* promises.h - what a protocol promises of a quiet network (ripstop_proto.check), looked at while the simulation runs.
 */
#ifndef SIMULATE_PROMISES_H
#define SIMULATE_PROMISES_H

#include "simulate/state.h"

/* Where the protocol has a check: sets r->watcher and takes the hooks. */
void watch_open(run *r);
/* Nothing without a watcher. */
void watch_step(run *r);   /* a switch has made a step */
void watch_change(run *r); /* the view has changed */

#endif
