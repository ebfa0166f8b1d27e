/* program.c - a kernel on a machine on the simulated network. */
#include <math.h>
#include <string.h>

#include "programs/machine.h"

/* ------------------------------------------------------------------ kernels by name */

static const rs_kernel *find_kernel(const char *spec, size_t length, rs_error *err) {
  size_t count = 0;
  while (rs_kernels[count]) count++;
  rs_arena *arena = rs_arena_new();
  const char **words = RS_ARRAY(arena, count + 1, const char *);
  const rs_kernel *found = NULL;
  for (size_t i = 0; i < count; i++) {
    words[i] = rs_kernels[i]->name;
    if (strlen(words[i]) == length && !strncmp(words[i], spec, length)) found = rs_kernels[i];
  }
  if (!found) {
    const char *name = rs_arena_printf(arena, "%.*s", (int)length, spec), *near = rs_nearest_word(name, words);
    rs_text known = {0};
    for (size_t i = 0; i < count; i++) rs_text_add(&known, "%s%s", i ? ", " : "", words[i]);
    if (near)
      rs_fail(err, "program: there is no '%s'; did you mean '%s'?", name, near);
    else
      rs_fail(err, "program: there is no '%s'; known: %s", name, known.data ? known.data : "none");
    rs_text_free(&known);
  }
  rs_arena_free(arena);
  return found;
}

static const rs_kernel *open_kernel(rs_arena *arena, const char *spec, void **config, rs_error *err) {
  size_t length = strcspn(spec, ":");
  const rs_kernel *kernel = find_kernel(spec, length, err);
  if (!kernel) return NULL;
  *config = rs_arena_array(arena, 1, kernel->config_size);
  const char *owner = rs_arena_printf(arena, "program %s", kernel->name);
  const char *options = spec[length] ? spec + length + 1 : NULL;
  return rs_options_parse(arena, owner, kernel->options, *config, options, err) ? NULL : kernel;
}

int rs_kernel_canonical(rs_arena *arena, const char *spec, const char **canonical, rs_error *err) {
  void *config;
  const rs_kernel *kernel = open_kernel(arena, spec, &config, err);
  if (!kernel) return -1;
  rs_text text = {0};
  rs_text_add(&text, "%s:", kernel->name);
  rs_options_print(&text, kernel->options, config);
  *canonical = rs_arena_text(arena, text.data);
  rs_text_free(&text);
  return 0;
}

/* ------------------------------------------------------------------ the machine's players */

static uint64_t now(void *io) { return rs_io_now(io); }
static void send(void *io, const rs_letter *letter) { rs_io_send(io, letter); }
static void set_alarm(void *io, uint64_t cycle) { rs_io_alarm(io, cycle, 0); }
static void finish(void *io) { rs_io_finish(io); }

static void start(void *machine, rs_io *io) {
  net network = {.self = io, .now = now, .send = send, .alarm = set_alarm, .finish = finish};
  machine_start(machine, &network);
}

static void delivered(void *machine, rs_io *io, const rs_letter *letter) {
  (void)io;
  machine_delivered(machine, letter);
}

static void lost(void *machine, rs_io *io, const rs_letter *letter) {
  (void)io;
  machine_lost(machine, letter);
}

static void ring(void *machine, rs_io *io, uint64_t which) {
  (void)io, (void)which;
  machine_alarm(machine);
}

/* ------------------------------------------------------------------ checks */

static int check_cache(const char *name, int64_t kib, int64_t ways, rs_error *err) {
  const int64_t bytes = kib * 1024;
  if (bytes % (ways * RS_LINE_BYTES) == 0) return 0;
  return rs_fail(err, "machine.%s_size: %lld KiB are no whole number of sets of %lld lines of %d bytes", name,
                 (long long)kib, (long long)ways, RS_LINE_BYTES);
}

static int count_processors(const rs_program *program, uint32_t *count, rs_error *err) {
  uint32_t ends = program->simulation.fabric->ends;
  int64_t wished = program->machine.processors;
  if (wished > ends)
    return rs_fail(err, "machine.processors: %lld are more than the %u end nodes of %s", (long long)wished, ends,
                   program->simulation.fabric->spec);
  if (!wished && ends > CO_NODES_MAX)
    return rs_fail(err,
                   "machine.processors must be given for %s: it has %u end nodes, and at most %d can be processors",
                   program->simulation.fabric->spec, ends, CO_NODES_MAX);
  *count = wished ? (uint32_t)wished : ends;
  return 0;
}

