/* ugal.c - UGAL with local information (Singh 2005, UGAL-L): minimal, or via a random switch, whichever seems less
 * congested. The first switch permits shortest candidates to the destination and to the random switch, each weighted by
 * its remaining links. The selection function `weighted` takes the least load of a port times weight, once; the packet
 * stays with that. `route` reads no queues. src/methods/shared/shortest.h has the candidates. */
#include "methods/shared/connected.h"
#include "methods/shared/detour.h"

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_answer answer = ripstop_detour_plan(p, err);
  p->candidates_max *= 2;
  if (answer != RIPSTOP_APPLIES || p->candidates_max <= UINT8_MAX) return answer;
  return ripstop_does_not_apply(err, "ugal: a switch of %s has more than %d ports", p->fabric->spec, UINT8_MAX / 2);
}

static bool is_first_switch(const ripstop_plan *p, const ripstop_head *head) {
  const ripstop_fabric *f = p->fabric;
  return ripstop_is_end(f, f->port_node[f->peer[f->port_base[head->node] + head->in_port]]);
}

/* At the source the header is the packet's random number; it becomes the intermediate switch. */
static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  if (ripstop_is_end(p->fabric, head->node)) {
    int count = ripstop_detour_candidates(p, head, candidates);
    candidates[0].header = ripstop_detour_over(p, head);
    return count;
  }
  if (!head->header || !is_first_switch(p, head)) return ripstop_detour_candidates(p, head, candidates);
  ripstop_head minimal = *head;
  minimal.header = 0;
  int count = ripstop_detour_candidates(p, &minimal, candidates);
  if (count < 0) return ripstop_detour_candidates(p, head, candidates);
  if (ripstop_end_switch(p->fabric, head->destination) == head->node) return count;
  int over = ripstop_detour_candidates(p, head, candidates + count);
  return over < 0 ? count : count + over;
}

const ripstop_method ripstop_method_ugal = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "ugal",
    .summary = "any fabric: shortest paths, or via a random switch where that is less congested",
    .source = "Singh 2005 (UGAL-L)",
    .options = ripstop_detour_options,
    .config_size = sizeof(shortest_config),
    .selection = "weighted:counts=port,binds=on",
    .preset = "modern",
    .losses = ripstop_shortest_losses,
    .plan = plan,
    .route = route,
    .guarantees = ripstop_no_deadlock_guarantees,
};
