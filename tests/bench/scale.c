/* scale.c - what size costs: `make bench`, tools/bench-scale.sh, docs/speed.md.
 *
 *   the curve    tori and trees from 64 to a million end nodes: start, speed, memory
 *   a million    what a switch that dies in such a fabric costs, with the search for deadlocks and the witness of a
 * loss threads      one thread and two in turns, by the clock; beside them two independent runs at once: what the
 * machine has to give
 *
 * It judges nothing: a missed target is printed as missed, and the exit code is 0.
 *
 *   bench_scale [--quick]      --quick: a few seconds, up to 4,096 end nodes */
#include <time.h>

#include "runs.h"

static const char adaptive[] = "minimal-adaptive:escape=bubble";

static const double GIB = 1 << 30;

typedef struct subject {
  const char *fabric, *method;
  uint32_t ends, cycles;
  double most; /* the most GiB to use; 0: not set */
} subject;

/* A share of the capacity of end links. Tori of 128 x 128 and more cannot deliver it: their runs end while they fill.
 */
static const double load = 0.1;
static const subject subjects[] = {{"torus:8x8", adaptive, 64, 1000000, 0},
                                   {"torus:16x16", adaptive, 256, 100000, 0},
                                   {"torus:32x32", adaptive, 1024, 20000, 0},
                                   {"torus:64x64", adaptive, 4096, 4000, 0},
                                   {"torus:128x128", adaptive, 16384, 1000, 0},
                                   {"torus:256x256", adaptive, 65536, 400, 0},
                                   {"torus:512x512", adaptive, 262144, 150, 0},
                                   {"torus:1024x1024", adaptive, 1048576, 100, 3},
                                   {"kary-ntree:k=4,n=3", "updown", 64, 1000000, 0},
                                   {"kary-ntree:k=16,n=2", "updown", 256, 400000, 0},
                                   {"kary-ntree:k=32,n=2", "updown", 1024, 100000, 0},
                                   {"kary-ntree:k=16,n=3", "updown", 4096, 20000, 0},
                                   {"kary-ntree:k=32,n=3", "updown", 32768, 2000, 0},
                                   {"kary-ntree:k=16,n=4", "updown", 65536, 1000, 0},
                                   {"kary-ntree:k=8,n=6", "updown", 262144, 200, 0},
                                   {"kary-ntree:k=16,n=5", "updown", 1048576, 150, 4},
                                   {"kary-ntree:k=32,n=4", "updown", 1048576, 150, 4}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, SMALL = 4096, MILLION = 1 << 20 };

static void judge(const char *what, const char *target, bool met, double measured) {
  printf("  %-6s %-20s %-44s %.2f\n", met ? "met" : "MISSED", what, target, measured);
}

static scenario scenario_of(const subject *su) {
  return (scenario){.fabric = su->fabric, .method = su->method, .load = load, .cycles = su->cycles};
}

/* ------------------------------------------------------------------ the curve */

static void measure_curve(bool quick, figures *of) {
  printf("\nCost against size: load %g, a process for each run\n", load);
  printf("%-20s %8s %8s %8s %9s %10s %8s %9s\n", "fabric", "ends", "cycles", "start s", "Mhops/s", "Mnode-c/s", "B/end",
         "peak MiB");
  for (size_t i = 0; i < SUBJECTS; i++) {
    if (quick && subjects[i].ends > SMALL) continue;
    scenario sc = scenario_of(&subjects[i]);
    if (quick) sc.cycles /= 10;
    figures f = of[i] = simulate_apart(&sc);
    printf("%-20s %8.0f %8.0f %8.2f %9.2f %10.2f %8.0f %9.1f\n", sc.fabric, f.ends, f.cycles, f.start,
           hop_rate(&f) / 1e6, node_rate(&f) / 1e6, f.peak / f.ends, f.peak / (1 << 20));
    fflush(stdout);
  }
}

