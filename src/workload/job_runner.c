/* job_runner.c - the job runner: the endpoint agent of all jobs.
 *
 * Events of a call make tasks ready. They begin before the call returns, in the order in which they became ready. The
 * start of a send is notified one cycle later. Its followers count as ready since the start, and no packet is late by
 * that, since the NIC is busy with the flits of the send.
 *
 * Invariants: without a transport (which has its own), a send's `left` counts its packets that have not arrived; each
 * is in the network, in its NIC, or in `again` with an alarm. `in_progress` counts the messages that have not started
 * or not arrived, the computations that run, and the jobs that have not started. When it is 0, no further event can
 * happen. */
#include "workload/job_runner.h"

#include <string.h>

#include "base/growing.h"
#include "workload/checkpoint.h"
#include "workload/held.h"

/* Tags of packets: the task, how often it was sent again, the job. */
#define TAG_TRY (UINT64_C(1) << 32)
enum { TAG_TRY_SHIFT = 32, TAG_TRIES = 0xffff, TAG_PLAY_SHIFT = 56 };
_Static_assert(RIPSTOP_JOBS_MAX <= 1 << (64 - TAG_PLAY_SHIFT), "they fit");

/* Alarms: the kind in the highest bits, then job, epoch, and task or packet; the lower bits of a transport's alarm are
 * its own. An epoch is at least RIPSTOP_CHECKPOINT_LEAST cycles, so its bits never wrap around. */
enum { ALARM_SHIFT = 61, ALARM_PLAY_SHIFT = 55, ALARM_EPOCH_SHIFT = 32 };
#define ALARM_EPOCHS (UINT64_C(1) << (ALARM_PLAY_SHIFT - ALARM_EPOCH_SHIFT))
_Static_assert(RIPSTOP_JOBS_MAX <= 1 << (ALARM_SHIFT - ALARM_PLAY_SHIFT), "they fit");

static uint64_t alarm_of(alarm_kind kind, uint32_t number, uint64_t what) {
  return (uint64_t)kind << ALARM_SHIFT | (uint64_t)number << ALARM_PLAY_SHIFT | what;
}

uint64_t stage_alarm(const stage *s, alarm_kind kind, uint32_t number, uint64_t what) {
  return alarm_of(kind, number, s->epoch % ALARM_EPOCHS << ALARM_EPOCH_SHIFT | what);
}

/* ------------------------------------------------------------------ messages and packets */

uint64_t stage_full(const ripstop_workload_config *config) {
  return (uint64_t)((config->packet + config->flit - 1) / config->flit + config->header);
}

/* Every packet but the last carries workload.packet bytes, and its last flit may be in part empty. */
uint64_t stage_flits(const ripstop_workload_config *config, uint64_t bytes, uint64_t *packets) {
  const uint64_t flit = (uint64_t)config->flit, most = (uint64_t)config->packet,
                 before = bytes ? (bytes - 1) / most : 0;
  const uint64_t rest = bytes - before * most;
  const uint64_t last = rest / flit + (rest % flit != 0) + (uint64_t)config->header;
  *packets = before + 1;
  return before * stage_full(config) + (last ? last : 1); /* an empty message still takes a flit */
}

static uint64_t delay_of(const ripstop_fabric *f, const ripstop_switch_config *switch_, uint32_t link) {
  return f->delay && f->delay[link] ? f->delay[link] : (uint64_t)switch_->link;
}

stage_wires stage_wires_of(const ripstop_fabric *fabric, const ripstop_switch_config *switch_,
                           const ripstop_workload_config *config) {
  uint64_t least = UINT64_MAX;
  for (uint32_t link = fabric->link_ends; fabric->delay && link < fabric->links; link++)
    if (delay_of(fabric, switch_, link) < least) least = delay_of(fabric, switch_, link);
  return (stage_wires){fabric, switch_, least < UINT64_MAX ? least : (uint64_t)switch_->link, stage_full(config)};
}

static uint32_t link_of(const ripstop_fabric *f, uint32_t end) { return f->port_link[f->port_base[end]]; }

