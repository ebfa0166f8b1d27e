/* connected.h - what methods guarantee that serve whatever is connected. */
#ifndef METHODS_SHARED_CONNECTED_H
#define METHODS_SHARED_CONNECTED_H

#include "ripstop/plugin/method.h"

/* No deadlock; and what leaves the fabric in one piece is tolerated. A torus falls apart with as many dead links as a
 * router has, a fat tree with as many as a lowest switch has upwards, and neither with fewer. Of other fabrics nothing
 * is promised. */
void ripstop_connected_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out);

#endif
