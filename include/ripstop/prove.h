/* prove.h - what a plan does, decided without simulating: delivery, livelock and deadlock over every state that a
 * packet can reach from its injection under every adaptive choice. docs/prove.md explains the words and what is
 * assumed.
 *
 * A state is a packet's head somewhere: the queue that it stands in (a virtual channel of a directed link between
 * switches, or its network interface), its destination and the method's header word; also its source and class where a
 * method says that its routes depend on them (ripstop_method.by_source, ripstop_plan.classes). */
#ifndef RIPSTOP_PROVE_H
#define RIPSTOP_PROVE_H

#include "ripstop/deadlock.h"
#include "ripstop/plan.h"

RIPSTOP_BEGIN

/* How far packets go, in links, the two links to the end nodes included, over the pairs that are delivered under every
 * choice: sums, and maxima over pairs. `minimum` is the distance in the fabric without faults; `extra` is the walk less
 * that. */
typedef struct ripstop_paths {
  uint64_t pairs, minimum, shortest, longest; /* sums */
  uint32_t max_minimum, max_shortest, max_longest, max_extra_shortest, max_extra_longest;
} ripstop_paths;

/* An arc of a channel dependency graph; of its queues port and channel alone are set. */
typedef struct ripstop_dependency {
  ripstop_deadlocked_packet from, to;
  bool cross;    /* the subfunction brings no packet to `from` that it sends on to `to` */
  bool in_cycle; /* both queues are counted in `cyclic` below */
} ripstop_dependency;

/* The extended channel dependency graph of a routing subfunction (Duato 1996; plugin/method.h, ripstop_subfunction),
 * over all queues in use but those that end nodes feed. If it has no cycle, the plan cannot deadlock with credits. */
typedef struct ripstop_dependencies {
  const struct ripstop_subfunction *of; /* NULL: not asked for (ripstop_prover_dependencies) */
  uint64_t starved; /* heads, as states, to which it supplies nothing although the method permits something: the graph
                       has all that the method permits for them. 0: it is connected where `tolerated` holds */
  uint32_t queues;
  uint64_t direct, cross; /* dependencies */
  uint32_t cyclic;        /* queues that are left when those without a predecessor or a successor are taken away, again
                             and again: those of cycles, and those between cycles. 0: there is no cycle */
  uint32_t length;        /* of the shortest cycle that was found */
  const ripstop_deadlocked_packet *cycle; /* [length]: each queue depends on the next, the last one on the first */
  const ripstop_dependency *arc;          /* [direct + cross] */
} ripstop_dependencies;

/* Texts are NULL where there is nothing to show. What is said of a sample of destinations holds for packets to these: a
 * failure is one, but none is no proof. `disconnected_pairs` is always of all. */
typedef struct ripstop_proof {
  uint64_t pairs;                   /* ordered pairs of distinct end nodes */
  uint64_t disconnected_pairs;      /* without a physical path */
  uint64_t lost_pairs_some_choice;  /* some sequence of choices, a packet's draw among them, loses a packet of some
                                       class, or goes round forever */
  uint64_t lost_pairs_every_choice; /* no sequence delivers one of some class */
  bool tolerated;                   /* every pair is delivered under every choice */
  bool livelock_free;               /* no sequence of choices comes back to a state */
  bool deadlock_free;               /* no set of queues can wait for itself alone, with the flow control of the plan */
  ripstop_deadlock deadlock;        /* the same with the flow control that it assumes, and without bubble */
  uint32_t destinations;            /* that packets were walked to: all end nodes, or a sample */
  uint32_t lost_destinations;       /* of these: one at least of the pairs to them is lost by some choice */
  uint64_t states;                  /* reachable */
  uint32_t max_hops;                /* links of the longest walk; RIPSTOP_NONE with livelock */
  /* deadlock_free: all queues in use, in an order in which each can only wait for earlier ones (queues of one ring
   * together). Otherwise: the greatest set of queues that can only wait for each other, with a packet for each. */
  uint32_t queues;
  const ripstop_deadlocked_packet *queue;
  const uint32_t *ring; /* [queues], deadlock_free: queues that drop together, as a bubble ring in its order, have the
                           same number; 0: this queue drops alone */
  const char *lost_walk, *never_walk, *livelock_walk; /* an example of each kind of failure */
  ripstop_paths paths;                                /* where ripstop_prover_paths asks for it; else zero */
  /* Of mixtures (ripstop_prove_transients) alone. */
  uint64_t deadlock_packets; /* states in queues that packets can be left in */
  uint64_t dropped; /* of these: what stands there may be lost, although what is alive leads to its destination */
  const char *dropped_walk; /* an example */
  ripstop_dependencies dependencies;
  uint32_t draws; /* with which packets of each pair were walked: all that the plan has, or a sample */
} ripstop_proof;

