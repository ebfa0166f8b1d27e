/* of_plan.c - the forwarding tables that are equivalent to a plan, if there are any. */
#include "tables/of_plan.h"

#include "base/memory.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/tables.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"

static ripstop_answer fill(const ripstop_tables *tables, ripstop_forwarding *f, uint32_t *port, ripstop_error *err) {
  const ripstop_fabric *fabric = f->fabric;
  for (uint32_t node = fabric->ends; node < fabric->nodes; node++) {
    ripstop_answer answer = ripstop_tables_ports(tables, node, port, err);
    if (answer != RIPSTOP_APPLIES) return answer;
    for (uint32_t end = 0; end < fabric->ends; end++)
      ripstop_forwarding_set(f, end, node, port[end] == RIPSTOP_NONE ? RIPSTOP_NO_PORT : (uint16_t)port[end]);
  }
  return RIPSTOP_APPLIES;
}

ripstop_forwarding *ripstop_forwarding_take(ripstop_plan *plan) {
  const ripstop_forwarding *own = plan->method->forwarding ? plan->method->forwarding(plan) : NULL;
  if (!own || own->arena != plan->arena) return NULL;
  plan->arena = NULL;
  ripstop_plan_free(plan);
  return (ripstop_forwarding *)own;
}

ripstop_forwarding *ripstop_forwarding_of_plan(const ripstop_plan *plan, uint64_t limit, ripstop_answer *answer,
                                               ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  const ripstop_forwarding *own = plan->method->forwarding ? plan->method->forwarding(plan) : NULL;
  *answer = own ? RIPSTOP_APPLIES : RIPSTOP_ERROR;
  if (own) return ripstop_forwarding_copy(ripstop_arena_new(), own);
  ripstop_tables *tables = ripstop_tables_open(plan, limit, answer, err);
  if (!tables) return NULL;
  ripstop_arena *scratch = ripstop_arena_new();
  uint32_t *node = RIPSTOP_ARRAY(scratch, plan->fabric->ends, uint32_t);
  for (uint32_t end = 0; end < plan->fabric->ends; end++) node[end] = end;
  ripstop_forwarding *f = ripstop_forwarding_new(plan->fabric, node, plan->fabric->ends);
  *answer = fill(tables, f, node, err);
  ripstop_arena_free(scratch);
  ripstop_tables_free(tables);
  if (*answer == RIPSTOP_APPLIES) return f;
  ripstop_forwarding_free(f);
  return NULL;
}

ripstop_forwarding *ripstop_forwarding_of_method(ripstop_plan *plan, uint64_t limit, bool *whole, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_answer answer = ripstop_plan_tables(plan, err);
  ripstop_forwarding *tables = answer == RIPSTOP_APPLIES ? ripstop_forwarding_of_plan(plan, limit, &answer, err) : NULL;
  *whole = tables && ripstop_forwarding_add_lanes(plan, tables, err) == RIPSTOP_APPLIES;
  if (!tables || *whole) return tables;
  ripstop_forwarding_free(tables); /* with some of the service levels */
  return ripstop_forwarding_of_plan(plan, limit, &answer, err);
}
