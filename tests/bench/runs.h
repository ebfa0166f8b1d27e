/* runs.h - runs of the engine in processes of their own, for the programs that measure it: no run finds warm memory or
 * another one's peak. */
#ifndef RIPSTOP_BENCH_RUNS_H
#define RIPSTOP_BENCH_RUNS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ripstop/ripstop.h"
#include "simulate/run_result.h"

enum { FIRST_CHANGE = 300, CHANGE_CYCLES = 20 };
enum { PACKET = 16, MOST_RUNS = 9 };

/* ------------------------------------------------------------------ counting calls of the allocator */

static uint64_t allocations; /* calls of malloc, calloc and realloc so far */

#ifdef __GLIBC__
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  allocations++;
  return __libc_realloc(memory, size);
}
#endif

/* ------------------------------------------------------------------ one run */

typedef struct scenario {
  const char *fabric, *method;
  double load; /* offered, flits per end node and cycle */
  uint32_t cycles;
  bool count_allocations;
  uint32_t changes; /* number of switches that fail and come back */
  uint32_t change;  /* the cycle of the first; 0: FIRST_CHANGE */
  uint32_t threads; /* 0: one */
} scenario;

typedef struct figures {
  double ends, cycles, hops, events, seconds;
  double accepted;        /* flits per end node and cycle */
  double bytes;           /* the engine's memory at its start */
  double peak;            /* resident bytes of the process, everything included */
  double allocated_loop;  /* calls between the first and the last delivered packet */
  double allocated_start; /* calls before that, fabric included */
  double start;           /* processor seconds before the first cycle, fabric and plan included */
  double wall;            /* seconds of the event loop by the clock */
  char witness[200];      /* witness of a loss or a deadlock */
} figures;

static inline double hop_rate(const figures *f) { return f->hops / f->seconds; }
static inline double node_rate(const figures *f) { return f->ends * f->cycles / f->seconds; }

typedef struct loop_calls {
  uint64_t first, last; /* value of `allocations` at the first and the last delivery */
} loop_calls;

static inline void note_calls(void *context, uint64_t packet, uint32_t source, uint32_t destination,
                              uint64_t generated_at, uint64_t delivered) {
  (void)packet, (void)source, (void)destination, (void)generated_at, (void)delivered;
  loop_calls *c = context;
  c->last = allocations;
  if (!c->first) c->first = allocations;
}

static inline _Noreturn void give_up(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(EXIT_FAILURE);
}

/* Switches all over the fabric fail, each for CHANGE_CYCLES cycles, one after the other. */
static inline ripstop_schedule schedule_of(ripstop_arena *arena, const ripstop_fabric *f, uint32_t changes,
                                           uint32_t first) {
  ripstop_change *change = RIPSTOP_ARRAY(arena, changes + 1, ripstop_change);
  uint32_t switches = f->nodes - f->ends;
  for (uint32_t i = 0; i < changes; i++)
    change[i] = (ripstop_change){.cycle = (first ? first : FIRST_CHANGE) + i * (uint64_t)CHANGE_CYCLES,
                                 .id = f->ends + (uint32_t)((i / 2) * UINT64_C(2654435761) % switches),
                                 .is_switch = true,
                                 .up = i % 2 == 1};
  return (ripstop_schedule){.count = changes, .change = change};
}

