/* fuzz_goal.c - traces: any bytes are refused with a line that says why, or give tasks that have an order, of which all
 * can be done or a cycle is reported. */
#include <stdlib.h>
#include <string.h>

#include "workload/goal.h"
#include "workload/tasks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_message(const ripstop_error *err) {
  demand(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
}

/* Every send that has a receive is the send of that. */
static void demand_partners(const ripstop_tasks *t) {
  for (uint32_t i = 0; i < t->count; i++) {
    const task *one = &t->task[i];
    demand(one->rank < t->ranks);
    if (one->partner == RIPSTOP_NONE) continue;
    const task *other = &t->task[one->partner];
    demand(other->partner == i && other->amount == one->amount && other->peer == one->rank && one->kind != other->kind);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { ENDS = 64 };
  ripstop_error err = {0};
  uint64_t last = 0;
  ripstop_tasks *t = tasks_new(ENDS, ENDS, false, 1);
  if (goal_read(t, (const char *)data, size, &err) || tasks_close(t, &err)) {
    demand_message(&err);
  } else {
    demand_partners(t);
    if (tasks_walk(t, NULL, NULL, &last, &err)) demand_message(&err);
  }
  tasks_free(t);
  return 0;
}