uint64_t stage_pace(const ripstop_fabric *fabric, uint32_t end, uint64_t flits) {
  const uint16_t rate = ripstop_fabric_rate(fabric, link_of(fabric, end));
  return (flits * RIPSTOP_RATE_FULL + rate - 1) / rate;
}

uint64_t stage_through(const stage_wires *w, uint64_t flits) {
  const bool stores = w->switch_->forward == RIPSTOP_FORWARD_STORE;
  const uint64_t first = flits < w->full ? flits : w->full;                 /* packet */
  const bool queued = w->switch_->out_queue > 0 || w->switch_->speedup > 1; /* without limit it takes no time */
  return (uint64_t)w->switch_->pipeline + (queued && w->switch_->out_queue != RIPSTOP_UNLIMITED) +
         (stores ? first - 1 : 0);
}

uint64_t stage_latency(const stage_wires *w, uint32_t from, uint32_t to, uint32_t links, uint64_t flits) {
  const uint64_t own = delay_of(w->fabric, w->switch_, link_of(w->fabric, from)) +
                       delay_of(w->fabric, w->switch_, link_of(w->fabric, to));
  const uint64_t out = stage_pace(w->fabric, from, flits), in = stage_pace(w->fabric, to, flits);
  return own + (links - 2) * w->shortest + (links - 1) * stage_through(w, flits) + (out > in ? out : in) - 1;
}

/* Hands a message to its NIC: all packets but the last are full. The start of the first one is notified. */
static void send_message(stage *s, ripstop_agent_context *on, uint32_t number, uint32_t task_) {
  const job_run *p = &s->job_run[number];
  const task *one = &p->job->tasks->task[task_];
  uint64_t packets, flits = stage_flits(s->config, one->amount, &packets);
  const uint64_t full = stage_full(s->config);
  ripstop_agent_packet l = {.source = p->job->end[one->rank],
                            .destination = p->job->end[one->peer],
                            .class_ = job_class(p->job),
                            .flits = (uint32_t)full,
                            .tag = (uint64_t)number << TAG_PLAY_SHIFT | task_,
                            .message = (uint64_t)number << 32 | task_};
  p->act[task_].left = (uint32_t)packets;
  held_leave(p->words, p->job->tasks, task_);
  s->in_progress += 2;
  if (s->transport) {
    const transport_message m = {number, task_, (uint32_t)full, (uint32_t)(flits - (packets - 1) * full)};
    transport_send(s->transport, on, (transport_pair){l.source, l.destination, l.class_}, packets, &m);
    return;
  }
  for (; flits > full; flits -= full, l.quiet = true) ripstop_agent_send(on, &l);
  l.flits = (uint32_t)flits;
  ripstop_agent_send(on, &l);
}

/* ------------------------------------------------------------------ tasks */

static void make_ready(stage *s, uint32_t number, uint32_t task_, uint64_t when) {
  RIPSTOP_GROW_IN(s->arena, s->ready, s->readies, s->room);
  s->ready[s->readies++] = (ready){.job_run = number, .task = task_, .when = when};
}

static void release(stage *s, uint32_t number, uint32_t task_, bool begins, uint64_t when) {
  const job_run *p = &s->job_run[number];
  const ripstop_tasks *t = p->job->tasks;
  for (uint32_t i = t->base[task_]; i < t->base[task_ + 1]; i++) {
    uint32_t next = t->follower[i] & ~ORDER_BEGIN;
    if (!!(t->follower[i] & ORDER_BEGIN) == begins && --p->act[next].waits == 0) make_ready(s, number, next, when);
  }
}

static void end_in_step(job_run *p, uint32_t task_, uint64_t when) {
  const uint32_t step = tasks_step(p->job->tasks, task_);
  if (step == p->job->tasks->steps) return;
  p->step_left[step]--;
  if (when > p->step_end[step]) p->step_end[step] = when;
}

