/* ptm_topology.h - a plan of cables as a topology.dot of PTM (prescriptive topology manager): a graph of Graphviz whose
 * edges name the ports, `"leaf1":"swp1" -- "spine1":"swp1"`. */
#ifndef RIPSTOP_FORMATS_ETHERNET_PTM_TOPOLOGY_H
#define RIPSTOP_FORMATS_ETHERNET_PTM_TOPOLOGY_H

#include "formats/ethernet/cabling.h"

/* True if the text begins as a graph of Graphviz. */
bool ptm_topology_is(piece text);
/* Adds its nodes and cables. Errors name the file and the line. */
int ptm_topology_read(cabling *c, const char *name, piece text, ripstop_error *err);

#endif
