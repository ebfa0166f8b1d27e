/* reaction.h - the static fault model: at a change the network is stopped, drained, computed again and resumed.
 * docs/model.md, "Stops". */
#ifndef SIMULATE_RECONFIGURATION_H
#define SIMULATE_RECONFIGURATION_H

#include "simulate/state.h"

/* What a change of the fabric is waiting for; in this order. */
typedef enum stop_phase { RUNNING, DETECTING, DRAINING, COMPUTING, RESUMING, STOP_PHASES } stop_phase;

typedef struct stop {
  stop_phase phase;
  uint32_t since;                                 /* its first cycle */
  uint32_t until;                                 /* the first cycle after the phase, unless RUNNING or DRAINING */
  bool stalled;                                   /* network interfaces decide nothing */
  bool stale;                                     /* the plan is not the present view's */
  bool failed, notified;                          /* a part has failed, and agents know that the network has stopped */
  uint64_t stops, deadlocks, cycles[STOP_PHASES]; /* cycles: of phases that are over */
} stop;

/* Whether the static model can be had with the plan. */
ripstop_answer stop_applies(const ripstop_reconfiguration_config *config, const ripstop_plan *plan, ripstop_error *err);
/* Where the reaction is static: takes the hooks. */
int stop_open(run *r, ripstop_error *err);
/* The view has changed in this cycle; heads will ask again. `failed`: some part has failed. */
void stop_change(run *r, bool failed);
/* So far. */
uint64_t stop_cycles(const run *r, stop_phase phase);

#endif
