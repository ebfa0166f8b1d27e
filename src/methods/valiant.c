/* valiant.c - over a switch drawn at random (Valiant and Brebner 1981): to it by a shortest way, and from there to the
 * destination by a shortest way. Any traffic becomes twice uniform traffic, so none is much worse than another; local
 * traffic pays for it. src/methods/shared/shortest.h has the candidates, on any fabric, and why they do not deadlock.
 */
#include "methods/shared/detour.h"

/* The draw says over which; at the source it becomes the header. */
static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  int count = ripstop_detour_candidates(p, head, candidates);
  if (ripstop_is_end(p->fabric, head->node)) candidates[0].header = ripstop_detour_over(p, head);
  return count;
}

static void guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric, (void)config;
  *out = (ripstop_guarantees){.tolerates = 0, .minimal = false, .deadlock_free = true};
}

const ripstop_method ripstop_method_valiant = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "valiant",
    .summary = "any fabric: shortest paths over a switch drawn at random",
    .source = "Valiant and Brebner 1981",
    .options = ripstop_detour_options,
    .config_size = sizeof(shortest_config),
    .losses = ripstop_shortest_losses,
    .plan = ripstop_detour_plan,
    .route = route,
    .guarantees = guarantees,
};
