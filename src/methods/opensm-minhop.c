/* opensm-minhop.c - the tables that OpenSM's engine `minhop` writes, its default, to which other engines fall back:
 * shortest paths, each address over the port that the fewest addresses have been given before
 * (methods/shared/opensm.h). Packets can wait for each other in a cycle. */
#include "methods/shared/entries.h"
#include "methods/shared/opensm.h"

static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  return ripstop_opensm_plan(p, ripstop_opensm_minhop, err);
}

static ripstop_forwarding *repair(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                                  double *seconds, ripstop_answer *answer, ripstop_error *err) {
  (void)seconds;
  return ripstop_opensm_repair(ripstop_opensm_minhop, config, view, old, answer, err);
}

static void *open_repairs(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                          ripstop_answer *answer, ripstop_error *err) {
  return ripstop_opensm_repairs_open(ripstop_opensm_minhop, config, view, old, answer, err);
}

static const ripstop_repairs repairs = {open_repairs, ripstop_opensm_repairs_follow, ripstop_opensm_repairs_close};

const ripstop_method ripstop_method_opensm_minhop = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "opensm-minhop",
    .summary = "any fabric: the tables that OpenSM's default engine writes, shortest paths",
    .source = "OpenSM 3.3.23 (docs/methods/opensm-minhop.md)",
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
