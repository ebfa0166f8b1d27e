/* fib_transient.h - what old and new routes do together while a fabric converges.
 *
 * Every switch changes its entries by itself, so for some time each has its old entry or its new one for each class of
 * addresses. Next hops over cables that have failed are left out of both: a switch takes them out at once. Three
 * questions have three answers:
 *
 *   loops          can packets loop in some transient state? Exact: a cycle of switches requests one entry of each.
 *   credit loops   of all old and new entries together: an upper bound, and exact for packets in flight, which were
 * looked up before a change. fixed          is there one choice of old or new for each entry whose tables have a credit
 * loop? Exact, for states that last: a slow or stopped switch. */
#ifndef RIPSTOP_TABLES_ETHERNET_FIB_TRANSIENT_H
#define RIPSTOP_TABLES_ETHERNET_FIB_TRANSIENT_H

#include "tables/ethernet/fib_waits.h"

typedef enum fib_fixed { FIB_FIXED_NO, FIB_FIXED_YES, FIB_FIXED_UNDECIDED } fib_fixed;

typedef struct fib_transient {
  uint64_t entries, changed; /* once for each host that they lead to */
  fib_names looping;         /* classes that can loop */
  fib_waits waits;           /* all entries together */
  fib_cycles cycles;
  fib_fixed fixed;
} fib_transient;

/* f->before must be there. Memory from f->arena. */
void fib_judge_transient(fib *f, fib_transient *out);

#endif
