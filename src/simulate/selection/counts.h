/* counts.h - what selection functions by load count: the option `counts`. */
#ifndef SIMULATE_SELECTION_COUNTS_H
#define SIMULATE_SELECTION_COUNTS_H

#include "ripstop/plugin/selection.h"

enum { COUNTS_CHANNEL, COUNTS_PORT };
static const char *const counts_words[] = {[COUNTS_CHANNEL] = "channel", [COUNTS_PORT] = "port", NULL};

/* For a struct `config` with a member `counts`. Names of runs leave the default out, as they did before the option. */
#define COUNTS_OPTION                                                                                                 \
  {                                                                                                                   \
    .name = "counts", .type = RIPSTOP_OPTION_WORD, .offset = offsetof(config, counts), .words = counts_words,         \
    .fallback = "channel", .later = true,                                                                             \
    .help = "channel: taken units of the candidate's next queue; port: units that are bound for its output port, on " \
            "all channels, with those that wait for it in the switch"                                                 \
  }

static inline unsigned counts_needs(int32_t counts) { return counts == COUNTS_PORT ? RIPSTOP_SELECTION_LOAD : 0; }

#endif
