/* messages.h - options of methods whose switches send each other messages. */
#ifndef METHODS_SHARED_MESSAGES_H
#define METHODS_SHARED_MESSAGES_H

#include "ripstop/plugin/method.h"

/* Members `delay` and `message_flits`. */
#define RIPSTOP_MESSAGE_OPTIONS(config)                                                                           \
  RIPSTOP_INTEGER(config, delay, 1, 1e6, "10", "cycles that a message takes for one hop, its handling included"), \
      RIPSTOP_INTEGER(config, message_flits, 0, 1023, "0",                                                        \
                      "flits of a message, which occupies its link; 0: messages have a virtual channel of their own")

#endif
