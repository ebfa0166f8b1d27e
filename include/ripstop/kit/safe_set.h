/* safe_set.h - which cables between switches may be taken out of service together, and why each of the others may not.
 *
 * A set is safe if the rest of the fabric satisfies six conditions:
 * - Reach: as many ordered pairs of end nodes are connected as now.
 * - Capacity: each part keeps min(c, n), with c as it is now (capacity.h).
 * - Flow, where cables join two leaves, as in a torus: between any two leaves a and b the maximum flow stays at or
 * above min(n(a), n(b), the maximum flow now). Capacities of single leaves do not show a narrow place between two
 * halves of such a fabric.
 * - Groups: no mask of a multicast group sends copies over a cable of the set, since the masks stay.
 * - Load: under the tables of the proof each channel carries at most max(B(role), own) paths for each unit of rate.
 *   B(role) is the most that a channel of its role carries now, among those of whole parts. `own` is the most that a
 *   channel of the same part and direction carries now. Both are at least an even spread and one bundle: the paths of
 *   one leaf for one address, which no tables can split.
 * - Order: the tables of the proof can be written over the present ones under traffic, in any order or in two writes,
 *   while all cables still work. So the tables come first, and then the cables: no packet uses them any more. This
 *   condition does not count if the present tables can deadlock already.
 *
 * "Now" are the given tables, or others (those that a method makes for the fabric as it is) if these have a lower bar
 * for some channel and a higher one for none: then bad tables do not raise the bar, and there are always tables that
 * meet it.
 *
 * If the tables are assumed, the switches may spread shortest paths otherwise. So the bars are at least those of a
 * second way to spread them (path_balance.h), but not above the most that any channel carries now.
 *
 * A fabric that is known only in part has no safe set: a cable that no host seems to need may be needed by one that is
 * not known.
 *
 * The tables of the proof are the present ones, repaired by the fewest changes after each cable, and then spread over
 * paths of equal length until the load fits. The search tries each cable once, the least loaded first, and demands any
 * order of writes. If the question permits, a second search spreads shortest paths from scratch for each cable, and the
 * larger set counts. It is left out where the first set is as large as can be, where the given tables have service
 * levels or several addresses of an end node, or where it is too much work (cables to try x addresses x channels above
 * 4 * 10^9). A larger set may exist, but none that is larger than `at_most`, which follows from capacity alone.
 */
#ifndef RIPSTOP_SAFE_SET_H
#define RIPSTOP_SAFE_SET_H

#include "ripstop/kit/capacity.h"
#include "ripstop/kit/judge.h"

RIPSTOP_BEGIN

/* The first condition that a set breaks. */
typedef enum ripstop_harm {
  RIPSTOP_HARM_NONE,
  RIPSTOP_HARM_PAIRS,
  RIPSTOP_HARM_CAPACITY,
  RIPSTOP_HARM_FLOW,
  RIPSTOP_HARM_GROUPS,
  RIPSTOP_HARM_LOAD,
  RIPSTOP_HARM_ORDER,
  RIPSTOP_HARM_INCOMPLETE, /* none is known, but the fabric is not known whole */
  RIPSTOP_HARMS
} ripstop_harm;
extern const char *const ripstop_harm_words[RIPSTOP_HARMS]; /* "none", "pairs", ... */

/* Two leaves between which less fits at once than their hosts need and have now. */
typedef struct ripstop_flow_gap {
  uint32_t part[2];    /* leaves, as parts of the capacity */
  uint64_t kept, need; /* the maximum flow, as a rate, and what it should be */
} ripstop_flow_gap;

typedef struct ripstop_safe_question {
  const ripstop_view *view;
  const ripstop_forwarding *tables;
  const ripstop_table_verdict *before; /* judges these tables */
  const ripstop_forwarding *other;     /* for the same view; NULL: none */
  const ripstop_capacity *capacity;    /* describes the view */
  const ripstop_progress *progress;    /* counts cables tried; may be NULL */
  bool incomplete;                     /* the fabric is known only in part */
  bool assumed;                        /* the tables are shortest paths, as those of the switches are not known */
  bool from_scratch;                   /* search also with shortest paths that are spread from scratch for each cable */
} ripstop_safe_question;

