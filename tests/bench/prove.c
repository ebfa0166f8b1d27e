/* prove.c - how fast the prover is and what it needs, as numbers with units: `make bench`.
 *
 * It judges nothing: a missed target is printed as missed, and the exit code is 0. Every case is a process of its own,
 * so that its peak of memory is its own. Time by the clock is what a user waits and grows when other work shares the
 * machine; processor time does not.
 *
 *   bench_prove [--quick] [--out FILE]    tables; FILE (default out/bench-prove.json) gets the same as JSON */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "prove/proof.h"
#include "ripstop/kit/proofs.h"

/* One proof to measure. */
typedef struct question {
  const char *fabric, *method;
  ripstop_sets_kind kind; /* RIPSTOP_SETS_GIVEN: the fabric without faults */
  uint32_t count;
  bool symmetry;
  uint64_t samples;
  unsigned threads; /* 0: one for each processor */
  bool tolerance;   /* delivery alone */
} question;

typedef struct figures {
  double channels; /* directed links */
  double sets, proofs, states;
  double wall, processor; /* seconds: proofs and compiled plans, without opening the fabric */
  double peak;            /* resident bytes of the process, everything included */
  double tolerated, deadlocked;
} figures;

static _Noreturn void give_up(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(EXIT_FAILURE);
}

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned processors(void) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

static int add_states(void *context, const ripstop_set_proof *proof, const ripstop_text *text,
                      const ripstop_tally *so_far) {
  (void)text, (void)so_far;
  *(double *)context += (double)proof->proof.states;
  return 0;
}

static figures answer(const question *q) {
  ripstop_error err;
  ripstop_tally tally;
  ripstop_faults none = {0};
  figures f = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(q->fabric, &err);
  if (!fabric) give_up(q->fabric, err.text);
  ripstop_many many = {.fabric = fabric,
                       .method = q->method,
                       .kind = q->kind,
                       .given = &none,
                       .givens = 1,
                       .count = q->count,
                       .symmetry = q->symmetry,
                       .samples = q->samples,
                       .seed = 1,
                       .confidence = 0.99,
                       .tolerance = q->tolerance,
                       .threads = q->threads ? q->threads : processors(),
                       .done = add_states,
                       .context = &f.states};
  double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (ripstop_prove_many(&many, &tally, &err)) give_up(q->fabric, err.text);
  f.wall = seconds(CLOCK_MONOTONIC) - wall;
  f.processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  f.channels = fabric->ports;
  f.sets = (double)tally.all.sets;
  f.proofs = (double)tally.proofs;
  f.tolerated = (double)tally.all.tolerated;
  f.deadlocked = (double)tally.all.deadlocked;
  f.peak = 1024.0 * (double)use.ru_maxrss;
  ripstop_fabric_free(fabric);
  return f;
}

static figures answer_apart(const question *q) {
  int ends[2], status;
  figures f;
  fflush(NULL);
  if (pipe(ends)) give_up("pipe", strerror(errno));
  pid_t child = fork();
  if (child < 0) give_up("fork", strerror(errno));
  if (child == 0) {
    f = answer(q);
    _exit(write(ends[1], &f, sizeof f) == sizeof f ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  close(ends[1]);
  ssize_t have = read(ends[0], &f, sizeof f); /* less than a pipe's atomic size: all or nothing */
  close(ends[0]);
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) || have != sizeof f)
    give_up(q->fabric, "the proof failed");
  return f;
}

/* ------------------------------------------------------------------ tables */

typedef struct bench {
  bool quick;
  json_t *root, *targets;
} bench;

static void judge(bench *b, const char *target, bool met, const char *measured) {
  printf("  %-6s  %-58s  %s\n", met ? "met" : "MISSED", target, measured);
  json_array_append_new(b->targets,
                        json_pack("{s:s, s:s, s:b}", "target", target, "measured", measured, "met", (int)met));
}

