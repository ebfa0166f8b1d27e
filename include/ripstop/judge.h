/* judge.h - what forwarding tables do on a fabric with faults: who reaches whom, how many paths each link carries, and
 * whether packets can wait for each other forever (Dally and Seitz, 1987).
 *
 * A pair is an ordered pair of distinct end nodes of which the second has an address; of an end node with several, a
 * pair is reached when every one of them is. Paths are counted on the channels between switches, one for each source
 * and address that is reached. */
#ifndef RIPSTOP_JUDGE_H
#define RIPSTOP_JUDGE_H

#include "ripstop/deadlock.h"
#include "ripstop/faults.h"
#include "ripstop/repair.h"

RIPSTOP_BEGIN

typedef struct ripstop_table_verdict {
  uint64_t pairs, unreached; /* unreached: for whatever reason */
  uint64_t disconnected;     /* of `unreached`: without any path in what is alive */
  /* Paths, that is sources and addresses: as many as pairs where each end node has one address. */
  uint64_t paths, reached;
  uint64_t dead_ends; /* no entry, or one whose port does not lead on */
  uint64_t astray;    /* come out at an end node that is not theirs */
  uint64_t loops;     /* go round forever */
  /* Of switches that are alive, for management: all, and those that some end node with a live link does not reach. */
  uint32_t switch_addresses, switch_addresses_unreached;
  uint32_t max_hops; /* switch-to-switch links of the longest path that is reached */
  double mean_hops;
  const uint64_t *hops; /* [max_hops + 1]: paths of each length */
  /* Channels between switches that are alive. */
  uint32_t channels, unused; /* unused: without any path */
  uint32_t unused_links;     /* links between switches without a path in either direction */
  uint64_t worst, p99;       /* most paths on a channel; the 99th percentile over all channels (nearest rank) */
  uint32_t worst_port;       /* that sends into the worst channel; RIPSTOP_NONE: there is no channel */
  const uint64_t *load;      /* [ports]: paths on the channel that a port sends into; 0 for others */
  /* Deadlock: channels with their lanes as channel * lanes + lane, the channel named by the port that sends into it. */
  bool credit_loop;
  uint32_t in_loops; /* lanes of channels in strongly connected components */
  uint32_t loop_length;
  const uint32_t *loop; /* [loop_length]: a shortest cycle of the smallest component; each waits for the next */
  uint32_t lanes;
  uint32_t lanes_used; /* of these, by packets to end nodes; 1 where none crosses a channel */
} ripstop_table_verdict;

/* What packets do under `tables` while the levels are those of `levels` (NULL: of the same tables). Memory from the
 * arena. -1: no memory. */
int ripstop_judge(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                  const ripstop_forwarding *levels, ripstop_table_verdict *out, ripstop_error *err);

/* While switches are written one by one each may still have its old entry, and connections keep their old levels: what
 * can happen under every mixture of two tables. Addresses that only one of them has are left out. */
typedef struct ripstop_transient {
  uint64_t looping; /* addresses for which some mixture goes round forever */
  bool credit_loop; /* in the union of what all mixtures can hold and wait for: without one none can deadlock */
  uint32_t in_loops, loop_length;
  const uint32_t *loop;
  uint32_t lanes;
  /* The same when all switches have the new tables, and connections still use the levels that they had before. */
  bool old_levels_loop;
  uint32_t old_levels_in_loops, old_levels_length;
  const uint32_t *old_levels_cycle;
  uint64_t entries, changed; /* of addresses that both have: all, and those that differ */
  uint64_t levels_changed, levels;
} ripstop_transient;
int ripstop_judge_transient(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *before,
                            const ripstop_forwarding *after, ripstop_transient *out, ripstop_error *err);

/* The forwarding tables of a plan: those that the method has (ripstop_method.forwarding), or, where the way depends on
 * switch and destination alone, such with addresses of all end nodes, on one lane. `limit` as in ripstop_tables_open.
 * NULL: see *answer. */
ripstop_forwarding *ripstop_forwarding_of_plan(const ripstop_plan *plan, uint64_t limit, ripstop_answer *answer,
                                               ripstop_error *err);

/* Adds to them service levels and lanes that lead each packet over the channels that the plan gives it. Does not apply:
 * levels cannot say that, and the message says why; the tables are then to be freed. */
ripstop_answer ripstop_forwarding_add_lanes(const ripstop_plan *plan, ripstop_forwarding *tables, ripstop_error *err);

