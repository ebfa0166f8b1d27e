/* schedule.h - whether changes that a program made, not a text, are changes of a fabric. */
#ifndef RIPSTOP_FAULTS_SCHEDULE_H
#define RIPSTOP_FAULTS_SCHEDULE_H

#include "ripstop/faults.h"

/* Whether the fabric has the part. */
bool ripstop_change_is_known(const ripstop_fabric *fabric, const ripstop_change *change);
/* Whether it has all the parts, and the changes are sorted by cycle: what everything that runs a schedule builds on. */
int ripstop_schedule_fits(const ripstop_schedule *schedule, const ripstop_fabric *fabric, ripstop_error *err);

#endif
