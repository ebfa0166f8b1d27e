/* repairer.h - what plan.c lends to repairer.c, and both to whoever compares tables. */
#ifndef ROUTE_REPAIRER_H
#define ROUTE_REPAIRER_H

#include "ripstop/plugin/method.h"

/* A method with its options and their files read, in memory of the arena. NULL: see *answer. */
const ripstop_method *ripstop_method_load(ripstop_arena *arena, const ripstop_fabric *fabric, const char *spec,
                                          void **config, ripstop_answer *answer, ripstop_error *err);

/* To `address` [addresses] those of which some switch has another entry, ascending; how many these are. Both tables
 * have the same addresses. */
uint32_t ripstop_forwarding_differ(const ripstop_forwarding *one, const ripstop_forwarding *other, uint32_t *address);

#endif