static void end_task(stage *s, uint32_t number, uint32_t task_, uint64_t when) {
  job_run *p = &s->job_run[number];
  const uint32_t rank = p->job->tasks->task[task_].rank;
  p->act[task_].is_done = true;
  p->left--;
  if (when > p->ended[rank]) p->ended[rank] = when;
  if (when > p->cycles) p->cycles = when;
  if (p->job->tasks->steps) end_in_step(p, task_, when);
  release(s, number, task_, false, when);
}

/* ------------------------------------------------------------------ computations */

static void set_end(const job_run *p, uint32_t task_, uint64_t end) {
  if (p->ends) p->ends[task_] = end;
}

/* An alarm that stands for work: of a computation, a wait or a job's start. */
static void wait_for(stage *s, ripstop_agent_context *on, uint64_t when, uint64_t alarm) {
  s->in_progress++;
  s->pending++;
  ripstop_agent_alarm(on, when, alarm);
}

static void start_compute(stage *s, ripstop_agent_context *on, uint32_t number, uint32_t task_, uint64_t when) {
  const job_run *p = &s->job_run[number];
  uint64_t end = when + p->job->tasks->task[task_].amount;
  release(s, number, task_, true, when);
  if (end <= ripstop_agent_now(on)) {
    set_end(p, task_, 0);
    end_task(s, number, task_, end);
    return;
  }
  p->act[task_].is_running = true;
  set_end(p, task_, end);
  wait_for(s, on, end, stage_alarm(s, ALARM_END, number, task_));
}

/* Begins at once, or when its processor is free. */
static void begin_compute(stage *s, ripstop_agent_context *on, const ready *it) {
  const job_run *p = &s->job_run[it->job_run];
  const task *one = &p->job->tasks->task[it->task];
  uint64_t **own = &p->free_[one->rank];
  if (!*own) *own = RIPSTOP_ARRAY(s->arena, STAGE_PROCESSORS, uint64_t);
  uint64_t *is_free = &(*own)[one->processor], begin = it->when > *is_free ? it->when : *is_free;
  *is_free = begin + one->amount;
  if (begin <= ripstop_agent_now(on)) {
    start_compute(s, on, it->job_run, it->task, begin);
    return;
  }
  set_end(p, it->task, begin + one->amount);
  wait_for(s, on, begin, stage_alarm(s, ALARM_BEGIN, it->job_run, it->task));
}

/* ------------------------------------------------------------------ receives */

static void append(stage *s, waiting *l, uint32_t task_) {
  RIPSTOP_GROW_IN(s->arena, l->task, l->count, l->room);
  l->task[l->count++] = task_;
}

/* Ends the receive of a message that has arrived. */
static void end_receive(stage *s, uint32_t number, uint32_t send, uint32_t receive, uint64_t when) {
  const job_run *p = &s->job_run[number];
  held_arrive(p->words, p->job->tasks, send);
  end_task(s, number, receive, when);
}

static bool fits(const ripstop_tasks *t, uint32_t send, uint32_t receive) {
  const task *one = &t->task[receive];
  const uint32_t tag = tasks_label(t, receive).tag;
  return (one->peer == RIPSTOP_ANY || one->peer == t->task[send].rank) &&
         (tag == RIPSTOP_ANY || tag == tasks_label(t, send).tag);
}

/* Takes the oldest entry of the list that matches `task_`; RIPSTOP_NONE: none does. */
static uint32_t take_fitting(const ripstop_tasks *t, waiting *l, uint32_t task_, bool sends) {
  for (uint32_t i = 0; i < l->count; i++) {
    uint32_t found = l->task[i];
    if (!(sends ? fits(t, found, task_) : fits(t, task_, found))) continue;
    memmove(&l->task[i], &l->task[i + 1], (--l->count - i) * sizeof *l->task);
    return found;
  }
  return RIPSTOP_NONE;
}

