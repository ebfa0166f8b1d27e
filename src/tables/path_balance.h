/* path_balance.h - the load of shortest paths that are spread from scratch: one address after the other, each switch
 * sends to the least loaded of its next hops. For searches that try many sets of failed cables; tables only where they
 * are needed. */
#ifndef TABLES_PATH_BALANCE_H
#define TABLES_PATH_BALANCE_H

#include "ripstop/kit/capacity.h"
#include "ripstop/plugin/forwarding.h"

typedef struct path_balance path_balance;

/* For the end nodes that `like` has addresses of, one each. `view` may change between two calls of path_balance_make,
 * but for cables of end nodes; the capacity has the rates of cables. All must outlive it. Memory from the arena. */
path_balance *path_balance_new(ripstop_arena *arena, const ripstop_view *view, const ripstop_capacity *capacity,
                               const ripstop_forwarding *like);
/* Spreads all paths. Returns a channel that would carry more than its limit ([ports]), by the port that sends into it,
 * and stops there; RIPSTOP_NONE: all loads are within the limits. */
uint32_t path_balance_make(path_balance *b, const uint64_t *limit);
/* Paths on the channel that each port sends into ([ports]), by the last call, which met its limits. */
void path_balance_loads(const path_balance *b, uint64_t *load);
/* The tables of the last call, which met its limits. Entries for addresses of switches are those of `like`. Memory from
 * the arena. */
ripstop_forwarding *path_balance_tables(ripstop_arena *arena, const path_balance *b);
/* The work of a call of path_balance_make: entries to make, times the mean number of channels at a switch. */
uint64_t path_balance_work(const path_balance *b);

#endif
