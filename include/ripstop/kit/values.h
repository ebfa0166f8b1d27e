/* values.h - the list of all values of runs and proofs, from which results, stores, figures, help and documents take
 * their names, units and meanings. */
#ifndef RIPSTOP_KIT_VALUES_H
#define RIPSTOP_KIT_VALUES_H

#include "ripstop/result.h"

RIPSTOP_BEGIN

/* The results that have a value; bits. */
enum {
  RIPSTOP_VALUES_RUN = 1,     /* simulations */
  RIPSTOP_VALUES_PACKETS = 2, /* simulations, also for each class and kind: "class1.affected.accepted" */
  RIPSTOP_VALUES_SPREAD = 4,  /* simulations with measure.spread */
  RIPSTOP_VALUES_FAMILY = 8,  /* "lost.*": several values, with any word in place of the star */
  RIPSTOP_VALUES_TRAFFIC = 16,
  RIPSTOP_VALUES_PROGRAM = 32,
  RIPSTOP_VALUES_WORKLOAD = 64,
  RIPSTOP_VALUES_JOB = 128,    /* a job of a workload: "job.1.cycles" is "cycles" here */
  RIPSTOP_VALUES_SETS = 256,   /* proofs of many fault sets */
  RIPSTOP_VALUES_PROOF = 512,  /* ripstop_prove */
  RIPSTOP_VALUES_TABLES = 1024 /* ripstop_routes_judge */
};

typedef struct ripstop_quantity {
  const char *name; /* NULL ends the list */
  const char *unit;
  unsigned of; /* RIPSTOP_VALUES_* */
  const char *help;
} ripstop_quantity;
extern const ripstop_quantity ripstop_quantities[];

/* The entry for the name of a value, among the results `of`; NULL: there is none. "class2.latency.p99" is a
 * "latency.p99". Numbers of methods' own (ripstop_method.fact_names) are not in the list. */
const ripstop_quantity *ripstop_quantity_find(const char *value, unsigned of);

RIPSTOP_END

#endif
