/* warmup.h - when a run has settled: what the automatic warm-up looks at, and what it decides. */
#ifndef SIMULATE_WARMUP_H
#define SIMULATE_WARMUP_H

#include "ripstop/base.h"

/* In cycles: what is counted at once, and the longest warm-up that is found. */
#define WARMUP_BLOCK   50
#define WARMUP_LONGEST 102400

typedef struct warmup_watch {
  uint64_t cycles;              /* that will be measured */
  uint64_t delivered_before;    /* the last block, packets */
  uint32_t blocks;              /* that are over */
  uint32_t *delivered, *inside; /* [WARMUP_LONGEST / WARMUP_BLOCK]: packets delivered in a block, in the network at
                                 * its end */
} warmup_watch;

void warmup_open(warmup_watch *w, ripstop_arena *arena, uint64_t cycles);
/* The next block is over: `delivered` packets since the run began, `inside` in the network now. Whether the run has
 * settled. */
bool warmup_add(warmup_watch *w, uint64_t delivered, uint64_t inside);

#endif
