/* connected.h - the guarantees of methods that serve every connected pair. */
#ifndef METHODS_SHARED_CONNECTED_H
#define METHODS_SHARED_CONNECTED_H

#include "ripstop/plugin/method.h"

/* No deadlock, and every fault set that leaves the fabric connected is tolerated. As many failed links as a router has
 * can disconnect a torus, as many as a lowest switch has upwards a fat tree, and never fewer. Nothing is guaranteed for
 * other fabrics. */
void ripstop_connected_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out);

#endif
