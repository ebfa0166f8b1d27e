/* port_load.h - the load of output ports, for selection functions that compare it: docs/model.md, "Load of a port". */
#ifndef SIMULATE_PORT_LOAD_H
#define SIMULATE_PORT_LOAD_H

#include "simulate/choose.h"

/* Writes load[list->count]: for each candidate the load of its output port. */
void port_loads(const part *t, const sim_node *n, const open_list *list, int64_t *load);

#endif
