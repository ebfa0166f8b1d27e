/* turns.c - turns of ranks: a heap of waiting tasks for each. */
#include "workload/turns.h"

#include "base/binary_heap.h"
#include "base/growing.h"

static bool before(const uint32_t *a, const uint32_t *b) { return *a < *b; }

RIPSTOP_HEAP(waiting, uint32_t, before)

turns *turns_open(ripstop_arena *arena, const ripstop_tasks *tasks) {
  if (!tasks->turns) return NULL;
  turns *t = RIPSTOP_NEW(arena, turns);
  *t = (turns){.turn = RIPSTOP_ARRAY(arena, (size_t)tasks->ranks * TASK_TURNS, turn), .arena = arena};
  return t;
}

static turn *change(turns *t, const ripstop_tasks *tasks, uint32_t number) {
  const task *one = &tasks->task[number];
  const uint32_t which = one->rank * TASK_TURNS + one->processor;
  turn *of = &t->turn[which];
  if (of->is_listed) return of;
  RIPSTOP_GROW_IN(t->arena, t->changed, t->changes, t->room);
  t->changed[t->changes++] = which;
  of->is_listed = true;
  return of;
}

void turns_wait(turns *t, const ripstop_tasks *tasks, uint32_t number) {
  turn *of = change(t, tasks, number);
  RIPSTOP_GROW_IN(t->arena, of->task, of->count, of->room);
  waiting_up(of->task, of->count++, number);
}

void turns_give(turns *t, const ripstop_tasks *tasks, uint32_t number) { change(t, tasks, number)->is_taken = false; }

uint32_t turns_next(turns *t) {
  while (t->changes > 0) {
    turn *of = &t->turn[t->changed[--t->changes]];
    of->is_listed = false;
    if (of->is_taken || of->count == 0) continue;
    of->is_taken = true;
    return waiting_take(of->task, &of->count);
  }
  return RIPSTOP_NONE;
}
