/* engine.c - how fast the engine is and what it needs, as numbers with units: `make bench`, docs/speed.md.
 *
 * It judges nothing: a missed target is printed as missed, and the exit code is 0. Every run is a process of its own,
 * so that no run finds warm memory or another one's peak. Rates are over processor time of the event loop; where there
 * are several runs of a kind, the median is shown.
 *
 *   bench_engine [--quick] [--out FILE]           all tables; FILE (default out/bench.json) gets the same as JSON
 *   bench_engine run FABRIC METHOD LOAD CYCLES [CHANGES]   one run, one line: for profilers and tools/instructions.sh
 *
 * The floor is the least program that simulates adaptive bubble routing on a k x k torus. It is no part of this
 * repository: where its source lies beside the source tree it is compiled and runs in turns with the engine. */
#include <jansson.h>
#include <sys/utsname.h>
#include <time.h>

#include "runs.h"

enum { LARGE = 65536 };
#define FLOOR_SOURCE RIPSTOP_SOURCE_DIR "/../shared/floor/floor.c"

/* ------------------------------------------------------------------ targets */

typedef struct bench {
  bool quick;
  json_t *root, *targets;
} bench;

/* `measured` says it for people. */
static void judge(bench *b, const char *target, bool met, const char *measured) {
  printf("  %-6s  %-58s  %s\n", met ? "met" : "MISSED", target, measured);
  json_array_append_new(b->targets,
                        json_pack("{s:s, s:s, s:b}", "target", target, "measured", measured, "met", (int)met));
}

static void section(const char *title) { printf("\n%s\n", title); }

/* ------------------------------------------------------------------ speed over sizes and loads */

static const char adaptive[] = "minimal-adaptive:escape=bubble";

/* A fabric under uniform traffic. Capacity: the bound that its bisection (tori) or its end links (trees) set. */
typedef struct subject {
  const char *fabric, *method;
  uint32_t ends;
  double capacity; /* flits per end node and cycle */
  double hops;     /* switch to switch, mean */
} subject;

static const subject subjects[] = {{"torus:8x8", adaptive, 64, 1, 4},
                                   {"torus:16x16", adaptive, 256, 0.5, 8},
                                   {"torus:64x64", adaptive, 4096, 0.125, 32},
                                   {"torus:256x256", adaptive, LARGE, 0.03125, 128},
                                   {"kary-ntree:k=4,n=3", "misroute", 64, 1, 3.7},
                                   {"kary-ntree:k=16,n=2", "misroute", 256, 1, 1.9},
                                   {"kary-ntree:k=16,n=3", "misroute", 4096, 1, 3.9},
                                   {"kary-ntree:k=16,n=4", "misroute", LARGE, 1, 5.9}};

static const struct {
  const char *name;
  double share; /* share of the capacity; 1: every source always has a packet */
} loads[] = {{"low", 0.1}, {"half", 0.5}, {"saturation", 1}};

/* Runs are as long as so many hops take, and long enough to fill the network. */
static scenario of_subject(const subject *su, double share, bool quick) {
  double wanted = quick ? 4e5 : 4e6, least = 2000;
  double hops_per_cycle = share * su->capacity * su->ends / PACKET * su->hops;
  double cycles = wanted / hops_per_cycle;
  return (scenario){.fabric = su->fabric,
                    .method = su->method,
                    .load = share < 1 ? share * su->capacity : 1,
                    .cycles = (uint32_t)(cycles > least ? cycles : least)};
}

/* The least rate and the largest memory at 65,536 end nodes; the rate of the last fabric, a tree, in saturation. */
typedef struct extremes {
  double rate, tree, peak;
} extremes;

static void show_subject(json_t *rows, const subject *su, size_t load, const scenario *sc, const figures *f,
                         uint32_t runs) {
  printf("%-20s %6.0f %-10s %8.4f %8.4f %8.0f %8.2f %9.2f %8.0f %8.1f\n", su->fabric, f->ends, loads[load].name,
         sc->load, f->accepted, f->cycles, hop_rate(f) / 1e6, node_rate(f) / 1e6, f->bytes / f->ends,
         f->peak / (1 << 20));
  json_array_append_new(rows,
                        json_pack("{s:s, s:s, s:f, s:s, s:f, s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "fabric",
                                  su->fabric, "method", su->method, "endpoints", f->ends, "load", loads[load].name,
                                  "offered", sc->load, "accepted", f->accepted, "cycles", f->cycles, "runs", (int)runs,
                                  "packet_hops", f->hops, "packet_hops_per_second", hop_rate(f),
                                  "node_cycles_per_second", node_rate(f), "events_per_second", f->events / f->seconds,
                                  "bytes_per_endpoint", f->bytes / f->ends, "peak_resident_bytes", f->peak));
  fflush(stdout);
}

