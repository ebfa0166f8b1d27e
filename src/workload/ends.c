/* ends.c - see ends.h. A program that changes a simulation by hand knows more than its schedule. */
#include "workload/ends.h"

const uint32_t *ends_parts(const ripstop_plan *plan, const ripstop_schedule *schedule, ripstop_arena *arena,
                           uint64_t *settled) {
  const ripstop_fabric *f = plan->fabric;
  uint32_t *component = RIPSTOP_ARRAY(arena, f->nodes, uint32_t);
  ripstop_view *view = ripstop_view_copy(plan->view);
  *settled = 0;
  for (size_t i = 0; schedule && i < schedule->count; i++) {
    ripstop_view_apply(view, &schedule->change[i]);
    *settled = schedule->change[i].cycle;
  }
  ripstop_view_components(view, component);
  ripstop_view_free(view);
  for (uint32_t end = 0; end < f->ends; end++)
    if (component[end] == RIPSTOP_NONE) component[end] = f->nodes + end;
  return component;
}
