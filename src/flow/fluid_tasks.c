/* fluid_tasks.c - tasks of jobs in the flow model: the rules of workload/job_runner.c, with real numbers as times.
 *
 * A send is done when its message begins to leave, a receive when its message has arrived, a computation after its
 * cycles on its processor. What becomes ready at one time begins before anything else happens, in the order in which it
 * became ready. */
#include <string.h>

#include "base/growing.h"
#include "flow/timeline.h"

/* ------------------------------------------------------------------ order among tasks */

static void make_ready(timeline *t, uint32_t owner, uint32_t number) {
  RIPSTOP_GROW_IN(t->arena, t->ready, t->readies, t->ready_room);
  t->ready[t->readies++] = (ready_task){owner, number};
}

static void release(timeline *t, uint32_t owner, uint32_t number, bool begins) {
  const ripstop_tasks *all = t->job[owner].job->tasks;
  for (uint32_t i = all->base[number]; i < all->base[number + 1]; i++) {
    const uint32_t next = all->follower[i] & ~ORDER_BEGIN;
    if (!!(all->follower[i] & ORDER_BEGIN) == begins && --t->job[owner].task[next].waits == 0)
      make_ready(t, owner, next);
  }
}

static void end_in_step(const timeline *t, job_state *j, uint32_t number) {
  const uint32_t step = tasks_step(j->job->tasks, number);
  if (step == j->job->tasks->steps) return;
  j->step_left[step]--;
  j->step_end[step] = t->fluid.now;
}

static void end_task(timeline *t, uint32_t owner, uint32_t number) {
  job_state *j = &t->job[owner];
  j->task[number].done = true;
  j->left--;
  t->left--;
  j->last = j->ended[j->job->tasks->task[number].rank] = t->fluid.now;
  if (j->job->tasks->steps) end_in_step(t, j, number);
  release(t, owner, number, false);
}

/* ------------------------------------------------------------------ computations */

static void start_compute(timeline *t, uint32_t owner, uint32_t number) {
  const double end = t->fluid.now + (double)t->job[owner].job->tasks->task[number].amount;
  release(t, owner, number, true);
  if (end > t->fluid.now)
    timeline_post(t, (event){end, EVENT_END, owner, number, 0});
  else
    end_task(t, owner, number);
}

/* Begins at once, or when its processor is free. */
static void begin_compute(timeline *t, uint32_t owner, uint32_t number) {
  const task *one = &t->job[owner].job->tasks->task[number];
  double **own = &t->job[owner].free_[one->rank];
  if (!*own) *own = RIPSTOP_ARRAY(t->arena, STAGE_PROCESSORS, double);
  double *is_free = &(*own)[one->processor];
  const double begin = timeline_is_now(t, *is_free) ? t->fluid.now : *is_free;
  *is_free = begin + (double)one->amount;
  if (begin > t->fluid.now)
    timeline_post(t, (event){begin, EVENT_BEGIN, owner, number, 0});
  else
    start_compute(t, owner, number);
}

/* ------------------------------------------------------------------ receives */

static void append(timeline *t, task_list *l, uint32_t number) {
  RIPSTOP_GROW_IN(t->arena, l->task, l->count, l->room);
  l->task[l->count++] = number;
}

static bool fits(const ripstop_tasks *all, uint32_t send, uint32_t receive) {
  const task *one = &all->task[receive];
  const uint32_t tag = tasks_label(all, receive).tag;
  return (one->peer == RIPSTOP_ANY || one->peer == all->task[send].rank) &&
         (tag == RIPSTOP_ANY || tag == tasks_label(all, send).tag);
}

/* Takes the oldest entry of the list that matches; RIPSTOP_NONE: none does. */
static uint32_t take_fitting(const ripstop_tasks *all, task_list *l, uint32_t number, bool sends) {
  for (size_t i = 0; i < l->count; i++) {
    const uint32_t found = l->task[i];
    if (!(sends ? fits(all, found, number) : fits(all, number, found))) continue;
    memmove(&l->task[i], &l->task[i + 1], (--l->count - i) * sizeof *l->task);
    return found;
  }
  return RIPSTOP_NONE;
}

static void check_lengths(timeline *t, uint32_t owner, uint32_t send, uint32_t receive) {
  const task *all = t->job[owner].job->tasks->task;
  if (t->mixed || send == RIPSTOP_NONE || receive == RIPSTOP_NONE || all[send].amount == all[receive].amount) return;
  t->mixed = true;
  t->odd.job = owner;
  t->odd.send = send;
  t->odd.receive = receive;
}

static void end_receive(timeline *t, uint32_t owner, uint32_t send, uint32_t receive) {
  held_arrive(t->job[owner].words, t->job[owner].job->tasks, send);
  end_task(t, owner, receive);
}

static void begin_receive(timeline *t, uint32_t owner, uint32_t number) {
  const job_state *j = &t->job[owner];
  const ripstop_tasks *all = j->job->tasks;
  const uint32_t rank = all->task[number].rank;
  uint32_t send = all->task[number].partner;
  release(t, owner, number, true);
  if (all->asks[rank]) send = take_fitting(all, &j->came[rank], number, true);
  if (send == RIPSTOP_NONE)
    append(t, &j->asks[rank], number);
  else if (j->task[send].there)
    end_receive(t, owner, send, number);
  check_lengths(t, owner, send, number);
}

static void find_receive(timeline *t, uint32_t owner, uint32_t send) {
  const job_state *j = &t->job[owner];
  const ripstop_tasks *all = j->job->tasks;
  const uint32_t rank = all->task[send].peer;
  uint32_t receive = all->task[send].partner;
  if (all->asks[rank]) receive = take_fitting(all, &j->asks[rank], send, false);
  if (receive == RIPSTOP_NONE)
    append(t, &j->came[rank], send);
  else if (j->task[receive].begun)
    end_receive(t, owner, send, receive);
  check_lengths(t, owner, send, receive);
}

