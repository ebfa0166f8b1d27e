/* rejudge.h - the verdict on tables of a live fabric, which change little by little: whether all pairs are reached, no
 * credit loop exists, and the paths on the busiest channel. After a repair it looks only at the addresses whose
 * entries, or whose channels, have changed.
 *
 * The dependency graph only grows, so it also has dependencies of earlier tables. If that has no cycle, the present
 * tables have none. Where it is not enough, rejudge_read begins again. */
#ifndef TABLES_REJUDGE_H
#define TABLES_REJUDGE_H

#include "ripstop/kit/repair.h"
#include "tables/depend.h"

typedef struct rejudge rejudge;

/* For tables with as many addresses and VLs on the fabric of the view, which must outlive it. All memory is the
 * arena's. NULL: entries have several next hops, or VLs do not follow from service levels. */
rejudge *rejudge_new(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables);
/* Judges the whole tables. False: not known to be good (ripstop_judge knows). */
bool rejudge_read(rejudge *r, ripstop_forwarding *tables);
/* The same after changes: `entry` lists the entries that have changed since the last call, adjacent by address; parts
 * may have failed or returned since. Service levels must not have changed. The tables are changed and restored. */
bool rejudge_follow(rejudge *r, ripstop_forwarding *tables, const ripstop_mended_entry *entry, uint32_t entries);
/* The graph of unicast dependencies after a good verdict on these tables, with a few of earlier ones, and without a
 * cycle; NULL: it is not known. */
depend *rejudge_graph(rejudge *r, const ripstop_forwarding *tables);
/* Adds to that graph, until depend_undo, what packets for the addresses of changed entries wait for if they meet
 * entries of older tables with the same service levels, too. */
void rejudge_mix(rejudge *r, const ripstop_forwarding *older, const ripstop_mended_entry *entry, uint32_t entries);
/* The next rejudge_follow is false. */
void rejudge_forget(rejudge *r);
/* Paths on the busiest channel between switches. */
uint64_t rejudge_worst(const rejudge *r);

#endif
