/* prove.h - decides the behaviour of a plan without simulating: delivery, livelock and deadlock over every state that
 * a packet can reach from its injection over every sequence of candidates. docs/prove.md explains the terms and
 * assumptions.
 *
 * A state is a packet's head at a place: its queue (a virtual channel of a directed link between switches, or its
 * network interface), its destination and the method's header word; also its source and class if a method says that
 * its routes depend on them (ripstop_method.by_source, ripstop_plan.classes). */
#ifndef RIPSTOP_PROVE_H
#define RIPSTOP_PROVE_H

#include "ripstop/deadlock.h"
#include "ripstop/plan.h"

RIPSTOP_BEGIN

/* Lengths of paths, in links, including the two links to the end nodes, over the pairs that are delivered under every
 * choice: sums, and maxima over pairs. `minimum` is the distance in the fabric without faults; `extra` is the walk
 * less that. */
typedef struct ripstop_paths {
  uint64_t pairs, minimum, shortest, longest; /* sums */
  uint32_t max_minimum, max_shortest, max_longest, max_extra_shortest, max_extra_longest;
} ripstop_paths;

/* An arc of a channel dependency graph; only port and channel of its queues are set. */
typedef struct ripstop_dependency {
  ripstop_deadlocked_packet from, to;
  bool cross;    /* the subfunction brings no packet to `from` that it sends on to `to` */
  bool in_cycle; /* both queues are counted in `cyclic` below */
} ripstop_dependency;

/* The extended channel dependency graph of a routing subfunction (Duato 1996; plugin/method.h, ripstop_subfunction),
 * over all queues in use but those that end nodes feed. If it has no cycle, the plan cannot deadlock with credits. */
typedef struct ripstop_dependencies {
  const struct ripstop_subfunction *of; /* NULL: not requested (ripstop_prover_dependencies) */
  uint64_t starved; /* heads, as states, to which it supplies nothing although the method permits something: the graph
                     * has all candidates of the method for them. 0: it is connected if `tolerated` holds */
  uint32_t queues;
  uint64_t direct, cross; /* dependencies */
  uint32_t cyclic;        /* queues that remain when those without a predecessor or a successor are removed
                           * repeatedly: those of cycles, and those between cycles. 0: there is no cycle */
  uint32_t length;        /* length of the shortest cycle that was found */
  const ripstop_deadlocked_packet *cycle; /* [length]: each queue depends on the next, the last one on the first */
  const ripstop_dependency *arc;          /* [direct + cross] */
} ripstop_dependencies;

/* Texts are NULL if there is nothing to show. Results of a sample of destinations hold for packets to these: a
 * failure is real, but no failure is no proof. `disconnected_pairs` is always of all. */
typedef struct ripstop_proof {
  uint64_t pairs;                   /* ordered pairs of distinct end nodes */
  uint64_t disconnected_pairs;      /* without a physical path */
  uint64_t lost_pairs_some_choice;  /* some sequence of choices, including a packet's random header, loses a packet of
                                     * some class, or loops forever */
  uint64_t lost_pairs_every_choice; /* no sequence delivers one of some class */
  bool tolerated;                   /* every pair is delivered under every choice */
  bool livelock_free;               /* no sequence of choices returns to a state */
  bool deadlock_free;               /* no set of queues can wait only for each other, with the flow control of the
                                     * plan */
  ripstop_deadlock deadlock;        /* the same with the flow control that it assumes, and without bubble */
  uint32_t destinations;            /* walked destinations: all end nodes, or a sample */
  uint32_t lost_destinations;       /* among these: those with a pair that is lost by some choice */
  uint64_t states;                  /* reachable */
  uint32_t max_hops;                /* links of the longest walk; RIPSTOP_NONE with livelock */
  /* deadlock_free: all queues in use, in an order in which each can only wait for earlier ones (queues of one ring
   * together). Otherwise: the greatest set of queues that can only wait for each other, with a packet for each. */
  uint32_t queues;
  const ripstop_deadlocked_packet *queue;
  const uint32_t *ring; /* [queues], deadlock_free: queues that drop together, as a bubble ring in its order, have the
                         * same number; 0: this queue drops alone */
  const char *lost_walk, *never_walk, *livelock_walk; /* an example of each kind of failure */
  ripstop_paths paths;                                /* if ripstop_prover_paths requests it; else zero */
  /* For transient states (ripstop_prove_transients) only. */
  uint64_t deadlock_packets; /* states in queues in which packets can remain */
  uint64_t dropped; /* among these: states whose packets may be lost, although live parts lead to their destination */
  const char *dropped_walk; /* an example */
  ripstop_dependencies dependencies;
  uint32_t draws; /* random headers with which packets of each pair were walked: all of the plan, or a sample */
} ripstop_proof;

