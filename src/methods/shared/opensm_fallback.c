/* opensm_fallback.c - see opensm_fallback.h. */
#include "methods/shared/opensm_fallback.h"

#include "base/local.h"

static bool took_whole(ripstop_opensm_maker *maker, const void *config, const ripstop_fabric *fabric) {
  ripstop_error ignored;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_view *whole = ripstop_view_new(fabric, NULL);
  const bool took = maker(config, whole, arena, &ignored) != NULL;
  ripstop_view_free(whole);
  return took;
}

ripstop_answer ripstop_opensm_plan_or_fall_back(ripstop_plan *p, ripstop_opensm_maker *maker, ripstop_error *err) {
  p->data = maker(p->config, p->view, p->arena, err);
  if (p->data) return RIPSTOP_APPLIES;
  if (!took_whole(maker, p->config, p->fabric)) return RIPSTOP_DOES_NOT_APPLY;
  p->note = ripstop_arena_printf(p->arena, "these are the tables of minhop, on which OpenSM falls back: %s", err->text);
  return ripstop_opensm_plan(p, ripstop_opensm_minhop, err);
}

ripstop_forwarding *ripstop_opensm_repair_or_fall_back(ripstop_opensm_maker *maker, const void *config,
                                                       const ripstop_view *view, const ripstop_forwarding *old,
                                                       ripstop_answer *answer, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_forwarding *tables = maker(config, view, arena, err);
  *answer = tables ? RIPSTOP_APPLIES : RIPSTOP_DOES_NOT_APPLY;
  if (tables) return tables;
  ripstop_arena_free(arena);
  return took_whole(maker, config, view->fabric)
             ? ripstop_opensm_repair(ripstop_opensm_minhop, config, view, old, answer, err)
             : NULL;
}
