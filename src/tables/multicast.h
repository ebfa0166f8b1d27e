/* multicast.h - what the masks of multicast groups do, and who waits in a cycle of dependencies. */
#ifndef TABLES_MULTICAST_H
#define TABLES_MULTICAST_H

#include "ripstop/kit/judge.h"
#include "tables/depend.h"

/* Judges the groups of one table, which must have some. `lanes`: as for depend_make. Memory from the arena. */
const ripstop_multicast_verdict *multicast_judge(ripstop_arena *arena, const depend_mix *m, uint32_t lanes);
/* Groups of any of the tables whose masks, those of all tables together, form a cycle. */
uint32_t multicast_looping(const depend_mix *m);
/* Counts the end ports of a group that are alive and have come to be outside its largest component since an earlier
 * view; 0: no cable of the group has failed. */
uint32_t multicast_cut(const ripstop_view *before, const ripstop_view *now, const ripstop_group *group);
/* Fills waiter_first and waiter for the cycle of the verdict. */
void multicast_name_waiters(ripstop_arena *arena, const depend_mix *m, uint32_t lanes, ripstop_table_verdict *out);

#endif
