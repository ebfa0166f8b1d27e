/* repair.h - forwarding tables that follow faults: the fewest changes restore the paths that a failed part breaks.
 * Everything can be undone, so many parts can be tried one after another.
 *
 * The rule: an entry whose packets still arrive stays. From the other switches, packets for the address take a
 * shortest path to a switch from which they arrive, over the port with the fewest paths so far; ties go to the lowest
 * port. This equals min-hop with preserved entries where routes are minimal, and it does not require minimal routes. */
#ifndef TABLES_REPAIR_H
#define TABLES_REPAIR_H

#include "ripstop/kit/judge.h"

typedef struct repair repair;

/* Works on copies of `view` and `tables`, which must outlive it and must not change. */
repair *repair_new(const ripstop_view *view, const ripstop_forwarding *tables);
void repair_free(repair *r);
const ripstop_view *repair_view(const repair *r);
const ripstop_forwarding *repair_tables(const repair *r);

/* Fails links and switches together, and repairs the tables. Parts that have failed already do not count. Fills in
 * `out` except the loops, which are separate queries. */
void repair_kill(repair *r, const ripstop_faults *parts, ripstop_what_if *out);
/* The first step of repair_kill alone, so that other tables can replace the second: fills in the disconnected pairs
 * and lost paths. */
void repair_tear(repair *r, const ripstop_faults *parts, ripstop_what_if *out);
void repair_mend(repair *r, ripstop_what_if *out);
/* Gives an entry to every switch that can reach an address, so that packets arrive. */
void repair_all(repair *r);
/* True if other tables can be judged in place of the repaired ones: they have the same addresses and service levels,
 * and the service level alone gives the VL. */
bool repair_follows(const repair *r, const ripstop_forwarding *tables);
/* Replaces the second step, if nothing had failed before the part: the rest of `out`, and the next queries, are about
 * these tables, which must stay until then. */
void repair_follow(repair *r, const ripstop_repaired *now, ripstop_what_if *out);
/* True if packets can wait for each other in a cycle while they meet original and repaired entries. Call it after
 * each failure that stays, or never, and not after one that stays and has such a cycle. */
bool repair_transient_loop(repair *r);
/* The same while the tables are written and all failed parts still work, as when cables are pulled only afterwards. Of
 * both, call one alone. */
bool repair_written_loop(repair *r);
/* After repair_kill: moves paths off channels that carry more than their limit ([ports], by the port that sends into
 * the channel), onto others of equal length. False: it found no tables within the limits. */
bool repair_spread(repair *r, const uint64_t *limit);
/* Paths on the channel that each port sends into ([ports]), by the present tables, or those that replace them. */
void repair_loads(const repair *r, uint64_t *load);
/* True if the repaired tables, or those that replace them, have a credit loop alone; after the first failure only,
 * and only if a transient state has one. */
bool repair_credit_loop(repair *r);
/* Undoes the last repair_kill; once for each. */
void repair_undo(repair *r);

#endif
