/* judge.h - the effects of forwarding tables on a fabric with faults: which pairs are reached, how many paths each
 * link carries, and whether packets can wait for each other forever (Dally and Seitz, 1987).
 *
 * A pair is an ordered pair of distinct end nodes of which the second has an address; if it has several, a pair is
 * reached when every one of them is, by every next hop of an entry that has several. Paths are counted on the channels
 * between switches, one for each source and address that is reached. */
#ifndef RIPSTOP_JUDGE_H
#define RIPSTOP_JUDGE_H

#include "ripstop/kit/capacity.h"
#include "ripstop/kit/deadlock.h"
#include "ripstop/kit/repair.h"
#include "ripstop/plugin/faults.h"

RIPSTOP_BEGIN

/* One multicast group, in the order of ripstop_groups. */
typedef struct ripstop_group_verdict {
  unsigned level;            /* the lowest of its service levels */
  uint32_t lane;             /* the VL of that level on its cables; RIPSTOP_NONE: they differ, or there is none */
  uint32_t switches;         /* with a port in their masks */
  uint32_t end_ports;        /* ports towards end nodes in masks, and switches that get a copy themselves */
  uint32_t cables;           /* over which copies go in both directions */
  uint32_t components;       /* parts of these switches and cables: members in two parts cannot reach each other */
  uint32_t asymmetric_ports; /* ports in masks towards a switch that does not send back, or towards nothing */
  uint32_t not_reached; /* members that get no copies from the largest component; RIPSTOP_NONE: members are unknown */
  bool forwarding_loop; /* masks form a cycle, where a packet is copied forever */
} ripstop_group_verdict;

/* Copies of multicast packets also wait: each cable by which copies come to a switch depends on every other port of the
 * switch's mask. */
typedef struct ripstop_multicast_verdict {
  bool credit_loop; /* the groups alone have one */
  uint32_t groups, forwarding_loops;
  const ripstop_group_verdict *group; /* [groups] */
} ripstop_multicast_verdict;

typedef struct ripstop_table_verdict {
  uint64_t pairs, unreached; /* unreached: for any reason */
  uint64_t disconnected;     /* among `unreached`: without any physical path */
  /* Paths, that is sources and addresses: as many as pairs if each end node has one address. */
  uint64_t paths, reached;
  uint64_t dead_ends; /* no entry, or one whose port does not lead on */
  uint64_t astray;    /* packets come out at another end node */
  uint64_t loops;     /* packets loop forever */
  /* Addresses of live switches, for management: all, and those that some end node with a live link does not reach. */
  uint32_t switch_addresses, switch_addresses_unreached;
  uint32_t max_hops; /* switch-to-switch links of the longest path that is reached */
  double mean_hops;
  const uint64_t *hops; /* [max_hops + 1]: paths of each length */
  /* Channels between switches that are alive. */
  uint32_t channels, unused; /* unused: without any path */
  uint32_t unused_links;     /* links between switches without a path in either direction */
  uint32_t unit;             /* `worst`, `p99` and `load` count parts of a path, of which it has so many: 1 if no entry
                              * has several next hops, which share its paths by weight */
  uint64_t worst, p99;       /* most paths on a channel; the 99th percentile over all channels (nearest rank) */
  uint32_t worst_port;       /* port that sends into the worst channel; RIPSTOP_NONE: there is no channel */
  const uint64_t *load;      /* [ports]: paths on the channel that a port sends into; 0 for others */
  /* Deadlock: VLs of channels as `channel * lanes + lane`, the channel named by the port that sends into it. */
  bool credit_loop;         /* unicast and multicast packets together have one */
  bool credit_loop_unicast; /* unicast packets alone have one */
  uint32_t in_loops;        /* VLs of channels in strongly connected components */
  uint32_t loop_length;
  const uint32_t *loop; /* [loop_length]: a shortest cycle of the smallest component; each waits for the next */
  /* The packets that wait at loop[i] are those of waiter[waiter_first[i]] to before waiter[waiter_first[i + 1]]: an
   * MLID, or 0 for unicast. NULL: all are unicast. */
  const uint32_t *waiter_first, *waiter;
  const ripstop_multicast_verdict *multicast; /* NULL: the tables have no groups */
  uint32_t lanes;
  uint32_t lanes_used; /* VLs used by packets to end nodes; 1 if none crosses a channel */
} ripstop_table_verdict;

/* Judges `tables` with the service levels of `levels` (NULL: of the same tables). Memory from the arena. -1: no
 * memory. */
int ripstop_judge(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                  const ripstop_forwarding *levels, ripstop_table_verdict *out, ripstop_error *err);

