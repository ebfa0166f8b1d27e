/* proofs.h - many proofs, rare failures, certificates, and the smallest set of failures that defeats a method.
 * docs/prove.md explains the terms and assumptions. */
#ifndef RIPSTOP_KIT_PROOFS_H
#define RIPSTOP_KIT_PROOFS_H

#include "ripstop/kit/deadlock.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/statistics.h"
#include "ripstop/plugin/plan.h"
#include "ripstop/prove.h"

RIPSTOP_BEGIN

typedef struct ripstop_proof ripstop_proof;         /* src/prove/proof.h */
typedef struct ripstop_set_proof ripstop_set_proof; /* one of many */
typedef struct ripstop_dependencies ripstop_dependencies;

/* Lengths of paths, in links, including the two links to the end nodes, over the pairs that are delivered under every
 * choice: sums, and maxima over pairs. `minimum` is the distance in the fabric without faults; `extra` is the walk
 * less that. */
typedef struct ripstop_paths {
  uint64_t pairs, minimum, shortest, longest; /* sums */
  uint32_t max_minimum, max_shortest, max_longest, max_extra_shortest, max_extra_longest;
} ripstop_paths;

/* -1: with this many random headers (0: all) the states of the packets to one destination need too much memory;
 * ripstop_prover_prove refuses it. */
int ripstop_prove_check(const ripstop_plan *plan, uint32_t random_headers, ripstop_error *err);
/* The verdict on deadlock of a plan whose forwarding tables have been judged (judge.h). `loop`: their channel
 * dependency graph has a cycle. `whole`: they name the virtual channels that the plan uses; otherwise they were
 * judged as if all packets used one. The plan is proved only if the graph does not decide. Queues are in the arena.
 * -1 when the plan breaks a rule of method.h, or no memory. */
typedef struct ripstop_plan_waits {
  ripstop_deadlock verdict;
  bool proved;     /* by ripstop_prover_prove; then the queues that can wait only for each other, if any: */
  uint32_t queues; /* like in ripstop_proof */
  const ripstop_deadlocked_packet *queue; /* [queues] */
} ripstop_plan_waits;
int ripstop_plan_deadlock(ripstop_arena *arena, const ripstop_plan *plan, bool loop, bool whole,
                          ripstop_plan_waits *out, ripstop_error *err);

/* Judges a set of tables whole. */
typedef struct ripstop_judging {
  const ripstop_view *view;
  const ripstop_forwarding *tables;
  const ripstop_forwarding *before; /* older tables, in whose place the others are written; NULL: none */
  const ripstop_plan *plan;         /* the tables are its; NULL: they are from files */
  bool whole;                       /* like in ripstop_plan_deadlock */
} ripstop_judging;

typedef struct ripstop_judged {
  ripstop_table_verdict now;
  ripstop_deadlock deadlock;
  bool waiting;                /* now.loop are the queues of a proof, not a cycle */
  uint32_t own;                /* cables from a switch to itself: no links of the fabric, and unused */
  bool mixed;                  /* there were older tables: */
  ripstop_transient transient; /* while these are written */
  const char *witness;         /* now.loop as text; NULL: no credit loop with any flow control */
  const char *named;           /* the same with what switches say of themselves, and what packets wait */
} ripstop_judged;
/* Memory from the arena. -1: no memory, or the plan breaks a rule of method.h. */
int ripstop_judge_whole(ripstop_arena *arena, const ripstop_judging *what, ripstop_judged *out, ripstop_error *err);
/* A cycle of VLs of links, as ripstop_table_verdict.loop, as text; with what switches say of themselves if `told`. */
const char *ripstop_judge_cycle(ripstop_arena *arena, const ripstop_fabric *fabric, uint32_t lanes,
                                const uint32_t *loop, uint32_t length, bool told);

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
  const char *method;                   /* spec */
  const struct ripstop_switch *switch_; /* as in ripstop_many */
  ripstop_switch_channels switch_channels;
  const char *binding;
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

/* Writes the certificate of `proof`, the last result of ripstop_prover_prove for `plan`. -1: a write failed, and errno
 * says why. */
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

/* ------------------------------------------------------------------ smallest defeat */

typedef struct ripstop_defeat_limits {
  uint64_t budget; /* sets to look at, one per orbit, by increasing size; ends the exact search */
  uint64_t search; /* proofs for random search for an upper bound if that did not find the smallest; 0: none */
  uint64_t seed;
  const struct ripstop_switch *switch_; /* as in ripstop_many */
  ripstop_switch_channels switch_channels;
  const char *binding;
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

typedef enum ripstop_sets_kind { RIPSTOP_SETS_GIVEN, RIPSTOP_SETS_ALL, RIPSTOP_SETS_SAMPLED } ripstop_sets_kind;
typedef enum ripstop_interval_kind { RIPSTOP_CLOPPER_PEARSON, RIPSTOP_WILSON } ripstop_interval_kind;
extern const char *const ripstop_interval_words[]; /* "clopper-pearson", "wilson", NULL */

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
  uint64_t samples, seed; /* RIPSTOP_SETS_SAMPLED: most sets */
  double half_width;      /* RIPSTOP_SETS_SAMPLED: stop when the interval for `tolerated` is this narrow; 0: never
                           * before */
  double confidence;
  ripstop_interval_kind interval;
  bool of_connected;                    /* the interval is that of the connected sets */
  const struct ripstop_switch *switch_; /* how packets wait in switches (plugin/switch.h); NULL: as in "input" */
  ripstop_switch_channels switch_channels;
  const char *binding; /* a selection function that binds packets; NULL: they wait for any candidate */
  bool paths;          /* fill ripstop_proof.paths */
  const struct ripstop_subfunction *subfunction; /* fill ripstop_proof.dependencies; NULL: do not */
  bool tolerance; /* decide delivery only: if the method can count its lost pairs (ripstop_method.lost_pairs), only
                   * this is done, and all of ripstop_proof except `pairs`, `disconnected_pairs`,
                   * `lost_pairs_some_choice` and `tolerated` stays zero */
  uint32_t destinations;   /* 0: all; else walk packets to this many random destinations, from `seed`, the same ones for
                            * each set; such sets count as sets only */
  uint32_t random_headers; /* 0: all; else, with `destinations`: walk packets with this many of their random headers */
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
  const struct ripstop_switch *switch_; /* as in ripstop_many */
  ripstop_switch_channels switch_channels;
  const char *binding;
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

/* A graph of the last ripstop_prover_prove, for Graphviz (`dot`): cross dependencies dashed, those between queues of
 * `cyclic` red. -1: no memory. */
int ripstop_dependencies_dot(ripstop_text *out, const ripstop_plan *plan, const ripstop_dependencies *dependencies);

/* Lines for people, each with its newline. -1: no memory. */
int ripstop_set_proof_print(ripstop_text *out, const ripstop_fabric *fabric, const ripstop_set_proof *proof);

RIPSTOP_END

#endif
