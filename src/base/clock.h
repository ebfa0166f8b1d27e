/* clock.h - seconds by the monotonic clock, for progress lines, batches and leases. No result depends on them. */
#ifndef RIPSTOP_BASE_CLOCK_H
#define RIPSTOP_BASE_CLOCK_H

#include <time.h>

static inline double ripstop_seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
