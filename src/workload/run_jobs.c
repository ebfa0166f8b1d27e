/* run_jobs.c - a workload's run, from the text of its jobs to its numbers: a simulation with an endpoint agent, both of
 * which belong to one handle. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "ripstop/plugin/method.h"
#include "simulate/run_result.h"
#include "workload/checkpoint.h"
#include "workload/ends.h"
#include "workload/ideal.h"
#include "workload/round_trip.h"
#include "workload/steps.h"
#include "workload/workload_run.h"

/* The context of a run. */
typedef struct ripstop_jobs scene;
struct ripstop_jobs {
  const ripstop_plan *plan;
  ripstop_workload_run run;
  job *job;
  size_t jobs;
  uint32_t *end; /* [ends]: end nodes that have a job */
  uint32_t ends;
  stage stage;
  ripstop_simulation *simulation; /* NULL: the jobs were only inspected */
  ripstop_arena *arena;
};

/* ------------------------------------------------------------------ opening */

static int check_sizes(const ripstop_workload_config *c, ripstop_error *err) {
  enum { FLITS_MAX = 4096 };
  const int64_t flits = (int64_t)stage_full(c);
  if (flits > FLITS_MAX)
    return ripstop_fail(err, "workload.packet: %lld flits with its header; a packet has at most %d", (long long)flits,
                        FLITS_MAX);
  return 0;
}

static int check_congestion(const ripstop_workload_config *c, ripstop_error *err) {
  if (c->congestion.kind == RIPSTOP_CONGESTION_NONE) return 0;
  if (c->transport == RIPSTOP_TRANSPORT_NONE)
    return ripstop_fail(err, "workload.congestion needs workload.transport: go-back-n, selective or trim");
  if (c->congestion.kmin > c->congestion.kmax)
    return ripstop_fail(err, "workload.kmin is %lld, more than workload.kmax, %lld", (long long)c->congestion.kmin,
                        (long long)c->congestion.kmax);
  return 0;
}

/* Keys that only transports use must not be set without one. */
static int check_transport(const ripstop_workload_config *c, ripstop_error *err) {
  ripstop_workload_config usual = {0};
  RIPSTOP_LOCAL_ARENA(scratch);
  int status = ripstop_options_defaults(scratch, ripstop_workload_options, &usual);
  const struct {
    const char *name;
    int64_t is, usual;
  } own[] = {{"window", c->window, usual.window},
             {"timeout", c->timeout, usual.timeout},
             {"timeout_min", c->timeout_min, usual.timeout_min},
             {"order", c->order, usual.order},
             {"pull", c->pull, usual.pull},
             {"backoff", c->backoff, usual.backoff},
             {"ack", c->ack, usual.ack}};
  for (size_t i = 0; i < sizeof own / sizeof *own && !status && c->transport == RIPSTOP_TRANSPORT_NONE; i++)
    if (own[i].is != own[i].usual)
      status = ripstop_fail(err, "workload.%s needs workload.transport: go-back-n, selective or trim", own[i].name);
  if (!status && c->order != usual.order && c->transport == RIPSTOP_TRANSPORT_GO_BACK_N)
    status = ripstop_fail(err, "workload.order: receivers of go-back-n take packets in order alone; any needs "
                               "workload.transport: selective");
  if (!status && c->pull != usual.pull && c->transport != RIPSTOP_TRANSPORT_TRIM)
    status = ripstop_fail(err, "workload.pull needs workload.transport: trim");
  if (!status && c->timeout_min != usual.timeout_min && c->timeout != RIPSTOP_UNLIMITED)
    status = ripstop_fail(err, "workload.timeout_min has no effect with workload.timeout = %lld; it is for auto",
                          (long long)c->timeout);
  return status;
}

