/* runs.c - many small runs: how many a second, and what a long list of them costs, as numbers with units (`make
 * bench`).
 *
 * It judges nothing: a missed target is printed as missed, and the exit code is 0. Each row is the program itself, as a
 * user calls it, with everything from reading the file to the last line that it prints. Its store is a new file in the
 * folder from which the benchmark is called, so that folder's disk counts too.
 *
 *   bench_runs [--quick] [--out FILE]    tables; FILE (default out/bench-runs.json) gets the same as JSON */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ripstop/ripstop.h"

typedef struct bench {
  bool quick;
  char folder[32]; /* for files of the rows */
  json_t *root, *rows, *targets;
} bench;

/* Time and memory of a call of the program. */
typedef struct cost {
  double clock, processor; /* seconds */
  double peak;             /* resident bytes */
} cost;

static _Noreturn void give_up(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(EXIT_FAILURE);
}

static void judge(bench *b, const char *target, bool met, const char *measured) {
  printf("  %-6s  %-58s  %s\n", met ? "met" : "MISSED", target, measured);
  json_array_append_new(b->targets,
                        json_pack("{s:s, s:s, s:b}", "target", target, "measured", measured, "met", (int)met));
}

/* ------------------------------------------------------------------ an experiment */

/* Runs of 40 cycles on 64 end nodes: its product has `loads` x `seeds` of them. */
typedef struct question {
  const char *what;
  unsigned loads, seeds, workers;
  unsigned parts; /* parts of `only:`, one for each of the first seeds; 0: the whole product */
  bool dry;       /* the runs are expanded, and their cost reported */
} question;

static double runs_of(const question *q) { return (double)q->loads * (q->parts ? q->parts : q->seeds); }

static void write_experiment(const question *q, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) give_up(path, strerror(errno));
  fprintf(file, "title: \"%s\"\nfabric: kary-ntree:k=4,n=3\nmethod: updown\nmeasure: {warmup: 0, cycles: 40}\n",
          q->what);
  fputs("traffic: {load: [", file);
  for (unsigned i = 1; i <= q->loads; i++) fprintf(file, "%.4f,", i * 1e-4);
  fputs("]}\nseed: [", file);
  for (unsigned i = 1; i <= q->seeds; i++) fprintf(file, "%u,", i);
  fputs("]\n", file);
  if (q->parts) fputs("only:\n", file);
  for (unsigned i = 1; i <= q->parts; i++) fprintf(file, "  - {seed: %u}\n", i);
  fputs("figures:\n  - {id: loads, x: traffic.load, y: accepted}\n  - {id: seeds, x: seed, y: accepted, by: "
        "traffic.load}\n",
        file);
  if (fclose(file)) give_up(path, strerror(errno));
}

/* ------------------------------------------------------------------ the program */

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static _Noreturn void become(const char *const *argv) {
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  execv(argv[0], (char *const *)argv);
  _exit(EXIT_FAILURE);
}

static cost call(const char *const *argv) {
  int status;
  struct rusage use;
  double start = seconds_now();
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) give_up("fork", strerror(errno));
  if (child == 0) become(argv);
  if (wait4(child, &status, 0, &use) != child || !WIFEXITED(status) || WEXITSTATUS(status)) give_up(argv[0], "failed");
  return (cost){.clock = seconds_now() - start,
                .processor = seconds_of(use.ru_utime) + seconds_of(use.ru_stime),
                .peak = 1024.0 * (double)use.ru_maxrss};
}

static cost run(bench *b, const question *q) {
  char file[64], store[64], workers[16];
  snprintf(file, sizeof file, "%s/experiment.yaml", b->folder);
  snprintf(store, sizeof store, "%s/store.db", b->folder);
  snprintf(workers, sizeof workers, "%u", q->workers);
  write_experiment(q, file);
  cost c = call((const char *[]){RIPSTOP_PROGRAM, "run", file, "--workers", workers, "--store", store,
                                 q->dry ? "--dry-run" : NULL, NULL});
  if ((!q->dry && unlink(store)) || unlink(file)) give_up(store, strerror(errno));
  return c;
}

