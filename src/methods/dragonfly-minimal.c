/* dragonfly-minimal.c - minimal routing of dragonflies (Kim et al. 2008, "MIN"): over one of the cables between source
 * and destination group, with at most one local link before and one behind it. The packet settles on a cable where it
 * starts.
 *
 * The virtual channel is the number of global links taken: local 0, global 0, local 1, so channel dependencies have no
 * cycle. Unlike `minimal` it never crosses a third group, even where that is shorter than two local links. */
#include "methods/shared/connected.h"
#include "methods/shared/dragonfly_groups.h"

static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return ripstop_groups_plan(p, 2, err); }

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  if (ripstop_is_end(f, head->node)) return ripstop_groups_send(p, head, 0, candidates);
  uint32_t from = groups_neighbour(p, head), to = groups_of(f, ripstop_end_switch(f, head->destination));
  if (groups_of(f, head->node) == to) return ripstop_groups_home(p, head, groups_of(f, from) != to, candidates);
  const ripstop_candidate on = {.space = 1};
  int count = ripstop_groups_candidates(p, p->data, head, to, 0, &on, ripstop_is_end(f, from) ? &on : NULL, candidates);
  return count ? count : ripstop_groups_lost(p, head, GROUPS_NO_CABLE);
}

const ripstop_method ripstop_method_dragonfly_minimal = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "dragonfly-minimal",
    .summary = "dragonflies: local, global, local; one cable between two groups",
    .source = "Kim, Dally, Scott and Abts 2008, section 4.1 (MIN)",
    .options = options,
    .preset = "modern",
    .losses = ripstop_groups_losses,
    .plan = plan,
    .route = route,
    .guarantees = ripstop_no_deadlock_guarantees,
};