static json_t *start_table(bench *b, const char *name, const char *title) {
  json_t *rows = json_array();
  json_object_set_new(b->root, name, rows);
  printf("\n%s\n%-21s %-19s %8s %5s %8s %8s %11s %9s %9s %9s %8s %8s\n", title, "fabric", "method", "channels", "dead",
         "sets", "proofs", "states", "clock s", "proc. s", "ms/proof", "ns/state", "peak MiB");
  return rows;
}

static void show(json_t *rows, const question *q, const figures *f) {
  printf("%-21s %-19s %8.0f %5u %8.0f %8.0f %11.0f %9.3f %9.3f %9.3f %8.1f %8.1f\n", q->fabric, q->method, f->channels,
         q->count, f->sets, f->proofs, f->states, f->wall, f->processor, 1e3 * f->processor / f->proofs,
         1e9 * f->processor / f->states, f->peak / (1 << 20));
  fflush(stdout);
  json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:i, s:f, s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:f}", "fabric",
                                        q->fabric, "method", q->method, "channels", f->channels, "dead_links",
                                        (int)q->count, "sets", f->sets, "proofs", f->proofs, "states", f->states,
                                        "threads", (int)(q->threads ? q->threads : processors()), "clock_seconds",
                                        f->wall, "processor_seconds", f->processor, "peak_resident_bytes", f->peak,
                                        "tolerated", f->tolerated, "deadlocked", f->deadlocked));
}

/* The first is the one that the target is about. */
static const question single[] = {
    {"kary-ntree:k=4,n=3", "misroute", RIPSTOP_SETS_SAMPLED, 3, false, 1000, 1, false},
    {"kary-ntree:k=4,n=3", "misroute", RIPSTOP_SETS_SAMPLED, 20, false, 1000, 1, false},
    {"kary-ntree:k=4,n=3", "updown", RIPSTOP_SETS_SAMPLED, 3, false, 1000, 1, false},
    {"mport-ntree:m=8,n=3", "misroute", RIPSTOP_SETS_SAMPLED, 10, false, 300, 1, false},
    {"torus:16x16", "dor:dateline=on,halfway=parity", RIPSTOP_SETS_SAMPLED, 2, false, 100, 1, false},
    {"torus:16x16", "minimal-adaptive", RIPSTOP_SETS_SAMPLED, 2, false, 100, 1, false},
};

/* Seconds for one fault set. */
static double measure_single(bench *b) {
  double first = 0;
  json_t *rows = start_table(b, "one_set", "One fault set, one thread: means over random sets");
  for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
    question q = single[i];
    if (b->quick) q.samples /= 10;
    figures f = answer_apart(&q);
    show(rows, &q, &f);
    if (i == 0) first = f.wall / f.proofs;
  }
  return first;
}

static const question every[] = {
    {"kary-ntree:k=4,n=3", "misroute", RIPSTOP_SETS_ALL, 3, true, 0, 0, false},
    {"kary-ntree:k=4,n=3", "misroute", RIPSTOP_SETS_ALL, 3, false, 0, 0, false},
    {"kary-ntree:k=4,n=3", "misroute", RIPSTOP_SETS_ALL, 4, true, 0, 0, false},
    {"kary-ntree:k=8,n=2", "misroute", RIPSTOP_SETS_ALL, 4, true, 0, 0, false},
};

/* Seconds for all sets of three failed links, with symmetry. */
static double measure_every(bench *b) {
  double first = 0;
  json_t *rows =
      start_table(b, "every_set", "Every fault set of a size, all threads: with symmetry where proofs < sets");
  for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
    if (b->quick && !every[i].symmetry) continue;
    figures f = answer_apart(&every[i]);
    show(rows, &every[i], &f);
    if (i == 0) first = f.wall;
  }
  return first;
}

/* The first is the one that the target is about. */
static const question large[] = {
    {"torus:10x10x10x10", "dor:dateline=on,halfway=parity", RIPSTOP_SETS_GIVEN, 0, false, 0, 1, false},
    {"torus:10x10x10x10", "dor:dateline=on,halfway=parity", RIPSTOP_SETS_GIVEN, 0, false, 0, 0, false},
    {"kary-ntree:k=16,n=3", "updown", RIPSTOP_SETS_GIVEN, 0, false, 0, 0, false},
    {"kary-ntree:k=16,n=3", "misroute", RIPSTOP_SETS_GIVEN, 0, false, 0, 0, false},
};

