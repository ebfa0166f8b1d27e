/* intermediate.c - how fast the tolerance of intermediate-nodes is decided, all pairs of 1,024 and 1,000 nodes, and how
 * long plans for 4,096 nodes take and the lists that sources compute from them, as numbers with units: `make bench`. It
 * judges nothing: a missed target is printed as missed, and the exit code is 0.
 *
 *   bench_intermediate [--quick] */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"

enum { SETS = 4000, QUICK_SETS = 400, NODES_MOST = 2, TARGET = 3000 /* sets a second and core */ };

static const struct {
  const char *fabric;
  uint32_t failed_links[6]; /* ends with 0 */
} questions[] = {{"kns:k=32,n=2", {1, 15, 61, 102, 150}}, {"kns:k=10,n=3", {1, 15, 90, 300, 500}}};

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a processor for one set, everything included: drawing, compiling, counting. */
static double measure(const ripstop_fabric *fabric, uint32_t intermediates, uint32_t failed_links, uint64_t sets,
                      double *tolerated) {
  char method[64];
  ripstop_error err;
  ripstop_tally tally;
  snprintf(method, sizeof method, "intermediate-nodes:intermediates=%u", intermediates);
  ripstop_many many = {.fabric = fabric,
                       .method = method,
                       .kind = RIPSTOP_SETS_SAMPLED,
                       .count = failed_links,
                       .samples = sets,
                       .seed = 1,
                       .confidence = 0.99,
                       .tolerance = true,
                       .threads = 1};
  double start = processor_seconds();
  if (ripstop_prove_many(&many, &tally, &err)) {
    fprintf(stderr, "bench: %s\n", err.text);
    exit(EXIT_FAILURE);
  }
  *tolerated = (double)tally.all.tolerated / (double)tally.all.sets;
  return (processor_seconds() - start) / (double)tally.all.sets;
}

/* Prints a row for each number of failed links and of intermediate nodes; returns the seconds of the slowest. */
static double measure_tolerance(bool quick) {
  double slowest = 0;
  printf(
      "Tolerance of intermediate-nodes, all pairs, one thread: means over random sets\n%-15s %6s %6s %10s %8s %10s\n",
      "fabric", "nodes", "dead", "tolerated", "us/set", "sets/s");
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
    ripstop_error err;
    ripstop_fabric *fabric = ripstop_fabric_open(questions[i].fabric, &err);
    for (const uint32_t *dead = questions[i].failed_links; *dead; dead++)
      for (uint32_t nodes = 0; nodes <= NODES_MOST; nodes++) {
        double tolerated, each = measure(fabric, nodes, *dead, quick ? QUICK_SETS : SETS, &tolerated);
        printf("%-15s %6u %6u %10.5f %8.1f %10.0f\n", questions[i].fabric, nodes, *dead, tolerated, 1e6 * each,
               1 / each);
        if (each > slowest) slowest = each;
      }
    ripstop_fabric_free(fabric);
  }
  return slowest;
}

/* ------------------------------------------------------------------ plans of large fabrics */

static const char *const large[] = {"kns:k=64,n=2", "kns:k=16,n=3", "kns:k=8,n=4"};

/* Kills so many links between switches, or repairs them. */
static void set_links(ripstop_view *view, uint32_t dead, uint64_t index, bool up) {
  ripstop_error err;
  ripstop_faults faults;
  ripstop_arena *arena = ripstop_arena_new();
  if (ripstop_faults_sample(arena, view->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, dead, 1, index, &faults, &err)) {
    fprintf(stderr, "bench: %s\n", err.text);
    exit(EXIT_FAILURE);
  }
  for (uint32_t i = 0; i < faults.links; i++) ripstop_view_set_link(view, faults.link[i], up);
  ripstop_arena_free(arena);
}

/* Seconds for the first candidate of all pairs, for which each source computes its list. */
static double time_lists(const ripstop_plan *plan) {
  uint32_t ends = plan->fabric->ends;
  double start = processor_seconds();
  ripstop_candidate candidate;
  for (uint32_t source = 0; source < ends; source++)
    for (uint32_t destination = 0; destination < ends; destination++) {
      ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
      ripstop_route(plan, &head, &candidate);
    }
  return processor_seconds() - start;
}

static void measure_plans(bool quick) {
  const uint32_t sets = quick ? 4 : 40, percent = 5;
  printf("\nPlans with %u %% failed links: means over %u random sets\n%-15s %6s %8s %12s\n", percent, sets, "fabric",
         "dead", "ms/plan", "ns/list");
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    ripstop_error err;
    ripstop_fabric *fabric = ripstop_fabric_open(large[i], &err);
    ripstop_view *view = ripstop_view_new(fabric, NULL);
    ripstop_plan *plan = ripstop_plan_compile(view, "intermediate-nodes", NULL, &err);
    uint32_t dead = (fabric->links - fabric->link_ends) * percent / 100;
    double seconds = 0, pairs = (double)fabric->ends * (fabric->ends - 1);
    for (uint32_t index = 0; index < sets; index++) {
      set_links(view, dead, index, false);
      double start = processor_seconds();
      ripstop_plan_recompile(plan, &err);
      seconds += processor_seconds() - start;
      if (index + 1 < sets) set_links(view, dead, index, true);
    }
    printf("%-15s %6u %8.2f %12.0f\n", large[i], dead, 1e3 * seconds / sets, 1e9 * time_lists(plan) / pairs);
    ripstop_plan_free(plan);
    ripstop_view_free(view);
    ripstop_fabric_free(fabric);
  }
}

int main(int argc, char **argv) {
  bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !quick) return fprintf(stderr, "usage: bench_intermediate [--quick]\n"), RIPSTOP_EXIT_INPUT;
  double slowest = measure_tolerance(quick);
  measure_plans(quick);
  printf("\nTargets\n  %-6s  %-58s  %.0f at the slowest\n", TARGET * slowest <= 1 ? "met" : "MISSED",
         "3,000 fault sets a second and core", 1 / slowest);
  return EXIT_SUCCESS;
}