static cost show(bench *b, const question *q) {
  fprintf(stderr, "bench: %s\n", q->what);
  cost c = run(b, q);
  double runs = runs_of(q);
  printf("%-40s %8.0f %7u %8.2f %8.2f %9.0f %12.0f %8.1f\n", q->what, runs, q->workers, c.clock, c.processor,
         runs / c.clock, runs / c.processor, c.peak / (1 << 20));
  json_array_append_new(b->rows, json_pack("{s:s, s:f, s:i, s:f, s:f, s:f}", "what", q->what, "runs", runs, "workers",
                                           (int)q->workers, "clock_seconds", c.clock, "processor_seconds", c.processor,
                                           "peak_resident_bytes", c.peak));
  fflush(stdout);
  return c;
}

/* ------------------------------------------------------------------ the rows */

static void measure_runs(bench *b) {
  unsigned seeds = b->quick ? 1000 : 10000;
  question one = {.what = "40 cycles, 4-ary 3-tree", .loads = 1, .seeds = seeds, .workers = 1};
  question two = {.what = "the same by two workers", .loads = 2, .seeds = seeds, .workers = 2};
  char text[160];
  printf("\nMany small runs, into a store on disk\n%-40s %8s %7s %8s %8s %9s %12s %8s\n", "what", "runs", "workers",
         "clock s", "proc. s", "runs/s", "runs/proc. s", "peak MiB");
  cost alone = show(b, &one), both = show(b, &two);
  double each = runs_of(&one) / alone.processor, together = runs_of(&two) / both.clock;
  printf("\nTargets\n");
  snprintf(text, sizeof text, "%.0f a second of a processor", each);
  judge(b, "4,000 runs a second and worker", each >= 4000, text);
  snprintf(text, sizeof text, "%.0f a second by the clock", together);
  judge(b, "2,000 runs a second into a store on disk, two workers", together >= 2000, text);
}

static void measure_lists(bench *b) {
  question million = {.what = "a million runs, --dry-run", .loads = 1000, .seeds = 1000, .workers = 2, .dry = true};
  question parts = {
      .what = "only: 10,000 parts, --dry-run", .loads = 2, .seeds = 10000, .workers = 2, .parts = 10000, .dry = true};
  char text[160];
  printf("\nLong lists of runs, of which none is done\n");
  cost all = show(b, &million), some = show(b, &parts);
  printf("\nTargets\n");
  snprintf(text, sizeof text, "%.0f MiB", all.peak / (1 << 20));
  judge(b, "a million runs in 500 MB", all.peak < 500e6, text);
  snprintf(text, sizeof text, "%.2f s of a processor", some.processor);
  judge(b, "10,000 parts of 20,000 runs in a second", some.processor < 1, text);
}

int main(int argc, char **argv) {
  bench b = {.folder = "bench-runs-XXXXXX", .root = json_object(), .rows = json_array(), .targets = json_array()};
  const char *out = "out/bench-runs.json";
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0)
      b.quick = true;
    else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc)
      out = argv[++i];
    else
      return fprintf(stderr, "usage: bench_runs [--quick] [--out FILE]\n"), RIPSTOP_EXIT_INPUT;
  }
  if (!mkdtemp(b.folder)) give_up(b.folder, strerror(errno));
  measure_runs(&b);
  measure_lists(&b);
  rmdir(b.folder);
  json_object_set_new(b.root, "rows", b.rows);
  json_object_set_new(b.root, "targets", b.targets);
  if (json_dump_file(b.root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(8)))
    fprintf(stderr, "bench: %s cannot be written\n", out);
  json_decref(b.root);
  return EXIT_SUCCESS;
}