static void check_lengths(stage *s, uint32_t number, uint32_t send, uint32_t receive) {
  const task *all = s->job_run[number].job->tasks->task;
  if (s->mixed || send == RIPSTOP_NONE || receive == RIPSTOP_NONE || all[send].amount == all[receive].amount) return;
  s->mixed = true;
  s->odd.job_run = number;
  s->odd.send = send;
  s->odd.receive = receive;
}

static void begin_receive(stage *s, const ready *it) {
  const job_run *p = &s->job_run[it->job_run];
  const ripstop_tasks *t = p->job->tasks;
  const task *one = &t->task[it->task];
  uint32_t send = one->partner;
  release(s, it->job_run, it->task, true, it->when);
  if (t->asks[one->rank]) send = take_fitting(t, &p->came[one->rank], it->task, true);
  if (send == RIPSTOP_NONE)
    append(s, &p->asks[one->rank], it->task);
  else if (p->act[send].is_there)
    end_receive(s, it->job_run, send, it->task, it->when);
  check_lengths(s, it->job_run, send, it->task);
}

/* Finds the receive of a message that has arrived. */
static void find_receive(stage *s, uint32_t number, uint32_t send, uint64_t now) {
  const job_run *p = &s->job_run[number];
  const ripstop_tasks *t = p->job->tasks;
  const task *one = &t->task[send];
  uint32_t receive = one->partner;
  if (t->asks[one->peer]) receive = take_fitting(t, &p->asks[one->peer], send, false);
  if (receive == RIPSTOP_NONE)
    append(s, &p->came[one->peer], send);
  else if (p->act[receive].is_begun)
    end_receive(s, number, send, receive, now);
  check_lengths(s, number, send, receive);
}

/* ------------------------------------------------------------------ events */

static void begin(stage *s, ripstop_agent_context *on, const ready *it) {
  const job_run *p = &s->job_run[it->job_run];
  act *a = &p->act[it->task];
  const uint8_t kind = p->job->tasks->task[it->task].kind;
  a->is_begun = true;
  a->begun = it->when;
  if (kind == TASK_COMPUTE) begin_compute(s, on, it);
  if (kind == TASK_WAIT) start_compute(s, on, it->job_run, it->task, it->when);
  if (kind == TASK_SEND) send_message(s, on, it->job_run, it->task);
  if (kind == TASK_RECEIVE) begin_receive(s, it);
  if (kind == TASK_TAKE) turns_wait(p->turns, p->job->tasks, it->task);
  if (kind != TASK_GIVE) return;
  turns_give(p->turns, p->job->tasks, it->task);
  end_task(s, it->job_run, it->task, it->when);
}

/* Tasks that get their turn are done; false: none does. */
static bool take_turns(stage *s, uint64_t now) {
  bool any = false;
  if (!s->has_turns) return false;
  for (uint32_t i = 0; i < s->plays; i++)
    for (uint32_t number; s->job_run[i].turns && (number = turns_next(s->job_run[i].turns)) != RIPSTOP_NONE; any = true)
      end_task(s, i, number, now);
  return any;
}

/* At the end of every call. */
static void go_on(stage *s, ripstop_agent_context *on) {
  if (s->checkpoints) checkpoint_look(s, on);
  if (checkpoint_stands(s) && !stage_is_complete(s) && !s->given_up) return;
  do {
    while (s->next < s->readies) {
      ready it = s->ready[s->next++];
      begin(s, on, &it);
    }
    s->next = s->readies = 0;
  } while (take_turns(s, ripstop_agent_now(on)));
  if (s->in_progress && !s->given_up && !s->mixed) return;
  s->stuck = !s->in_progress && !stage_is_complete(s);
  ripstop_agent_finish(on);
}

void stage_go_on(stage *s, ripstop_agent_context *on) { go_on(s, on); }

static void start_job(stage *s, uint32_t number, uint64_t now) {
  s->job_run[number].started = true;
  const ripstop_tasks *t = s->job_run[number].job->tasks;
  for (uint32_t i = 0; i < t->count; i++)
    if (!t->waits[i]) make_ready(s, number, i, now);
}

