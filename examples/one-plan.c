/* one-plan.c - a plan is compiled once; then it is proved, written as the tables that switches load, and run. All three
 * use the same plan, so what is proved is what is run and what is loaded.
 *
 * usage: one-plan FABRIC METHOD    one-plan kary-ntree:k=4,n=2 uturn */
#include <stdio.h>
#include <stdlib.h>

#include <ripstop/kit/tables.h>
#include <ripstop/ripstop.h>

static int prove(const ripstop_plan *plan, ripstop_error *err) {
  ripstop_result *proof = ripstop_prove(plan, NULL, err);
  if (!proof) return -1;
  printf("proved: %s, deadlock %s\n",
         ripstop_result_value(proof, "tolerated") == 1 ? "all pairs are delivered" : "packets can be lost",
         ripstop_result_text(proof, "verdict"));
  ripstop_result_free(proof);
  return 0;
}

static void print_ports(const uint32_t *port, uint32_t ends) {
  for (uint32_t end = 0; end < ends; end++)
    if (port[end] != RIPSTOP_NONE) printf("  to end node %u by port %u\n", end, port[end]);
}

/* The ports of the first switch; or why one for each destination is not enough. */
static int write_tables(const ripstop_plan *plan, ripstop_error *err) {
  const uint32_t ends = ripstop_plan_fabric(plan)->ends;
  ripstop_tables *tables = ripstop_tables_open(plan, 1000000, NULL, err);
  uint32_t *port = calloc(ends, sizeof *port);
  ripstop_answer answer = tables && port ? ripstop_tables_ports(tables, ends, port, err) : RIPSTOP_ERROR;
  if (answer == RIPSTOP_DOES_NOT_APPLY) printf("tables:\n  %s\n", err->text);
  if (answer == RIPSTOP_APPLIES) {
    printf("tables:\n");
    print_ports(port, ends);
  }
  free(port);
  ripstop_tables_free(tables);
  return answer == RIPSTOP_ERROR ? -1 : 0;
}

static int run(const ripstop_plan *plan, ripstop_error *err) {
  ripstop_simulate_settings s = ripstop_simulate_defaults();
  s.traffic.load = 0.3;
  s.measure.cycles = 5000;
  ripstop_result *result = ripstop_simulate(plan, &s, err);
  if (!result) return -1;
  printf("run: %s, %.2f cycles mean latency\n", ripstop_result_text(result, "verdict"),
         ripstop_result_value(result, "latency.mean"));
  ripstop_result_free(result);
  return 0;
}

int main(int argc, char **argv) {
  ripstop_error err = {.text = "usage: one-plan FABRIC METHOD"};
  ripstop_plan *plan = argc > 2 ? ripstop_plan_of(argv[1], NULL, argv[2], &err) : NULL;
  int status = plan ? prove(plan, &err) : -1;
  if (!status) status = write_tables(plan, &err);
  if (!status) status = run(plan, &err);
  if (status) fprintf(stderr, "one-plan: %s\n", err.text);
  ripstop_plan_free(plan);
  return status ? 1 : 0;
}
