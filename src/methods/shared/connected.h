/* connected.h - guarantees that several methods share: of those that serve every connected pair, and of those that are
 * free of deadlock and tolerate no fault. */
#ifndef METHODS_SHARED_CONNECTED_H
#define METHODS_SHARED_CONNECTED_H

#include "ripstop/plugin/method.h"

/* No deadlock, and every fault set that leaves the fabric connected is tolerated. As many failed links as a router has
 * can disconnect a torus, as many as a lowest switch has upwards a fat tree, and never fewer. Nothing is guaranteed for
 * other fabrics. */
void ripstop_connected_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out);
/* No deadlock; a single fault can lose pairs, and paths can be longer than the shortest. */
void ripstop_no_deadlock_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out);

#endif
