/* repairer.h - the comparison of two sets of forwarding tables. */
#ifndef TABLES_REPAIRER_H
#define TABLES_REPAIRER_H

#include "ripstop/kit/repair.h"

/* Addresses for which some switch has another entry in `other`, ascending, to `address` [addresses]; returns their
 * number. Both tables have the same addresses. */
uint32_t ripstop_forwarding_differ(const ripstop_forwarding *one, const ripstop_forwarding *other, uint32_t *address);

#endif
