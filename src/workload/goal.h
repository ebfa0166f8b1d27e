/* goal.h - traces in GOAL's text and binary forms (docs/workloads.md, "GOAL"). */
#ifndef WORKLOAD_GOAL_H
#define WORKLOAD_GOAL_H

#include "ripstop/plugin/workload.h"

/* Adds the tasks of a trace. -1: a line or byte is not understood; the error has its number. */
int goal_read(ripstop_tasks *tasks, const char *text, size_t length, ripstop_error *err);

#endif