/* Links between switches on a shortest way, on average over all ordered pairs of end nodes that a path connects, what
 * mean_hops would be at best. NAN: there is no pair. Cost: a search from every switch with end nodes. */
double ripstop_judge_minimum_hops(const ripstop_view *view);

/* How the addresses of one end node spread: whether packets to it, from one switch, take different channels. */
typedef struct ripstop_spread {
  uint64_t pairs;    /* of switches with end nodes and end nodes of others that they reach at several addresses */
  uint64_t alone;    /* of these, such whose ways are all the same */
  double candidates; /* different ones of a pair, on average; 0: there are no pairs */
} ripstop_spread;
int ripstop_judge_spread(const ripstop_view *view, const ripstop_forwarding *tables, ripstop_spread *out,
                         ripstop_error *err);

/* A number of paths that no routing of what is alive can keep every channel between switches below, one path for each
 * end node and each of the `addresses` of another that is connected, whatever lanes it has and however it splits them.
 * The search for a larger one ends where it reaches `enough` (the worst of tables that exist) or after about a second.
 * UINT64_MAX: no memory. */
uint64_t ripstop_judge_bound(const ripstop_view *view, uint32_t addresses, uint64_t enough);

/* ------------------------------------------------------------------ from old tables to new ones
 * Switches are written one by one, and in between old and new entries work together, and old and new service levels. */

typedef struct ripstop_update {
  uint64_t entries, changed; /* of all addresses that one of them has; those that a switch has for itself left out */
  uint64_t changed_dead;     /* of these: the old entry leads into what is dead, and could not stay */
  uint64_t levels_changed;
  /* Tables of lanes (SL2VL), one for each input and each output port of a switch, that differ in the lane of a level
   * which either uses. */
  uint64_t lanes_changed;
  /* Writes, such that under no mixture of two that follow each other packets can wait for each other forever or go
   * round: 0: nothing changes; 1; 2: `between` first, when all switches have it the new ones; RIPSTOP_NONE: no writing
   * is safe, since the old tables, or the new ones under old service levels or with lanes of both, can deadlock by
   * themselves. */
  uint32_t steps;
  ripstop_forwarding *between; /* the old tables without the entries that change; NULL: not needed. To be freed */
} ripstop_update;
/* Both are of the view's fabric. */
int ripstop_judge_update(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                         ripstop_update *out, ripstop_error *err);

/* ------------------------------------------------------------------ what the next dead part does
 * After it the tables are repaired: an entry whose packets still arrive stays; at the other switches packets take a
 * shortest way to one from which they do, over the port that carries the fewest paths. */

typedef struct ripstop_what_if {
  uint64_t disconnected; /* pairs that had a path and have none, those of end nodes that die with the parts included */
  uint64_t own;          /* of these, pairs of which an end node dies with the parts */
  uint64_t on_it;        /* paths that the tables lead over them: lost until others are written */
  uint64_t changed;      /* entries that the repair writes */
  uint64_t worst;        /* most paths on a channel between switches after it */
  bool credit_loop;      /* the repaired tables alone */
  bool transient_loop;   /* what packets hold and wait for that are under way already, or meet old and new entries */
  bool rerouted;         /* by a method: changed, worst and both loops are of its new tables, not of repaired ones */
  uint64_t unrouted;     /* then: pairs that have a path, but no route by them */
  const char *why_not;   /* a method was asked and has no tables for what is left: its reason; NULL else */
} ripstop_what_if;

/* Told now and then in the caller's thread: so many of all are done. */
typedef struct ripstop_progress {
  void (*tell)(void *context, uint32_t done, uint32_t all);
  void *context;
} ripstop_progress;

/* What each of `count` sets of parts does when it dies from the present state, to `out` ([count]); so many threads (at
 * least 1) share the sets, and what comes out does not depend on them. `progress` may be NULL. */
int ripstop_judge_what_if(const ripstop_view *view, const ripstop_forwarding *tables, const ripstop_faults *parts,
                          uint32_t count, unsigned threads, const ripstop_progress *progress, ripstop_what_if *out,
                          ripstop_error *err);

/* The same when a method makes tables for what is left, from the old ones where it can (ripstop_plan_repair); where it
 * has none, those repaired here are judged, `rerouted` is false, and `why_not`, of the arena, its reason. It must have
 * tables of at most `limit` entries for the view as it is. -1 also where the machine failed while it made them. */
