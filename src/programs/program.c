/* program.c - runs a kernel on a machine on the simulated network, and fails links during the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/registry.h"
#include "programs/machine.h"
#include "programs/program_run.h"
#include "ripstop/plugin/kernel.h"

enum { SAMPLE_LINKS = 1, SAMPLE_PACKETS = 2 }; /* random streams in addition to the kernels', which is 0 */

/* ------------------------------------------------------------------ kernels by name */

static ripstop_plugin kernel_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_kernels[i]); }
static const ripstop_registry kernels = {"program", RIPSTOP_KERNEL_ABI, kernel_at};

const ripstop_kernel *ripstop_kernel_find(const char *name, size_t length, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  return ripstop_registry_find(&kernels, name, length, err);
}

static const ripstop_kernel *open_kernel(ripstop_arena *arena, const char *spec, void **config, ripstop_error *err) {
  return ripstop_registry_open(&kernels, arena, spec, config, err);
}

int ripstop_kernel_canonical(ripstop_arena *arena, const char *spec, const char **canonical, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  void *config;
  const ripstop_kernel *kernel = open_kernel(arena, spec, &config, err);
  if (!kernel) return -1;
  ripstop_text text = {0};
  ripstop_text_add(&text, "%s:", kernel->name);
  ripstop_options_print(&text, kernel->options, config);
  *canonical = ripstop_arena_text(arena, text.data);
  ripstop_text_free(&text);
  return 0;
}

/* ------------------------------------------------------------------ faults during the run */

typedef struct fault { /* the link fails when this many packets have been received */
  uint64_t packets;
  uint32_t link;
} fault;

static int by_packets(const void *a, const void *b) {
  const fault *x = a, *y = b;
  return (x->packets > y->packets) - (x->packets < y->packets);
}

/* Samples links that fail, in random order. False: there are fewer than `count`. */
static bool sample_links(ripstop_view *view, uint64_t seed, fault *out, size_t count) {
  RIPSTOP_LOCAL_ARENA(arena);
  uint32_t most = count < view->fabric->links ? (uint32_t)count : view->fabric->links;
  uint32_t *link = RIPSTOP_ARRAY(arena, most + 1, uint32_t);
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_PROGRAM, SAMPLE_LINKS);
  uint32_t found = ripstop_view_break(view, NULL, most, false, &stream, link);
  for (uint32_t i = 0; i < found; i++) out[i].link = link[i];
  return found == count;
}

static int draw_faults(const ripstop_plan *plan, const ripstop_program *program, fault *out, uint64_t packets,
                       ripstop_error *err) {
  size_t count = (size_t)program->config.faults;
  if (count && program->simulation.schedule && program->simulation.schedule->count)
    return ripstop_fail(err, "program.faults: it samples failing links, and cannot be combined with a schedule");
  ripstop_view *view = ripstop_view_copy(plan->view);
  bool enough = sample_links(view, program->simulation.seed, out, count);
  ripstop_view_free(view);
  if (!enough)
    return ripstop_fail(err, "program.faults: %zu links cannot fail in %s without cutting it", count,
                        plan->fabric->spec);
  ripstop_stream stream = ripstop_stream_open(program->simulation.seed, RIPSTOP_RANDOM_PROGRAM, SAMPLE_PACKETS);
  for (size_t i = 0; i < count; i++) out[i].packets = (uint64_t)(ripstop_stream_unit(&stream) * (double)packets);
  if (count) qsort(out, count, sizeof *out, by_packets);
  return 0;
}

/* ------------------------------------------------------------------ the machine's agents */

typedef struct show { /* the machine as an endpoint agent */
  ripstop_machine machine;
  uint64_t received; /* packets */
  const fault *fault;
  size_t faults, next;
} show;

static uint64_t now(void *agent_context) { return ripstop_agent_now(agent_context); }
static void send(void *agent_context, const ripstop_agent_packet *agent_packet) {
  ripstop_agent_send(agent_context, agent_packet);
}
static void set_alarm(void *agent_context, uint64_t cycle) { ripstop_agent_alarm(agent_context, cycle, 0); }
static void finish(void *agent_context) { ripstop_agent_finish(agent_context); }

static void start(void *context, ripstop_agent_context *agent_context) {
  show *p = context;
  net network = {.self = agent_context, .now = now, .send = send, .alarm = set_alarm, .finish = finish};
  machine_start(&p->machine, &network);
}

static void delivered(void *context, ripstop_agent_context *agent_context, const ripstop_agent_packet *agent_packet) {
  show *p = context;
  p->received++;
  for (; p->next < p->faults && p->fault[p->next].packets <= p->received; p->next++)
    ripstop_agent_change(agent_context, &(ripstop_change){.id = p->fault[p->next].link});
  machine_delivered(&p->machine, agent_packet);
}

static void lost(void *context, ripstop_agent_context *agent_context, const ripstop_agent_packet *agent_packet) {
  show *p = context;
  (void)agent_context;
  machine_lost(&p->machine, agent_packet);
}

