/* edge_connectivity.c - how many failed links between switches cannot disconnect any two end nodes. Computes unit flows
 * (Menger) from one switch with end nodes to each of the others. */
#include <string.h>

#include "tables/switch_graph.h"

typedef struct flow {
  const switch_graph *net;
  uint8_t *used;   /* [channels] */
  uint32_t *by;    /* [switches]: the channel that reached it; RIPSTOP_NONE: not reached */
  uint32_t *queue; /* [switches] */
} flow;

static void reach(flow *f, uint32_t c, uint32_t *tail) {
  uint32_t to = f->net->to[c];
  if (f->used[c] || f->by[to] != RIPSTOP_NONE) return;
  f->by[to] = c;
  f->queue[(*tail)++] = to;
}

/* Adds one unit of flow. The two directions of a cable cancel each other, and both are free again. */
static bool augment(flow *f, uint32_t from, uint32_t to) {
  const switch_graph *net = f->net;
  uint32_t head = 0, tail = 0;
  memset(f->by, 0xFF, net->switches * sizeof *f->by);
  f->queue[tail++] = from;
  for (; head < tail && f->by[to] == RIPSTOP_NONE; head++)
    for (uint32_t s = f->queue[head], i = net->out_first[s]; i < net->out_first[s + 1]; i++)
      if (net->to[net->out[i]] != from) reach(f, net->out[i], &tail);
  if (f->by[to] == RIPSTOP_NONE) return false;
  for (uint32_t s = to; s != from; s = net->from[f->by[s]]) {
    if (f->used[f->by[s] ^ 1])
      f->used[f->by[s] ^ 1] = 0;
    else
      f->used[f->by[s]] = 1;
  }
  return true;
}

static uint32_t flow_between(flow *f, uint32_t from, uint32_t to, uint32_t enough) {
  uint32_t units = 0;
  memset(f->used, 0, f->net->channels);
  while (units < enough && augment(f, from, to)) units++;
  return units;
}

uint32_t switch_graph_connectivity(const switch_graph *net, ripstop_arena *scratch) {
  flow f = {.net = net};
  f.used = RIPSTOP_ARRAY(scratch, net->channels, uint8_t);
  f.by = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  f.queue = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  uint32_t first = 0, least = net->channels / 2 + 1;
  while (first < net->switches && net->hosts[first] == 0) first++;
  for (uint32_t s = first + 1; s < net->switches; s++)
    if (net->hosts[s]) least = flow_between(&f, first, s, least);
  return least;
}
