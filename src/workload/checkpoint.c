/* checkpoint.c - the phases of checkpoint.h, and copies of what jobs have done. */
#include "workload/checkpoint.h"

#include <string.h>

#include "workload/held.h"

/* ------------------------------------------------------------------ copies */

static void copy_list(stage *s, waiting *to, const waiting *from) {
  if (to->room < from->count) {
    to->room = from->room;
    to->task = ripstop_arena_realloc(s->arena, to->task, to->room, sizeof *to->task);
  }
  to->count = from->count;
  if (from->count) memcpy(to->task, from->task, from->count * sizeof *to->task);
}

/* When the processors of a rank are free; NULL: it has not computed. */
static void copy_processors(stage *s, uint64_t **to, const uint64_t *from) {
  if (!from && !*to) return;
  if (!*to) *to = RIPSTOP_ARRAY(s->arena, STAGE_PROCESSORS, uint64_t);
  if (from)
    memcpy(*to, from, STAGE_PROCESSORS * sizeof **to);
  else
    memset(*to, 0, STAGE_PROCESSORS * sizeof **to);
}

static void copy_play(stage *s, job_run *to, const job_run *from) {
  const ripstop_tasks *t = from->job->tasks;
  memcpy(to->act, from->act, t->count * sizeof *to->act);
  memcpy(to->ends, from->ends, t->count * sizeof *to->ends);
  memcpy(to->ended, from->ended, t->ranks * sizeof *to->ended);
  memcpy(to->step_left, from->step_left, t->steps * sizeof *to->step_left);
  memcpy(to->step_end, from->step_end, t->steps * sizeof *to->step_end);
  held_copy(to->words, from->words, t);
  for (uint32_t r = 0; r < t->ranks; r++) {
    copy_processors(s, &to->free_[r], from->free_[r]);
    copy_list(s, &to->came[r], &from->came[r]);
    copy_list(s, &to->asks[r], &from->asks[r]);
  }
  to->left = from->left;
  to->cycles = from->cycles;
  to->started = from->started;
}

static void copy_ready(stage *s, ready **to, size_t *room, const ready *from, size_t count) {
  if (*room < count) {
    *room = count;
    *to = ripstop_arena_realloc(s->arena, *to, count, sizeof **to);
  }
  if (count) memcpy(*to, from, count * sizeof **to);
}

static void take(stage *s, snapshot *out) {
  const checkpoints *c = s->checkpoints;
  for (uint32_t i = 0; i < s->plays; i++) copy_play(s, &out->job_run[i], &s->job_run[i]);
  out->readies = s->readies - s->next;
  copy_ready(s, &out->ready, &out->room, out->readies ? s->ready + s->next : NULL, out->readies);
  out->paused_at = c->paused_at;
  out->worked = c->worked;
}

/* Computations and waits that have not ended, and jobs that have not started. */
static uint64_t count_pending(const stage *s) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < s->plays; i++) {
    count += !s->job_run[i].started;
    for (uint32_t task_ = 0; task_ < s->job_run[i].job->tasks->count; task_++) count += s->job_run[i].ends[task_] > 0;
  }
  return count;
}

/* The network is empty, so nothing else is in flight. */
static void restore(stage *s, snapshot *from) {
  for (uint32_t i = 0; i < s->plays; i++) copy_play(s, &s->job_run[i], &from->job_run[i]);
  copy_ready(s, &s->ready, &s->room, from->ready, from->readies);
  s->next = 0;
  s->readies = from->readies;
  s->agains = s->spares = 0;
  s->in_progress = s->pending = count_pending(s);
  from->worked = s->checkpoints->worked;
}

/* ------------------------------------------------------------------ going on */

static void shift_processors(job_run *p, uint64_t since, uint64_t by) {
  for (uint32_t r = 0; r < p->job->tasks->ranks; r++)
    for (uint32_t i = 0; p->free_[r] && i < STAGE_PROCESSORS; i++)
      if (p->free_[r][i] > since) p->free_[r][i] += by;
}

/* Takes effect now, or when its alarm rings. */
static void set_again(stage *s, ripstop_agent_context *on, alarm_kind kind, uint32_t number, uint32_t what,
                      uint64_t when) {
  if (when <= ripstop_agent_now(on))
    stage_fire(s, on, kind, number, what);
  else
    ripstop_agent_alarm(on, when, stage_alarm(s, kind, number, what));
}

static void go_on_with(stage *s, ripstop_agent_context *on, uint32_t number, uint64_t since) {
  job_run *p = &s->job_run[number];
  const uint64_t by = ripstop_agent_now(on) - since;
  shift_processors(p, since, by);
  if (!p->started) set_again(s, on, ALARM_JOB, number, 0, p->job->at);
  for (uint32_t task_ = 0; task_ < p->job->tasks->count; task_++) {
    if (!p->ends[task_]) continue;
    p->ends[task_] += by;
    const bool runs = p->act[task_].is_running;
    const uint64_t begins = p->ends[task_] - p->job->tasks->task[task_].amount;
    set_again(s, on, runs ? ALARM_END : ALARM_BEGIN, number, task_, runs ? p->ends[task_] : begins);
  }
}

