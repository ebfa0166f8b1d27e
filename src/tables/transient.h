/* transient.h - the number of writes for packets to end nodes alone, about which verdicts on tables are. */
#ifndef TABLES_TRANSIENT_H
#define TABLES_TRANSIENT_H

#include "ripstop/kit/judge.h"

/* Does the same as ripstop_judge_update, except that `steps` ignores waits of packets to switches, which are for
 * management. These must not loop. */
void transient_judge_data(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                          ripstop_update *out);

#endif