/* Workspace for many proofs on one fabric; not to be shared by threads. */
typedef struct ripstop_prover ripstop_prover;
ripstop_prover *ripstop_prover_new(const ripstop_fabric *fabric);
void ripstop_prover_free(ripstop_prover *prover);
void ripstop_prover_paths(ripstop_prover *prover, bool wanted);
/* Requests the graph of this subfunction, one of the methods of later plans; NULL: none, the default. If a packet
 * settles early (ripstop_plan.choose_early), only the subfunction "all" is relevant to deadlock. */
void ripstop_prover_dependencies(ripstop_prover *prover, const struct ripstop_subfunction *wanted);
/* `threads` (at least 1) share the destinations of each proof; the default is 1. Proofs do not depend on it. -1: no
 * memory. */
int ripstop_prover_threads(ripstop_prover *prover, unsigned threads);

/* Later proofs walk packets to `count` random destinations only, from the seed, all different and equally likely; 0,
 * or as many as there are: to all, the default. -1: no memory. */
int ripstop_prover_destinations(ripstop_prover *prover, uint32_t count, uint64_t seed);
/* If a plan gives packets random headers: they are walked with `count` of these only, sampled likewise; 0, or as many
 * as there are: with all, the default. */
void ripstop_prover_draws(ripstop_prover *prover, uint32_t count, uint64_t seed);
/* -1: with this many random headers (0: all) the states of the packets to one destination need too much memory;
 * ripstop_prove refuses it. */
int ripstop_prove_check(const ripstop_plan *plan, uint32_t draws, ripstop_error *err);
/* With this confidence, which is above 0.5: at most this share of all destinations has a pair that is lost by some
 * choice. Exact if all were walked. */
double ripstop_lost_share_at_most(const ripstop_proof *proof, const ripstop_fabric *fabric, double confidence);

/* Decides everything for one plan. The pointers in `out` are valid until the next call. -1 when the plan breaks a
 * rule of method.h. */
int ripstop_prove(ripstop_prover *prover, const ripstop_plan *plan, ripstop_proof *out, ripstop_error *err);

/* The verdict on deadlock of a plan whose forwarding tables have been judged (judge.h). `loop`: their channel
 * dependency graph has a cycle. `whole`: they name the virtual channels that the plan uses; otherwise they were
 * judged as if all packets used one. The plan is proved only if the graph does not decide. Queues are in the arena.
 * -1 when the plan breaks a rule of method.h, or no memory. */
typedef struct ripstop_plan_waits {
  ripstop_deadlock verdict;
  bool proved;     /* by ripstop_prove; then the queues that can wait only for each other, if any: */
  uint32_t queues; /* like in ripstop_proof */
  const ripstop_deadlocked_packet *queue; /* [queues] */
} ripstop_plan_waits;
int ripstop_plan_deadlock(ripstop_arena *arena, const ripstop_plan *plan, bool loop, bool whole,
                          ripstop_plan_waits *out, ripstop_error *err);

/* Transient states of old and new tables (docs/prove.md, "Transient states"). Packets can be wherever any of them can
 * have brought them. Then every switch has its last version, and the proof gives the fates of packets from there on:
 * `deadlock_free`, `livelock_free` and `dropped` for all packets anywhere, the other fields for new ones. */
typedef struct ripstop_mixing {
  const struct ripstop_versions *versions; /* versions.h */
  bool in_order; /* packets continue in the order of the versions' stages: exactly the present history */
  bool for_ever; /* each transient state may stay: any version counts in place of the last one. Not with in_order */
} ripstop_mixing;
int ripstop_prove_transients(ripstop_prover *prover, const ripstop_mixing *mixing, ripstop_proof *out,
                             ripstop_error *err);