/* Checkpoints need static reconfiguration, which empties the network, and jobs without flows of a transport. */
static int check_checkpoints(const scene *s, ripstop_error *err) {
  const ripstop_workload_config *c = &s->run.config;
  if (!c->checkpoint && (c->checkpoint_cost || c->restart_cost))
    return ripstop_fail(err, "workload.%s has no effect without workload.checkpoint",
                        c->checkpoint_cost ? "checkpoint_cost" : "restart_cost");
  if (!c->checkpoint) return 0;
  if (c->checkpoint < RIPSTOP_CHECKPOINT_LEAST)
    return ripstop_fail(err, "workload.checkpoint is %lld cycles; it must be %d or more", (long long)c->checkpoint,
                        RIPSTOP_CHECKPOINT_LEAST);
  if (s->run.simulation.reconfiguration.model != RIPSTOP_RECONFIGURATION_STATIC)
    return ripstop_fail(err, "workload.checkpoint needs reaction.model=static, which stops the jobs at a fault");
  if (c->transport != RIPSTOP_TRANSPORT_NONE)
    return ripstop_fail(err, "workload.checkpoint needs workload.transport=none: flows of a transport are not saved");
  return 0;
}

/* End nodes without a job send random packets, which no transport carries. Only programs can set it. */
static int check_traffic(const ripstop_traffic_config *t, ripstop_error *err) {
  if (t->transport == RIPSTOP_TRANSPORT_NONE) return 0;
  return ripstop_fail(err, "traffic.transport must be none beside jobs, whose transport is workload.transport");
}

/* Checkpoints do not copy whose turn it is. */
static int check_turns(const scene *s, ripstop_error *err) {
  for (size_t i = 0; i < s->jobs; i++)
    if (s->run.config.checkpoint && s->job[i].tasks->turns)
      return ripstop_fail(err, "workload.checkpoint does not go with jobs of the kind %s", s->job[i].kind->name);
  return 0;
}

/* Transports number packets with 32 bits. */
static int check_packets(const scene *s, ripstop_error *err) {
  uint64_t sum = 0;
  if (s->run.config.transport == RIPSTOP_TRANSPORT_NONE) return 0;
  for (size_t i = 0; i < s->jobs; i++)
    for (uint32_t k = 0; k < s->job[i].tasks->count; k++) {
      uint64_t packets = 0;
      if (s->job[i].tasks->task[k].kind == TASK_SEND)
        stage_flits(&s->run.config, s->job[i].tasks->task[k].amount, &packets);
      if (packets > UINT32_MAX || (sum += packets) > UINT32_MAX)
        return ripstop_fail(err, "workload.transport: more than 2^32 - 1 packets; workload.packet can be larger");
    }
  return 0;
}

/* Classes beyond those that the method routes. Where it routes one, all classes share its channels. */
static int check_classes(const scene *s, ripstop_error *err) {
  const ripstop_plan *plan = s->plan;
  const uint32_t data = jobs_classes(s->job, s->jobs);
  const bool apart =
      s->run.config.transport != RIPSTOP_TRANSPORT_NONE && s->run.config.ack_class == RIPSTOP_ACKS_SEPARATE;
  const uint32_t most = plan->classes > 1 ? plan->classes : RIPSTOP_CLASSES_MAX;
  for (size_t i = 0; i < s->jobs; i++)
    if (job_class(&s->job[i]) >= most)
      return ripstop_fail(err, "workload.jobs: job %zu has class %u, and method %s routes %u", i + 1, s->job[i].class_,
                          plan->method->name, most);
  if (jobs_have_classes(s->job, s->jobs) && apart && data == most)
    return ripstop_fail(err,
                        "workload.acks: apart needs a class behind the jobs' %u, and method %s routes %u; set "
                        "workload.acks=behind",
                        data, plan->method->name, most);
  return 0;
}

/* Refuses a limit that no network can meet, before the run. */
static int check_limit(const scene *s, ripstop_error *err) {
  const uint64_t limit = (uint64_t)s->run.config.limit;
  for (size_t i = 0; i < s->jobs; i++)
    if (s->job[i].path >= limit || s->job[i].at >= limit - s->job[i].path)
      return ripstop_fail(err, "workload.limit is %llu cycles, and job %zu alone ends in cycle %llu at best",
                          (unsigned long long)limit, i + 1, (unsigned long long)(s->job[i].path + s->job[i].at));
  return 0;
}

/* Lengths of paths and of jobs; -1: some job cannot end. */
static int find_paths(const scene *s, ripstop_error *err) {
  const stage_wires wires = stage_wires_of(s->plan->fabric, &s->run.simulation.switch_, &s->run.config);
  return ideal_links(s->plan->fabric, s->job, s->jobs, err) ||
         ideal_paths(&s->run.config, &wires, s->job, s->jobs, err);
}