static void ring(void *context, ripstop_agent_context *agent_context, uint64_t which) {
  show *p = context;
  (void)agent_context, (void)which;
  machine_alarm(&p->machine);
}

/* ------------------------------------------------------------------ checks */

static int check_cache(const char *name, int64_t kib, int64_t candidates, ripstop_error *err) {
  const int64_t bytes = kib * 1024;
  if (bytes % (candidates * RIPSTOP_LINE_BYTES) == 0) return 0;
  return ripstop_fail(err, "program.%s_size: %lld KiB are not a whole number of sets of %lld lines of %d bytes", name,
                      (long long)kib, (long long)candidates, RIPSTOP_LINE_BYTES);
}

static int count_processors(const ripstop_plan *plan, const ripstop_program *program, uint32_t *count,
                            ripstop_error *err) {
  uint32_t ends = plan->fabric->ends;
  int64_t wished = program->config.processors;
  if (wished > ends)
    return ripstop_fail(err, "program.processors: %lld are more than the %u end nodes of %s", (long long)wished, ends,
                        plan->fabric->spec);
  if (!wished && ends > CO_NODES_MAX)
    return ripstop_fail(
        err, "program.processors must be given for %s: it has %u end nodes, and at most %d can be processors",
        plan->fabric->spec, ends, CO_NODES_MAX);
  *count = wished ? (uint32_t)wished : ends;
  return 0;
}

static int open_machine(const ripstop_plan *plan, const ripstop_program *program, ripstop_arena *arena,
                        ripstop_machine *machine, ripstop_error *err) {
  const ripstop_program_config *c = &program->config;
  uint32_t processors = 0;
  void *config;
  const ripstop_kernel *kernel = open_kernel(arena, program->config.kernel, &config, err);
  if (!kernel || count_processors(plan, program, &processors, err)) return -1;
  if (check_cache("l1", c->l1_size, c->l1_ways, err) || check_cache("l2", c->l2_size, c->l2_ways, err)) return -1;
  return machine_open(machine, c, processors, kernel, config, program->simulation.seed, err);
}

static ripstop_agent agents_of(show *p) {
  return (ripstop_agent){.classes = CO_CLASSES,
                         .shortest = RIPSTOP_COMMAND_FLITS,
                         .longest = RIPSTOP_DATA_FLITS,
                         .start = start,
                         .delivered = delivered,
                         .lost = lost,
                         .alarm = ring,
                         .context = p};
}

static ripstop_simulate_settings simulation_of(const ripstop_program *program, const ripstop_agent *agents) {
  ripstop_simulate_settings simulation = program->simulation;
  simulation.agent = agents;
  simulation.agents = 1;
  simulation.measure.warmup = "0";
  simulation.measure.cycles = program->config.limit;
  return simulation;
}

/* The arguments and result of machine_open or run_once, called by fiber_try. */
typedef struct program_call {
  const ripstop_plan *plan;
  const ripstop_program *program;
  ripstop_run_result *result;
  ripstop_error *err;
  int status;
} program_call;

static int check_program(const ripstop_plan *plan, const ripstop_program *program, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(arena);
  show p = {.next = 0};
  int status = open_machine(plan, program, arena, &p.machine, err);
  if (!status) {
    ripstop_agent agents = agents_of(&p);
    ripstop_simulate_settings simulation = simulation_of(program, &agents);
    fault *fault_ = RIPSTOP_ARRAY(arena, (size_t)program->config.faults + 1, fault);
    status = draw_faults(plan, program, fault_, 0, err) || ripstop_simulate_check(plan, &simulation, err) ? -1 : 0;
    machine_close(&p.machine);
  }
  return status;
}

static void call_check(void *argument) {
  program_call *c = argument;
  c->status = check_program(c->plan, c->program, c->err);
}

int ripstop_program_check(const ripstop_plan *plan, const ripstop_program *program, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  program_call c = {.plan = plan, .program = program, .err = err};
  fiber_try(call_check, &c);
  return c.status;
}

/* ------------------------------------------------------------------ results */

static uint64_t sum(const ripstop_machine *m, size_t offset) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < m->processors; i++) {
    const char *processor = (const char *)&m->processor[i];
    uint64_t one;
    memcpy(&one, processor + offset, sizeof one);
    total += one;
  }
  return total;
}
#define SUM(field) ((double)sum(m, offsetof(ripstop_processor, field)))

/* Flits per cycle in the busiest window, to all end nodes; NAN without windows. The last window counts in full even if
 * the run ends within it: the packets that arrive in its few cycles travelled in many. */
static double peak(const ripstop_run_result *result) {
  uint64_t most = 0;
  for (size_t i = 0; i < result->windows; i++)
    if (result->window[i].delivered_flits > most) most = result->window[i].delivered_flits;
  uint64_t width = result->windows > 1 ? result->window[1].cycle : result->cycles;
  return result->windows ? (double)most / (double)width : NAN;
}

