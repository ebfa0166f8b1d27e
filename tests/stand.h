/* stand.h - fabric, faults and method as what everything stands on, for tests: a view and the plan for it. */
#ifndef RIPSTOP_TESTS_STAND_H
#define RIPSTOP_TESTS_STAND_H

#include "check.h"
#include "ripstop/kit/simulation.h"
#include "route/plan_steps.h"
#include "simulate/run_result.h"

typedef struct stand {
  ripstop_view *view;
  ripstop_plan *plan; /* NULL: err has the reason */
} stand;

/* A plan with its tables; NULL where either does not apply. */
static inline ripstop_plan *stand_plan(const ripstop_view *view, const char *method, ripstop_answer *answer,
                                       ripstop_error *err) {
  ripstop_plan *plan = ripstop_plan_compile(view, method, answer, err);
  ripstop_answer made = plan ? ripstop_plan_tables(plan, err) : RIPSTOP_APPLIES;
  if (made == RIPSTOP_APPLIES) return plan;
  if (made == RIPSTOP_ERROR) fail_msg("%s", err->text);
  if (answer) *answer = made;
  ripstop_plan_free(plan);
  return NULL;
}

/* It follows a change of its view, tables and all. */
static inline ripstop_answer stand_update(ripstop_plan *plan, ripstop_error *err) {
  ripstop_answer answer = ripstop_plan_recompile(plan, err);
  return answer == RIPSTOP_APPLIES ? ripstop_plan_tables(plan, err) : answer;
}

static inline stand stand_try(const ripstop_fabric *fabric, const char *method, const ripstop_faults *faults,
                              ripstop_error *err) {
  stand s = {.view = ripstop_view_new(fabric, faults)};
  s.plan = stand_plan(s.view, method, NULL, err);
  return s;
}

/* Fails where the method does not apply. */
static inline stand stand_on(const ripstop_fabric *fabric, const char *method, const ripstop_faults *faults) {
  ripstop_error err;
  stand s = stand_try(fabric, method, faults, &err);
  if (!s.plan) fail_msg("%s", err.text);
  return s;
}

static inline void stand_close(stand *s) {
  ripstop_plan_free(s->plan);
  ripstop_view_free(s->view);
}

/* ripstop_simulate_into with all that it needs; -1 also where the method does not apply. */
static inline int stand_simulate(const ripstop_fabric *fabric, const char *method, const ripstop_faults *faults,
                                 const ripstop_simulate_settings *scenario, ripstop_run_result *result,
                                 ripstop_error *err) {
  *result = (ripstop_run_result){0};
  stand s = stand_try(fabric, method, faults, err);
  int status = s.plan ? ripstop_simulate_into(s.plan, scenario, result, err) : -1;
  stand_close(&s);
  return status;
}

#endif
