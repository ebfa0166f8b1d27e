/* transient.h - the number of writes for packets to end nodes alone, about which verdicts on tables are, and for tables
 * whose masks of multicast groups change as well. */
#ifndef TABLES_TRANSIENT_H
#define TABLES_TRANSIENT_H

#include "ripstop/kit/judge.h"

/* Does the same as ripstop_judge_update, except that `steps` ignores waits of packets to switches, which are for
 * management. These must not loop. */
void transient_judge_data(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                          ripstop_update *out);
/* Does the same as ripstop_judge_update, except that packets of groups and packets to switches do not count together,
 * and that masks change, too. New masks come with the first write, also if no entry changes, and old ones meet its
 * entries. `clear`: the first write clears all masks instead, and the new ones come after it. If not even the masks
 * alone can be written, `steps` is RIPSTOP_NONE. */
void transient_judge_masks(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                           bool clear, ripstop_update *out);

#endif
