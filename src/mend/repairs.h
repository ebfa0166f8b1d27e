/* repairs.h - whether older tables may stay, and tables of a mender for one state after another (ripstop_repairs of the
 * method mend). */
#ifndef MEND_REPAIRS_H
#define MEND_REPAIRS_H

#include "ripstop/mend.h"

/* Whether older tables may stay under these options, with what a repair changes of them: as many addresses, no more
 * lanes than allowed (fewer stay fewer), and levels by pair only where they may be. -1 with the reason: new ones have
 * to be made. Whoever repairs tables asks here: the method, and the keeper of a plug-in. */
int mend_may_stay(const ripstop_mend_options *wanted, const ripstop_forwarding *old, ripstop_error *err);

/* As ripstop_mend_repair, again and again: the mender that has got to know the old tables is kept. NULL: no memory. */
typedef struct mend_repairs mend_repairs;
mend_repairs *mend_repairs_open(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed, uint32_t budget,
                                ripstop_answer *answer, ripstop_error *err);
ripstop_answer mend_repairs_follow(mend_repairs *repairs, ripstop_repaired *out, ripstop_error *err);
void mend_repairs_close(mend_repairs *repairs);

#endif
