/* proof.h - decides the behaviour of a plan without simulating: delivery, livelock and deadlock over every state that
 * a packet can reach from its injection over every sequence of candidates. docs/prove.md explains the terms and
 * assumptions.
 *
 * A state is a packet's head at a place: its queue (a virtual channel of a directed link between switches, or its
 * network interface), its destination and the method's header word; also its source and class if a method says that
 * its routes depend on them (ripstop_method.by_source, ripstop_plan.classes). */
#ifndef PROVE_PROOF_H
#define PROVE_PROOF_H

#include "ripstop/kit/proofs.h"
#include "tables/versions.h"

RIPSTOP_BEGIN

/* An arc of a channel dependency graph; only port and channel of its queues are set. */
typedef struct ripstop_dependency {
  ripstop_deadlocked_packet from, to;
  bool cross;    /* the subfunction brings no packet to `from` that it sends on to `to` */
  bool in_cycle; /* both queues are counted in `cyclic` below */
} ripstop_dependency;

/* The extended channel dependency graph of a routing subfunction (Duato 1996; plugin/method.h, ripstop_subfunction),
 * over all queues in use but those that end nodes feed. If it has no cycle, the plan cannot deadlock with credits. */
struct ripstop_dependencies {
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
};

/* Texts are NULL if there is nothing to show. Results of a sample of destinations hold for packets to these: a
 * failure is real, but no failure is no proof. `disconnected_pairs` is always of all. */
struct ripstop_proof {
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
  uint32_t
      random_headers; /* random headers with which packets of each pair were walked: all of the plan, or a sample */
};

/* The method's own selection function if it binds packets (ripstop_plan.binding), else NULL: what proofs assume of the
 * switches unless a caller names another one. Lives as long as the method. */
const char *ripstop_own_binding(const ripstop_method *method);

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
void ripstop_prover_sample_headers(ripstop_prover *prover, uint32_t count, uint64_t seed);
/* With this confidence, which is above 0.5: at most this share of all destinations has a pair that is lost by some
 * choice. Exact if all were walked. */
double ripstop_lost_share_at_most(const ripstop_proof *proof, const ripstop_fabric *fabric, double confidence);

/* Decides everything for one plan. The pointers in `out` are valid until the next call. -1 when the plan breaks a
 * rule of method.h. */
int ripstop_prover_prove(ripstop_prover *prover, const ripstop_plan *plan, ripstop_proof *out, ripstop_error *err);

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

/* The result for one fault set. */
struct ripstop_set_proof {
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
};

/* The fewest switch-switch links whose failure disconnects two end nodes, to *link, ascending, from the arena.
 * RIPSTOP_NONE if none can: all end nodes are at one switch. */
uint32_t ripstop_smallest_cut(ripstop_arena *arena, const ripstop_fabric *fabric, const uint32_t **link);

/* Values of many proofs, the same in experiments and results: shares of tolerated and connected sets; then of those in
 * which packets can wait forever, unless only delivery was decided. Return how many they write: at most 5 each. */
size_t ripstop_tally_shares(const ripstop_many *many, const ripstop_tally *tally, ripstop_value *value);
size_t ripstop_tally_waits(const ripstop_many *many, const ripstop_tally *tally, ripstop_value *value);
/* The numbers of a proof, in the order in which JSON has them (`ripstop prove --json`), and at most
 * RIPSTOP_PROOF_VALUES. Returns how many there are. */
enum { RIPSTOP_PROOF_VALUES = 32 };
size_t ripstop_proof_values(const ripstop_proof *proof, const ripstop_plan *plan, ripstop_value *value);
/* One of them, with its unit from the list (ripstop/kit/values.h). */
ripstop_value ripstop_proof_value(const char *name, double value);

RIPSTOP_END

#endif