/* ------------------------------------------------------------------ messages */

void fluid_tasks_left(timeline *t, uint32_t owner, uint32_t number) {
  release(t, owner, number, true);
  end_task(t, owner, number);
}

static void measure(timeline *t, const message *m) {
  job_state *j = &t->job[m->job];
  const task *one = &j->job->tasks->task[m->task];
  const uint32_t from = j->job->end[one->rank], to = j->job->end[one->peer];
  const double cycles = t->fluid.now - m->ready;
  const double slowdown = cycles / (double)stage_latency(&t->wires, from, to, one->links, m->flits);
  j->completion[j->arrived++] = cycles;
  j->slowdowns += slowdown;
  ripstop_histogram_add(t->slowdown, (uint64_t)(slowdown * STAGE_HUNDREDTHS + 0.5));
  t->payload += one->amount;
  if (j->record) j->record[m->task].finish = t->fluid.now;
}

static void arrive(timeline *t, const event *e) {
  t->job[e->job].task[e->task].there = true;
  if (!task_is_control(&t->job[e->job].job->tasks->task[e->task])) measure(t, &t->message[e->message]);
  sending_drop(t, e->message);
  find_receive(t, e->job, e->task);
}

/* ------------------------------------------------------------------ events */

static void begin(timeline *t, const ready_task *it) {
  const job_state *j = &t->job[it->job];
  const uint8_t kind = j->job->tasks->task[it->task].kind;
  j->task[it->task].begun = true;
  if (kind == TASK_COMPUTE) begin_compute(t, it->job, it->task);
  if (kind == TASK_WAIT) start_compute(t, it->job, it->task);
  if (kind == TASK_RECEIVE) begin_receive(t, it->job, it->task);
  if (kind == TASK_TAKE) turns_wait(j->turns, j->job->tasks, it->task);
  if (kind == TASK_GIVE) {
    turns_give(j->turns, j->job->tasks, it->task);
    end_task(t, it->job, it->task);
  }
  if (kind != TASK_SEND) return;
  held_leave(j->words, j->job->tasks, it->task);
  sending_ready(t, it->job, it->task);
}

/* Tasks that get their turn are done; false: none does. */
static bool take_turns(timeline *t) {
  bool any = false;
  if (!t->has_turns) return false;
  for (uint32_t i = 0; i < t->jobs; i++)
    for (uint32_t number; t->job[i].turns && (number = turns_next(t->job[i].turns)) != RIPSTOP_NONE; any = true)
      end_task(t, i, number);
  return any;
}

void fluid_tasks_go_on(timeline *t) {
  do {
    while (t->next < t->readies) {
      const ready_task it = t->ready[t->next++];
      begin(t, &it);
    }
    t->next = t->readies = 0;
  } while (take_turns(t) || sending_go_on(t));
}

void fluid_tasks_start_job(timeline *t, uint32_t number) {
  const ripstop_tasks *all = t->job[number].job->tasks;
  for (uint32_t i = 0; i < all->count; i++)
    if (!all->waits[i]) make_ready(t, number, i);
}

void fluid_tasks_happen(timeline *t, const event *e) {
  if (e->kind == EVENT_ARRIVE) arrive(t, e);
  if (e->kind == EVENT_END) end_task(t, e->job, e->task);
  if (e->kind == EVENT_BEGIN) start_compute(t, e->job, e->task);
  if (e->kind == EVENT_JOB) fluid_tasks_start_job(t, e->job);
}

/* ------------------------------------------------------------------ opening */

/* The messages of the job. */
static uint32_t count_sends(const ripstop_tasks *all) {
  uint32_t sends = 0;
  for (uint32_t i = 0; i < all->count; i++) sends += task_is_message(&all->task[i]);
  return sends;
}

static void open_job(timeline *t, job_state *j, const job *one) {
  ripstop_arena *arena = t->arena;
  const ripstop_tasks *all = one->tasks;
  *j = (job_state){.job = one, .left = all->count, .sends = count_sends(all)};
  j->task = RIPSTOP_ARRAY(arena, (size_t)all->count + 1, task_state);
  j->pair = RIPSTOP_ARRAY(arena, (size_t)all->count + 1, uint32_t);
  j->free_ = RIPSTOP_ARRAY(arena, all->ranks, double *);
  j->ended = RIPSTOP_ARRAY(arena, all->ranks, double);
  j->came = RIPSTOP_ARRAY(arena, all->ranks, task_list);
  j->asks = RIPSTOP_ARRAY(arena, all->ranks, task_list);
  j->turns = turns_open(arena, all);
  t->has_turns |= all->turns;
  j->words = held_open(one->kind, one->config, all, arena);
  j->step_left = RIPSTOP_ARRAY(arena, (size_t)all->steps + 1, uint32_t);
  j->step_end = RIPSTOP_ARRAY(arena, (size_t)all->steps + 1, double);
  j->completion = RIPSTOP_ARRAY(arena, (size_t)j->sends + 1, double);
  for (uint32_t i = 0; i < all->count; i++) j->task[i].waits = all->waits[i];
  for (uint32_t i = 0; i < all->steps; i++) j->step_left[i] = all->step[i] - (i ? all->step[i - 1] : 0);
  t->left += all->count;
}

void fluid_tasks_open(timeline *t, const job *all) {
  t->job = RIPSTOP_ARRAY(t->arena, (size_t)t->jobs + 1, job_state);
  t->slowdown = RIPSTOP_NEW(t->arena, ripstop_histogram);
  for (uint32_t i = 0; i < t->jobs; i++) open_job(t, &t->job[i], &all[i]);
}
