/* messages.h - options of methods whose switches send each other messages of one length and delay.
 *
 * Invariant: the config of such a method begins with a message_times. */
#ifndef METHODS_SHARED_MESSAGES_H
#define METHODS_SHARED_MESSAGES_H

#include "ripstop/plugin/method.h"

typedef struct message_times {
  int64_t delay, message_flits;
} message_times;

#define RIPSTOP_MESSAGE_OPTIONS                                                      \
  RIPSTOP_INTEGER(message_times, delay, 1, 1e6, "10",                                \
                  "cycles that a message takes for one hop, its handling included"), \
      RIPSTOP_INTEGER(message_times, message_flits, 0, 1023, "0",                    \
                      "flits of a message, which occupies its link; 0: messages have a virtual channel of their own")

/* Checks that a message's handling includes its transmission. */
ripstop_answer ripstop_check_message_times(const ripstop_plan *p, ripstop_error *err);
/* The functions ripstop_proto.delay and ripstop_proto.flits. */
uint64_t ripstop_message_delay(const ripstop_plan *p, const void *message);
uint32_t ripstop_message_flits(const ripstop_plan *p, const void *message);

#endif
