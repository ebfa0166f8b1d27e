/* dragonfly-ugal.c - UGAL of dragonflies with local information (Kim et al. 2008, "UGAL-L"): minimal, or via a random
 * group, whichever has the less product of queue and links at the source's router. `ugal-global` is UGAL-G.
 *
 * The method reads no queues: each candidate has its number of links as weight. Its own selection function compares the
 * loads of output ports, once for each packet: after the first router the header says which path it is.
 *
 * Virtual channels and faults are those of dragonfly-valiant. */
#include "methods/shared/dragonfly_groups.h"

static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  return ripstop_groups_plan_over(p, GROUPS_VIA_CHANNELS, err);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  return ripstop_groups_route_via(p, head, true, candidates);
}

const ripstop_method ripstop_method_dragonfly_ugal = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "dragonfly-ugal",
    .summary = "dragonflies: minimal, or via a random group, by the queues of the source's router",
    .source = "Kim, Dally, Scott and Abts 2008, section 4.1 (UGAL-L)",
    .options = options,
    .selection = "weighted:counts=port,binds=on",
    .preset = "modern",
    .losses = ripstop_groups_losses,
    .plan = plan,
    .route = route,
    .guarantees = ripstop_groups_guarantees,
};