static int open_machine(const rs_program *program, rs_arena *arena, rs_machine *machine, rs_error *err) {
  const rs_machine_config *c = &program->machine;
  uint32_t processors = 0;
  void *config;
  const rs_kernel *kernel = open_kernel(arena, program->kernel, &config, err);
  if (!kernel || count_processors(program, &processors, err)) return -1;
  if (check_cache("l1", c->l1_size, c->l1_ways, err) || check_cache("l2", c->l2_size, c->l2_ways, err)) return -1;
  return machine_open(machine, c, processors, kernel, config, program->simulation.seed, err);
}

static rs_simulation with_players(const rs_program *program, const rs_players *players) {
  rs_simulation simulation = program->simulation;
  simulation.players = players;
  simulation.measure.warmup = "0";
  return simulation;
}

static rs_players players_of(rs_machine *machine) {
  return (rs_players){.classes = CO_CLASSES,
                      .longest = RS_DATA_FLITS,
                      .start = start,
                      .delivered = delivered,
                      .lost = lost,
                      .alarm = ring,
                      .context = machine};
}

int rs_program_check(const rs_program *program, rs_error *err) {
  rs_arena *arena = rs_arena_new();
  rs_machine machine;
  int status = open_machine(program, arena, &machine, err);
  if (!status) {
    rs_players players = players_of(&machine);
    rs_simulation simulation = with_players(program, &players);
    status = rs_simulate_check(&simulation, err);
    machine_close(&machine);
  }
  rs_arena_free(arena);
  return status;
}

/* ------------------------------------------------------------------ results */

static uint64_t sum(const rs_machine *m, size_t offset) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < m->processors; i++) {
    const char *worker = (const char *)&m->worker[i];
    uint64_t one;
    memcpy(&one, worker + offset, sizeof one);
    total += one;
  }
  return total;
}
#define SUM(field) ((double)sum(m, offsetof(rs_worker, field)))

/* Values of the program, before those of the network. */
static void add_values(const rs_machine *m, rs_result *result) {
  double error = NAN;
  bool done = machine_done(m), right = done && m->kernel->check(m, m->state, &error) && machine_agrees(m);
  double waited = SUM(waited) / (double)m->processor_ticks / m->processors;
  double peak = 0;
  for (size_t i = 0; i < result->windows; i++) {
    uint64_t next = i + 1 < result->windows ? result->window[i + 1].cycle : result->cycles;
    double width = (double)(next - result->window[i].cycle), flits = (double)result->window[i].delivered_flits;
    if (width > 0 && flits / width > peak) peak = flits / width;
  }
  const rs_value own[] = {
      {"program.time", "processor cycles", done ? machine_time(m) : NAN, NAN},
      {"program.done", "0 or 1", done, NAN},
      {"program.right", "0 or 1", right, NAN},
      {"program.error", "", error, NAN},
      {"program.wait", "processor cycles", waited, NAN}, /* of a processor, for memory and for others */
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
      {"program.peak", "flits/cycle", result->windows ? peak : NAN, NAN}, /* of a window, all end nodes */
  };
  size_t more = sizeof own / sizeof *own;
  rs_value *value = RS_ARRAY(result->arena, more + result->values, rs_value);
  memcpy(value, own, sizeof own);
  if (result->values) memcpy(value + more, result->value, result->values * sizeof *value);
  result->value = value;
  result->values += more;
}

int rs_program_run(const rs_program *program, rs_result *result, rs_error *err) {
  rs_arena *arena = rs_arena_new();
  rs_machine machine;
  int status = open_machine(program, arena, &machine, err);
  if (!status) {
    rs_players players = players_of(&machine);
    rs_simulation simulation = with_players(program, &players);
    status = rs_simulate(&simulation, result, err);
    if (!status && machine.broken) {
      rs_result_free(result);
      status = rs_fail(err, "program %s: the coherence protocol met a message that cannot be", machine.kernel->name);
    }
    if (!status) add_values(&machine, result);
    machine_close(&machine);
  }
  rs_arena_free(arena);
  return status;
}
