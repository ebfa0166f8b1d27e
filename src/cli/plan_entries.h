/* plan_entries.h - prints tables entry by entry: what `ripstop route --entries` and `--ports` say. */
#ifndef RIPSTOP_CLI_PLAN_ENTRIES_H
#define RIPSTOP_CLI_PLAN_ENTRIES_H

#include "ripstop/kit/tables.h"

void ripstop_cli_print_entries(FILE *out, const ripstop_tables *tables, bool json);
/* A line a switch, a port a destination. -1: the plan has no plain forwarding tables. */
int ripstop_cli_print_ports(FILE *out, const ripstop_tables *tables, ripstop_error *err);

#endif
