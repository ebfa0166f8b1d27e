/* plan_entries.h - prints tables entry by entry: what `ripstop route --entries` and `--ports` say. */
#ifndef REPORT_PLAN_ENTRIES_H
#define REPORT_PLAN_ENTRIES_H

#include "ripstop/kit/tables.h"

void ripstop_plan_entries_print(FILE *out, const ripstop_tables *tables, bool json);
/* A line a switch, a port a destination. -1: the plan has no plain forwarding tables. */
int ripstop_plan_ports_print(FILE *out, const ripstop_tables *tables, ripstop_error *err);

#endif
