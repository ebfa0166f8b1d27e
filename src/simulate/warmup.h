/* warmup.h - decides when a run has settled: the automatic warm-up. */
#ifndef SIMULATE_WARMUP_H
#define SIMULATE_WARMUP_H

#include "ripstop/plugin/base.h"

/* Cycles of a block, in which packets are counted together, and the longest warm-up. */
#define WARMUP_BLOCK   50
#define WARMUP_LONGEST 102400

typedef struct warmup_watch {
  uint64_t cycles;              /* that will be measured */
  uint64_t delivered_before;    /* packets before the last block */
  uint32_t blocks;              /* that have ended */
  uint32_t *delivered, *inside; /* [WARMUP_LONGEST / WARMUP_BLOCK]: packets delivered in a block; packets in the network
                                 * at its end */
} warmup_watch;

void warmup_open(warmup_watch *w, ripstop_arena *arena, uint64_t cycles);
/* Adds the next block: `delivered` packets since the run began, `inside` in the network now. True if the run has
 * settled. */
bool warmup_add(warmup_watch *w, uint64_t delivered, uint64_t inside);

#endif
