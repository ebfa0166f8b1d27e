/* program.c - a kernel on a machine on the simulated network, and links that die meanwhile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine.h"

enum { DRAW_LINKS = 1, DRAW_PACKETS = 2 }; /* random streams beside the kernels', which is 0 */

/* ------------------------------------------------------------------ kernels by name */

const rs_kernel *rs_kernel_find(const char *name, size_t length, rs_error *err) {
  size_t count = 0;
  while (rs_kernels[count]) count++;
  rs_arena *arena = rs_arena_new();
  const char **words = RS_ARRAY(arena, count + 1, const char *);
  const rs_kernel *found = NULL;
  for (size_t i = 0; i < count; i++) {
    words[i] = rs_kernels[i]->name;
    if (strlen(words[i]) == length && !strncmp(words[i], name, length)) found = rs_kernels[i];
  }
  if (!found) {
    const char *wrong = rs_arena_printf(arena, "%.*s", (int)length, name), *near = rs_nearest_word(wrong, words);
    rs_text known = {0};
    for (size_t i = 0; i < count; i++) rs_text_add(&known, "%s%s", i ? ", " : "", words[i]);
    if (near)
      rs_fail(err, "program: there is no '%s'; did you mean '%s'?", wrong, near);
    else
      rs_fail(err, "program: there is no '%s'; known: %s", wrong, known.data ? known.data : "none");
    rs_text_free(&known);
  }
  rs_arena_free(arena);
  return found;
}

