/* judge_ethernet.h - `ripstop judge` for Ethernet: cables from LLDP or a plan, routes of FRR. */
#ifndef RIPSTOP_CLI_JUDGE_ETHERNET_H
#define RIPSTOP_CLI_JUDGE_ETHERNET_H

#include "cli/table_case.h"

/* True if the fabric is given as Ethernet's files. */
bool judge_is_ethernet(const ripstop_table_words *words);
/* Judges and prints; the exit code. `classes` may be NULL; `hosts` that are given are refused. */
int judge_ethernet(const ripstop_table_words *words, const ripstop_cli_values *before, const char *classes,
                   const char *hosts, bool json);

#endif
