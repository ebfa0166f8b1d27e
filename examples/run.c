/* run.c - one run: the effect of a failed link on the packets of an 8x8 torus at half load, as all values of the run.
 */
#include <stdio.h>

#include <ripstop/ripstop.h>

/* Settings that are not changed have their defaults. */
static ripstop_simulate_settings settings(void) {
  ripstop_simulate_settings s = ripstop_simulate_defaults();
  s.traffic.load = 0.5;
  s.traffic.packet = "16";
  s.measure.cycles = 20000;
  return s;
}

static void print(const ripstop_result *run) {
  const ripstop_value *value;
  printf("%s after %g cycles\n", ripstop_result_text(run, "verdict"), ripstop_result_value(run, "run.cycles"));
  for (size_t i = 0; (value = ripstop_result_at(run, i)); i++)
    printf("%-28s %12.4g %s\n", value->name, value->value, value->unit);
}

int main(void) {
  ripstop_error err;
  const ripstop_simulate_settings s = settings();
  ripstop_plan *plan = ripstop_plan_of("torus:8x8", "0.0/0", "immunet", &err);
  ripstop_result *run = ripstop_simulate(plan, &s, &err);
  if (run)
    print(run);
  else
    fprintf(stderr, "run: %s\n", err.text);
  const int status = run ? 0 : 1;
  ripstop_result_free(run);
  ripstop_plan_free(plan);
  return status;
}