static void start(void *context, ripstop_agent_context *on) {
  stage *s = context;
  if (s->checkpoints) checkpoint_start(s, on);
  for (uint32_t i = 0; i < s->plays; i++) {
    const uint64_t at = s->job_run[i].job->at;
    if (at)
      wait_for(s, on, at, stage_alarm(s, ALARM_JOB, i, 0));
    else
      start_job(s, i, 0);
  }
  go_on(s, on);
}

static void measure_own(job_messages *own, uint64_t cycles, double slowdown) {
  if (!own) return;
  ripstop_histogram_add(&own->completion, cycles);
  own->slowdowns += slowdown;
}

static void measure(stage *s, const job_run *p, const task *one, uint64_t cycles) {
  const job *j = p->job;
  uint64_t packets, flits = stage_flits(s->config, one->amount, &packets);
  double slowdown =
      (double)cycles / (double)stage_latency(&s->wires, j->end[one->rank], j->end[one->peer], one->links, flits);
  ripstop_histogram_add(&s->completion, cycles);
  ripstop_histogram_add(&s->slowdown, (uint64_t)(slowdown * STAGE_HUNDREDTHS + 0.5));
  s->slowdowns += slowdown;
  measure_own(p->own, cycles, slowdown);
  s->payload += one->amount;
}

/* A message has arrived. */
static void arrive(stage *s, ripstop_agent_context *on, uint32_t number, uint32_t send) {
  act *a = &s->job_run[number].act[send];
  const uint64_t now = ripstop_agent_now(on);
  const task *one = &s->job_run[number].job->tasks->task[send];
  a->is_there = true;
  s->in_progress--;
  if (!task_is_control(one)) measure(s, &s->job_run[number], one, now - a->begun);
  find_receive(s, number, send, now);
  go_on(s, on);
}

static size_t place_again(stage *s) {
  if (s->spares) return s->spare[--s->spares];
  if (s->agains == s->again_room) {
    s->again_room = s->again_room ? 2 * s->again_room : 64;
    s->again = ripstop_arena_realloc(s->arena, s->again, s->again_room, sizeof *s->again);
    s->spare = ripstop_arena_realloc(s->arena, s->spare, s->again_room, sizeof *s->spare);
  }
  return s->agains++;
}

static void lost(void *context, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  stage *s = context;
  if (checkpoint_halts(s)) return;
  if (((packet->tag >> TAG_TRY_SHIFT) & TAG_TRIES) == (uint64_t)s->config->tries) {
    s->given_up = true;
    go_on(s, on);
    return;
  }
  size_t at = place_again(s);
  s->again[at] = *packet;
  s->again[at].tag += TAG_TRY;
  ripstop_agent_alarm(on, ripstop_agent_now(on) + (uint64_t)s->config->retry, stage_alarm(s, ALARM_AGAIN, 0, at));
}

static void delivered(void *context, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  stage *s = context;
  if (checkpoint_halts(s)) return;
  if (packet->cut) { /* the receiver requests it again */
    lost(context, on, packet);
    return;
  }
  const uint32_t number = (uint32_t)(packet->tag >> TAG_PLAY_SHIFT), send = (uint32_t)packet->tag;
  if (--s->job_run[number].act[send].left == 0) arrive(s, on, number, send);
}

/* A message's first packet began to leave in the previous cycle: the send is done. */
static void leave(stage *s, ripstop_agent_context *on, uint32_t number, uint32_t send) {
  s->in_progress--;
  release(s, number, send, true, ripstop_agent_now(on) - 1);
  end_task(s, number, send, ripstop_agent_now(on) - 1);
  go_on(s, on);
}

static void taken(void *context, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  stage *s = context;
  if (checkpoint_halts(s)) return;
  const uint32_t number = (uint32_t)(packet->tag >> TAG_PLAY_SHIFT), send = (uint32_t)packet->tag;
  if (!s->job_run[number].act[send].is_done) leave(s, on, number, send); /* done: it was lost, and is sent again */
}