/* Workspace for many proofs on one fabric; not to be shared by threads. */
typedef struct ripstop_prover ripstop_prover;
ripstop_prover *ripstop_prover_new(const ripstop_fabric *fabric);
void ripstop_prover_free(ripstop_prover *prover);
void ripstop_prover_paths(ripstop_prover *prover, bool wanted);
/* Wants the graph of this subfunction, one of the methods of the plans to come; NULL: none, as at first. Where a packet
 * settles early (ripstop_plan.choose_early) only the subfunction "all" says something of deadlock. */
void ripstop_prover_dependencies(ripstop_prover *prover, const struct ripstop_subfunction *wanted);
/* So many threads (at least 1) share the destinations of each proof; at first 1. Proofs do not depend on it. -1: no
 * memory. */
int ripstop_prover_threads(ripstop_prover *prover, unsigned threads);

/* Proofs from now on are of packets to `count` destinations alone, drawn from the seed, all different and each as
 * likely; 0, or as many as there are: to all, as at first. -1: no memory. */
int ripstop_prover_destinations(ripstop_prover *prover, uint32_t count, uint64_t seed);
/* Where a plan has packets draw a number: they are walked with `count` of these alone, drawn in the same way; 0, or as
 * many as there are: with all, as at first. */
void ripstop_prover_draws(ripstop_prover *prover, uint32_t count, uint64_t seed);
/* -1: with so many draws (0: all) the states of the packets to one destination are more than memory should be asked
 * for, which ripstop_prove refuses. */
int ripstop_prove_check(const ripstop_plan *plan, uint32_t draws, ripstop_error *err);
/* With this confidence, which is above 0.5: at most this share of all destinations has a pair that is lost by some
 * choice. Exact where all were walked. */
double ripstop_lost_share_at_most(const ripstop_proof *proof, const ripstop_fabric *fabric, double confidence);

/* Decides everything for one plan. What `out` points to lives until the next call. -1 when the plan breaks a rule of
 * method.h. */
int ripstop_prove(ripstop_prover *prover, const ripstop_plan *plan, ripstop_proof *out, ripstop_error *err);

/* The verdict on deadlock of a plan whose forwarding tables have been judged (judge.h). `loop`: their channel
 * dependency graph has a cycle. `whole`: they name the virtual channels that the plan takes; otherwise they were judged
 * as if all packets took one. The plan is proved only where the graph does not decide. Queues are the arena's. -1 when
 * the plan breaks a rule of method.h, or no memory. */
typedef struct ripstop_plan_waits {
  ripstop_deadlock verdict;
  bool proved;     /* by ripstop_prove; then the queues that can wait for each other alone, if any: */
  uint32_t queues; /* as in ripstop_proof */
  const ripstop_deadlocked_packet *queue; /* [queues] */
} ripstop_plan_waits;
int ripstop_plan_deadlock(ripstop_arena *arena, const ripstop_plan *plan, bool loop, bool whole,
                          ripstop_plan_waits *out, ripstop_error *err);

