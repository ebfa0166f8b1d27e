/* shown.h - which runs a filter passes (shown.c). */
#ifndef RIPSTOP_EXPERIMENT_SHOWN_H
#define RIPSTOP_EXPERIMENT_SHOWN_H

#include "ripstop/kit/experiment.h"

/* Whether a value of the filter's key, or NULL, is among those that count. */
bool shown_passes(const ripstop_runs *runs, const ripstop_filter *filter, const char *value);

#endif
