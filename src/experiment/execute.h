/* execute.h - what the executors of a run's kinds share. */
#ifndef EXPERIMENT_EXECUTE_H
#define EXPERIMENT_EXECUTE_H

#include "ripstop/experiment.h"

/* In rs_outcome_words, behind the verdicts of simulations. */
enum { OUTCOME_DOES_NOT_APPLY = 4, OUTCOME_ERROR = 5, OUTCOME_PROVED = 6 };

/* rs_run_execute for a run of kind RS_RUN_PROVE. */
int execute_proof(const rs_run *run, const atomic_int *stop, rs_outcome *out);

#endif
