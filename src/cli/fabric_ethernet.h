/* fabric_ethernet.h - `ripstop fabric` for cables of Ethernet: from LLDP, a plan or configurations. */
#ifndef RIPSTOP_CLI_FABRIC_ETHERNET_H
#define RIPSTOP_CLI_FABRIC_ETHERNET_H

#include <stdbool.h>

/* Prints what is cabled, and with a plan (else NULL) how it differs; the exit code, 1 where cables differ. `edges`:
 * prints an edge list instead, which all commands read. */
int fabric_ethernet(const char *path, const char *plan, bool json, bool edges);

#endif