/* Mixtures of old and new tables (docs/prove.md, "Mixtures"). Packets stand wherever any mixture of the versions can
 * have brought them. Then every switch has its last version, and the proof says what becomes of packets from there on:
 * `deadlock_free`, `livelock_free` and `dropped` of all that stand anywhere, the other fields of new ones. */
typedef struct ripstop_mixing {
  const struct ripstop_versions *versions; /* versions.h */
  bool in_order; /* packets go on in the order of the versions' stages: what the history at hand can do, and no more */
  bool for_ever; /* each mixture may stay: all is said of any version in place of the last one. Not with in_order */
} ripstop_mixing;
int ripstop_prove_transients(ripstop_prover *prover, const ripstop_mixing *mixing, ripstop_proof *out,
                             ripstop_error *err);

/* Which mixtures of tables to prove: of those before a set's parts are dead with those after that. */
typedef struct ripstop_mixed {
  const ripstop_faults *before; /* what is dead before; NULL: nothing */
  uint32_t orders;              /* of messages, at least 1; a method without a protocol has one */
  bool in_order, for_ever;      /* as in ripstop_mixing */
  bool two_writes;              /* of methods without a protocol: entries that change are taken away first */
  bool repaired;                /* the new tables are the old ones, repaired by the method (ripstop_plan_repair) */
  /* ripstop_network_versions, for methods with a protocol. */
  struct ripstop_versions *(*of_protocol)(const ripstop_plan *before, const ripstop_plan *after, uint32_t order,
                                          ripstop_error *err);
} ripstop_mixed;
/* The versions of order `number` of messages, or of write `number`, from the plan before to the one after, which have
 * their tables and must outlive the versions; `method` as for ripstop_plan_open. NULL: see *answer. */
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
  bool transient; /* of old and new tables; then the next two say which, but for `of_protocol` */
  ripstop_mixed mixed;
  uint32_t number;                        /* of the order of messages, or of the write */
  bool deadlock;                          /* else free of it */
  uint32_t queues;                        /* as in ripstop_proof */
  const ripstop_deadlocked_packet *queue; /* free of deadlock: port and channel alone */
  const uint32_t *ring;
  ripstop_arena *arena;
} ripstop_certificate;

/* Writes the certificate of `proof`, which ripstop_prove has just given for `plan`. -1: the file does not take it, and
 * errno says why. */
int ripstop_certificate_write(FILE *file, const ripstop_plan *plan, const ripstop_proof *proof);
/* The same of mixtures, for a deadlock: `number` as in ripstop_mixed_open. */
int ripstop_certificate_write_transient(FILE *file, const ripstop_plan *plan, const ripstop_mixed *mixed,
                                        uint32_t number, const ripstop_proof *proof);
/* NULL with an error that names file and line. Free with ripstop_certificate_free. */
ripstop_certificate *ripstop_certificate_read(const char *path, ripstop_error *err);
ripstop_certificate *ripstop_certificate_parse(const char *name, const char *text, size_t length, ripstop_error *err);
void ripstop_certificate_free(ripstop_certificate *certificate); /* NULL is fine */

typedef enum ripstop_check { RIPSTOP_CONFIRMED, RIPSTOP_REFUTED, RIPSTOP_UNCHECKABLE } ripstop_check;

/* Decides by plain enumeration whether a certificate is true of a plan, which is that of its fabric, faults and method.
 * `verdict` gets one line: what was found, or the first queue and packet that fail. `walks` (may be NULL) gets the way
 * that each packet of a deadlock can have come. RIPSTOP_UNCHECKABLE: the plan breaks a rule of method.h. */
ripstop_check ripstop_certificate_check(const ripstop_certificate *certificate, const ripstop_plan *plan,
                                        ripstop_text *verdict, FILE *walks, ripstop_error *err);

