/* execute.h - what the executors of a run's kinds share. */
#ifndef EXPERIMENT_EXECUTE_H
#define EXPERIMENT_EXECUTE_H

#include "ripstop/kit/experiment.h"

/* In ripstop_outcome_words, behind the verdicts of simulations. */
enum { OUTCOME_DOES_NOT_APPLY = 4, OUTCOME_ERROR = 5, OUTCOME_PROVED = 6, OUTCOME_DISCONNECTED = 7 };

/* ripstop_run_execute for a run of kind RIPSTOP_RUN_PROVE. */
int execute_proof(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out);

/* ripstop_run_execute for a simulation or a program with these settings and at its load, without their precision. */
int execute_once(const ripstop_run *run, const ripstop_settings *settings, const atomic_int *stop,
                 ripstop_outcome *out);
/* For one with a precision (precision.c), and for one whose load is searched for (saturation.c). */
int execute_precisely(const ripstop_run *run, const ripstop_settings *settings, const atomic_int *stop,
                      ripstop_outcome *out);
int execute_saturation(const ripstop_run *run, const ripstop_settings *settings, const atomic_int *stop,
                       ripstop_outcome *out);
/* The number of simulations that either of them takes (ripstop_settings_looks), and the cycles before each measures. */
void execute_precise_looks(const ripstop_settings *settings, double warmup, ripstop_looks *out);
void execute_saturation_looks(const ripstop_settings *settings, double warmup, ripstop_looks *out);
/* True if the limit of what grows is less than the first analysis has; then how much that is. */
bool execute_precision_is_short(const ripstop_settings *settings, int64_t *first);
/* True if the precision is that of the load of a search, so that a run at a given load has none. */
bool execute_seeks_load(const ripstop_settings *settings);
/* NAN both: there are too few windows before the change, or none behind. */
typedef struct recovery {
  double cycles; /* from a change to the end of the last window in which clearly less arrived than before; 0: in none */
  double worst;  /* the least throughput of a window from then on, over that before */
} recovery;
/* `window`: how long each is; `cycles`: of the run. */
recovery execute_recovery(const ripstop_outcome *outcome, uint64_t change, uint64_t window, uint64_t cycles);
/* The seed of a sample's traffic. */
uint64_t execute_traffic_seed(uint64_t seed, uint32_t sample);

#endif
