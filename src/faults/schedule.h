/* schedule.h - checks changes that a program made, not a text. */
#ifndef RIPSTOP_FAULTS_SCHEDULE_H
#define RIPSTOP_FAULTS_SCHEDULE_H

#include "ripstop/plugin/faults.h"

/* True if the fabric has the part. */
bool ripstop_change_is_known(const ripstop_fabric *fabric, const ripstop_change *change);
/* Fails unless the fabric has all the parts, and the changes are sorted by cycle: all users of a schedule rely on
 * this. */
int ripstop_schedule_fits(const ripstop_schedule *schedule, const ripstop_fabric *fabric, ripstop_error *err);

#endif
