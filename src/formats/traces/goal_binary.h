/* goal_binary.h - reads schedules in GOAL's binary form, as txt2bin of LogGOPSim and spcl/HTSIM writes them
 * (htsim/sim/lgs/Parser.hpp), one record at a time. goal_trace.h gives its records to callers. */
#ifndef RIPSTOP_FORMATS_TRACES_GOAL_BINARY_H
#define RIPSTOP_FORMATS_TRACES_GOAL_BINARY_H

#include "formats/traces/goal_trace.h"

/* True for a schedule, also for one that its writer has not finished, which is refused later. */
bool goal_binary_is(const char *text, size_t length);
/* The next record of a trace that is opened. Its `line` is the byte of the operation in the file. */
int goal_binary_next(goal_trace *trace, goal_record *out);

#endif
