/* repair.h - forwarding tables that follow faults: what a dead part takes away is put back by the fewest changes, and
 * all of it can be taken back, so that many parts can be tried one after the other.
 *
 * The rule: an entry whose packets still arrive stays. At the other switches packets for the address take a shortest
 * way to a switch from which they arrive, over the port that carries the fewest paths so far; ties go to the lowest
 * port. It is what min-hop with preserved entries does where ways are minimal, and asks for nothing else where they are
 * not. */
#ifndef TABLES_REPAIR_H
#define TABLES_REPAIR_H

#include "ripstop/judge.h"

typedef struct repair repair;

/* Works on copies of `view` and `tables`, which must outlive it and stay as they are. */
repair *repair_new(const ripstop_view *view, const ripstop_forwarding *tables);
void repair_free(repair *r);
const ripstop_view *repair_view(const repair *r);
const ripstop_forwarding *repair_tables(const repair *r);

/* Links and switches die together, and the tables are repaired. Those that are dead already do not count. All of `out`
 * but the loops, which are asked for apart. */
void repair_kill(repair *r, const ripstop_faults *parts, ripstop_what_if *out);
/* The same in two steps, of which other tables can take the second's place: of `out` the first tells who is parted and
 * what was lost. */
void repair_tear(repair *r, const ripstop_faults *parts, ripstop_what_if *out);
void repair_mend(repair *r, ripstop_what_if *out);
/* Gives every switch that can reach an address an entry for it, over which packets arrive. */
void repair_all(repair *r);
/* Whether other tables can be judged in place of the repaired ones: they have the same addresses and service levels,
 * which alone say the lane. */
bool repair_follows(const repair *r, const ripstop_forwarding *tables);
/* In place of repair_mend, with nothing dead before the part: the rest of `out`, and the next questions, are of these
 * tables for what is left; they must live till then. */
void repair_follow(repair *r, const ripstop_repaired *now, ripstop_what_if *out);
/* Whether something goes round of what packets can hold and wait for that meet entries of the tables as handed in and
 * repaired ones: asked after each kill that stays, or never, and not after one that stays and has such a loop. */
bool repair_mixture_loop(repair *r);
/* Whether the repaired tables, or those that were followed, alone have a credit loop; after the first kill only. Only
 * where mixtures have one. */
bool repair_credit_loop(repair *r);
/* Back to before the last repair_kill; only once for each. */
void repair_undo(repair *r);

#endif