static int open(scene *s, ripstop_error *err) {
  const ripstop_fabric *fabric = s->plan->fabric;
  const ripstop_workload_config *c = &s->run.config;
  if (check_sizes(c, err) || check_congestion(c, err) || check_transport(c, err) || check_checkpoints(s, err))
    return -1;
  if (check_traffic(&s->run.simulation.traffic, err)) return -1;
  if (jobs_read(s->arena, s->run.config.jobs, &s->job, &s->jobs, err)) return -1;
  for (size_t i = 0; i < s->jobs; i++) s->job[i].tick = c->tick;
  uint32_t *busy = RIPSTOP_ARRAY(s->arena, fabric->ends, uint32_t);
  if (jobs_place(s->arena, fabric, s->run.simulation.seed, s->job, s->jobs, busy, err)) return -1;
  s->end = RIPSTOP_ARRAY(s->arena, fabric->ends, uint32_t);
  for (uint32_t end = 0; end < fabric->ends; end++)
    if (busy[end]) s->end[s->ends++] = end;
  if (check_turns(s, err) || check_classes(s, err) || check_packets(s, err) || find_paths(s, err)) return -1;
  return check_limit(s, err);
}

/* The plan and all pointers of the run's settings must outlive it. */
static scene *scene_new(const ripstop_plan *plan, const ripstop_workload_run *run) {
  ripstop_arena *arena = ripstop_arena_new();
  scene *s = RIPSTOP_NEW(arena, scene);
  *s = (scene){.plan = plan, .run = *run, .arena = arena};
  return s;
}

void ripstop_jobs_close(ripstop_jobs *jobs) {
  if (!jobs) return;
  ripstop_simulate_close(jobs->simulation);
  jobs_free(jobs->job, jobs->jobs);
  ripstop_arena_free(jobs->arena);
}

/* If the other end nodes are random sources, the agent controls only those with jobs. */
static ripstop_simulate_settings simulation_of(const scene *s, ripstop_agent *agent) {
  const ripstop_congestion *congestion = &s->run.config.congestion;
  ripstop_simulate_settings simulation = s->run.simulation;
  if (simulation.traffic.load > 0) agent->end = s->end, agent->ends = s->ends;
  simulation.agent = agent;
  simulation.agents = 1;
  if (congestion->kind != RIPSTOP_CONGESTION_NONE)
    simulation.marks = (ripstop_marks){congestion->kmin, congestion->kmax, congestion->pmax};
  simulation.measure.warmup = "0";
  simulation.measure.cycles = s->run.config.limit;
  return simulation;
}

/* The shortest time-out where round trips decide it. */
static uint64_t least_timeout(const scene *s) {
  const ripstop_workload_config *c = &s->run.config;
  const uint64_t full = stage_full(c), ack = (uint64_t)c->ack;
  if (c->timeout_min != RIPSTOP_UNLIMITED) return (uint64_t)c->timeout_min;
  return round_trip_bound(s->plan, &s->run.simulation, (uint64_t)c->window, (uint32_t)(full > ack ? full : ack));
}

static uint32_t first_window(const scene *s) {
  const ripstop_workload_config *c = &s->run.config;
  return round_trip_packets(s->plan, &s->run.simulation, (uint32_t)stage_full(c), (uint32_t)c->ack);
}

/* The job runner of the first jobs, and the simulation in which it runs. */
static ripstop_simulate_settings put_on_stage(scene *s, size_t jobs, ripstop_agent *agent) {
  stage_open(&s->stage, &s->run.config, &s->run.simulation.switch_, s->plan->view, s->job, jobs, s->arena);
  if (s->plan->informs) stage_inform(&s->stage);
  if (s->stage.transport && s->run.config.transport == RIPSTOP_TRANSPORT_TRIM && s->run.config.pull)
    transport_pull(s->stage.transport, first_window(s));
  if (s->stage.transport && s->run.config.timeout == RIPSTOP_UNLIMITED) stage_bound(&s->stage, least_timeout(s));
  *agent = stage_agent(&s->stage);
  return simulation_of(s, agent);
}

