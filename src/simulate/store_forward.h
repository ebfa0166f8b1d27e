/* store_forward.h - packets that enter a queue when all of them has come: docs/model.md, "Store and forward". */
#ifndef SIMULATE_STORE_FORWARD_H
#define SIMULATE_STORE_FORWARD_H

#include "simulate/state.h"

/* Once the organisation of queues has its hooks. */
void store_forward_open(run *r);

#endif
