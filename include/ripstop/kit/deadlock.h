/* deadlock.h - the verdict on deadlock and its sentence, which every command and page prints in the same words.
 *
 * The verdict always names the flow control that it assumes, because the same routes can be free of deadlock on one
 * kind of switch and not on another. Two commands give different verdicts only where they assume different flow
 * control. Two analyses lead here: the channel dependency graph of forwarding tables (judge.h) and the proof over all
 * states of a plan (prove.h); ripstop_plan_deadlock (kit/proofs.h) picks the one that decides for a method. */
#ifndef RIPSTOP_DEADLOCK_H
#define RIPSTOP_DEADLOCK_H

#include "ripstop/error.h"

RIPSTOP_BEGIN

/* Ordered: up to RIPSTOP_DEADLOCK_DRAINED nothing waits forever under the flow control that the routes need. */
typedef enum ripstop_deadlock {
  RIPSTOP_DEADLOCK_IMPOSSIBLE, /* with credits and with PFC, so with bubble flow control as well */
  RIPSTOP_DEADLOCK_DRAINED,    /* bubble flow control prevents it; switches without it, as InfiniBand's, can deadlock */
  RIPSTOP_DEADLOCK_POSSIBLE,   /* with credits and with PFC */
  RIPSTOP_DEADLOCK_DESPITE     /* with bubble flow control, and without it */
} ripstop_deadlock;

/* The sentence after "deadlock ": "possible with credits or PFC". Evidence may follow after a colon. */
extern const char *const ripstop_deadlock_words[];

/* The flow control that routes assume, by ripstop_plan.bubble: "credits or PFC", "bubble flow control". */
extern const char *const ripstop_flow_control_words[];

/* The verdict of an analysis. `bubble`: the routes need bubble flow control (ripstop_plan.bubble). `waits`: some
 * queues can wait for each other alone with plain credits; `waits_despite`: also with bubble flow control (of no
 * meaning without `bubble`). */
ripstop_deadlock ripstop_deadlock_of(bool bubble, bool waits, bool waits_despite);

/* The verdict of tables on switches with credits or PFC alone, by whether their channel dependency graph has a cycle.
 */
static inline ripstop_deadlock ripstop_deadlock_of_tables(bool loop) { return ripstop_deadlock_of(false, loop, false); }

/* The verdict: can packets wait forever under the flow control that the routes need. */
static inline bool ripstop_deadlock_possible(ripstop_deadlock d) { return d > RIPSTOP_DEADLOCK_DRAINED; }
/* The same on switches that have credits or PFC and no bubble flow control, whatever the routes need. */
static inline bool ripstop_deadlock_without_bubble(ripstop_deadlock d) { return d != RIPSTOP_DEADLOCK_IMPOSSIBLE; }

RIPSTOP_END

#endif