/* Which transient states to prove: of tables before a set's parts fail with tables after that. */
typedef struct ripstop_mixed {
  const ripstop_faults *before; /* the parts that failed before; NULL: none */
  uint32_t orders;              /* orders of messages, at least 1; a method without a protocol has one */
  bool in_order, for_ever;      /* like in ripstop_mixing */
  bool two_writes;              /* for methods without a protocol: entries that change are removed first */
  bool repaired;                /* the new tables are the old ones, repaired by the method (ripstop_plan_repair) */
  /* ripstop_network_versions, for methods with a protocol. */
  struct ripstop_versions *(*of_protocol)(const ripstop_plan *before, const ripstop_plan *after, uint32_t order,
                                          ripstop_error *err);
} ripstop_mixed;
/* The versions of order `number` of messages, or of write `number`, from the plan before to the one after, which must
 * have their tables and outlive the versions; `method` as for ripstop_plan_open. NULL: see *answer. */
struct ripstop_versions *ripstop_mixed_open(const ripstop_mixed *mixed, const char *method, const ripstop_plan *before,
                                            const ripstop_plan *after, uint32_t number, ripstop_answer *answer,
                                            ripstop_error *err);

/* ------------------------------------------------------------------ certificates
 * What a proof says of deadlock, as a file that stands for itself: fabric, method, fault set, and either the queues
 * that wait for each other with a packet for each, or an order of all queues in use (docs/prove.md has the format). It
 * is checked by a program that knows nothing of the prover (`ripstop check-witness`). */

typedef struct ripstop_certificate {
  ripstop_fabric *fabric;
  const char *method; /* spec */
  ripstop_faults faults;
  bool transient; /* for transient states; then the next two say which, except `of_protocol` */
  ripstop_mixed mixed;
  uint32_t number;                        /* number of the order of messages, or of the write */
  bool deadlock;                          /* else free of it */
  uint32_t queues;                        /* like in ripstop_proof */
  const ripstop_deadlocked_packet *queue; /* free of deadlock: port and channel alone */
  const uint32_t *ring;
  ripstop_arena *arena;
} ripstop_certificate;

/* Writes the certificate of `proof`, the last result of ripstop_prove for `plan`. -1: a write failed, and errno says
 * why. */
int ripstop_certificate_write(FILE *file, const ripstop_plan *plan, const ripstop_proof *proof);
/* The same for transient states, for a deadlock: `number` as in ripstop_mixed_open. */
int ripstop_certificate_write_transient(FILE *file, const ripstop_plan *plan, const ripstop_mixed *mixed,
                                        uint32_t number, const ripstop_proof *proof);
/* NULL with an error that names file and line. Free with ripstop_certificate_free. */
ripstop_certificate *ripstop_certificate_read(const char *path, ripstop_error *err);
ripstop_certificate *ripstop_certificate_parse(const char *name, const char *text, size_t length, ripstop_error *err);
void ripstop_certificate_free(ripstop_certificate *certificate); /* NULL is fine */

typedef enum ripstop_check { RIPSTOP_CONFIRMED, RIPSTOP_REFUTED, RIPSTOP_UNCHECKABLE } ripstop_check;

/* Decides by plain enumeration whether a certificate is true of a plan, which is that of its fabric, faults and
 * method. `verdict` gets one line: the result, or the first queue and packet that fail. `walks` (may be NULL) gets a
 * path by which each packet of a deadlock can have arrived. RIPSTOP_UNCHECKABLE: the plan breaks a rule of method.h. */
ripstop_check ripstop_certificate_check(const ripstop_certificate *certificate, const ripstop_plan *plan,
                                        ripstop_text *verdict, FILE *walks, ripstop_error *err);

/* The same for a deadlock in transient states, from the versions that the certificate names (ripstop_mixed_open). */
ripstop_check ripstop_certificate_check_transient(const ripstop_certificate *certificate,
                                                  const struct ripstop_versions *versions, ripstop_text *verdict,
                                                  FILE *walks, ripstop_error *err);

