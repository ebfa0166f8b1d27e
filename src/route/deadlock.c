/* deadlock.c - the only place that turns the result of an analysis into a verdict on deadlock, and the only place with
 * its wording. Invariant: each sentence names the flow control that it assumes. */
#include "ripstop/kit/deadlock.h"

const char *const ripstop_deadlock_words[] = {
    [RIPSTOP_DEADLOCK_IMPOSSIBLE] = "impossible with credits or PFC: no queues can wait for each other alone",
    [RIPSTOP_DEADLOCK_DRAINED] = ("impossible with bubble flow control, which drains the credit loops; possible on "
                                  "switches without it, as InfiniBand's"),
    [RIPSTOP_DEADLOCK_POSSIBLE] = "possible with credits or PFC",
    [RIPSTOP_DEADLOCK_DESPITE] = "possible with bubble flow control and without it"};

const char *const ripstop_flow_control_words[] = {"credits or PFC", "bubble flow control"};

ripstop_deadlock ripstop_deadlock_of(bool bubble, bool waits, bool waits_despite) {
  if (!waits) return RIPSTOP_DEADLOCK_IMPOSSIBLE;
  if (!bubble) return RIPSTOP_DEADLOCK_POSSIBLE;
  return waits_despite ? RIPSTOP_DEADLOCK_DESPITE : RIPSTOP_DEADLOCK_DRAINED;
}
