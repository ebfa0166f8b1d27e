/* watch.h - what a protocol promises of a quiet network (ripstop_proto.check), looked at while the simulation runs. */
#ifndef SIMULATE_WATCH_H
#define SIMULATE_WATCH_H

#include "ripstop/plugin/method.h"
#include "simulate/state.h"

/* Sets e->watcher where the protocol has a check. Each of the others does nothing without one. */
void watch_open(engine *e);
void watch_step(engine *e);   /* a switch has made a step */
void watch_change(engine *e); /* the view has changed */
/* The method has found no way on for this packet. */
void watch_lost(engine *e, const queue *q, const packet *p);
/* At the end of a cycle. While the protocol is quiet: looks at its promises if it has not since the last step, or
 * `again`. With `again` also whether each packet is in one place. What is broken fails the run. */
void watch_look(engine *e, bool again);

#endif
