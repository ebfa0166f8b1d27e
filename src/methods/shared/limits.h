/* limits.h - limits of methods with tables for each pair of switches. */
#ifndef METHODS_SHARED_LIMITS_H
#define METHODS_SHARED_LIMITS_H

#include "ripstop/plugin/method.h"

/* Checks that a head has at most UINT8_MAX candidates, and that neither the plan's tables nor the states of all
 * switches take more than 1 GiB. p->channels must be set. */
ripstop_answer ripstop_check_tables(const ripstop_plan *p, uint64_t candidates, uint64_t bytes, uint64_t states,
                                    ripstop_error *err);

#endif
