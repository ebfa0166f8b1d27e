/* dragonfly-valiant.c - Valiant routing of dragonflies over a random group (Kim et al. 2008, "VAL"): minimal to a
 * random group, neither the source's nor the destination's, and minimal from there. It crosses two global links, as few
 * as a random detour can, so any traffic between groups loads global links at most twice as much as uniform traffic.
 * Packets within one group take the direct link.
 *
 * The virtual channel is the number of global links taken (ripstop_groups_via), so channel dependencies have no cycle.
 *
 * Faults: the plan is central. The source replaces a group that cannot serve by one that can, and takes the minimal
 * path if none can (dragonfly_groups.h). */
#include "methods/shared/dragonfly_groups.h"

static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  return ripstop_groups_plan_over(p, GROUPS_VIA_CHANNELS, err);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  return ripstop_groups_route_via(p, head, false, candidates);
}

const ripstop_method ripstop_method_dragonfly_valiant = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "dragonfly-valiant",
    .summary = "dragonflies: minimal to a random group, and minimal from there",
    .source = "Kim, Dally, Scott and Abts 2008, section 4.1 (VAL)",
    .options = options,
    .preset = "modern",
    .losses = ripstop_groups_losses,
    .plan = plan,
    .route = route,
    .guarantees = ripstop_groups_guarantees,
};