/* The paths of a role's channels for each unit of rate. */
typedef struct ripstop_role_use {
  double bar;           /* B(role) */
  double before, after; /* the most under the given tables, and under those of the proof */
  double rerouted;      /* the most under a method's tables */
} ripstop_role_use;

typedef struct ripstop_safe_set {
  uint32_t links;
  const uint32_t *link;
  uint32_t refused; /* links that were tried and would do harm */
  uint32_t at_most; /* no set that keeps all capacities is larger */
  uint32_t idle;    /* cables that carry no path and no copies now: safe while the tables stay as they are */
  const uint32_t *idle_link;
  const uint8_t *why_not;      /* [links of the fabric]: ripstop_harm of this cable alone */
  const uint32_t *hurts;       /* [links of the fabric]: the part; RIPSTOP_NONE: none */
  const ripstop_flow_gap *gap; /* [links of the fabric]: filled in where `why_not` is RIPSTOP_HARM_FLOW */
  bool flow;                   /* the condition "flow" applies */
  /* The same beside the set; NONE for a cable in it, and for one that ripstop_judge_safe_reroute removed from it. */
  const uint8_t *why_not_beside;
  const uint32_t *hurts_beside;
  uint32_t unsafe[RIPSTOP_HARMS];          /* cables by `why_not` */
  uint64_t connected_now, connected_then;  /* ordered pairs of end nodes */
  const uint64_t *capacity_after;          /* [parts] */
  ripstop_role_use *role;                  /* [roles] */
  const uint64_t *limit;                   /* [ports]: paths on the channel that a port sends into */
  bool fresh;                              /* the proof begins with the other tables */
  bool from_scratch;                       /* `proved` are shortest paths spread from scratch: the set is larger so */
  const ripstop_forwarding *from, *proved; /* the tables with which the proof begins and ends */
  ripstop_table_verdict after;             /* judges `proved` on the rest */
  ripstop_transient transient;             /* the given tables and `proved` together, while all cables work */
  uint32_t steps; /* ripstop_update.steps from the given tables to `proved`, for packets to end nodes */
  const ripstop_forwarding *between; /* the first of two writes; NULL: not needed */
  /* The same for a method's tables, see ripstop_judge_safe_reroute. */
  bool rerouted;              /* they meet the conditions */
  ripstop_harm rerouted_harm; /* else the first that they break with nothing taken out */
  uint64_t worst_now;         /* in the method's tables with nothing taken out */
  const ripstop_forwarding *rerouted_tables;
  ripstop_table_verdict rerouted_after;
  ripstop_transient rerouted_transient;
  uint32_t rerouted_steps;
  const ripstop_forwarding *rerouted_between;
} ripstop_safe_set;
/* Everything is in the arena. -1: such tables cannot be repaired, or no memory. */
int ripstop_judge_safe_set(ripstop_arena *arena, const ripstop_safe_question *question, ripstop_safe_set *out,
                           ripstop_error *err);

/* The tables that a method makes for the fabric as it is, for ripstop_safe_question.other: from the given ones where it
 * can (ripstop_plan_repair). NULL: it has none, or the machine failed. */
ripstop_forwarding *ripstop_judge_tables_of(const ripstop_view *view, const char *method,
                                            const ripstop_forwarding *tables, uint64_t limit, ripstop_error *err);

/* Reduces such a set to its first links, so that the tables that a method makes for the rest meet the conditions, too.
 * Found by bisection, and one more link can do harm that two more would not: the result is a known prefix, and a longer
 * one may exist. If the method's tables break a condition with nothing taken out, the set is empty, `rerouted` is
 * false, and `rerouted_after` is of these tables. -1 also if the method has no tables now. */
int ripstop_judge_safe_reroute(ripstop_arena *arena, const ripstop_safe_question *question, const char *method,
                               uint64_t limit, ripstop_safe_set *set, ripstop_error *err);

RIPSTOP_END

#endif