static void judge_curve(const figures *of) {
  printf("\nA million end nodes: targets\n");
  for (size_t i = 0; i < SUBJECTS; i++) {
    if (subjects[i].most == 0) continue;
    char most[64];
    snprintf(most, sizeof most, "at most %g GiB resident", subjects[i].most);
    judge(subjects[i].fabric, most, of[i].peak <= subjects[i].most * GIB, of[i].peak / GIB);
    judge(subjects[i].fabric, "less than 5 s of processor time to start", of[i].start < 5, of[i].start);
    judge(subjects[i].fabric, "a million hops a second of processor time", hop_rate(&of[i]) >= 1e6,
          hop_rate(&of[i]) / 1e6);
  }
}

/* ------------------------------------------------------------------ faults in the large */

static void measure_deaths(const figures *of) {
  printf("\nA switch dies half-way, and the last cycle is searched for deadlocks; seconds of processor time\n");
  printf("%-20s %14s %10s  %s\n", "fabric", "more than else", "peak GiB", "witness");
  for (size_t i = 0; i < SUBJECTS; i++) {
    if (subjects[i].ends < MILLION) continue;
    scenario sc = scenario_of(&subjects[i]);
    sc.changes = 1;
    sc.change = sc.cycles / 2;
    figures f = simulate_apart(&sc);
    printf("%-20s %14.2f %10.2f  %s\n", sc.fabric, f.seconds - of[i].seconds, f.peak / GIB,
           *f.witness ? f.witness : "none lost by the method");
    fflush(stdout);
  }
}

/* ------------------------------------------------------------------ threads */

static const struct shared {
  const char *fabric, *method;
  double load;
  uint32_t cycles;
  double least; /* times as fast as one thread */
} shared[] = {{"torus:16x16", adaptive, 0.5, 20000, 0.95},     {"kary-ntree:k=16,n=2", "misroute", 1, 20000, 0.95},
              {"torus:64x64", adaptive, 0.1, 6000, 0.95},      {"torus:256x256", adaptive, 0.1, 800, 1.7},
              {"torus:256x256", adaptive, 1, 500, 1.7},        {"kary-ntree:k=16,n=4", "updown", 0.1, 1500, 1.7},
              {"kary-ntree:k=16,n=4", "misroute", 1, 400, 1.7}};
enum { SHARED = sizeof shared / sizeof *shared, TURNS = 3 };

/* Seconds by the clock of the slower of two runs at once. */
static double run_both(const scenario *sc) {
  started one = start_apart(sc), other = start_apart(sc);
  double a = await_run(sc, one).wall, b = await_run(sc, other).wall;
  return a > b ? a : b;
}

static void measure_threads(bool quick) {
  printf("\nOne run on two threads, in turns with one; two runs at once beside them; seconds by the clock, medians of "
         "%d\n",
         TURNS);
  printf("%-20s %5s %7s %8s %8s %6s  %-8s %10s %6s\n", "fabric", "load", "cycles", "one", "two", "times", "",
         "both runs", "of 2");
  for (size_t i = 0; i < SHARED; i++) {
    double one[TURNS], two[TURNS], both[TURNS];
    scenario sc = {
        .fabric = shared[i].fabric, .method = shared[i].method, .load = shared[i].load, .cycles = shared[i].cycles};
    if (quick && shared[i].least > 1) continue;
    if (quick) sc.cycles /= 10;
    scenario divided = sc;
    divided.threads = 2;
    for (int turn = 0; turn < TURNS; turn++) {
      one[turn] = simulate_apart(&sc).wall;
      two[turn] = simulate_apart(&divided).wall;
      both[turn] = run_both(&sc);
    }
    double a = median(one, TURNS), b = median(two, TURNS), c = median(both, TURNS);
    printf("%-20s %5g %7u %8.2f %8.2f %6.2f  %-8s %10.2f %6.2f\n", sc.fabric, sc.load, sc.cycles, a, b, a / b,
           a / b >= shared[i].least ? "met" : "MISSED", c, 2 * a / c);
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  figures of[SUBJECTS];
  bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !quick) {
    fprintf(stderr, "usage: bench_scale [--quick]\n");
    return RIPSTOP_EXIT_INPUT;
  }
  measure_curve(quick, of);
  if (!quick) {
    judge_curve(of);
    measure_deaths(of);
  }
  measure_threads(quick);
  return EXIT_SUCCESS;
}
