/* execute.h - what the executors of a run's kinds share. */
#ifndef EXPERIMENT_EXECUTE_H
#define EXPERIMENT_EXECUTE_H

#include "ripstop/kit/experiment.h"

/* In ripstop_outcome_words, behind the verdicts of simulations. */
enum { OUTCOME_DOES_NOT_APPLY = 4, OUTCOME_ERROR = 5, OUTCOME_PROVED = 6 };

/* ripstop_run_execute for a run of kind RIPSTOP_RUN_PROVE. */
int execute_proof(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out);

#endif