static extremes measure_subjects(bench *b) {
  extremes large = {.rate = -1};
  json_t *rows = json_array();
  json_object_set_new(b->root, "engine", rows);
  section("The engine: 16-flit packets, uniform traffic; load as a share of what the fabric can carry");
  printf("%-20s %6s %-10s %8s %8s %8s %8s %9s %8s %8s\n", "fabric", "ends", "load", "offered", "accepted", "cycles",
         "Mhops/s", "Mnode-c/s", "B/end", "peak MiB");
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    const subject *su = &subjects[i];
    if (b->quick && su->ends == LARGE) continue;
    uint32_t runs = b->quick || su->ends == LARGE ? 1 : 3;
    for (size_t load = 0; load < sizeof loads / sizeof *loads; load++) {
      scenario sc = of_subject(su, loads[load].share, b->quick);
      fprintf(stderr, "bench: %s, %s load, %u cycles x %u\n", su->fabric, loads[load].name, sc.cycles, runs);
      figures f = simulate_often(&sc, runs);
      show_subject(rows, su, load, &sc, &f, runs);
      if (su->ends < LARGE) continue;
      if (large.rate < 0 || hop_rate(&f) < large.rate) large.rate = hop_rate(&f);
      if (f.peak > large.peak) large.peak = f.peak;
      large.tree = hop_rate(&f);
    }
  }
  return large;
}

/* ------------------------------------------------------------------ the floor */

static const struct match {
  uint32_t k;
  double load;
  uint32_t cycles;
  uint32_t pairs;
  double least; /* least part of the floor's speed; 0: not set */
} matches[] = {{16, 0.1, 200000, 5, 0.75}, {16, 0.5, 60000, 5, 0}, {16, 1.0, 60000, 5, 1.3}, /* the floor generates */
               {64, 0.1, 4000, 3, 0},      {64, 1.0, 4000, 3, 0},  {256, 1.0, 2000, 1, 0}};  /* no loads below 0.08 */
enum { MATCHES = sizeof matches / sizeof *matches };

static bool compile_floor(const char *program) {
  char output[256];
  const char *const argv[] = {"cc", "-O3", "-DNDEBUG", "-o", program, FLOOR_SOURCE, NULL};
  return access(FLOOR_SOURCE, R_OK) == 0 && run_program(argv, output, sizeof output);
}

/* Packet-hops per second. */
static double run_floor(const char *program, const struct match *m, uint32_t cycles) {
  char k[16], load[16], length[16], flits[16], output[1024];
  snprintf(k, sizeof k, "%u", m->k);
  snprintf(load, sizeof load, "%g", m->load);
  snprintf(length, sizeof length, "%u", cycles);
  snprintf(flits, sizeof flits, "%d", PACKET);
  const char *const argv[] = {program, k, load, length, flits, NULL};
  double rate = 0;
  bool ran = run_program(argv, output, sizeof output);
  const char *at = ran ? strstr(output, " s  ") : NULL;
  if (!at || sscanf(at, " s %lf Mpacket-hops/s", &rate) != 1) give_up("floor", "its output has another form");
  return 1e6 * rate;
}

static double run_match(bench *b, json_t *rows, const char *program, const struct match *m) {
  char fabric[32];
  double engine[MOST_RUNS], least[MOST_RUNS], ratio[MOST_RUNS];
  snprintf(fabric, sizeof fabric, "torus:%ux%u", m->k, m->k);
  scenario sc = {.fabric = fabric, .method = adaptive, .load = m->load, .cycles = b->quick ? m->cycles / 4 : m->cycles};
  fprintf(stderr, "bench: %s, load %g, engine and floor in turns, %u pairs\n", fabric, m->load, m->pairs);
  for (uint32_t i = 0; i < m->pairs; i++) {
    figures f = simulate_apart(&sc);
    engine[i] = hop_rate(&f);
    least[i] = run_floor(program, m, sc.cycles);
    ratio[i] = engine[i] / least[i];
  }
  double e = median(engine, m->pairs), l = median(least, m->pairs), r = median(ratio, m->pairs);
  printf("%5u %6.2f %8u %6u %14.2f %14.2f %8.2f\n", m->k, m->load, sc.cycles, m->pairs, e / 1e6, l / 1e6, r);
  fflush(stdout);
  json_array_append_new(rows, json_pack("{s:i, s:f, s:i, s:i, s:f, s:f, s:f}", "k", (int)m->k, "load", m->load,
                                        "cycles", (int)sc.cycles, "pairs", (int)m->pairs, "engine_hops_per_second", e,
                                        "floor_hops_per_second", l, "ratio", r));
  return r;
}

