/* gauge.h - the reports that the method test-gauge received of its switch's queues, for the test. */
#ifndef TESTS_GAUGE_H
#define TESTS_GAUGE_H

#include "ripstop/plugin/method.h"

enum { GAUGE_EVERY = 10, GAUGE_OPENS = 100, GAUGE_QUEUES = 4, GAUGES = 64 };

typedef struct gauge {
  uint64_t cycle;
  bool known; /* a report was available */
  int64_t room[GAUGE_QUEUES], load[GAUGE_QUEUES];
} gauge;

extern gauge gauge_log[GAUGES];
extern uint32_t gauges;

#endif
