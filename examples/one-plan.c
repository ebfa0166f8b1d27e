/* one-plan.c - a plan is compiled once; then it is proved, written down as the tables that switches load, and run. All
 * three look at the same thing, so what is proved is what is run and what is loaded.
 *
 * usage: one-plan FABRIC METHOD    one-plan kary-ntree:k=4,n=2 uturn */
#include <stdio.h>

#include <ripstop/ripstop.h>

static int prove(const ripstop_plan *plan, ripstop_error *err) {
  ripstop_proof proof;
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  int status = prover ? ripstop_prove(prover, plan, &proof, err) : ripstop_fail(err, "out of memory");
  if (!status)
    printf("proved: %s, deadlock %s\n", proof.tolerated ? "all pairs are delivered" : "packets can be lost",
           ripstop_deadlock_words[proof.deadlock]);
  ripstop_prover_free(prover);
  return status;
}

/* The ports of the first switch; or why one for each destination is not enough. */
static int write_tables(const ripstop_plan *plan, ripstop_arena *arena, ripstop_error *err) {
  ripstop_tables *tables = ripstop_tables_open(plan, 1000000, NULL, err);
  uint32_t *port = RIPSTOP_ARRAY(arena, plan->fabric->ends, uint32_t);
  if (!tables || !port) return -1;
  ripstop_answer answer = ripstop_tables_ports(tables, plan->fabric->ends, port, err);
  printf("tables: %llu entries\n", (unsigned long long)tables->entries);
  if (answer == RIPSTOP_DOES_NOT_APPLY) printf("  %s\n", err->text);
  for (uint32_t end = 0; answer == RIPSTOP_APPLIES && end < plan->fabric->ends; end++)
    if (port[end] != RIPSTOP_NONE) printf("  to end node %u by port %u\n", end, port[end]);
  ripstop_tables_free(tables);
  return answer == RIPSTOP_ERROR ? -1 : 0;
}

static int run(const ripstop_plan *plan, ripstop_arena *arena, ripstop_error *err) {
  ripstop_scenario s = {.seed = 1};
  ripstop_result result;
  if (ripstop_options_parse(arena, "switch", ripstop_switch_options, &s.switch_, "", err) ||
      ripstop_options_parse(arena, "traffic", ripstop_traffic_options, &s.traffic, "load=0.3", err) ||
      ripstop_options_parse(arena, "measure", ripstop_measure_options, &s.measure, "cycles=5000", err) ||
      ripstop_simulate(plan, &s, &result, err))
    return -1;
  printf("run: %s, %.2f cycles mean latency\n", ripstop_verdict_words[result.verdict],
         ripstop_result_value(&result, "latency.mean"));
  ripstop_result_free(&result);
  return 0;
}

int main(int argc, char **argv) {
  ripstop_error err = {.text = "usage: one-plan FABRIC METHOD"};
  ripstop_fabric *fabric = argc > 2 ? ripstop_fabric_open(argv[1], &err) : NULL;
  ripstop_view *view = fabric ? ripstop_view_new(fabric, NULL) : NULL;
  ripstop_plan *plan = view ? ripstop_plan_open(view, argv[2], NULL, &err) : NULL;
  ripstop_arena *arena = ripstop_arena_new();
  int status = arena && plan && ripstop_plan_tables(plan, &err) == RIPSTOP_APPLIES ? 0 : -1;
  if (!status) status = prove(plan, &err);
  if (!status) status = write_tables(plan, arena, &err);
  if (!status) status = run(plan, arena, &err);
  if (status) fprintf(stderr, "one-plan: %s\n", err.text);
  ripstop_arena_free(arena);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  return status ? 1 : 0;
}