/* To `ratio` [MATCHES]; negative: not measured. */
static void measure_floor(bench *b, const char *program, double *ratio) {
  section("The engine against the floor (adaptive bubble routing on a k x k torus), in turns; medians");
  for (size_t i = 0; i < MATCHES; i++) ratio[i] = -1;
  if (!compile_floor(program)) {
    printf("floor not present\n");
    json_object_set_new(b->root, "floor", json_null());
    return;
  }
  json_t *rows = json_array();
  json_object_set_new(b->root, "floor", rows);
  printf("%5s %6s %8s %6s %14s %14s %8s\n", "k", "load", "cycles", "pairs", "engine Mhops/s", "floor Mhops/s", "ratio");
  for (size_t i = 0; i < MATCHES; i++)
    if (!b->quick || matches[i].k <= 16) ratio[i] = run_match(b, rows, program, &matches[i]);
}

/* ------------------------------------------------------------------ memory and time in saturation */

static const char *const saturated[][2] = {{"torus:32x32", adaptive}, {"kary-ntree:k=8,n=3", "misroute"}};
enum { SATURATED = sizeof saturated / sizeof *saturated };

typedef struct pair {
  figures brief, lasting;
} pair;

/* The second run is ten times as long. */
static void measure_memory(bench *b, pair *pairs) {
  json_t *rows = json_array();
  json_object_set_new(b->root, "memory", rows);
  section("Memory and calls of the allocator in saturation, over the length of the run");
  printf("%-20s %8s %12s %10s %16s %18s\n", "fabric", "cycles", "engine MiB", "peak MiB", "calls in loop",
         "calls at the start");
  for (size_t i = 0; i < SATURATED; i++) {
    scenario sc = {.fabric = saturated[i][0],
                   .method = saturated[i][1],
                   .load = 1,
                   .cycles = b->quick ? 1000 : 3000,
                   .count_allocations = true};
    fprintf(stderr, "bench: %s, saturated, %u cycles and ten times that\n", sc.fabric, sc.cycles);
    pairs[i].brief = simulate_apart(&sc);
    sc.cycles *= 10;
    pairs[i].lasting = simulate_apart(&sc);
    const figures *both[] = {&pairs[i].brief, &pairs[i].lasting};
    for (size_t j = 0; j < 2; j++) {
      const figures *f = both[j];
      printf("%-20s %8.0f %12.2f %10.2f %16.0f %18.0f\n", sc.fabric, f->cycles, f->bytes / (1 << 20),
             f->peak / (1 << 20), f->allocated_loop, f->allocated_start);
      json_array_append_new(rows,
                            json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "fabric", sc.fabric, "cycles", f->cycles,
                                      "engine_bytes", f->bytes, "peak_resident_bytes", f->peak, "allocations_in_loop",
                                      f->allocated_loop, "allocations_at_start", f->allocated_start));
    }
  }
}

/* ------------------------------------------------------------------ changes */

static const struct {
  const char *fabric, *method;
  double load;
} changing[] = {{"torus:64x64", "immunet", 0.1}, {"kary-ntree:k=16,n=3", "misroute", 0.3}};

/* The cost of a change of a switch, its plan included: the difference between a run with and one without. */
static void measure_changes(bench *b) {
  json_t *rows = json_array();
  json_object_set_new(b->root, "changes", rows);
  section("A switch that fails or comes back in a fabric at work");
  printf("%-20s %-10s %8s %14s\n", "fabric", "method", "changes", "ms a change");
  for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
    scenario sc = {.fabric = changing[i].fabric,
                   .method = changing[i].method,
                   .load = changing[i].load,
                   .changes = b->quick ? 8 : 40};
    sc.cycles = FIRST_CHANGE + sc.changes * CHANGE_CYCLES;
    scenario still = sc;
    still.changes = 0;
    fprintf(stderr, "bench: %s, %u changes\n", sc.fabric, sc.changes);
    double with = simulate_often(&sc, 3).seconds, without = simulate_often(&still, 3).seconds;
    double cost = (with - without) / sc.changes;
    printf("%-20s %-10s %8u %14.2f\n", sc.fabric, sc.method, sc.changes, 1e3 * cost);
    json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f}", "fabric", sc.fabric, "method", sc.method, "changes",
                                          (int)sc.changes, "seconds_a_change", cost));
  }
}

/* ------------------------------------------------------------------ all together */