/* Adds the values of the program before those of the network. */
static void add_values(const show *p, double undisturbed, ripstop_run_result *result) {
  const ripstop_machine *m = &p->machine;
  double error = NAN, time = machine_done(m) ? machine_time(m) : NAN;
  bool right = machine_done(m) && m->kernel->check(m, m->state, &error) && machine_agrees(m);
  double waited = SUM(waited) / (double)m->processor_ticks / m->processors;
  const ripstop_value own[] = {
      {"program.time", "processor cycles", time, NAN},
      {"program.slowdown", "", time / (p->faults ? undisturbed : time), NAN},
      {"program.done", "0 or 1", machine_done(m), NAN},
      {"program.right", "0 or 1", right, NAN},
      {"program.error", "", error, NAN},
      {"program.wait", "processor cycles", waited, NAN}, /* blocked time of one processor: memory and other
                                                          * processors */
      {"program.loads", "loads", SUM(loads), NAN},
      {"program.stores", "stores", SUM(stored), NAN},
      {"program.l1-misses", "accesses", SUM(l1_misses), NAN},
      {"program.misses", "lines", SUM(misses), NAN},
      {"program.upgrades", "lines", SUM(upgrades), NAN},
      {"program.evictions", "lines", SUM(evictions), NAN},
      {"program.requests", "packets", (double)m->sent[CO_REQUEST], NAN},
      {"program.forwards", "packets", (double)m->sent[CO_FORWARD], NAN},
      {"program.responses", "packets", (double)m->sent[CO_RESPONSE], NAN},
      {"program.completions", "packets", (double)m->sent[CO_COMPLETION], NAN},
      {"program.retries", "packets", (double)m->retries, NAN},
      {"program.peak", "flits/cycle", peak(result), NAN},
  };
  size_t more = sizeof own / sizeof *own;
  ripstop_value *value = RIPSTOP_ARRAY(result->arena, more + result->values, ripstop_value);
  memcpy(value, own, sizeof own);
  if (result->values) memcpy(value + more, result->value, result->values * sizeof *value);
  result->value = value;
  result->values += more;
}

/* Runs the machine once; after success it is open. */
static int run_once(const ripstop_plan *plan, const ripstop_program *program, ripstop_arena *arena, show *p,
                    ripstop_run_result *result, ripstop_error *err) {
  if (open_machine(plan, program, arena, &p->machine, err)) return -1;
  ripstop_agent agents = agents_of(p);
  ripstop_simulate_settings simulation = simulation_of(program, &agents);
  if (program->config.faults && !p->fault) simulation.measure.window = 0; /* this run's windows are not used */
  int status = ripstop_simulate_into(plan, &simulation, result, err);
  const char *mistake = p->machine.broken            ? "the coherence protocol received an impossible message"
                        : machine_stuck(&p->machine) ? "its processors wait for each other forever"
                                                     : NULL;
  if (!status && mistake) {
    ripstop_run_result_free(result);
    status = ripstop_fail(err, "%s: %s", program->config.kernel, mistake);
  }
  if (status) machine_close(&p->machine);
  return status;
}

/* Runs without the faults. 1: the program does not end even so, and the result says this. */
static int rehearse(const ripstop_plan *plan, const ripstop_program *program, ripstop_arena *arena, fault *faults,
                    double *time, ripstop_run_result *result, ripstop_error *err) {
  show p = {.next = 0};
  if (run_once(plan, program, arena, &p, result, err)) return -1;
  int status = 1;
  if (!machine_done(&p.machine)) {
    add_values(&p, NAN, result);
  } else {
    *time = machine_time(&p.machine);
    ripstop_run_result_free(result);
    status = draw_faults(plan, program, faults, p.received, err);
  }
  machine_close(&p.machine);
  return status;
}

static int run_program(const ripstop_plan *plan, const ripstop_program *program, ripstop_run_result *result,
                       ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(arena);
  size_t faults = (size_t)program->config.faults;
  fault *list = RIPSTOP_ARRAY(arena, faults + 1, fault);
  double undisturbed = NAN;
  int status = faults ? rehearse(plan, program, arena, list, &undisturbed, result, err) : 0;
  if (!status) {
    show p = {.fault = list, .faults = faults};
    status = run_once(plan, program, arena, &p, result, err);
    if (!status) {
      add_values(&p, undisturbed, result);
      machine_close(&p.machine);
    }
  }
  return status < 0 ? -1 : 0;
}

static void call_run(void *argument) {
  program_call *c = argument;
  c->status = run_program(c->plan, c->program, c->result, c->err);
}

int ripstop_program_run(const ripstop_plan *plan, const ripstop_program *program, ripstop_run_result *result,
                        ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  program_call c = {.plan = plan, .program = program, .result = result, .err = err};
  fiber_try(call_run, &c);
  return c.status;
}
