/* reaction.h - the static fault model: at a change the network is stopped, drained, computed anew and resumed.
 * docs/model.md, "Stops". */
#ifndef SIMULATE_REACTION_H
#define SIMULATE_REACTION_H

#include "ripstop/simulate.h"

struct engine;

/* What a change of the fabric is waiting for; in this order. */
typedef enum stop_phase { RUNNING, DETECTING, DRAINING, COMPUTING, RESUMING, STOP_PHASES } stop_phase;

typedef struct stop {
  stop_phase phase;
  uint32_t until; /* the first cycle after the phase, unless RUNNING or DRAINING */
  bool held;      /* network interfaces decide nothing */
  bool stale;     /* the plan is not the present view's */
  uint64_t stops, deadlocks, cycles[STOP_PHASES];
} stop;

/* Whether the static model can be had with the plan. */
ripstop_answer stop_applies(const ripstop_reaction_config *config, const ripstop_plan *plan, ripstop_error *err);
/* The view has changed in this cycle; heads will ask anew. */
void stop_change(struct engine *e);
/* At the end of the changes of each cycle, unless RUNNING. */
void stop_step(struct engine *e);
/* While DRAINING, when deadlocks are searched for: one is lost, with everything else in the network. */
void stop_search(struct engine *e);

#endif
