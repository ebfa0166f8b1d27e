/* span.c - how far apart nodes are in the fault-free fabric: breadth-first search, the only construction that holds for
 * every family. */
#include <stdlib.h>

#include "ripstop/fabric.h"

static void search(const rs_fabric *f, uint32_t from, uint32_t *distance, uint32_t *queue) {
  for (uint32_t node = 0; node < f->nodes; node++) distance[node] = RS_NONE;
  uint32_t head = 0, tail = 0;
  distance[from] = 0;
  queue[tail++] = from;
  while (head < tail) {
    uint32_t node = queue[head++];
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      if (f->peer[port] == RS_NONE) continue;
      uint32_t next = f->port_node[f->peer[port]];
      if (distance[next] != RS_NONE) continue;
      distance[next] = distance[node] + 1;
      queue[tail++] = next;
    }
  }
}

void rs_fabric_distances(const rs_fabric *f, uint32_t node, uint32_t *distance) {
  uint32_t *queue = rs_realloc(NULL, f->nodes, sizeof *queue);
  search(f, node, distance, queue);
  free(queue);
}

void rs_fabric_span(const rs_fabric *f, uint32_t limit, rs_span *out) {
  uint32_t *distance = rs_realloc(NULL, f->nodes, sizeof *distance);
  uint32_t *queue = rs_realloc(NULL, f->nodes, sizeof *queue);
  uint64_t sum = 0, pairs = 0;
  uint32_t sources = f->family->symmetric ? 1 : f->ends < limit ? f->ends : limit;
  *out = (rs_span){.sources = sources};
  for (uint32_t i = 0; i < sources; i++) {
    uint32_t from = (uint32_t)((uint64_t)i * f->ends / sources);
    search(f, from, distance, queue);
    for (uint32_t end = 0; end < f->ends; end++) {
      if (end == from) continue;
      if (distance[end] == RS_NONE) {
        out->unreachable++;
        continue;
      }
      if (distance[end] > out->diameter) out->diameter = distance[end];
      sum += distance[end];
      pairs++;
    }
  }
  if (pairs > 0) out->mean = (double)sum / (double)pairs;
  free(distance);
  free(queue);
}
