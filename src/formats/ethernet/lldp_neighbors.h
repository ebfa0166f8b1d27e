/* lldp_neighbors.h - the neighbours of one switch, as `lldpcli -f json show neighbors` (or json0) prints them. */
#ifndef RIPSTOP_FORMATS_ETHERNET_LLDP_NEIGHBORS_H
#define RIPSTOP_FORMATS_ETHERNET_LLDP_NEIGHBORS_H

#include "formats/ethernet/cabling.h"
#include "formats/ethernet/json_tokens.h"

bool lldp_neighbors_is(const jt_doc *doc);
/* Adds the switch and its cables. Errors name the file and the line. */
int lldp_neighbors_read(cabling *c, const jt_doc *doc, const char *switch_name, ripstop_error *err);

#endif