/* ------------------------------------------------------------------ symmetry
 * Sets of switch-switch links that a relabelling of the fabric (ripstop_family's `symbols`) carries into each other are
 * one orbit. A method that guarantees `symmetric` fares the same with all of them, so one stands for all. */

enum { RIPSTOP_ORBIT_FAULTS = 16 }; /* most links of a set; there are n! orders to try at worst */

typedef struct ripstop_symmetry ripstop_symmetry;
/* With `use` false, or a family without symbols: no set is equivalent to another. Works for any fabric. */
ripstop_symmetry *ripstop_symmetry_new(const ripstop_fabric *fabric, bool use);
/* All symmetries that are sound for the plan's method with its configuration. */
ripstop_symmetry *ripstop_symmetry_for(const ripstop_plan *plan);
void ripstop_symmetry_free(ripstop_symmetry *symmetry);
/* True if any set is equivalent to another. */
bool ripstop_symmetry_useful(const ripstop_symmetry *symmetry);
/* The orbit's representative, ascending, to `out`, which may be `link` (distinct switch-switch links in any order).
 * Returns how many sets the orbit has. */
uint64_t ripstop_symmetry_canonical(const ripstop_symmetry *symmetry, const uint32_t *link, uint32_t count,
                                    uint32_t *out);

/* Every orbit of sets of `count` links once:
 *   if (ripstop_orbits_first(&orbits, symmetry, count, err)) return -1;
 *   do ... orbits.link, orbits.sets ... while (ripstop_orbits_next(&orbits));
 * The orbits' sizes add up to the number of all sets. Nothing is allocated, so there is nothing to free. */
typedef struct ripstop_orbits {
  const ripstop_symmetry *symmetry;
  uint32_t count;
  uint32_t link[RIPSTOP_ORBIT_FAULTS];  /* the representative, ascending */
  uint64_t sets;                        /* sets in the orbit */
  uint32_t place[RIPSTOP_ORBIT_FAULTS]; /* private */
} ripstop_orbits;
/* -1: there are fewer links, or more than RIPSTOP_ORBIT_FAULTS are requested, or the sets cannot be counted in 64
 * bits. A count of 0 has one orbit: the empty set. */
int ripstop_orbits_first(ripstop_orbits *orbits, const ripstop_symmetry *symmetry, uint32_t count, ripstop_error *err);
bool ripstop_orbits_next(ripstop_orbits *orbits); /* false: that was the last */

/* ------------------------------------------------------------------ smallest defeat */

/* The fewest switch-switch links whose failure disconnects two end nodes, to *link, ascending, from the arena.
 * RIPSTOP_NONE if none can: all end nodes are at one switch. */
uint32_t ripstop_smallest_cut(ripstop_arena *arena, const ripstop_fabric *fabric, const uint32_t **link);

typedef struct ripstop_defeat_limits {
  uint64_t budget; /* sets to look at, one per orbit, by increasing size; ends the exact search */
  uint64_t search; /* proofs for random search for an upper bound if that did not find the smallest; 0: none */
  uint64_t seed;
  const atomic_int *stop; /* nonzero: both searches end as if their budgets were spent; may be NULL */
} ripstop_defeat_limits;

/* A set defeats a method when the fabric stays connected and yet some pair is lost under some choice, or packets can
 * loop forever, or queues can wait for each other forever, or the method says that it does not apply. */
typedef struct ripstop_defeat {
  uint32_t size;         /* links of the smallest set known to defeat the method; RIPSTOP_NONE: none known */
  const uint32_t *link;  /* ascending */
  const char *how;       /* "12 of 240 pairs can be lost, deadlock of 6 queues"; NULL when none is known */
  bool exact;            /* no smaller set defeats it; with size RIPSTOP_NONE: no connected set at all does */
  uint32_t at_least;     /* every set of fewer links was looked at, and none defeats it */
  bool symmetric;        /* one set for each orbit was looked at */
  uint64_t proofs, sets; /* in the exact search: sets looked at, and how many sets they stand for */
  uint32_t cut_size;     /* ripstop_smallest_cut */
  const uint32_t *cut;
} ripstop_defeat;

