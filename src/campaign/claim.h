/* claim.h - which runs of a list are this process's to begin, where others may do them too (ripstop_workers.claim). */
#ifndef RIPSTOP_CAMPAIGN_CLAIM_H
#define RIPSTOP_CAMPAIGN_CLAIM_H

#include "campaign/workers.h"

typedef struct claims {
  const ripstop_run *const *list;
  size_t count;
  const ripstop_workers *workers;
  const ripstop_run *const *granted_run; /* in the order in which they are begun */
  atomic_size_t granted, next;           /* number of granted_run; the next of them to begin */
  atomic_bool decided;                   /* `granted` will not grow */

  /* The caller's thread's alone. */
  const ripstop_run **mine;    /* [count] is granted_run, where there is `claim` */
  const ripstop_run **others;  /* [with_others] claimed by others when this process last tried */
  size_t claimed, with_others; /* claimed: runs of the list that were tried */
  size_t stored;               /* found done by others */
  double begun, looked;        /* seconds */
  ripstop_arena *arena;
} claims;

void claims_open(claims *c, const ripstop_run *const *run, size_t count, const ripstop_workers *workers);
void claims_close(claims *c);
/* The next run; NULL: none is there now. Any thread. */
const ripstop_run *claims_fetch(claims *c);
/* Returns the number that is there now, and whether there are some or may be some later. Any thread. */
size_t claims_waiting(const claims *c);
bool claims_more(const claims *c);
/* Claims more runs when few are left. `threads` do them, and `done` are done. In the caller's thread, as often as
 * possible. -1: `claim` failed. */
int claims_refresh(claims *c, unsigned threads, size_t done, double now);

#endif