static void enter(stage *s, const ripstop_agent_context *on, checkpoint_phase phase) {
  checkpoints *c = s->checkpoints;
  const uint64_t spent = ripstop_agent_now(on) - c->since;
  *(c->phase == WORKING ? &c->worked : c->phase == HALTED ? &c->halted : &c->paused) += spent;
  c->phase = phase;
  c->since = ripstop_agent_now(on);
}

/* Ends count from `since`, when they stood still. */
static void go_on(stage *s, ripstop_agent_context *on, uint64_t since) {
  const uint64_t now = ripstop_agent_now(on);
  enter(s, on, WORKING);
  s->epoch++;
  for (size_t i = s->next; i < s->readies; i++) s->ready[i].when = now;
  for (uint32_t i = 0; i < s->plays; i++) go_on_with(s, on, i, since);
  ripstop_agent_alarm(on, now + (uint64_t)s->config->checkpoint, stage_alarm(s, ALARM_CHECKPOINT, 0, 0));
}

/* ------------------------------------------------------------------ checkpoints */

/* A failure during the write spoils the copy: rollbacks use a state from before the failure. */
static void end_write(stage *s, ripstop_agent_context *on) {
  checkpoints *c = s->checkpoints;
  c->written++;
  if (!c->suspect) c->last = 1 - c->last;
  go_on(s, on, c->paused_at);
}

void checkpoint_look(stage *s, ripstop_agent_context *on) {
  checkpoints *c = s->checkpoints;
  if (c->phase != QUIESCING || s->in_progress > s->pending || stage_is_complete(s)) return;
  take(s, &c->state[1 - c->last]);
  enter(s, on, WRITING);
  if (s->config->checkpoint_cost)
    ripstop_agent_alarm(on, ripstop_agent_now(on) + (uint64_t)s->config->checkpoint_cost,
                        stage_alarm(s, ALARM_CHECKPOINT, 0, 0));
  else
    end_write(s, on);
}

static void begin_pause(stage *s, ripstop_agent_context *on) {
  enter(s, on, QUIESCING);
  s->checkpoints->paused_at = ripstop_agent_now(on);
}

/* ------------------------------------------------------------------ faults */

static uint64_t count_left(const stage *s, const job_run *of) {
  uint64_t left = 0;
  for (uint32_t i = 0; i < s->plays; i++) left += of[i].left;
  return left;
}

static void halt(stage *s, ripstop_agent_context *on) {
  checkpoints *c = s->checkpoints;
  const snapshot *last = &c->state[c->last];
  s->epoch++;
  if (c->phase == HALTED) return;
  enter(s, on, HALTED);
  c->rollbacks++;
  c->repeated += c->worked - last->worked;
  c->tasks += count_left(s, last->job_run) - count_left(s, s->job_run);
}

static void restart(stage *s, ripstop_agent_context *on) {
  snapshot *last = &s->checkpoints->state[s->checkpoints->last];
  restore(s, last);
  go_on(s, on, last->paused_at);
}

static void network_goes_on(stage *s, ripstop_agent_context *on) {
  s->checkpoints->suspect = false;
  if (s->config->restart_cost)
    ripstop_agent_alarm(on, ripstop_agent_now(on) + (uint64_t)s->config->restart_cost,
                        stage_alarm(s, ALARM_CHECKPOINT, 0, 0));
  else
    restart(s, on);
}

void checkpoint_reacts(void *context, ripstop_agent_context *on, ripstop_reconfiguration_event event) {
  stage *s = context;
  if (event == RIPSTOP_RECONFIGURATION_FAILED) s->checkpoints->suspect = true;
  if (event == RIPSTOP_RECONFIGURATION_STOPPED) halt(s, on);
  if (event == RIPSTOP_RECONFIGURATION_RESUMED) network_goes_on(s, on);
  stage_go_on(s, on);
}

void checkpoint_ring(stage *s, ripstop_agent_context *on) {
  const checkpoint_phase phase = s->checkpoints->phase;
  if (phase == WORKING) begin_pause(s, on);
  if (phase == WRITING) end_write(s, on);
  if (phase == HALTED) restart(s, on);
}

/* ------------------------------------------------------------------ opening, and what came of it */

void checkpoint_open(stage *s, const job *all) {
  checkpoints *c = s->checkpoints = RIPSTOP_NEW(s->arena, checkpoints);
  for (int i = 0; i < 2; i++) {
    c->state[i].job_run = RIPSTOP_ARRAY(s->arena, s->plays, job_run);
    for (uint32_t j = 0; j < s->plays; j++) stage_open_play(s, &c->state[i].job_run[j], &all[j]);
  }
}

void checkpoint_start(stage *s, ripstop_agent_context *on) {
  take(s, &s->checkpoints->state[0]);
  ripstop_agent_alarm(on, (uint64_t)s->config->checkpoint, stage_alarm(s, ALARM_CHECKPOINT, 0, 0));
}

bool checkpoint_stands(const stage *s) { return s->checkpoints && s->checkpoints->phase != WORKING; }
bool checkpoint_halts(const stage *s) { return s->checkpoints && s->checkpoints->phase == HALTED; }

uint64_t checkpoint_paused(const stage *s, uint64_t end) {
  const checkpoints *c = s->checkpoints;
  const bool pauses = c->phase == QUIESCING || c->phase == WRITING;
  return c->paused + (pauses && end > c->since ? end - c->since : 0);
}
