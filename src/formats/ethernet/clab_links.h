/* clab_links.h - a plan of cables as the topology of containerlab (NAME.clab.yml): `topology.links` is a list of links
 * with two `endpoints` each, "leaf1:e1-49" or {node: leaf1, interface: e1-49}. */
#ifndef RIPSTOP_FORMATS_ETHERNET_CLAB_LINKS_H
#define RIPSTOP_FORMATS_ETHERNET_CLAB_LINKS_H

#include "formats/ethernet/cabling.h"

/* True if some line of the text begins with "topology:", and another has "links:" or "nodes:". */
bool clab_links_is(piece text);
/* Adds its nodes and links. Errors name the file and the line. */
int clab_links_read(cabling *c, const char *name, piece text, ripstop_error *err);

#endif
