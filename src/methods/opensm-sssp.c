/* opensm-sssp.c - the tables that OpenSM's engine `sssp` writes: shortest paths that share cables, without virtual
 * lanes (shared/opensm_sssp.h). Packets can wait for each other in a cycle. */
#include "base/local.h"
#include "methods/shared/entries.h"
#include "methods/shared/opensm_fallback.h"
#include "methods/shared/opensm_sssp.h"

static const ripstop_option options[] = {{0}};

static ripstop_forwarding *make(const void *config, const ripstop_view *view, ripstop_arena *arena,
                                ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_opensm net;
  ripstop_opensm_targets targets;
  (void)config;
  ripstop_opensm_discover(&net, view, scratch);
  ripstop_opensm_list_targets(&net, scratch, &targets);
  return ripstop_opensm_sssp(&net, &targets, arena, err);
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  return ripstop_opensm_plan_or_fall_back(p, make, err);
}

static ripstop_forwarding *repair(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                                  double *seconds, ripstop_answer *answer, ripstop_error *err) {
  (void)seconds;
  return ripstop_opensm_repair_or_fall_back(make, config, view, old, answer, err);
}

const ripstop_method ripstop_method_opensm_sssp = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "opensm-sssp",
    .summary = "any fabric: the tables that OpenSM's engine sssp writes, shortest paths that share cables",
    .source = "Hoefler, Schneider and Lumsdaine 2009; OpenSM 3.3.23 (docs/methods/opensm-sssp.md)",
    .options = options,
    .preset = "modern",
    .losses = ripstop_entries_losses,
    .plan = plan,
    .route = ripstop_entries_route,
    .guarantees = ripstop_opensm_guarantees,
    .forwarding = ripstop_entries_forwarding,
    .repair = repair,
};
