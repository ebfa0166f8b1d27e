/* reach.c - end nodes that a failure cuts off from most of the fabric: a manager among the rest can no longer reach
 * them. */
#include "base/memory.h"
#include "ripstop/kit/judge.h"

/* The component with the most end nodes, the first of equal ones; RIPSTOP_NONE: there are none. */
static uint32_t largest(const ripstop_view *v, const uint32_t *component, uint32_t *ends) {
  const ripstop_fabric *f = v->fabric;
  uint32_t best = RIPSTOP_NONE;
  for (uint32_t i = 0; i < f->nodes; i++) ends[i] = 0;
  for (uint32_t end = 0; end < f->ends; end++)
    if (v->port_up[f->port_base[end]]) ends[component[end]]++;
  for (uint32_t i = 0; i < f->nodes; i++)
    if (ends[i] > 0 && (best == RIPSTOP_NONE || ends[i] > ends[best])) best = i;
  return best;
}

int ripstop_judge_cut_off(ripstop_arena *arena, const ripstop_view *view, const ripstop_faults *parts, uint32_t **node,
                          uint32_t *count, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_fabric *f = view->fabric;
  ripstop_arena *scratch = ripstop_arena_new();
  uint32_t *was = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t), *is = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t);
  uint32_t *ends = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t), *list = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t);
  ripstop_view *after = ripstop_view_copy(view);
  ripstop_view_set_faults(after, parts, false);
  ripstop_view_components(view, was);
  ripstop_view_components(after, is);
  uint32_t most = largest(view, was, ends), left = largest(after, is, ends);
  *count = 0;
  for (uint32_t n = 0; n < f->nodes && most != RIPSTOP_NONE; n++)
    if (was[n] == most && after->node_up[n] && (left == RIPSTOP_NONE || is[n] != left)) list[(*count)++] = n;
  *node = RIPSTOP_ARRAY(arena, *count, uint32_t);
  for (uint32_t i = 0; i < *count; i++) (*node)[i] = list[i];
  ripstop_view_free(after);
  ripstop_arena_free(scratch);
  return 0;
}