static figures measure_large(bench *b) {
  figures first = {0};
  json_t *rows = start_table(b, "large", "Large fabrics without faults: one thread, then all");
  for (size_t i = 0; i < (b->quick ? 1 : sizeof large / sizeof *large); i++) {
    fprintf(stderr, "bench: %s, %s\n", large[i].fabric, large[i].method);
    figures f = answer_apart(&large[i]);
    show(rows, &large[i], &f);
    if (i == 0) first = f;
  }
  return first;
}

static const uint32_t failed_links[] = {0, 3, 10, 20};

/* Counts with the method's own function whether all pairs of end nodes are delivered, its tables included: seconds of a
 * processor for one set, with the number of failed links that takes longest. */
static double measure_tolerance(bench *b) {
  double slowest = 0;
  json_t *rows = json_array();
  json_object_set_new(b->root, "tolerance", rows);
  printf("\nDelivery of all pairs, one thread: means over random sets\n%-21s %-19s %5s %8s %10s %9s %9s %9s\n",
         "fabric", "method", "dead", "sets", "tolerated", "clock s", "proc. s", "us/set");
  for (size_t i = 0; i < sizeof failed_links / sizeof *failed_links; i++) {
    question q = {.fabric = "mport-ntree:m=8,n=3",
                  .method = "link-fault-messages",
                  .kind = RIPSTOP_SETS_SAMPLED,
                  .count = failed_links[i],
                  .samples = b->quick ? 10000 : 100000,
                  .threads = 1,
                  .tolerance = true};
    figures f = answer_apart(&q);
    double each = f.processor / f.sets;
    printf("%-21s %-19s %5u %8.0f %10.5f %9.3f %9.3f %9.1f\n", q.fabric, q.method, q.count, f.sets,
           f.tolerated / f.sets, f.wall, f.processor, 1e6 * each);
    json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f}", "fabric", q.fabric, "method", q.method,
                                          "dead_links", (int)q.count, "sets", f.sets, "tolerated", f.tolerated,
                                          "clock_seconds", f.wall, "processor_seconds", f.processor));
    if (each > slowest) slowest = each;
  }
  return slowest;
}

int main(int argc, char **argv) {
  bench b = {.root = json_object(), .targets = json_array()};
  const char *out = "out/bench-prove.json";
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0)
      b.quick = true;
    else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc)
      out = argv[++i];
    else
      return fprintf(stderr, "usage: bench_prove [--quick] [--out FILE]\n"), RIPSTOP_EXIT_INPUT;
  }
  char text[160];
  printf("ripstop %s, %u processors, compiler %s\n", RIPSTOP_VERSION, processors(), __VERSION__);
  double set = measure_single(&b), all = measure_every(&b), verdict = measure_tolerance(&b);
  figures big = measure_large(&b);
  printf("\nTargets\n");
  snprintf(text, sizeof text, "%.2f ms by the clock", 1e3 * set);
  judge(&b, "one fault set of the 4-ary 3-tree in under 5 ms", set < 5e-3, text);
  snprintf(text, sizeof text, "%.2f s by the clock", all);
  judge(&b, "all 3-fault sets of the 4-ary 3-tree in minutes", all < 120, text);
  snprintf(text, sizeof text, "%.2f s of a processor, %.0f MiB", big.processor, big.peak / (1 << 20));
  judge(&b, "100,000 channels in under 6 s of one core and 82 MiB", big.processor < 6 && big.peak < 82.0 * (1 << 20),
        text);
  snprintf(text, sizeof text, "%.1f us of a processor at the slowest", 1e6 * verdict);
  judge(&b, "tolerance of a set, all pairs of 8P3T, in under 50 us", verdict < 50e-6, text);
  json_object_set_new(b.root, "targets", b.targets);
  if (json_dump_file(b.root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(8)))
    fprintf(stderr, "bench: %s cannot be written\n", out);
  json_decref(b.root);
  return EXIT_SUCCESS;
}