static void judge_all(bench *b, const double *ratio, extremes large, const pair *pairs) {
  char text[160], target[160];
  double calls_in_loop = 0, growth = 0, resident = 0;
  section("Targets");
  for (size_t i = 0; i < MATCHES; i++) {
    if (ratio[i] < 0 || matches[i].least == 0) continue;
    snprintf(target, sizeof target, "%g of the floor's speed at k = %u, load %g", matches[i].least, matches[i].k,
             matches[i].load);
    snprintf(text, sizeof text, "%.2f", ratio[i]);
    judge(b, target, ratio[i] >= matches[i].least, text);
  }
  if (large.rate >= 0) {
    snprintf(text, sizeof text, "%.2f million at the slowest", large.rate / 1e6);
    judge(b, "at least 1 million packet-hops a second at 65,536 ends", large.rate >= 1e6, text);
    snprintf(text, sizeof text, "%.2f million", large.tree / 1e6);
    judge(b, "2 million packet-hops a second on the saturated tree of 65,536", large.tree >= 2e6, text);
    snprintf(text, sizeof text, "%.2f GiB", large.peak / (1 << 30));
    judge(b, "at most 4 GiB at 65,536 ends", large.peak <= 4.0 * (1 << 30), text);
  }
  for (size_t i = 0; i < SATURATED; i++) {
    const figures *brief = &pairs[i].brief, *lasting = &pairs[i].lasting;
    calls_in_loop += brief->allocated_loop + lasting->allocated_loop;
    if (lasting->bytes > brief->bytes) growth += lasting->bytes - brief->bytes;
    if (lasting->peak / brief->peak - 1 > resident) resident = lasting->peak / brief->peak - 1;
  }
#ifdef __GLIBC__
  snprintf(text, sizeof text, "%.0f calls", calls_in_loop);
  judge(b, "no call of the allocator in the event loop", calls_in_loop == 0, text);
#endif
  /* pages that a longer run touches by chance: a few per cent at most, and never more memory */
  snprintf(text, sizeof text, "%.0f bytes and %.1f %% resident more in ten times the time", growth, 100 * resident);
  judge(b, "memory does not depend on how long sources are saturated", growth == 0 && resident < 0.05, text);
}

static void read_processor(char *name, size_t size) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "unknown processor");
  while (file && fgets(line, sizeof line, file)) {
    const char *colon = strncmp(line, "model name", strlen("model name")) == 0 ? strstr(line, ": ") : NULL;
    if (!colon) continue;
    snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (file) fclose(file);
}

static void introduce(bench *b) {
  char processor[128], date[32];
  struct utsname system;
  time_t now = time(NULL);
  read_processor(processor, sizeof processor);
  uname(&system);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
#ifdef NDEBUG
  const char *build = "";
#else
  const char *build = ", with assertions: not the build to be measured";
#endif
  printf("ripstop %s, %s, %s, %s %s, compiler %s%s\n", RIPSTOP_VERSION, date, processor, system.sysname, system.machine,
         __VERSION__, build);
  json_object_update_new(b->root, json_pack("{s:s, s:s, s:s, s:s, s:b}", "version", RIPSTOP_VERSION, "date", date,
                                            "processor", processor, "compiler", __VERSION__, "quick", (int)b->quick));
}

static int run_once(char **argv) {
  scenario sc = {.fabric = argv[2],
                 .method = argv[3],
                 .load = strtod(argv[4], NULL),
                 .cycles = (uint32_t)strtoul(argv[5], NULL, 10),
                 .changes = argv[6] ? (uint32_t)strtoul(argv[6], NULL, 10) : 0};
  figures f = simulate(&sc);
  printf("%s load %g accepted %.4f cycles %.0f hops %.0f events %.0f seconds %.3f Mhops/s %.3f bytes %.0f peak %.0f\n",
         sc.fabric, sc.load, f.accepted, f.cycles, f.hops, f.events, f.seconds, hop_rate(&f) / 1e6, f.bytes, f.peak);
  return EXIT_SUCCESS;
}

static int usage(void) {
  fprintf(stderr,
          "usage: bench_engine [--quick] [--out FILE]\n       bench_engine run FABRIC METHOD LOAD CYCLES [CHANGES]\n");
  return RIPSTOP_EXIT_INPUT;
}

int main(int argc, char **argv) {
  bench b = {0};
  const char *out = "out/bench.json";
  char program[4096];
  pair pairs[SATURATED];
  double ratio[MATCHES];
  if ((argc == 6 || argc == 7) && strcmp(argv[1], "run") == 0) return run_once(argv);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0)
      b.quick = true;
    else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc)
      out = argv[++i];
    else
      return usage();
  }
  b.root = json_object();
  b.targets = json_array();
  introduce(&b);
  extremes large = measure_subjects(&b);
  const char *slash = strrchr(argv[0], '/'); /* beside this program, in the build's folder */
  snprintf(program, sizeof program, "%.*sfloor", slash ? (int)(slash - argv[0] + 1) : 0, argv[0]);
  measure_floor(&b, program, ratio);
  measure_memory(&b, pairs);
  measure_changes(&b);
  judge_all(&b, ratio, large, pairs);
  json_object_set_new(b.root, "targets", b.targets);
  if (json_dump_file(b.root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(8)))
    fprintf(stderr, "bench: %s cannot be written\n", out);
  json_decref(b.root);
  return EXIT_SUCCESS;
}