int ripstop_judge_reroute(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                          const char *method, uint64_t limit, const ripstop_faults *parts, uint32_t count,
                          unsigned threads, const ripstop_progress *progress, ripstop_what_if *out, ripstop_error *err);

/* Links between switches that may be taken out of service together: every pair that had a path keeps one, no channel
 * carries more paths than the worst one did, and nothing that old and repaired entries can hold and wait for together
 * goes round, so the repaired tables may be written in any order, under traffic. (Where the tables have a credit loop
 * already, that last condition is left out.) Found by trying one link after the other, those that carry least first:
 * not the largest set there is, and a link that would have hurt when it was tried may fit in after later repairs.
 * `after` judges what is left by itself, and `mixture` the old tables with the new: they are the proof. `progress` (of
 * links tried) may be NULL. */
typedef struct ripstop_safe_set {
  uint32_t links;
  const uint32_t *link;
  uint32_t refused; /* links that were tried and would have hurt */
  ripstop_table_verdict after;
  ripstop_transient transient;
  /* The same for a method's tables, see ripstop_judge_safe_reroute. */
  bool rerouted;      /* they hold */
  uint64_t worst_now; /* of the method's tables while nothing has been taken out */
  ripstop_table_verdict rerouted_after;
  ripstop_transient rerouted_transient;
} ripstop_safe_set;
int ripstop_judge_safe_set(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                           const ripstop_table_verdict *before, const ripstop_progress *progress, ripstop_safe_set *out,
                           ripstop_error *err);

/* Makes such a set smaller: to its first links, so many that the tables that a method makes for what is left hold as
 * well: all pairs that have a path are reached, no channel carries more than the worst of `before` or of the method's
 * tables as it is now, and there is a credit loop only if these have one. Found by halving, and one link more can harm
 * what two more would not: so many hold, but there may be more that do. Where the method's tables leave pairs with a
 * path without a route while nothing has been taken out, no set holds: it is empty then, `rerouted` is false, and
 * `rerouted_after` is of these tables. -1 also where the method has no tables now. `progress` (of links that are known
 * to hold or not to) may be NULL. */
int ripstop_judge_safe_reroute(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                               const ripstop_table_verdict *before, const char *method, uint64_t limit,
                               const ripstop_progress *progress, ripstop_safe_set *set, ripstop_error *err);

/* Nodes that could reach most end nodes, and live on without the parts, but cut off from the most that are left: a
 * subnet manager there loses them. In memory of the arena, ascending. */
int ripstop_judge_cut_off(ripstop_arena *arena, const ripstop_view *view, const ripstop_faults *parts, uint32_t **node,
                          uint32_t *count, ripstop_error *err);

/* A switch with hosts: what it can send on beside what its hosts can send it. */
typedef struct ripstop_leaf {
  uint32_t node;
  uint32_t hosts, uplinks; /* end nodes but for those inside switches, and cables to other switches, that are alive */
  uint64_t need, have;     /* their rates together, RIPSTOP_RATE_FULL for one at full rate */
} ripstop_leaf;
/* All switches with hosts, the one with the least to have for its need first. */
int ripstop_judge_leaves(ripstop_arena *arena, const ripstop_view *view, ripstop_leaf **out, uint32_t *count,
                         ripstop_error *err);

/* Which links between two switches, alone or two together, part end nodes that a path connects: whatever the tables. */
typedef struct ripstop_cuts {
  uint32_t links, alone;   /* those that are alive, and those that part somebody alone */
  uint64_t pairs, parting; /* of two links: all, and those that part somebody, these included of which one does alone */
  uint32_t limit, listed;
  uint32_t *pair; /* [2 * listed]: those of which neither does alone, ascending; no more than `limit` of them */
} ripstop_cuts;
int ripstop_judge_cuts(ripstop_arena *arena, const ripstop_view *view, uint32_t limit, ripstop_cuts *out,
                       ripstop_error *err);

/* Tables of shortest ways for all end nodes, each entry over the port that carried the fewest paths when it was made:
 * what min-hop does, where nobody has other tables. One lane; not free of credit loops on fabrics with rings. NULL: no
 * memory. */
ripstop_forwarding *ripstop_forwarding_shortest(const ripstop_view *view, ripstop_error *err);

/* "leaf-3[4] lane 1": a lane of a channel by its switch, port and, with several lanes, number. */
void ripstop_judge_print_lane(ripstop_text *out, const ripstop_fabric *fabric, uint32_t lanes, uint32_t lane);

RIPSTOP_END

#endif