int ripstop_workload_check(const ripstop_plan *plan, const ripstop_workload_run *run, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  scene *s = scene_new(plan, run);
  ripstop_agent agent;
  int status = open(s, err);
  if (!status) {
    ripstop_simulate_settings simulation = put_on_stage(s, 0, &agent);
    status = ripstop_simulate_check(plan, &simulation, err);
  }
  ripstop_jobs_close(s);
  return status;
}

ripstop_jobs *ripstop_jobs_open(const ripstop_plan *plan, const ripstop_workload_run *run, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  scene *s = scene_new(plan, run);
  ripstop_agent agent;
  if (!open(s, err)) {
    ripstop_simulate_settings simulation = put_on_stage(s, s->jobs, &agent);
    s->simulation = ripstop_simulate_open(plan, &simulation, err);
  }
  if (s->simulation) return s;
  ripstop_jobs_close(s);
  return NULL;
}

ripstop_simulation *ripstop_jobs_simulation(const ripstop_jobs *jobs) { return jobs->simulation; }

/* ------------------------------------------------------------------ values */

enum { VALUES_OF_STEPS = 6, VALUES_OF_MESSAGES = 4 };

typedef struct values {
  ripstop_value *value;
  size_t count;
  ripstop_arena *arena;
} values;

static void add(values *v, const char *name, const char *unit, double value) {
  v->value[v->count++] = (ripstop_value){name, unit, value, NAN};
}

static void add_messages(values *v, const stage *s) {
  static const struct {
    const char *name;
    double q;
  } quantile[] = {{"message.completion.p50", 0.5},
                  {"message.completion.p99", 0.99},
                  {"message.completion.p999", 0.999},
                  {"message.completion.max", 1}};
  const double messages = (double)s->completion.count;
  add(v, "message.count", "messages", messages);
  add(v, "message.bytes", "bytes", (double)s->payload);
  add(v, "message.completion.mean", "cycles", ripstop_histogram_mean(&s->completion));
  for (size_t i = 0; i < sizeof quantile / sizeof *quantile; i++)
    add(v, quantile[i].name, "cycles", ripstop_histogram_quantile(&s->completion, quantile[i].q));
  add(v, "message.slowdown.mean", "1", messages > 0 ? s->slowdowns / messages : NAN);
  add(v, "message.slowdown.p99", "1", ripstop_histogram_quantile(&s->slowdown, 0.99) / STAGE_HUNDREDTHS);
}

static void add_transport(values *v, const stage *s) {
  add(v, "message.repeats", "packets", (double)(s->transport ? transport_count(s->transport).repeats : s->repeats));
  if (!s->transport) return;
  const transport_counts c = transport_count(s->transport);
  add(v, "transport.timeouts", "time-outs", (double)c.timeouts);
  add(v, "transport.acks", "packets", (double)c.acks);
  add(v, "transport.naks", "packets", (double)c.naks);
  add(v, "transport.refused", "packets", (double)c.refused);
  add(v, "transport.duplicates", "packets", (double)c.duplicates);
  if (s->config->transport == RIPSTOP_TRANSPORT_TRIM) {
    add(v, "transport.trimmed", "packets", (double)c.trimmed);
    add(v, "transport.pulls", "packets", (double)c.pulls);
  }
  if (stage_informs(s)) add(v, "transport.informed", "packets", (double)c.informed);
  if (s->config->congestion.kind == RIPSTOP_CONGESTION_NONE) return;
  add(v, "transport.marked", "packets", (double)c.marked);
  if (s->config->congestion.kind != RIPSTOP_CONGESTION_DCQCN) return;
  add(v, "transport.notifications", "packets", (double)c.notes);
}

static uint64_t last_of(const stage *s) {
  uint64_t last = 0;
  for (uint32_t i = 0; i < s->plays; i++)
    if (s->job_run[i].cycles > last) last = s->job_run[i].cycles;
  return last;
}

