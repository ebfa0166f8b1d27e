/* run.c - one run: what a dead link costs the packets of an 8x8 torus at half load. */
#include <stdio.h>

#include <ripstop/ripstop.h>

/* The whole scenario; what is not said has its default. Texts of the options are kept in the arena. */
static int describe(ripstop_scenario *s, ripstop_arena *arena, ripstop_error *err) {
  *s = (ripstop_scenario){.seed = 1};
  if (ripstop_options_parse(arena, "switch", ripstop_switch_options, &s->switch_, "in_queue=4", err)) return -1;
  if (ripstop_options_parse(arena, "traffic", ripstop_traffic_options, &s->traffic, "load=0.5,packet=16", err))
    return -1;
  return ripstop_options_parse(arena, "measure", ripstop_measure_options, &s->measure, "cycles=20000", err);
}

static int run(const ripstop_plan *plan, ripstop_arena *arena, ripstop_error *err) {
  ripstop_scenario scenario;
  ripstop_result result;
  if (describe(&scenario, arena, err) || ripstop_simulate(plan, &scenario, &result, err)) return -1;
  printf("%s after %llu cycles\n", ripstop_verdict_words[result.verdict], (unsigned long long)result.cycles);
  for (size_t i = 0; i < result.values; i++)
    printf("%-28s %12.4g %s\n", result.value[i].name, result.value[i].value, result.value[i].unit);
  ripstop_result_free(&result);
  return 0;
}

int main(void) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open("torus:8x8", &err);
  ripstop_view *view = fabric ? ripstop_view_new(fabric, NULL) : NULL;
  if (view) ripstop_view_set_link(view, fabric->link_ends, false); /* the first link between switches */
  ripstop_plan *plan = view ? ripstop_plan_open(view, "immunet", NULL, &err) : NULL;
  ripstop_arena *arena = ripstop_arena_new();
  int status = plan && arena ? run(plan, arena, &err) : -1;
  if (status) fprintf(stderr, "run: %s\n", err.text);
  ripstop_arena_free(arena);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  return status ? 1 : 0;
}