static const rs_kernel *open_kernel(rs_arena *arena, const char *spec, void **config, rs_error *err) {
  size_t length = strcspn(spec, ":");
  const rs_kernel *kernel = rs_kernel_find(spec, length, err);
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

/* ------------------------------------------------------------------ faults while it runs */

typedef struct fault { /* a link dies when so many packets have been received */
  uint64_t packets;
  uint32_t link;
} fault;

static int by_packets(const void *a, const void *b) {
  const fault *x = a, *y = b;
  return (x->packets > y->packets) - (x->packets < y->packets);
}

/* Links that die, in random order. False: there are not so many. */
static bool draw_links(rs_view *view, uint64_t seed, fault *out, size_t count) {
  rs_arena *arena = rs_arena_new();
  uint32_t most = count < view->fabric->links ? (uint32_t)count : view->fabric->links;
  uint32_t *link = RS_ARRAY(arena, most + 1, uint32_t);
  rs_stream stream = rs_stream_open(seed, RS_RANDOM_PROGRAM, DRAW_LINKS);
  uint32_t found = rs_view_break(view, false, most, &stream, link);
  for (uint32_t i = 0; i < found; i++) out[i].link = link[i];
  rs_arena_free(arena);
  return found == count;
}

static int draw_faults(const rs_program *program, fault *out, uint64_t packets, rs_error *err) {
  size_t count = (size_t)program->config.faults;
  if (count && program->simulation.schedule && program->simulation.schedule->count)
    return rs_fail(err, "program.faults: either links are drawn while it runs, or a schedule says what fails");
  rs_view *view = rs_view_new(program->simulation.fabric, program->simulation.faults);
  bool enough = draw_links(view, program->simulation.seed, out, count);
  rs_view_free(view);
  if (!enough)
    return rs_fail(err, "program.faults: %zu links cannot die in %s without cutting it", count,
                   program->simulation.fabric->spec);
  rs_stream stream = rs_stream_open(program->simulation.seed, RS_RANDOM_PROGRAM, DRAW_PACKETS);
  for (size_t i = 0; i < count; i++) out[i].packets = (uint64_t)(rs_stream_unit(&stream) * (double)packets);
  if (count) qsort(out, count, sizeof *out, by_packets);
  return 0;
}

/* ------------------------------------------------------------------ the machine's players */

typedef struct play {
  rs_machine machine;
  uint64_t received; /* packets */
  const fault *fault;
  size_t faults, next;
} play;

static uint64_t now(void *io) { return rs_io_now(io); }
static void send(void *io, const rs_letter *letter) { rs_io_send(io, letter); }
static void set_alarm(void *io, uint64_t cycle) { rs_io_alarm(io, cycle, 0); }
static void finish(void *io) { rs_io_finish(io); }

static void start(void *context, rs_io *io) {
  play *p = context;
  net network = {.self = io, .now = now, .send = send, .alarm = set_alarm, .finish = finish};
  machine_start(&p->machine, &network);
}

static void delivered(void *context, rs_io *io, const rs_letter *letter) {
  play *p = context;
  p->received++;
  for (; p->next < p->faults && p->fault[p->next].packets <= p->received; p->next++)
    rs_io_change(io, &(rs_change){.id = p->fault[p->next].link});
  machine_delivered(&p->machine, letter);
}

static void lost(void *context, rs_io *io, const rs_letter *letter) {
  play *p = context;
  (void)io;
  machine_lost(&p->machine, letter);
}

static void ring(void *context, rs_io *io, uint64_t which) {
  play *p = context;
  (void)io, (void)which;
  machine_alarm(&p->machine);
}

/* ------------------------------------------------------------------ checks */

static int check_cache(const char *name, int64_t kib, int64_t ways, rs_error *err) {
  const int64_t bytes = kib * 1024;
  if (bytes % (ways * RS_LINE_BYTES) == 0) return 0;
  return rs_fail(err, "program.%s_size: %lld KiB are no whole number of sets of %lld lines of %d bytes", name,
                 (long long)kib, (long long)ways, RS_LINE_BYTES);
}

static int count_processors(const rs_program *program, uint32_t *count, rs_error *err) {
  uint32_t ends = program->simulation.fabric->ends;
  int64_t wished = program->config.processors;
  if (wished > ends)
    return rs_fail(err, "program.processors: %lld are more than the %u end nodes of %s", (long long)wished, ends,
                   program->simulation.fabric->spec);
  if (!wished && ends > CO_NODES_MAX)
    return rs_fail(err,
                   "program.processors must be given for %s: it has %u end nodes, and at most %d can be processors",
                   program->simulation.fabric->spec, ends, CO_NODES_MAX);
  *count = wished ? (uint32_t)wished : ends;
  return 0;
}

static int open_machine(const rs_program *program, rs_arena *arena, rs_machine *machine, rs_error *err) {
  const rs_program_config *c = &program->config;
  uint32_t processors = 0;
  void *config;
  const rs_kernel *kernel = open_kernel(arena, program->config.kernel, &config, err);
  if (!kernel || count_processors(program, &processors, err)) return -1;
  if (check_cache("l1", c->l1_size, c->l1_ways, err) || check_cache("l2", c->l2_size, c->l2_ways, err)) return -1;
  return machine_open(machine, c, processors, kernel, config, program->simulation.seed, err);
}

static rs_players players_of(play *p) {
  return (rs_players){.classes = CO_CLASSES,
                      .shortest = RS_COMMAND_FLITS,
                      .longest = RS_DATA_FLITS,
                      .start = start,
                      .delivered = delivered,
                      .lost = lost,
                      .alarm = ring,
                      .context = p};
}

static rs_simulation simulation_of(const rs_program *program, const rs_players *players) {
  rs_simulation simulation = program->simulation;
  simulation.players = players;
  simulation.measure.warmup = "0";
  simulation.measure.cycles = program->config.limit;
  return simulation;
}

int rs_program_check(const rs_program *program, rs_error *err) {
  rs_arena *arena = rs_arena_new();
  play p = {.next = 0};
  int status = open_machine(program, arena, &p.machine, err);
  if (!status) {
    rs_players players = players_of(&p);
    rs_simulation simulation = simulation_of(program, &players);
    fault *fault_ = RS_ARRAY(arena, (size_t)program->config.faults + 1, fault);
    status = draw_faults(program, fault_, 0, err) || rs_simulate_check(&simulation, err) ? -1 : 0;
    machine_close(&p.machine);
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

/* Flits per cycle in the busiest window, to all end nodes; NAN without windows. What the end of the run leaves of the
 * last window counts as a whole one: packets that arrive in a few cycles were under way in many. */
static double peak(const rs_result *result) {
  uint64_t most = 0;
  for (size_t i = 0; i < result->windows; i++)
    if (result->window[i].delivered_flits > most) most = result->window[i].delivered_flits;
  uint64_t width = result->windows > 1 ? result->window[1].cycle : result->cycles;
  return result->windows ? (double)most / (double)width : NAN;
}

/* Values of the program, before those of the network. */
static void add_values(const play *p, double undisturbed, rs_result *result) {
  const rs_machine *m = &p->machine;
  double error = NAN, time = machine_done(m) ? machine_time(m) : NAN;
  bool right = machine_done(m) && m->kernel->check(m, m->state, &error) && machine_agrees(m);
  double waited = SUM(waited) / (double)m->processor_ticks / m->processors;
  const rs_value own[] = {
      {"program.time", "processor cycles", time, NAN},
      {"program.slowdown", "", time / (p->faults ? undisturbed : time), NAN},
      {"program.done", "0 or 1", machine_done(m), NAN},
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
      {"program.peak", "flits/cycle", peak(result), NAN},
  };
  size_t more = sizeof own / sizeof *own;
  rs_value *value = RS_ARRAY(result->arena, more + result->values, rs_value);
  memcpy(value, own, sizeof own);
  if (result->values) memcpy(value + more, result->value, result->values * sizeof *value);
  result->value = value;
  result->values += more;
}

/* One run of the machine, which is open afterwards when all went well. */
static int play_once(const rs_program *program, rs_arena *arena, play *p, rs_result *result, rs_error *err) {
  if (open_machine(program, arena, &p->machine, err)) return -1;
  rs_players players = players_of(p);
  rs_simulation simulation = simulation_of(program, &players);
  if (program->config.faults && !p->fault) simulation.measure.window = 0; /* nobody looks at them */
  int status = rs_simulate(&simulation, result, err);
  const char *mistake = p->machine.broken            ? "the coherence protocol met a message that cannot be"
                        : machine_stuck(&p->machine) ? "its processors wait for each other for ever"
                                                     : NULL;
  if (!status && mistake) {
    rs_result_free(result);
    status = rs_fail(err, "%s: %s", program->config.kernel, mistake);
  }
  if (status) machine_close(&p->machine);
  return status;
}

/* Without the faults; 1: the program does not come to its end even so, which the result says. */
static int rehearse(const rs_program *program, rs_arena *arena, fault *faults, double *time, rs_result *result,
                    rs_error *err) {
  play p = {.next = 0};
  if (play_once(program, arena, &p, result, err)) return -1;
  int status = 1;
  if (!machine_done(&p.machine)) {
    add_values(&p, NAN, result);
  } else {
    *time = machine_time(&p.machine);
    rs_result_free(result);
    status = draw_faults(program, faults, p.received, err);
  }
  machine_close(&p.machine);
  return status;
}

int rs_program_run(const rs_program *program, rs_result *result, rs_error *err) {
  rs_arena *arena = rs_arena_new();
  size_t faults = (size_t)program->config.faults;
  fault *list = RS_ARRAY(arena, faults + 1, fault);
  double undisturbed = NAN;
  int status = faults ? rehearse(program, arena, list, &undisturbed, result, err) : 0;
  if (!status) {
    play p = {.fault = list, .faults = faults};
    status = play_once(program, arena, &p, result, err);
    if (!status) {
      add_values(&p, undisturbed, result);
      machine_close(&p.machine);
    }
  }
  rs_arena_free(arena);
  return status < 0 ? -1 : 0;
}