static void add_checkpoints(values *v, const stage *s) {
  const checkpoints *c = s->checkpoints;
  if (!c) return;
  add(v, "checkpoint.count", "checkpoints", (double)c->written);
  add(v, "checkpoint.cycles", "cycles", (double)checkpoint_paused(s, last_of(s)));
  add(v, "rollback.count", "rollbacks", (double)c->rollbacks);
  add(v, "rollback.cycles", "cycles", (double)c->halted);
  add(v, "rollback.repeated", "cycles", (double)c->repeated);
  add(v, "rollback.tasks", "tasks", (double)c->tasks);
}

static double first_change(const scene *c) {
  const ripstop_schedule *schedule = c->run.simulation.schedule;
  return schedule && schedule->count ? (double)schedule->change[0].cycle : INFINITY;
}

static step_times times_of(const job_run *p, double changed) {
  const uint32_t steps = p->job->tasks->steps;
  RIPSTOP_LOCAL_ARENA(scratch);
  double *end = RIPSTOP_ARRAY(scratch, (size_t)steps + 1, double);
  for (uint32_t i = 0; i < steps; i++) end[i] = (double)p->step_end[i];
  return steps_of(&(step_ends){steps, p->step_left, end, (double)p->job->at, !p->left}, changed);
}

static void add_steps(values *v, const scene *c, uint32_t number) {
  const job_run *p = &c->stage.job_run[number];
  const step_times t = times_of(p, first_change(c));
  const struct {
    const char *name, *unit;
    double value;
  } all[] = {{"steps", "steps", t.count},   {"step.mean", "cycles", t.mean}, {"step.p50", "cycles", t.p50},
             {"step.p99", "cycles", t.p99}, {"step.max", "cycles", t.most},  {"recovery", "cycles", t.recovery}};
  _Static_assert(sizeof all / sizeof *all == VALUES_OF_STEPS, "they are counted");
  for (size_t i = 0; i < sizeof all / sizeof *all && p->job->tasks->steps; i++)
    add(v, ripstop_arena_printf(v->arena, "job.%u.%s", number + 1, all[i].name), all[i].unit, all[i].value);
}

/* Values of the job's messages, if jobs have classes. */
static void add_messages_of(values *v, const job_run *p, uint32_t number) {
  if (!p->own) return;
  const ripstop_histogram *h = &p->own->completion;
  const struct {
    const char *name, *unit;
    double value;
  } all[] = {{"message.count", "messages", (double)h->count},
             {"message.completion.mean", "cycles", ripstop_histogram_mean(h)},
             {"message.completion.p99", "cycles", ripstop_histogram_quantile(h, 0.99)},
             {"message.slowdown.mean", "1", h->count ? p->own->slowdowns / (double)h->count : NAN}};
  _Static_assert(sizeof all / sizeof *all == VALUES_OF_MESSAGES, "they are counted");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    add(v, ripstop_arena_printf(v->arena, "job.%u.%s", number + 1, all[i].name), all[i].unit, all[i].value);
}

static void add_jobs(values *v, const scene *c) {
  const stage *s = &c->stage;
  for (uint32_t i = 0; i < s->plays; i++) {
    const job_run *p = &s->job_run[i];
    add(v, ripstop_arena_printf(v->arena, "job.%u.cycles", i + 1), "cycles",
        p->left ? NAN : (double)(p->cycles > p->job->at ? p->cycles - p->job->at : 0));
    add(v, ripstop_arena_printf(v->arena, "job.%u.ideal-cycles", i + 1), "cycles", (double)p->job->path);
    add_steps(v, c, i);
    add_messages_of(v, p, i);
    for (uint32_t r = 0; c->run.config.ranks && r < p->job->tasks->ranks; r++)
      add(v, ripstop_arena_printf(v->arena, "job.%u.rank.%u.cycles", i + 1, r), "cycles", (double)p->ended[r]);
  }
}

static size_t count_values(const scene *c) {
  enum { OWN = 40, EACH = 2 + VALUES_OF_STEPS + VALUES_OF_MESSAGES };
  size_t count = OWN;
  for (size_t i = 0; i < c->jobs; i++) count += EACH + (c->run.config.ranks ? c->job[i].tasks->ranks : 0);
  return count;
}

