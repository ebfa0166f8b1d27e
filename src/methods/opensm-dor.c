/* opensm-dor.c - the tables that OpenSM's engine `dor` writes: the shortest paths over the neighbour at the lowest
 * port, spread over the cables to it (methods/shared/opensm.h). On meshes that are cabled dimension by dimension the
 * paths are in dimension order, elsewhere in none. On rings packets can wait for each other in a cycle. */
#include "methods/shared/entries.h"
#include "methods/shared/opensm.h"

static const ripstop_option options[] = {{0}};

static ripstop_answer engine(const void *config, const ripstop_opensm *net, ripstop_arena *arena,
                             ripstop_opensm_rules *out, ripstop_error *err) {
  (void)config;
  (void)err;
  *out = (ripstop_opensm_rules){.hops = ripstop_opensm_shortest,
                                .stays = ripstop_opensm_as_far,
                                .engine = RIPSTOP_ARRAY(arena, net->graph.switches, uint32_t),
                                .first_neighbour = true};
  return RIPSTOP_APPLIES;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return ripstop_opensm_plan(p, engine, err); }

static ripstop_forwarding *repair(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                                  double *seconds, ripstop_answer *answer, ripstop_error *err) {
  (void)seconds;
  return ripstop_opensm_repair(engine, config, view, old, answer, err);
}

static void *open_repairs(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                          ripstop_answer *answer, ripstop_error *err) {
  return ripstop_opensm_repairs_open(engine, config, view, old, answer, err);
}

static const ripstop_repairs repairs = {open_repairs, ripstop_opensm_repairs_follow, ripstop_opensm_repairs_close};

const ripstop_method ripstop_method_opensm_dor = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "opensm-dor",
    .summary = "any fabric: the tables that OpenSM's engine dor writes, shortest paths by the lowest port",
    .source = "OpenSM 3.3.23 (docs/methods/opensm-dor.md)",
    .options = options,
    .preset = "modern",
    .losses = ripstop_entries_losses,
    .plan = plan,
    .route = ripstop_entries_route,
    .guarantees = ripstop_opensm_guarantees,
    .forwarding = ripstop_entries_forwarding,
    .repair = repair,
    .repairs = &repairs,
};
