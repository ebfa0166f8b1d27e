/* shown.h - which runs a filter passes (shown.c). */
#ifndef RIPSTOP_EXPERIMENT_SHOWN_H
#define RIPSTOP_EXPERIMENT_SHOWN_H

#include "ripstop/kit/experiment.h"

/* True if a value of the filter's key is among those that count; NULL is not. */
bool shown_passes(const ripstop_runs *runs, const ripstop_filter *filter, const char *value);

#endif
