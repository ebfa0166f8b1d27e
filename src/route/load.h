/* load.h - the lookup of a method by its specification, for the code that compiles plans and the code that repairs
 * tables. */
#ifndef ROUTE_LOAD_H
#define ROUTE_LOAD_H

#include "ripstop/plugin/method.h"

/* A method with its options and the files that they name, in memory of the arena. NULL: see *answer. */
const ripstop_method *ripstop_method_load(ripstop_arena *arena, const ripstop_fabric *fabric, const char *spec,
                                          void **config, ripstop_answer *answer, ripstop_error *err);

#endif
