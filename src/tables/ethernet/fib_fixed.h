/* fib_fixed.h - is there one choice of old or new entries whose tables have a credit loop? */
#ifndef RIPSTOP_TABLES_ETHERNET_FIB_FIXED_H
#define RIPSTOP_TABLES_ETHERNET_FIB_FIXED_H

#include "tables/ethernet/fib_transient.h"

/* `all` has the dependencies of old and new entries together, with a cycle, and no class of addresses can loop. */
fib_fixed fib_find_fixed(fib *f, const fib_state *old, const fib_state *new, const fib_waits *all);

#endif