static inline double clock_seconds(clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static inline figures simulate(const scenario *sc) {
  ripstop_error err;
  ripstop_run_result result;
  loop_calls calls = {0};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open(sc->fabric, &err);
  if (!fabric) give_up(sc->fabric, err.text);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, sc->method, NULL, &err);
  if (!plan) give_up(sc->fabric, err.text);
  ripstop_schedule schedule = schedule_of(arena, fabric, sc->changes, sc->change);
  ripstop_simulate_settings s = {.seed = 1, .schedule = &schedule};
  ripstop_options_defaults(arena, ripstop_switch_options, &s.switch_);
  ripstop_options_defaults(arena, ripstop_traffic_options, &s.traffic);
  ripstop_options_defaults(arena, ripstop_measure_options, &s.measure);
  s.traffic.process = "poisson";
  s.traffic.load = sc->load;
  s.measure.warmup = "0";
  s.measure.cycles = sc->cycles;
  if (sc->count_allocations) {
    s.on_delivery = note_calls;
    s.context = &calls;
  }
  s.threads = ripstop_simulate_worth(plan, sc->threads);
  ripstop_simulation *run = ripstop_simulate_open(plan, &s, &err);
  if (!run) give_up(sc->fabric, err.text);
  double start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID), wall = clock_seconds(CLOCK_MONOTONIC);
  if (ripstop_simulate_run(run, UINT64_MAX, &err)) give_up(sc->fabric, err.text);
  wall = clock_seconds(CLOCK_MONOTONIC) - wall;
  if (ripstop_simulate_result_into(run, &result, &err)) give_up(sc->fabric, err.text);
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  figures f = {.ends = fabric->ends,
               .cycles = (double)result.cycles,
               .hops = (double)result.hops,
               .events = (double)result.events,
               .seconds = result.seconds,
               .accepted = ripstop_run_result_value(&result, "accepted"),
               .bytes = (double)result.bytes,
               .peak = 1024.0 * (double)use.ru_maxrss,
               .allocated_loop = (double)(calls.last - calls.first),
               .allocated_start = (double)calls.first,
               .start = start,
               .wall = wall};
  snprintf(f.witness, sizeof f.witness, "%s", result.witness ? result.witness : "");
  ripstop_run_result_free(&result);
  ripstop_simulate_close(run);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
  return f;
}

/* ------------------------------------------------------------------ processes */

/* Reads all that comes from a pipe, at most `size` bytes; returns how many. */
static inline size_t drain(int from, void *to, size_t size) {
  size_t have = 0;
  for (ssize_t n = 1; have < size && n > 0; have += n > 0 ? (size_t)n : 0)
    n = read(from, (char *)to + have, size - have);
  return have;
}

/* The child's side of a pipe in *to, the parent's in *from. */
static inline pid_t fork_with_pipe(int *from, int *to) {
  int ends[2];
  fflush(NULL);
  if (pipe(ends)) give_up("pipe", strerror(errno));
  pid_t child = fork();
  if (child < 0) give_up("fork", strerror(errno));
  close(ends[child ? 1 : 0]);
  *from = ends[0];
  *to = ends[1];
  return child;
}

static inline bool succeeded(pid_t child) {
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A run that has been started and not waited for. */
typedef struct started {
  pid_t child;
  int from;
} started;

static inline started start_apart(const scenario *sc) {
  started run;
  int to;
  run.child = fork_with_pipe(&run.from, &to);
  if (run.child) return run;
  figures f = simulate(sc);
  _exit(write(to, &f, sizeof f) == sizeof f ? EXIT_SUCCESS : EXIT_FAILURE);
}

static inline figures await_run(const scenario *sc, started run) {
  figures f;
  size_t have = drain(run.from, &f, sizeof f);
  close(run.from);
  if (!succeeded(run.child) || have != sizeof f) give_up(sc->fabric, "the run failed");
  return f;
}

static inline figures simulate_apart(const scenario *sc) { return await_run(sc, start_apart(sc)); }

/* Runs a program and keeps what it writes. */
static inline bool run_program(const char *const *argv, char *output, size_t size) {
  int from, to;
  pid_t child = fork_with_pipe(&from, &to);
  if (child == 0) {
    dup2(to, STDOUT_FILENO);
    execvp(argv[0], (char *const *)argv);
    _exit(EXIT_FAILURE);
  }
  output[drain(from, output, size - 1)] = '\0';
  close(from);
  return succeeded(child);
}

/* ------------------------------------------------------------------ medians */

static inline int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline double median(const double *values, uint32_t count) {
  double sorted[MOST_RUNS];
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_value);
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* An odd number of runs; the one with the median rate. */
static inline figures simulate_often(const scenario *sc, uint32_t runs) {
  figures f[MOST_RUNS];
  double rate[MOST_RUNS];
  for (uint32_t i = 0; i < runs; i++) {
    f[i] = simulate_apart(sc);
    rate[i] = hop_rate(&f[i]);
  }
  double middle = median(rate, runs);
  for (uint32_t i = 0; i < runs; i++)
    if (rate[i] == middle) return f[i];
  return f[0];
}

#endif