/* Transient states: while switches are written one by one each may still have its old entry, and connections keep
 * their old service levels. Addresses that only one of the tables has are left out. */
typedef struct ripstop_transient {
  uint64_t looping;        /* addresses for which packets loop in some transient state */
  uint32_t looping_groups; /* multicast groups whose masks form a cycle in some transient state */
  bool credit_loop; /* the dependencies of all transient states together have a cycle: without one none can deadlock */
  uint32_t in_loops, loop_length;
  const uint32_t *loop;
  uint32_t lanes;
  /* The same when all switches have the new tables, and connections still use their old service levels. */
  bool old_levels_loop;
  uint32_t old_levels_in_loops, old_levels_length;
  const uint32_t *old_levels_cycle;
  uint64_t entries, changed; /* entries for addresses that both have: all, and those that differ */
  uint64_t levels_changed, levels;
} ripstop_transient;
int ripstop_judge_transient(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *before,
                            const ripstop_forwarding *after, ripstop_transient *out, ripstop_error *err);

/* The forwarding tables of a plan: those that the method has (ripstop_method.forwarding), or, if the next hop depends
 * on switch and destination alone, tables with addresses of all end nodes, on one VL. `limit` as in
 * ripstop_tables_open. NULL: see *answer. */
ripstop_forwarding *ripstop_forwarding_of_plan(const ripstop_plan *plan, uint64_t limit, ripstop_answer *answer,
                                               ripstop_error *err);

/* Adds service levels and VLs that lead each packet over the channels that the plan gives it. Does not apply: service
 * levels cannot express that, and the error says why; then free the tables. */
ripstop_answer ripstop_forwarding_add_lanes(const ripstop_plan *plan, ripstop_forwarding *tables, ripstop_error *err);

/* Links between switches on a shortest path, on average over all ordered pairs of end nodes that a path connects: the
 * least possible mean_hops. NAN: there is no pair. Cost: a search from every switch with end nodes. */
double ripstop_judge_minimum_hops(const ripstop_view *view);

/* The spread of the addresses of one end node: packets from one switch over different channels. */
typedef struct ripstop_spread {
  uint64_t pairs;    /* switches with end nodes, paired with end nodes of others that they reach at several addresses */
  uint64_t alone;    /* among these, pairs with a single path */
  double candidates; /* different paths of a pair, on average; 0: there are no pairs */
} ripstop_spread;
int ripstop_judge_spread(const ripstop_view *view, const ripstop_forwarding *tables, ripstop_spread *out,
                         ripstop_error *err);

/* A lower bound on the paths of the busiest channel between switches, for any routing of the live fabric. It holds
 * for one path for each end node and each of the `addresses` of another that is connected, whatever VLs the routing
 * uses and however it splits paths. The search for a larger bound ends at `enough` (the worst of existing tables) or
 * after about a second. UINT64_MAX: no memory. */
uint64_t ripstop_judge_bound(const ripstop_view *view, uint32_t addresses, uint64_t enough);

/* ------------------------------------------------------------------ from old tables to new ones
 * Switches are written one by one, and in between old and new entries work together, and old and new service levels. */

typedef struct ripstop_update {
  uint64_t entries, changed; /* entries for all addresses that one of them has; without a switch's own entry */
  uint64_t changed_failed;   /* among these: the old entry leads into a failed part, and could not stay */
  uint64_t levels_changed;
  /* SL2VL tables, one for each input and each output port of a switch, that differ in the VL of a service level which
   * either uses. */
  uint64_t lanes_changed;
  /* Number of writes, such that in no transient state between two of them packets can wait for each other forever or
   * loop. 0: nothing changes; 1; 2: `between` first, when all switches have it the new tables; RIPSTOP_NONE: no order
   * is safe, since the old tables, or the new ones under old service levels or with VLs of both, can deadlock alone. */
  uint32_t steps;
  ripstop_forwarding *between; /* the old tables without the entries that change; NULL: not needed. The caller frees
                                * it */
} ripstop_update;
/* Both must be tables of the view's fabric. */
int ripstop_judge_update(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                         ripstop_update *out, ripstop_error *err);

/* ------------------------------------------------------------------ the effects of the next failure
 * After it the tables are repaired. An entry whose packets still arrive stays. At the other switches packets take a
 * shortest path to one from which they do, over the port that carries the fewest paths. */