/* The same of a deadlock of mixtures, from the versions that the certificate names (ripstop_mixed_open). */
ripstop_check ripstop_certificate_check_transient(const ripstop_certificate *certificate,
                                                  const struct ripstop_versions *versions, ripstop_text *verdict,
                                                  FILE *walks, ripstop_error *err);

/* ------------------------------------------------------------------ symmetry
 * Sets of switch-switch links that a relabelling of the fabric (ripstop_family's `symbols`) carries into each other are
 * one orbit. A method that guarantees `symmetric` fares the same with all of them, so one stands for all. */

enum { RIPSTOP_ORBIT_FAULTS = 16 }; /* most links of a set; there are n! orders to try at worst */

typedef struct ripstop_symmetry ripstop_symmetry;
/* With `use` false, or a family without symbols: no set is like another. Works for any fabric. */
ripstop_symmetry *ripstop_symmetry_new(const ripstop_fabric *fabric, bool use);
/* All that is sound for the plan's method with its configuration. */
ripstop_symmetry *ripstop_symmetry_for(const ripstop_plan *plan);
void ripstop_symmetry_free(ripstop_symmetry *symmetry);
/* Whether any set is like another. */
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
  uint64_t sets;                        /* of the orbit */
  uint32_t place[RIPSTOP_ORBIT_FAULTS]; /* private */
} ripstop_orbits;
/* -1: there are not so many links, or more than RIPSTOP_ORBIT_FAULTS are asked for, or the sets cannot be counted in 64
 * bits. A count of 0 has one orbit: the empty set. */
int ripstop_orbits_first(ripstop_orbits *orbits, const ripstop_symmetry *symmetry, uint32_t count, ripstop_error *err);
bool ripstop_orbits_next(ripstop_orbits *orbits); /* false: that was the last */

/* ------------------------------------------------------------------ smallest defeat */

/* The fewest switch-switch links whose death parts two end nodes, to *link, ascending, from the arena. RIPSTOP_NONE
 * when none can: all end nodes hang from one switch. */
uint32_t ripstop_smallest_cut(ripstop_arena *arena, const ripstop_fabric *fabric, const uint32_t **link);

typedef struct ripstop_defeat_limits {
  uint64_t budget; /* sets looked at, one per orbit, by increasing size; ends the exact search */
  uint64_t search; /* proofs spent on random search for an upper bound when that did not find the smallest; 0: none */
  uint64_t seed;
  const atomic_int *stop; /* non-zero: both searches end as if their budgets were spent; may be NULL */
} ripstop_defeat_limits;

/* A set defeats a method when the fabric stays connected and yet some pair is lost under some choice, or packets can go
 * round forever, or queues can wait for each other forever, or the method says that it does not apply. */
typedef struct ripstop_defeat {
  uint32_t size;         /* links of the smallest set known to defeat the method; RIPSTOP_NONE: none known */
  const uint32_t *link;  /* ascending */
  const char *how;       /* "12 of 240 pairs can be lost, deadlock of 6 queues"; NULL when none is known */
  bool exact;            /* no smaller set defeats it; with size RIPSTOP_NONE: no connected set at all does */
  uint32_t at_least;     /* every set of fewer links was looked at, and none defeats it */
  bool symmetric;        /* one set for each orbit was looked at */
  uint64_t proofs, sets; /* of the exact search: sets looked at, and how many sets they stand for */
  uint32_t cut_size;     /* ripstop_smallest_cut */
  const uint32_t *cut;
} ripstop_defeat;

/* `method` as for ripstop_plan_open. RIPSTOP_DOES_NOT_APPLY: not even to the fabric without faults. What `out` points
 * to is from the arena. */
ripstop_answer ripstop_smallest_defeat(ripstop_arena *arena, const ripstop_fabric *fabric, const char *method,
                                       const ripstop_defeat_limits *limits, ripstop_defeat *out, ripstop_error *err);
