/* dry_walk.c - runs all tasks of a job without a network, each as soon as possible: so it is known before a run that it
 * can end, and how soon at best.
 *
 * The waiting does not depend on time, so a task that remains here would wait forever in every run. A receive from
 * any source is assumed to find its message at once: only a run shows that. */
#include <string.h>

#include "base/local.h"
#include "workload/tasks.h"

typedef struct walk {
  const ripstop_tasks *tasks;
  task_latency latency;
  const void *context;
  uint32_t *waits;            /* [tasks] */
  uint64_t *when;             /* [tasks]: begin, as far as known */
  uint64_t *there;            /* [tasks]: arrival + 1 of a send that has begun; otherwise 0 */
  uint32_t *ready;            /* a stack */
  bool *begun, *done, *early; /* early: tasks_enough */
  uint32_t readies, left;
  uint64_t last;
} walk;

/* A task that needs only some of those before it may begin before the others, which come here in any order: it counts
 * from 0, so its times are bounds, too. */
static void release(walk *w, uint32_t number, bool begins, uint64_t when) {
  const ripstop_tasks *t = w->tasks;
  for (uint32_t i = t->base[number]; i < t->base[number + 1]; i++) {
    uint32_t next = t->follower[i] & ~ORDER_BEGIN;
    if (!!(t->follower[i] & ORDER_BEGIN) != begins) continue;
    if (when > w->when[next] && !w->early[next]) w->when[next] = when;
    if (--w->waits[next] == 0) w->ready[w->readies++] = next;
  }
}

static void end(walk *w, uint32_t number, uint64_t when) {
  w->done[number] = true;
  w->left--;
  if (when > w->last) w->last = when;
  release(w, number, false, when);
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Saturating addition. */
static uint64_t after(uint64_t when, uint64_t cycles) {
  return cycles < UINT64_MAX / 2 - when ? when + cycles : UINT64_MAX / 2;
}

/* Ends the receive of a message whose send and receive have begun. */
static void end_receive(walk *w, uint32_t receive) {
  const task *one = &w->tasks->task[receive];
  uint64_t there = one->partner == RIPSTOP_NONE ? 0 : w->there[one->partner] - 1;
  end(w, receive, later(w->when[receive], there));
}

static void begin(walk *w, uint32_t number) {
  const task *one = &w->tasks->task[number];
  w->begun[number] = true;
  release(w, number, true, w->when[number]);
  if (one->kind == TASK_TAKE || one->kind == TASK_GIVE) end(w, number, w->when[number]); /* at best at once */
  if (one->kind == TASK_COMPUTE || one->kind == TASK_WAIT) end(w, number, after(w->when[number], one->amount));
  if (one->kind == TASK_RECEIVE && (one->partner == RIPSTOP_NONE || w->there[one->partner])) end_receive(w, number);
  if (one->kind != TASK_SEND) return;
  w->there[number] = after(w->when[number], w->latency ? w->latency(w->context, one) : 0) + 1;
  end(w, number, w->when[number]);
  if (one->partner != RIPSTOP_NONE && w->begun[one->partner]) end_receive(w, one->partner);
}

/* ------------------------------------------------------------------ cycles of waiting tasks */

void tasks_name(const ripstop_tasks *tasks, uint32_t number, ripstop_text *out) {
  const task *one = &tasks->task[number];
  const uint32_t line = tasks_label(tasks, number).line;
  static const char *const alone[] = {[TASK_COMPUTE] = "computes",
                                      [TASK_WAIT] = "waits",
                                      [TASK_TAKE] = "waits for its turn",
                                      [TASK_GIVE] = "ends its turn"};
  if (one->kind != TASK_SEND && one->kind != TASK_RECEIVE)
    ripstop_text_add(out, "rank %u %s", one->rank, alone[one->kind]);
  else if (one->peer == RIPSTOP_ANY)
    ripstop_text_add(out, "rank %u receives from any rank", one->rank);
  else
    ripstop_text_add(out, "rank %u %s rank %u", one->rank, one->kind == TASK_SEND ? "sends to" : "receives from",
                     one->peer);
  if (line) ripstop_text_add(out, " (%s %u)", tasks->place, line);
}

/* For each unfinished task, a task that blocks it: one that it comes after, or the send of its message. */
static uint32_t *find_blockers(const walk *w, ripstop_arena *scratch) {
  const ripstop_tasks *t = w->tasks;
  uint32_t *by = RIPSTOP_ARRAY(scratch, (size_t)t->count + 1, uint32_t);
  for (uint32_t i = 0; i < t->count; i++)
    if (w->begun[i]) by[i] = t->task[i].partner;
  for (uint32_t before = 0; before < t->count; before++)
    for (uint32_t i = t->base[before]; i < t->base[before + 1]; i++)
      if (!(t->follower[i] & ORDER_BEGIN ? w->begun[before] : w->done[before]))
        by[t->follower[i] & ~ORDER_BEGIN] = before;
  return by;
}

enum { TOLD = 4 }; /* tasks of a cycle that messages name */

/* An unfinished task leads to another, and so in the end to a cycle. */
static int tell(const walk *w, ripstop_arena *scratch, ripstop_error *err) {
  const uint32_t *by = find_blockers(w, scratch);
  uint32_t at = 0;
  RIPSTOP_LOCAL_TEXT(text);
  while (w->done[at]) at++;
  for (uint32_t i = 0; i < w->left; i++) at = by[at];
  uint32_t first = at, length = 0;
  do {
    if (length < TOLD) tasks_name(w->tasks, at, &text), ripstop_text_add(&text, ", which waits until ");
    at = by[at];
  } while (++length, at != first);
  if (length > TOLD) ripstop_text_add(&text, "(%u more of the cycle), which waits until ", length - TOLD);
  tasks_name(w->tasks, first, &text);
  ripstop_fail(err, "%u tasks can never finish: %s", w->left, text.data ? text.data : "");
  return -1;
}

static void open(walk *w, ripstop_arena *scratch) {
  size_t count = w->tasks->count;
  w->waits = RIPSTOP_ARRAY(scratch, count + 1, uint32_t);
  w->when = RIPSTOP_ARRAY(scratch, count + 1, uint64_t);
  w->there = RIPSTOP_ARRAY(scratch, count + 1, uint64_t);
  w->ready = RIPSTOP_ARRAY(scratch, count + 1, uint32_t);
  w->begun = RIPSTOP_ARRAY(scratch, count + 1, bool);
  w->done = RIPSTOP_ARRAY(scratch, count + 1, bool);
  w->early = RIPSTOP_ARRAY(scratch, count + 1, bool);
  for (uint32_t i = 0; i < w->tasks->enoughs; i++) w->early[w->tasks->enough[i].task] = true;
  memcpy(w->waits, w->tasks->waits, count * sizeof *w->waits);
}

int tasks_walk(const ripstop_tasks *tasks, task_latency latency, const void *context, uint64_t *last,
               ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  walk w = {.tasks = tasks, .latency = latency, .context = context, .left = tasks->count};
  open(&w, scratch);
  for (uint32_t i = 0; i < tasks->count; i++)
    if (!w.waits[i]) w.ready[w.readies++] = i;
  while (w.readies) begin(&w, w.ready[--w.readies]);
  *last = w.last;
  return w.left ? tell(&w, scratch, err) : 0;
}
