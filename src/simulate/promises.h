/* promises.h - checks what a protocol guarantees for a quiet network (ripstop_proto.check) while the simulation
 * runs. */
#ifndef SIMULATE_PROMISES_H
#define SIMULATE_PROMISES_H

#include "simulate/state.h"

/* Sets r->watcher and takes the hooks, if the protocol has a check. */
void watch_open(run *r);
/* These do nothing without a watcher. */
void watch_step(run *r);   /* a switch took a step */
void watch_change(run *r); /* the view changed */
void watch_grow(run *r);   /* there are more rows of packets */

#endif