/* A few lines of text. -1: no memory. */
int ripstop_defeat_print(ripstop_text *out, const ripstop_fabric *fabric, const char *method,
                         const ripstop_defeat *defeat);

/* ------------------------------------------------------------------ many fault sets */

typedef enum ripstop_sets_kind { RIPSTOP_SETS_GIVEN, RIPSTOP_SETS_ALL, RIPSTOP_SETS_DRAWN } ripstop_sets_kind;
typedef enum ripstop_interval_kind { RIPSTOP_CLOPPER_PEARSON, RIPSTOP_WILSON } ripstop_interval_kind;
extern const char *const ripstop_interval_words[]; /* "clopper-pearson", "wilson", NULL */

/* What was decided for one fault set. */
typedef struct ripstop_set_proof {
  uint64_t number; /* from 0 on, in the order of the sets */
  uint64_t weight; /* how many sets it stands for */
  const ripstop_faults *faults;
  const ripstop_plan *plan;     /* NULL: the method does not apply to this set */
  const char *why_not;          /* then the reason */
  bool counted;                 /* ripstop_many.tolerance: nothing but delivery was decided */
  double confidence;            /* ripstop_many.destinations: with which something is told of the others */
  ripstop_mixing mixing;        /* ripstop_many.mixed: of the last order of messages below; else without versions */
  uint32_t orders;              /* of messages, or writes, that were proved: all, or up to the first that fails */
  ripstop_proof proof;          /* then only `pairs` and `disconnected_pairs` hold */
  const ripstop_faults *before; /* ripstop_many.mixed: what was dead before the set; NULL: nothing was */
} ripstop_set_proof;

/* How many sets, each with its weight. A set to which the method does not apply is neither tolerated nor deadlocked. */
typedef struct ripstop_counts_of_sets {
  uint64_t sets, tolerated, deadlocked, livelocked, not_applicable;
  uint64_t safe; /* tolerated and free of deadlock */
  /* With ripstop_many.subfunction: its graph has a cycle; some head is starved. */
  uint64_t cyclic, starved;
} ripstop_counts_of_sets;

typedef struct ripstop_tally {
  uint64_t proofs; /* sets looked at: one for each orbit */
  bool counted; /* of some only delivery was decided (ripstop_many.tolerance): `deadlocked`, `livelocked` and `safe` do
                   not hold */
  ripstop_counts_of_sets all, connected;
  ripstop_paths paths; /* of all pairs of all sets */
} ripstop_tally;

/* Which sets to look at, how, and who wants to know. */
typedef struct ripstop_many {
  const ripstop_fabric *fabric;
  const char *method; /* method spec */
  ripstop_sets_kind kind;
  const ripstop_faults *given; /* RIPSTOP_SETS_GIVEN */
  size_t givens;
  uint32_t count; /* else: parts in a set, and which parts */
  const ripstop_fault_scope *scope;
  bool symmetry;          /* RIPSTOP_SETS_ALL: one set for each orbit where that is sound */
  uint64_t samples, seed; /* RIPSTOP_SETS_DRAWN: most sets */
  double half_width;      /* RIPSTOP_SETS_DRAWN: stop when the interval for `tolerated` is as narrow; 0: never before */
  double confidence;
  ripstop_interval_kind interval;
  bool of_connected;                             /* the interval is that of the connected sets */
  bool paths;                                    /* fill ripstop_proof.paths */
  const struct ripstop_subfunction *subfunction; /* fill ripstop_proof.dependencies; NULL: do not */
  bool tolerance; /* decide delivery alone: where the method can count its lost pairs (ripstop_method.lost_pairs) that
                     is all that is done, and all of ripstop_proof but `pairs`, `disconnected_pairs`,
                     `lost_pairs_some_choice` and `tolerated` stays zero */
  uint32_t destinations; /* 0: all; else walk packets to so many, drawn from `seed`, the same ones for each set; sets
                            that  were only looked into so are counted as sets and as nothing else */
  uint32_t draws; /* 0: all; else, with `destinations`: walk packets with so many of the numbers that they draw */
  const ripstop_mixed *mixed; /* NULL: the plan of each set is proved, and nothing else */
  unsigned threads;           /* at least 1 */
  uint32_t part, parts;       /* of the sets only number part - 1 and every parts-th after it; parts 0: all */
  const atomic_int *stop;     /* non-zero: leave early; may be NULL */
  /* Called by the thread that proved the set: puts what will be kept of it into `text`. May be NULL. */
  void (*tell)(void *context, const ripstop_set_proof *proof, ripstop_text *text);
  /* Called in the caller's thread for one set after the other, in their order; pointers in `proof` are NULL. May be
   * NULL. Non-zero ends the work. */
  int (*done)(void *context, const ripstop_set_proof *proof, const ripstop_text *text, const ripstop_tally *so_far);
  void *context;
} ripstop_many;

