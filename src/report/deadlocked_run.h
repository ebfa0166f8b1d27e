/* deadlocked_run.h - the picture of a deadlock on an experiment's page. */
#ifndef REPORT_DEADLOCKED_RUN_H
#define REPORT_DEADLOCKED_RUN_H

#include "ripstop/kit/experiment.h"

/* The fabric with the queues that wait in a cycle, as the outcome's reason names them, and a list of them; nothing
 * where it names none, or the fabric is too large to be drawn. */
void report_deadlock(ripstop_text *out, const ripstop_run *run, const char *reason);

#endif
