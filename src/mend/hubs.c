/* hubs.c - other hubs for a damaged fat tree. Pairs without a route up and then down meet at the hub, so their routes
 * are short if it is near one of them: below the same switches. Often a few leaves that have lost most of their
 * channels make nearly all such pairs. */
#include <string.h>

#include "base/local.h"
#include "mend/levels.h"

uint32_t mend_hubs_ups(const mend_levels *l, uint32_t leaf) {
  uint32_t ups = 0;
  for (uint32_t i = l->up_first[leaf]; i < l->up_first[leaf + 1]; i++) ups += 1 + mend_levels_ups(l, l->up_to[i]);
  return ups;
}

/* The lowest pods with several leaves. */
static const uint32_t *pods_of(const mend_levels *l) {
  return l->below[l->leaves + 1 < l->top ? l->leaves + 1 : l->leaves];
}

static uint32_t best_leaf_of(const mend_levels *l, const uint32_t *pod, uint32_t which) {
  uint32_t best = RIPSTOP_NONE, most = 0;
  for (uint32_t s = 0; s < l->net->switches; s++) {
    const uint32_t ups = pod[s] == which && l->level[s] == l->leaves ? mend_hubs_ups(l, s) : 0;
    if (ups > most) most = ups, best = s;
  }
  return best;
}

uint32_t mend_hubs_near_detours(const mend_levels *l, uint32_t *hub, uint32_t most) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const uint32_t switches = l->net->switches, *pod = pods_of(l);
  uint32_t *detours = RIPSTOP_ARRAY(scratch, switches, uint32_t), count = 0;
  for (uint32_t s = 0; s < switches; s++)
    if (pod[s] != RIPSTOP_NONE) detours[pod[s]] += l->detours[s];
  for (uint32_t i = 0; i < most; i++) {
    uint32_t worst = 0;
    for (uint32_t s = 1; s < switches; s++)
      if (detours[s] > detours[worst]) worst = s;
    hub[count] = detours[worst] ? best_leaf_of(l, pod, worst) : RIPSTOP_NONE;
    count += hub[count] != RIPSTOP_NONE;
    detours[worst] = 0;
  }
  return count;
}

uint32_t mend_hubs_farthest(const switch_graph *net) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *distance = RIPSTOP_ARRAY(scratch, net->switches, uint32_t), most = 0;
  uint32_t *queue = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  for (uint32_t s = 0; s < net->switches; s++) {
    if (net->hosts[s] == 0) continue;
    memset(distance, 0xFF, net->switches * sizeof *distance);
    for (uint32_t i = switch_graph_search(net, s, distance, queue); i-- > 0;)
      if (net->hosts[queue[i]] && distance[queue[i]] > most) most = distance[queue[i]];
  }
  return most;
}
