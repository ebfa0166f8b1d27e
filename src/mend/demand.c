/* demand.c - the flow over each turn when every pair of end nodes splits evenly over its shortest paths.
 *
 * One search for each switch with end nodes, or for an even sample of them where all would take too long. */
#include <string.h>

#include "mend/channel_order.h"

#define WORK_MOST 3e8 /* turns to look at */

typedef struct flood {
  const switch_graph *net;
  uint32_t *distance, *queue; /* [switches] */
  double *through;            /* [channels] */
  double *flow;
} flood;

static bool is_nearer(const flood *f, uint32_t c) {
  return f->distance[f->net->to[c]] + 1 == f->distance[f->net->from[c]];
}

/* The flow that begins at a switch and the flow that has arrived there continue over all channels that lead nearer. */
static void pass_on(flood *f, uint32_t s, double weight) {
  const switch_graph *net = f->net;
  uint32_t first = net->out_first[s], end = net->out_first[s + 1], candidates = 0;
  for (uint32_t i = first; i < end; i++) candidates += is_nearer(f, net->out[i]);
  if (candidates == 0) return;
  double generated_at = net->hosts[s] * weight, all = generated_at;
  for (uint32_t i = first; i < end; i++) all += f->through[net->out[i] ^ 1];
  for (uint32_t i = first; i < end; i++) {
    uint32_t d = net->out[i];
    if (!is_nearer(f, d)) continue;
    f->through[d] = all / candidates;
    for (uint32_t j = first; j < end; j++) {
      uint32_t c = net->out[j] ^ 1;
      if (f->through[c] > 0) f->flow[switch_graph_turn(net, c, d)] += f->through[c] / candidates;
    }
  }
}

void mend_demand(const switch_graph *net, const uint8_t *share, uint8_t this_one, double *flow,
                 ripstop_arena *scratch) {
  flood f = {.net = net, .flow = flow};
  f.distance = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  f.queue = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  f.through = RIPSTOP_ARRAY(scratch, net->channels, double);
  uint32_t step = 1 + (uint32_t)((double)net->turns * net->switches / WORK_MOST);
  memset(flow, 0, net->turns * sizeof *flow);
  for (uint32_t to = 0; to < net->switches; to += step) {
    if (net->hosts[to] == 0 || (share && share[to] != this_one)) continue;
    memset(f.through, 0, net->channels * sizeof *f.through);
    memset(f.distance, 0xFF, net->switches * sizeof *f.distance);
    for (uint32_t i = switch_graph_search(net, to, f.distance, f.queue); i-- > 1;)
      pass_on(&f, f.queue[i], net->hosts[to]);
  }
}
