/* method_tables.c - a method's plan for a view, as forwarding tables with service levels. */
#include "tables/method_tables.h"

#include "route/plan_steps.h"

ripstop_forwarding *method_tables_new(const ripstop_view *view, const char *method, uint64_t limit,
                                      ripstop_error *err) {
  ripstop_answer answer;
  ripstop_forwarding *tables = NULL;
  ripstop_plan *plan = ripstop_plan_compile(view, method, &answer, err);
  if (!plan) return NULL;
  if (ripstop_plan_tables(plan, err) == RIPSTOP_APPLIES) tables = ripstop_forwarding_of_plan(plan, limit, &answer, err);
  if (tables && ripstop_forwarding_add_lanes(plan, tables, err) != RIPSTOP_APPLIES) {
    ripstop_forwarding_free(tables);
    tables = NULL;
  }
  ripstop_plan_free(plan);
  return tables;
}

ripstop_forwarding *method_tables_after(const ripstop_view *view, const char *method, const ripstop_forwarding *old,
                                        uint64_t limit, ripstop_error *err) {
  ripstop_answer answer;
  ripstop_forwarding *tables = ripstop_plan_repair(view, method, old, NULL, &answer, err);
  return tables ? tables : method_tables_new(view, method, limit, err);
}
