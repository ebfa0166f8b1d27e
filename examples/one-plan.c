/* one-plan.c - a plan is compiled once; then it is proved, written as the tables that switches load, and run. All three
 * use the same plan, so what is proved is what is run and what is loaded.
 *
 * usage: one-plan FABRIC METHOD [FOLDER]    one-plan kary-ntree:k=4,n=2 mend tables */
#include <stdio.h>

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

/* The tables that switches load, judged; or why one port for each destination is not enough. */
static int write_tables(ripstop_plan *plan, const char *folder, ripstop_error *err) {
  ripstop_forwarding *tables = ripstop_routes_make(plan, err);
  ripstop_result *judged = ripstop_routes_judge(ripstop_plan_view(plan), tables, NULL, err);
  if (judged)
    printf("tables: %.0f of %.0f pairs are not reached, %.0f paths on the busiest link, deadlock %s\n",
           ripstop_result_value(judged, "unreachable_pairs"), ripstop_result_value(judged, "pairs"),
           ripstop_result_value(judged, "worst_link_paths"), ripstop_result_text(judged, "verdict"));
  else
    printf("tables: %s\n", err->text);
  int status = judged && folder ? ripstop_routes_write(tables, folder, err) : 0;
  ripstop_result_free(judged);
  ripstop_forwarding_free(tables);
  return status;
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
  ripstop_error err = {.text = "usage: one-plan FABRIC METHOD [FOLDER]"};
  ripstop_plan *plan = argc > 2 ? ripstop_plan_of(argv[1], NULL, argv[2], &err) : NULL;
  int status = plan ? prove(plan, &err) : -1;
  if (!status) status = write_tables(plan, argc > 3 ? argv[3] : NULL, &err);
  if (!status) status = run(plan, &err);
  if (status) fprintf(stderr, "one-plan: %s\n", err.text);
  ripstop_plan_free(plan);
  return status ? 1 : 0;
}