static void send_again(stage *s, ripstop_agent_context *on, uint32_t at) {
  ripstop_agent_packet l = s->again[at];
  s->spare[s->spares++] = at;
  s->repeats++;
  ripstop_agent_send(on, &l);
}

/* The same with a transport, which interprets the packets. */
static void part_delivered(void *context, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  stage *s = context;
  transport_message there;
  if (transport_delivered(s->transport, on, packet, &there)) arrive(s, on, there.job_run, there.task);
}

static void part_taken(void *context, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  stage *s = context;
  transport_message started;
  if (transport_taken(s->transport, on, packet, &started)) leave(s, on, started.job_run, started.task);
}

static void part_lost(void *context, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  const stage *s = context;
  transport_lost(s->transport, on, packet);
}

static void ring_again(stage *s, ripstop_agent_context *on, uint32_t what) {
  if (!s->transport) {
    send_again(s, on, what);
    return;
  }
  transport_alarm(s->transport, on, what);
  s->given_up = transport_gave_up(s->transport);
}

void stage_fire(stage *s, ripstop_agent_context *on, alarm_kind kind, uint32_t number, uint32_t what) {
  s->in_progress--;
  s->pending--;
  if (kind == ALARM_END) set_end(&s->job_run[number], what, 0), end_task(s, number, what, ripstop_agent_now(on));
  if (kind == ALARM_BEGIN) start_compute(s, on, number, what, ripstop_agent_now(on));
  if (kind == ALARM_JOB) start_job(s, number, ripstop_agent_now(on));
}

/* While ranks pause their work stands still: checkpoint.c sets its alarms again. */
static void ring(void *context, ripstop_agent_context *on, uint64_t alarm) {
  stage *s = context;
  const alarm_kind kind = (alarm_kind)(alarm >> ALARM_SHIFT);
  const uint32_t number = (uint32_t)(alarm >> ALARM_PLAY_SHIFT) & ((1u << (ALARM_SHIFT - ALARM_PLAY_SHIFT)) - 1);
  const uint32_t what = (uint32_t)alarm;
  if ((alarm >> ALARM_EPOCH_SHIFT) % ALARM_EPOCHS != s->epoch % ALARM_EPOCHS) return;
  if (kind < ALARM_AGAIN && checkpoint_stands(s)) return;
  if (kind < ALARM_AGAIN) stage_fire(s, on, kind, number, what);
  if (kind == ALARM_AGAIN) ring_again(s, on, what);
  if (kind == ALARM_CHECKPOINT) checkpoint_ring(s, on);
  go_on(s, on);
}

/* ------------------------------------------------------------------ opening */

void stage_open_play(const stage *s, job_run *p, const job *j) {
  ripstop_arena *arena = s->arena;
  const ripstop_tasks *t = j->tasks;
  *p = (job_run){.job = j, .left = t->count};
  p->act = RIPSTOP_ARRAY(arena, (size_t)t->count + 1, act);
  if (s->config->checkpoint) p->ends = RIPSTOP_ARRAY(arena, (size_t)t->count + 1, uint64_t);
  p->ended = RIPSTOP_ARRAY(arena, t->ranks, uint64_t);
  p->free_ = RIPSTOP_ARRAY(arena, t->ranks, uint64_t *);
  p->came = RIPSTOP_ARRAY(arena, t->ranks, waiting);
  p->asks = RIPSTOP_ARRAY(arena, t->ranks, waiting);
  p->turns = turns_open(arena, t);
  p->words = held_open(j->kind, j->config, t, arena);
  for (uint32_t i = 0; i < t->count; i++) p->act[i].waits = t->waits[i];
  p->step_left = RIPSTOP_ARRAY(arena, (size_t)t->steps + 1, uint32_t);
  p->step_end = RIPSTOP_ARRAY(arena, (size_t)t->steps + 1, uint64_t);
  for (uint32_t i = 0; i < t->steps; i++) p->step_left[i] = t->step[i] - (i ? t->step[i - 1] : 0);
}