typedef struct ripstop_what_if {
  uint64_t disconnected; /* pairs that had a path and have none, including those of end nodes that fail with the
                          * parts */
  uint64_t own;          /* among these, pairs of which an end node fails with the parts */
  uint64_t on_it;        /* paths over the parts: lost until other tables are written */
  uint64_t changed;      /* entries that the repair writes */
  uint64_t worst;        /* most paths on a channel between switches after the repair */
  bool credit_loop;      /* in the repaired tables alone */
  bool transient_loop;   /* among packets that are in flight already, or meet old and new entries */
  bool no_order;         /* then two writes do not help either (ripstop_update.steps) */
  uint32_t groups_cut;   /* multicast groups with members that no longer reach each other by the present masks */
  uint32_t members_cut;  /* ports in masks of groups, of end nodes that are alive, outside the largest parts */
  bool rerouted;         /* by a method: changed, worst and both loops describe its new tables, not repaired ones */
  uint64_t unrouted;     /* then: pairs that have a path, but no route in these tables */
  const char *why_not;   /* a method was used and has no tables for the rest: its reason; NULL else */
  double role_worst;     /* after the failure of one cable: the most paths for each unit of rate on a channel in its
                          * roles (ripstop_capacity_worst); 0: not requested, or other parts */
} ripstop_what_if;

/* Called now and then in the caller's thread: `done` of `all` are done. */
typedef struct ripstop_progress {
  void (*tell)(void *context, uint32_t done, uint32_t all);
  void *context;
} ripstop_progress;

/* The effects of the failure of each of `count` sets of parts, to `out` ([count]); `threads` (at least 1) share the
 * sets, without effect on results. `progress` may be NULL, and `capacity` (for roles) too. */
int ripstop_judge_what_if(const ripstop_view *view, const ripstop_forwarding *tables, const ripstop_faults *parts,
                          uint32_t count, unsigned threads, const ripstop_capacity *capacity,
                          const ripstop_progress *progress, ripstop_what_if *out, ripstop_error *err);

/* The same when a method makes tables for the rest, from the old ones where it can (ripstop_plan_repair). If it has
 * none, the repaired tables are judged, `rerouted` is false, and `why_not`, in the arena, is its reason. It must have
 * tables of at most `limit` entries for the present view. -1 also if the machine failed while it made them. */
int ripstop_judge_reroute(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                          const char *method, uint64_t limit, const ripstop_faults *parts, uint32_t count,
                          unsigned threads, const ripstop_capacity *capacity, const ripstop_progress *progress,
                          ripstop_what_if *out, ripstop_error *err);

/* Nodes that could reach most end nodes, and stay up without the parts, but are cut off from the largest remaining
 * component: a subnet manager there loses them. In memory of the arena, ascending. */
int ripstop_judge_cut_off(ripstop_arena *arena, const ripstop_view *view, const ripstop_faults *parts, uint32_t **node,
                          uint32_t *count, ripstop_error *err);

/* A switch with hosts: the capacity of its uplinks compared with what its hosts can send. */
typedef struct ripstop_leaf {
  uint32_t node;
  uint32_t hosts, uplinks; /* live end nodes except those inside switches, and live cables to other switches */
  uint64_t need, have;     /* sums of their rates, RIPSTOP_RATE_FULL for one at full rate */
} ripstop_leaf;
/* All switches with hosts, the one with the least capacity for its need first. */
int ripstop_judge_leaves(ripstop_arena *arena, const ripstop_view *view, ripstop_leaf **out, uint32_t *count,
                         ripstop_error *err);

/* Links between two switches that, alone or in pairs, disconnect end nodes that a path connects, whatever the
 * tables. */
typedef struct ripstop_cuts {
  uint32_t links, alone;   /* live links, and those that disconnect end nodes alone */
  uint64_t pairs, parting; /* pairs of links: all, and those that disconnect end nodes, including pairs of which one
                            * link does alone */
  uint32_t limit, listed;
  uint32_t *pair; /* [2 * listed]: pairs of which neither link does alone, ascending; at most `limit` */
} ripstop_cuts;
int ripstop_judge_cuts(ripstop_arena *arena, const ripstop_view *view, uint32_t limit, ripstop_cuts *out,
                       ripstop_error *err);

/* Tables of shortest paths for all end nodes, each entry over the port with the fewest paths when it was made, as
 * min-hop does. One VL; not free of credit loops on fabrics with rings. NULL: no memory. */
ripstop_forwarding *ripstop_forwarding_shortest(const ripstop_view *view, ripstop_error *err);

/* "leaf-3[4] VL 1": a VL of a channel by its switch, port and, with several VLs, number. */
void ripstop_judge_print_lane(ripstop_text *out, const ripstop_fabric *fabric, uint32_t lanes, uint32_t lane);

RIPSTOP_END

#endif