static void add_own(values *v, const scene *c) {
  const stage *s = &c->stage;
  const bool complete = stage_is_right(s);
  const ideal best = ideal_of(&c->run.config, &s->wires, c->job, c->jobs);
  add(v, "workload.complete", "0 or 1", complete);
  add(v, "workload.cycles", "cycles", complete ? (double)last_of(s) : NAN);
  add(v, "workload.ideal-cycles", "cycles", ideal_largest(&best));
  add(v, "workload.ideal.path", "cycles", (double)best.path);
  add(v, "workload.ideal.compute", "cycles", (double)best.compute);
  add(v, "workload.ideal.ports", "cycles", (double)best.ports);
  add(v, "workload.ideal.bisection", "cycles", (double)best.bisection);
}

/* Changes of the schedule after the end of all jobs: the run did not meet them. */
static size_t late_changes(const scene *c) {
  const ripstop_schedule *schedule = c->run.simulation.schedule;
  size_t late = 0;
  for (size_t i = 0; stage_is_right(&c->stage) && schedule && i < schedule->count; i++)
    late += schedule->change[i].cycle > last_of(&c->stage);
  return late;
}

/* Values of the workload, before those of the network. */
static void add_values(const scene *c, ripstop_run_result *result) {
  values v = {.arena = result->arena};
  v.value = RIPSTOP_ARRAY(result->arena, count_values(c) + result->values, ripstop_value);
  add_own(&v, c);
  add_jobs(&v, c);
  add_messages(&v, &c->stage);
  add_transport(&v, &c->stage);
  add_checkpoints(&v, &c->stage);
  add(&v, "workload.late-changes", "changes", (double)late_changes(c));
  if (result->values) memcpy(v.value + v.count, result->value, result->values * sizeof *v.value);
  for (size_t i = 0; i < result->values && !stage_is_complete(&c->stage); i++) /* some packets never arrived */
    if (!strcmp(v.value[v.count + i].name, "fault.until-good")) v.value[v.count + i].value = NAN;
  result->value = v.value;
  result->values += v.count;
}

/* ------------------------------------------------------------------ the run */

static int fail_odd(const stage *s, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(text);
  if (!s->mixed && !s->stuck)
    return ripstop_fail(err, "some packets of messages were handed over twice, out of order, or never");
  if (s->mixed)
    stage_report_odd(s, &text);
  else
    stage_report(s, &text);
  ripstop_fail(err, "%s%s", s->mixed ? "" : "no event is pending: ", text.data ? text.data : "");
  return -1;
}

/* Adds which tasks wait for which, after the text of the network. */
static void report_unfinished(const scene *c, ripstop_run_result *result) {
  RIPSTOP_LOCAL_TEXT(text);
  if (result->witness) ripstop_text_add(&text, "%s; ", result->witness);
  stage_report(&c->stage, &text);
  if (text.data) result->witness = ripstop_arena_text(result->arena, text.data);
}

int ripstop_jobs_result(const ripstop_jobs *jobs, ripstop_run_result *result, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const stage *s = &jobs->stage;
  if (ripstop_simulate_result_into(jobs->simulation, result, err)) return -1;
  const bool is_whole = !s->transport || !stage_is_complete(s) || transport_is_right(s->transport);
  if (s->mixed || s->stuck || !is_whole) {
    ripstop_run_result_free(result);
    return fail_odd(s, err);
  }
  add_values(jobs, result);
  if (!stage_is_complete(s)) report_unfinished(jobs, result);
  return 0;
}

static void know_the_end(ripstop_jobs *jobs) {
  uint64_t settled;
  const uint32_t *part = ends_parts(jobs->plan, jobs->run.simulation.schedule, jobs->arena, &settled);
  stage_know(&jobs->stage, part, settled);
}

int ripstop_workload_agent(const ripstop_plan *plan, const ripstop_workload_run *run, ripstop_run_result *result,
                           ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  *result = (ripstop_run_result){0};
  ripstop_jobs *jobs = ripstop_jobs_open(plan, run, err);
  if (!jobs) return -1;
  know_the_end(jobs);
  int status = ripstop_simulate_run(jobs->simulation, UINT64_MAX, err) || ripstop_jobs_result(jobs, result, err);
  ripstop_jobs_close(jobs);
  return status ? -1 : 0;
}
