/* return_steps.h - steps from a mender's tables towards a plan: entries of the plan that they can take together. */
#ifndef MEND_RETURN_STEPS_H
#define MEND_RETURN_STEPS_H

#include "mend/mend_tables.h"

typedef struct plan_step {
  const ripstop_forwarding *plan; /* with the addresses and VLs of the tables */
  uint64_t most;                  /* entries */
  uint64_t bar;                   /* paths that a channel may carry afterwards */
  bool single;                    /* one write is safe, whatever the order; otherwise two are */
} plan_step;

/* Lets the tables take entries of the plan, by destination only, whose service levels are the same. They close no cycle
 * with the other entries, nor with the groups' tree. Returns the number of entries. */
uint64_t mender_step(ripstop_mender *m, const plan_step *step);
/* room.c: gives one more destination all entries of the plan although trees of its VC are in the way: these take the
 * plan's entries as well, or others. Destinations that have the plan's entries keep them, so a detour can be needed
 * once for each. `tree`: cables that the groups' tree takes first; NULL: its own. Changes `most` entries at most, for
 * two writes. By destination only. */
uint64_t mender_detour(ripstop_mender *m, const ripstop_forwarding *plan, const uint8_t *tree, uint64_t most);

#endif
