/* bound.h - how few paths the busiest channel can have, whatever the tables are. */
#ifndef MEND_BOUND_H
#define MEND_BOUND_H

#include "mend/net.h"

/* The best of simple bounds: what each switch's own channels must carry, and all channels of a part together. */
uint64_t mend_bound_simple(const mend_net *net, ripstop_arena *scratch);
/* A little more: who has it needs no better. */
uint64_t mend_bound_enough(const mend_net *net, ripstop_arena *scratch);

#endif
