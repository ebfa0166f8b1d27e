/* prove.h - decides the behaviour of a plan without simulating: delivery, livelock and deadlock over every state that a
 * packet can reach from its injection, whatever candidates switches pick. docs/prove.md explains the terms and
 * assumptions. */
#ifndef RIPSTOP_PROVE_H
#define RIPSTOP_PROVE_H

#include "ripstop/plan.h"
#include "ripstop/result.h"

RIPSTOP_BEGIN

typedef struct ripstop_prove_settings {
  unsigned threads;      /* 0 is 1; results do not depend on it */
  uint32_t destinations; /* 0: all; else packets are walked to this many random end nodes. Then a failure is real, but
                          * no failure is no proof */
  uint64_t seed;         /* for their choice */
  bool paths;            /* lengths of paths are values, too */
} ripstop_prove_settings;
/* One thread, all destinations, seed 1, no lengths of paths. */
ripstop_prove_settings ripstop_prove_defaults(void);

/* Proves one plan. `settings`: NULL for the defaults. The caller frees the result. NULL: the plan breaks a rule of
 * plugin/method.h, or no memory. */
ripstop_result *ripstop_prove(const ripstop_plan *plan, const ripstop_prove_settings *settings, ripstop_error *err);

/* The fault sets to prove, each with its own plan. */
typedef struct ripstop_prove_sets_settings {
  const char *scope;      /* the parts that may fail, as for ripstop_view_sample; NULL: links between switches */
  uint32_t count;         /* failed parts in each set */
  uint64_t samples;       /* random sets; 0: all sets */
  uint64_t seed;          /* for the choice of random sets */
  double confidence;      /* confidence of the interval (Clopper and Pearson), at least 0.5 and below 1 */
  bool deliver_only;      /* decide delivery and nothing else, which is faster */
  unsigned threads;       /* 0 is 1; results do not depend on it */
  const atomic_int *stop; /* the work ends when it becomes nonzero, and is an error then; NULL: it cannot be stopped */
} ripstop_prove_sets_settings;
/* 1,000 random sets of one link between switches, seed 1, confidence 0.99, everything decided, one thread. */
ripstop_prove_sets_settings ripstop_prove_sets_defaults(void);

/* Proves the plan of `method` (as for ripstop_plan_open) for each set. Values are shares of sets, with intervals if the
 * sets are random. `settings`: NULL for the defaults. The caller frees the result; NULL on error. */
ripstop_result *ripstop_prove_sets(const ripstop_fabric *fabric, const char *method,
                                   const ripstop_prove_sets_settings *settings, ripstop_error *err);

RIPSTOP_END

#endif
