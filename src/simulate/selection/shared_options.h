/* shared_options.h - options that several selection functions have: what they count, and whether packets are bound.
 * Names of runs leave the defaults out, as they did before there were these options. */
#ifndef SIMULATE_SELECTION_SHARED_OPTIONS_H
#define SIMULATE_SELECTION_SHARED_OPTIONS_H

#include "ripstop/plugin/selection.h"

enum { COUNTS_CHANNEL, COUNTS_PORT };

/* For a struct `config` with members `int32_t counts` and `bool binds`. */
#define COUNTS_OPTION                                                                                                 \
  {                                                                                                                   \
    .name = "counts", .type = RIPSTOP_OPTION_WORD, .offset = offsetof(config, counts), .words = counts_words,         \
    .fallback = "channel", .later = true,                                                                             \
    .help = "channel: taken units of the candidate's next queue; port: units that are bound for its output port, on " \
            "all channels, with those that wait for it in the switch"                                                 \
  }
#define BINDS_OPTION                                                                                                   \
  {                                                                                                                    \
    .name = "binds", .type = RIPSTOP_OPTION_FLAG, .offset = offsetof(config, binds), .fallback = "off", .later = true, \
    .help = "a packet keeps the candidate that it gets when it becomes the head of its queue"                          \
  }

static const char *const counts_words[] = {[COUNTS_CHANNEL] = "channel", [COUNTS_PORT] = "port", NULL};

static inline unsigned traits_of(int32_t counts, bool binds) {
  return (counts == COUNTS_PORT ? RIPSTOP_SELECTION_LOAD : 0) | (binds ? RIPSTOP_SELECTION_BINDS : 0);
}

#endif
