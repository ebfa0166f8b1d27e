/* port_load.h - the load of output ports, for selection functions that compare it and protocols that report it:
 * docs/model.md, "Load of a port". */
#ifndef SIMULATE_PORT_LOAD_H
#define SIMULATE_PORT_LOAD_H

#include "simulate/choose.h"

/* Writes load[list->count]: for each candidate the load of its output port. */
void port_loads(const part *t, const sim_node *n, const open_list *list, int64_t *load);

/* The load of each output port of a node; `load` is [ports of the node]. */
void port_loads_of_node(const part *t, const sim_node *n, int64_t *load);

#endif