void stage_open(stage *s, const ripstop_workload_config *config, const ripstop_switch_config *switch_,
                const ripstop_view *view, const job *all, size_t count, ripstop_arena *arena) {
  const ripstop_fabric *fabric = view->fabric;
  *s = (stage){
      .config = config, .wires = stage_wires_of(fabric, switch_, config), .plays = (uint32_t)count, .arena = arena};
  s->classes = jobs_classes(all, count);
  s->job_run = RIPSTOP_ARRAY(arena, count, job_run);
  for (size_t i = 0; i < count; i++) {
    stage_open_play(s, &s->job_run[i], &all[i]);
    s->has_turns |= s->job_run[i].turns != NULL;
    if (jobs_have_classes(all, count)) s->job_run[i].own = RIPSTOP_NEW(arena, job_messages);
  }
  if (config->checkpoint) checkpoint_open(s, all);
  if (config->transport != RIPSTOP_TRANSPORT_NONE)
    s->transport = transport_open(config, view, s->classes, alarm_of(ALARM_AGAIN, 0, 0), arena);
}

/* The time of a one-flit notice that travels back without waiting. */
void stage_inform(stage *s) {
  if (s->transport) transport_inform(s->transport, (uint32_t)(s->wires.switch_->link + s->wires.switch_->pipeline));
}

void stage_bound(stage *s, uint64_t cycles) {
  if (s->transport) transport_bound(s->transport, cycles);
}

bool stage_informs(const stage *s) { return s->transport && transport_informs(s->transport); }

ripstop_agent stage_agent(stage *s) {
  const uint32_t header = (uint32_t)s->config->header;
  const bool none = !s->transport;
  ripstop_agent agent = {.classes = s->classes,
                         .shortest = 1 + header,
                         .longest = (uint32_t)stage_full(s->config),
                         .start = start,
                         .delivered = none ? delivered : part_delivered,
                         .taken = none ? taken : part_taken,
                         .lost = none ? lost : part_lost,
                         .alarm = ring,
                         .reacts = s->checkpoints ? checkpoint_reacts : NULL,
                         .context = s};
  if (s->transport) transport_widen(s->config, &agent);
  return agent;
}

bool stage_is_complete(const stage *s) {
  for (uint32_t i = 0; i < s->plays; i++)
    if (s->job_run[i].left) return false;
  return true;
}

bool stage_is_right(const stage *s) {
  for (uint32_t i = 0; i < s->plays; i++) {
    const job_run *p = &s->job_run[i];
    if (p->left || !held_is_right(p->words, p->job->kind, p->job->config, p->job->tasks)) return false;
  }
  return true;
}

void stage_know(stage *s, const uint32_t *part, uint64_t settled) {
  if (s->transport) transport_know(s->transport, part, settled);
}

void stage_report(const stage *s, ripstop_text *out) {
  transport_message m;
  if (s->transport && transport_cut_off(s->transport, &m)) {
    ripstop_text_add(out, "job %u: ", m.job_run + 1);
    tasks_name(s->job_run[m.job_run].job->tasks, m.task, out);
    ripstop_text_add(out, ", and these two will never be connected again");
    return;
  }
  for (uint32_t i = 0; i < s->plays; i++) {
    const job_run *p = &s->job_run[i];
    uint32_t first = 0;
    if (!p->left) continue;
    while (p->act[first].is_done) first++;
    ripstop_text_add(out, "job %u has %u tasks that are not done, the first: ", i + 1, p->left);
    tasks_name(p->job->tasks, first, out);
    return;
  }
}

void stage_report_odd(const stage *s, ripstop_text *out) {
  const ripstop_tasks *t = s->job_run[s->odd.job_run].job->tasks;
  ripstop_text_add(out, "job %u: a message of %llu bytes, ", s->odd.job_run + 1,
                   (unsigned long long)t->task[s->odd.send].amount);
  tasks_name(t, s->odd.send, out);
  ripstop_text_add(out, ", is received as one of %llu, ", (unsigned long long)t->task[s->odd.receive].amount);
  tasks_name(t, s->odd.receive, out);
}
