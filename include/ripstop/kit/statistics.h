/* statistics.h - the interval for a share. */
#ifndef RIPSTOP_KIT_STATISTICS_H
#define RIPSTOP_KIT_STATISTICS_H

#include "ripstop/error.h"

RIPSTOP_BEGIN

typedef struct ripstop_interval {
  double low, high;
} ripstop_interval;

/* The interval of Clopper and Pearson for a probability of which `successes` in `trials` were seen: never below its
 * confidence. [0, 1] for no trials. */
ripstop_interval ripstop_clopper_pearson(uint64_t successes, uint64_t trials, double confidence);

RIPSTOP_END

#endif
