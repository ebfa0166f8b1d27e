/* repairs.h - whether older tables may stay, and a mender's tables for one state after another (ripstop_repairs of
 * the method mend). */
#ifndef MEND_REPAIRS_H
#define MEND_REPAIRS_H

#include "mend/mend_tables.h"
#include "ripstop/kit/repair.h"

/* Checks that older tables may stay under these options, with the entries that a repair changes: equally many
 * addresses, no more VCs than allowed (fewer are fine), and service levels by pair only where allowed. -1 with the
 * reason: new tables are needed. Both users of repairs call this: the method, and the subnet planner of a plug-in. */
int mend_may_stay(const ripstop_mend_options *wanted, const ripstop_forwarding *old, ripstop_error *err);

/* Like ripstop_mend_repair, repeatedly: the mender that knows the old tables is kept. NULL: no memory. */
typedef struct mend_repairs mend_repairs;
mend_repairs *mend_repairs_open(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed, uint32_t budget,
                                bool groups, ripstop_answer *answer, ripstop_error *err);
ripstop_answer mend_repairs_follow(mend_repairs *repairs, ripstop_repaired *out, ripstop_error *err);
void mend_repairs_close(mend_repairs *repairs);

#endif
