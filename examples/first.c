/* first.c - a first run: the throughput of an 8x8 torus with a failed link, at half load. */
#include <stdio.h>

#include <ripstop/ripstop.h>

int main(void) {
  ripstop_error err;
  ripstop_plan *plan = ripstop_plan_of("torus:8x8", "0.0/0", "immunet", &err); /* fabric, failed parts, method */
  ripstop_result *run = ripstop_simulate(plan, NULL, &err);                    /* with the default settings */
  if (!run) return fprintf(stderr, "%s\n", err.text), 1;
  printf("%s: %.3f flits/node/cycle\n", ripstop_result_text(run, "verdict"), ripstop_result_value(run, "accepted"));
  ripstop_result_free(run);
  ripstop_plan_free(plan);
  return 0;
}
