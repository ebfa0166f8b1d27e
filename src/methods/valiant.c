/* valiant.c - via a random switch (Valiant and Brebner 1981): on a shortest path to it, and on a shortest path from
 * there to the destination. Any traffic becomes twice uniform traffic, so no pattern is much worse than another; local
 * traffic pays for it. src/methods/shared/shortest.h has the candidates, on any fabric, and why they do not
 * deadlock. */
#include "methods/shared/connected.h"
#include "methods/shared/detour.h"

/* The source turns the packet's random number into the header: the intermediate switch. */
static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  int count = ripstop_detour_candidates(p, head, candidates);
  if (ripstop_is_end(p->fabric, head->node)) candidates[0].header = ripstop_detour_over(p, head);
  return count;
}

const ripstop_method ripstop_method_valiant = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "valiant",
    .summary = "any fabric: shortest paths via a random switch",
    .source = "Valiant and Brebner 1981",
    .options = ripstop_detour_options,
    .config_size = sizeof(shortest_config),
    .preset = "modern",
    .losses = ripstop_shortest_losses,
    .plan = ripstop_detour_plan,
    .route = route,
    .guarantees = ripstop_no_deadlock_guarantees,
};