/* `method` as for ripstop_plan_open. RIPSTOP_DOES_NOT_APPLY: not even to the fabric without faults. The pointers in
 * `out` are to memory of the arena. */
ripstop_answer ripstop_smallest_defeat(ripstop_arena *arena, const ripstop_fabric *fabric, const char *method,
                                       const ripstop_defeat_limits *limits, ripstop_defeat *out, ripstop_error *err);
/* A few lines of text. -1: no memory. */
int ripstop_defeat_print(ripstop_text *out, const ripstop_fabric *fabric, const char *method,
                         const ripstop_defeat *defeat);

/* ------------------------------------------------------------------ many fault sets */

typedef enum ripstop_sets_kind { RIPSTOP_SETS_GIVEN, RIPSTOP_SETS_ALL, RIPSTOP_SETS_DRAWN } ripstop_sets_kind;
typedef enum ripstop_interval_kind { RIPSTOP_CLOPPER_PEARSON, RIPSTOP_WILSON } ripstop_interval_kind;
extern const char *const ripstop_interval_words[]; /* "clopper-pearson", "wilson", NULL */

/* The result for one fault set. */
typedef struct ripstop_set_proof {
  uint64_t number; /* from 0 on, in the order of the sets */
  uint64_t weight; /* the number of sets that it stands for */
  const ripstop_faults *faults;
  const ripstop_plan *plan;     /* NULL: the method does not apply to this set */
  const char *why_not;          /* then the reason */
  bool counted;                 /* ripstop_many.tolerance: only delivery was decided */
  double confidence;            /* ripstop_many.destinations: confidence of statements about the others */
  ripstop_mixing mixing;        /* ripstop_many.mixed: of the last order of messages below; else without versions */
  uint32_t orders;              /* orders of messages, or writes, that were proved: all, or up to the first that
                                 * fails */
  ripstop_proof proof;          /* then only `pairs` and `disconnected_pairs` hold */
  const ripstop_faults *before; /* ripstop_many.mixed: the parts that failed before the set; NULL: none */
} ripstop_set_proof;

/* Counts of sets, each with its weight. A set to which the method does not apply is neither tolerated nor
 * deadlocked. */
typedef struct ripstop_counts_of_sets {
  uint64_t sets, tolerated, deadlocked, livelocked, not_applicable;
  uint64_t safe; /* tolerated and free of deadlock */
  /* With ripstop_many.subfunction: its graph has a cycle; some head is starved. */
  uint64_t cyclic, starved;
} ripstop_counts_of_sets;

typedef struct ripstop_tally {
  uint64_t proofs; /* sets looked at: one for each orbit */
  bool counted;    /* for some sets only delivery was decided (ripstop_many.tolerance): `deadlocked`, `livelocked` and
                    * `safe` are not valid */
  ripstop_counts_of_sets all, connected;
  ripstop_paths paths; /* sums over all pairs of all sets */
} ripstop_tally;