/* Proves one plan for each set. What is told and counted depends on `many` alone, never on the number of threads. -1
 * with an error; 1 when `stop` or `done` ended it; else 0. */
int ripstop_prove_many(const ripstop_many *many, ripstop_tally *tally, ripstop_error *err);
/* The share of tolerated sets and, where sets were drawn, its interval; elsewhere the share is exact and both ends are
 * the same. [0, 1] for no sets. */
ripstop_interval ripstop_tally_interval(const ripstop_many *many, const ripstop_tally *tally, bool of_connected);

/* ------------------------------------------------------------------ rare failures */

enum { RIPSTOP_RARE_CORE_MAX = 8, RIPSTOP_RARE_LIST_MAX = 1000000 };

/* The share of sets of `count` parts that are not tolerated, where plain draws would hardly ever show one
 * (docs/prove.md, "Rare failures"). */
typedef struct ripstop_rare {
  const ripstop_fabric *fabric;
  const char *method; /* method spec */
  const ripstop_fault_scope *scope;
  uint32_t count;
  uint32_t core;    /* every set of up to so many parts is proved first; 1 to RIPSTOP_RARE_CORE_MAX and `count` */
  uint64_t samples; /* sets drawn after that */
  uint64_t seed;
  double confidence;
  unsigned threads;       /* at least 1 */
  const atomic_int *stop; /* non-zero: leave early; may be NULL */
} ripstop_rare;

typedef struct ripstop_rarity {
  uint64_t looked, listed; /* sets of up to `core` parts, proofs of them; those that are not tolerated, least ones */
  double reach;            /* the listed sets' shares of all sets, added up: how many of them a drawn set has */
  uint64_t within, within_hits;   /* draws round listed sets, and those that count */
  uint64_t outside, outside_hits; /* plain draws; those not tolerated without a listed set in them */
  uint64_t proofs;                /* of draws */
  double share;                   /* not tolerated; unbiased */
  ripstop_interval interval;      /* of it, never below the confidence asked for */
  double gain; /* the variance that as many proofs of plain draws would have, over this one's; infinite where every draw
                  said the same */
} ripstop_rarity;

/* What comes out depends on `rare` alone but for its threads. -1 with an error, more than RIPSTOP_RARE_LIST_MAX listed
 * sets among them; 1 when `stop` ended it. */
int ripstop_prove_rare(const ripstop_rare *rare, ripstop_rarity *out, ripstop_error *err);

/* A graph that ripstop_prove has just filled, for Graphviz (`dot`): cross dependencies dashed, those between queues of
 * `cyclic` red. -1: no memory. */
int ripstop_dependencies_dot(ripstop_text *out, const ripstop_plan *plan, const ripstop_dependencies *dependencies);

/* Lines for people, each with its newline. -1: no memory. */
int ripstop_set_proof_print(ripstop_text *out, const ripstop_fabric *fabric, const ripstop_set_proof *proof);

RIPSTOP_END

#endif
