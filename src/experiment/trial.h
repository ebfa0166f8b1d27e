/* trial.h - runs of each different switch and traffic, tried before the first is done (trial.c). */
#ifndef EXPERIMENT_TRIAL_H
#define EXPERIMENT_TRIAL_H

#include "experiment/cases.h"
#include "experiment/odometer.h"
#include "experiment/run_context.h"

typedef struct trial {
  const reader *reader; /* for messages */
  const product *product;
  const cases *cases;     /* fault sets and schedules of the present fabric */
  uint64_t *tried;        /* a bit for each place; NULL: the product is whole */
  uint64_t end;           /* the first cycle after all runs; UINT64_MAX: unknown */
  size_t schedules;       /* cases that were tried */
  ripstop_arena *scratch; /* for one place */
  run_context context;    /* without faults, for the simulator to look at; its plan is that of `method` */
  const char *method;
} trial;

void trial_open(trial *t, const reader *r, const product *p, ripstop_arena *arena);
/* From here on places are tried on the fabric of these cases. */
void trial_begin(trial *t, const cases *c);
/* Tries the run of a place, if no other stands for it. */
int trial_of(trial *t, uint64_t place);
void trial_close(trial *t);

#endif