/* The sets to prove, how, and the callbacks. */
typedef struct ripstop_many {
  const ripstop_fabric *fabric;
  const char *method; /* method spec */
  ripstop_sets_kind kind;
  const ripstop_faults *given; /* RIPSTOP_SETS_GIVEN */
  size_t givens;
  uint32_t count; /* else: parts in a set, and their scope */
  const ripstop_fault_scope *scope;
  bool symmetry;          /* RIPSTOP_SETS_ALL: one set for each orbit where that is sound */
  uint64_t samples, seed; /* RIPSTOP_SETS_DRAWN: most sets */
  double half_width;      /* RIPSTOP_SETS_DRAWN: stop when the interval for `tolerated` is this narrow; 0: never
                           * before */
  double confidence;
  ripstop_interval_kind interval;
  bool of_connected;                             /* the interval is that of the connected sets */
  bool paths;                                    /* fill ripstop_proof.paths */
  const struct ripstop_subfunction *subfunction; /* fill ripstop_proof.dependencies; NULL: do not */
  bool tolerance; /* decide delivery only: if the method can count its lost pairs (ripstop_method.lost_pairs), only
                   * this is done, and all of ripstop_proof except `pairs`, `disconnected_pairs`,
                   * `lost_pairs_some_choice` and `tolerated` stays zero */
  uint32_t destinations; /* 0: all; else walk packets to this many random destinations, from `seed`, the same ones for
                          * each set; such sets count as sets only */
  uint32_t draws;        /* 0: all; else, with `destinations`: walk packets with this many of their random headers */
  const ripstop_mixed *mixed; /* NULL: only the plan of each set is proved */
  unsigned threads;           /* at least 1 */
  uint32_t part, parts;       /* only set number part - 1 and every parts-th after it; parts 0: all */
  const atomic_int *stop;     /* nonzero: leave early; may be NULL */
  /* Called by the thread that proved the set: adds text to keep for the set. May be NULL. */
  void (*tell)(void *context, const ripstop_set_proof *proof, ripstop_text *text);
  /* Called in the caller's thread for one set after another, in order; pointers in `proof` are NULL. May be NULL.
   * Nonzero ends the work. */
  int (*done)(void *context, const ripstop_set_proof *proof, const ripstop_text *text, const ripstop_tally *so_far);
  void *context;
} ripstop_many;

/* Proves one plan for each set. Results depend on `many` alone, never on the number of threads. -1 with an error; 1
 * when `stop` or `done` ended it; else 0. */
int ripstop_prove_many(const ripstop_many *many, ripstop_tally *tally, ripstop_error *err);
/* The share of tolerated sets and, for random sets, its interval; otherwise the share is exact and both ends are the
 * same. [0, 1] for no sets. */
ripstop_interval ripstop_tally_interval(const ripstop_many *many, const ripstop_tally *tally, bool of_connected);

/* ------------------------------------------------------------------ rare failures */

enum { RIPSTOP_RARE_CORE_MAX = 8, RIPSTOP_RARE_LIST_MAX = 1000000 };

/* The share of sets of `count` parts that are not tolerated, if plain samples would hardly ever show one
 * (docs/prove.md, "Rare failures"). */
typedef struct ripstop_rare {
  const ripstop_fabric *fabric;
  const char *method; /* method spec */
  const ripstop_fault_scope *scope;
  uint32_t count;
  uint32_t core;    /* every set of up to this many parts is proved first; 1 to RIPSTOP_RARE_CORE_MAX and `count` */
  uint64_t samples; /* random sets after that */
  uint64_t seed;
  double confidence;
  unsigned threads;       /* at least 1 */
  const atomic_int *stop; /* nonzero: leave early; may be NULL */
} ripstop_rare;

typedef struct ripstop_rarity {
  uint64_t looked, listed; /* sets of up to `core` parts, and proofs of them; minimal ones that are not tolerated */
  double reach;            /* sum of the listed sets' shares of all sets: how many of them a random set contains */
  uint64_t within, within_hits;   /* samples that contain listed sets, and those that count */
  uint64_t outside, outside_hits; /* plain samples; those not tolerated without a listed set in them */
  uint64_t proofs;                /* proofs of samples */
  double share;                   /* not tolerated; unbiased */
  ripstop_interval interval;      /* for the share, never below the requested confidence */
  double gain; /* the variance that as many proofs of plain samples would have, divided by this one's; infinite if all
                * samples agreed */
} ripstop_rarity;

/* Results depend on `rare` alone, except its threads. -1 with an error, also for more than RIPSTOP_RARE_LIST_MAX
 * listed sets; 1 when `stop` ended it. */
int ripstop_prove_rare(const ripstop_rare *rare, ripstop_rarity *out, ripstop_error *err);

/* A graph of the last ripstop_prove, for Graphviz (`dot`): cross dependencies dashed, those between queues of
 * `cyclic` red. -1: no memory. */
int ripstop_dependencies_dot(ripstop_text *out, const ripstop_plan *plan, const ripstop_dependencies *dependencies);

/* Lines for people, each with its newline. -1: no memory. */
int ripstop_set_proof_print(ripstop_text *out, const ripstop_fabric *fabric, const ripstop_set_proof *proof);

RIPSTOP_END

#endif
