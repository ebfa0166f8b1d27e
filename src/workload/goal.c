/* goal.c - the tasks of a trace in GOAL's forms, text and binary. */
#include "workload/goal.h"

#include "formats/traces/goal_trace.h"
#include "workload/tasks.h"

_Static_assert(GOAL_ANY == RIPSTOP_ANY, "a reader's wildcard is a task's");

static uint64_t cycles_of(const ripstop_tasks *tasks, uint64_t amount) {
  return tasks->tick > 0 ? tasks_round_up((double)amount / tasks->tick) : amount;
}

/* Adds what a record has. -1: the job cannot have so many ranks. */
static int add(ripstop_tasks *tasks, const goal_record *r, ripstop_error *err) {
  uint32_t number;
  switch (r->kind) {
  case GOAL_RANKS:
    return ripstop_tasks_need(tasks, (uint32_t)r->amount, err) ? ripstop_fail_at(err, "%s %u", tasks->place, r->line)
                                                               : 0;
  case GOAL_ORDER:
    (r->begin ? ripstop_tasks_after_begin : ripstop_tasks_after)(tasks, r->operation, r->before);
    return 0;
  case GOAL_SEND:
    number = ripstop_tasks_send(tasks, r->rank, r->peer, r->amount, r->tag);
    break;
  case GOAL_RECEIVE:
    number = ripstop_tasks_receive(tasks, r->rank, r->peer, r->amount, r->tag);
    break;
  default:
    number = ripstop_tasks_compute(tasks, r->rank, cycles_of(tasks, r->amount));
  }
  if (r->kind == GOAL_COMPUTE) ripstop_tasks_processor(tasks, number, r->processor);
  ripstop_tasks_line(tasks, number, r->line);
  return 0;
}

int goal_read(ripstop_tasks *tasks, const char *text, size_t length, ripstop_error *err) {
  goal_trace trace;
  goal_record record;
  int status;
  ripstop_goal_open(&trace, text, length, err);
  if (trace.is_binary) tasks->place = "byte";
  while ((status = ripstop_goal_next(&trace, &record)) == 0 && record.kind != GOAL_END)
    if ((status = add(tasks, &record, err)) != 0) break;
  ripstop_goal_close(&trace);
  return status;
}
