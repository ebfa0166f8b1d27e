/* checkpoint.h - checkpoints of all jobs together, and the return to the last one after a fault (paper 002, section 4:
 * "checkpointing techniques must also be used so that applications can be brought back to a consistent state prior to
 * the fault").
 *
 *   after `checkpoint` cycles of work    all ranks pause: computations stand still, no message begins
 *     -> no message is in flight         the state is copied, and written for `checkpoint_cost` cycles
 *     -> it is written                   ranks go on; it replaces the one before unless a part has failed meanwhile
 *   a part fails, and static reconfiguration begins: ranks halt, and packets in the network count for nothing
 *     -> the network goes on             `restart_cost` cycles later the ranks go on from the last state
 *
 * Invariants
 *   - While ranks pause or halt, no computation, wait or start of a job takes effect: `stage.pending` counts them, and
 *     checkpoint_go_on sets their alarms again.
 *   - An alarm is of the epoch in which it was set; alarms of another epoch are ignored. Each return to work begins an
 * epoch.
 *   - cycles of the run = worked + paused + halted, and what is repeated is a part of `worked`. */
#ifndef WORKLOAD_CHECKPOINT_H
#define WORKLOAD_CHECKPOINT_H

#include "workload/job_runner.h"

typedef enum checkpoint_phase { WORKING, QUIESCING, WRITING, HALTED } checkpoint_phase;

typedef struct snapshot {
  job_run *job_run; /* [plays]: what a rollback restores */
  ready *ready;
  size_t readies, room;
  uint64_t paused_at; /* cycle; ends of computations count from here */
  uint64_t worked;    /* cycles of work before it */
} snapshot;

typedef struct checkpoints {
  snapshot state[2];
  int last; /* which of them a rollback restores */
  checkpoint_phase phase;
  bool suspect;                              /* a part has failed, and the network has not stopped for it yet */
  uint64_t since;                            /* first cycle of the phase */
  uint64_t paused_at;                        /* when the present pause began */
  uint64_t worked, paused, halted, repeated; /* cycles, of phases that are over */
  uint64_t written, rollbacks, tasks;        /* tasks: that were done and are done again */
} checkpoints;

/* Room for it; the jobs are those of the stage. */
void checkpoint_open(stage *s, const job *all);
/* Before anything has begun: the state to which a fault before the first checkpoint leads back. */
void checkpoint_start(stage *s, ripstop_agent_context *on);
bool checkpoint_stands(const stage *s); /* ranks pause or halt */
bool checkpoint_halts(const stage *s);  /* packets that arrive count for nothing */
/* Copies the state if ranks pause and no message is in flight. Called after each event. */
void checkpoint_look(stage *s, ripstop_agent_context *on);
void checkpoint_ring(stage *s, ripstop_agent_context *on);
void checkpoint_reacts(void *stage, ripstop_agent_context *on, ripstop_reconfiguration_event event);
/* Cycles of pauses so far, of a run that ended in cycle `end`. */
uint64_t checkpoint_paused(const stage *s, uint64_t end);

#endif
