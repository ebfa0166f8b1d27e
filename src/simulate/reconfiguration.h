/* reconfiguration.h - static reconfiguration: after a change, injection stops, the network drains, the plan is
 * recomputed, and injection resumes. docs/model.md, "Stops". */
#ifndef SIMULATE_RECONFIGURATION_H
#define SIMULATE_RECONFIGURATION_H

#include "simulate/state.h"

/* The phases of a reconfiguration, in this order. */
typedef enum stop_phase { RUNNING, DETECTING, DRAINING, COMPUTING, RESUMING, STOP_PHASES } stop_phase;

typedef struct stop {
  stop_phase phase;
  uint32_t since;                                 /* first cycle of the phase */
  uint32_t until;                                 /* the first cycle after the phase; not for RUNNING and DRAINING */
  bool stalled;                                   /* NICs decide nothing */
  bool stale;                                     /* the plan is older than the view */
  bool failed, notified;                          /* a part has failed, and agents were notified that the network has
                                                   * stopped */
  uint64_t stops, deadlocks, cycles[STOP_PHASES]; /* cycles: of phases that have ended */
} stop;

/* Checks that the model works with the plan. */
ripstop_answer stop_applies(const ripstop_reconfiguration_config *config, const ripstop_plan *plan, ripstop_error *err);
/* Takes the hooks if the model is static. */
int stop_open(run *r, ripstop_error *err);
/* Call it when the view has changed in this cycle; heads reload afterwards. `failed`: some part has failed. */
void stop_change(run *r, bool failed);
/* Cycles so far. */
uint64_t stop_cycles(const run *r, stop_phase phase);

#endif
