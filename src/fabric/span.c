/* span.c - distances of nodes in the fault-free fabric, by breadth-first search, which is right for every family. */
#include <stdlib.h>

#include "base/memory.h"
#include "fabric/inner.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/family.h"

static void search(const ripstop_fabric *f, uint32_t from, uint32_t *distance, uint32_t *queue) {
  for (uint32_t node = 0; node < f->nodes; node++) distance[node] = RIPSTOP_NONE;
  uint32_t head = 0, tail = 0;
  distance[from] = 0;
  queue[tail++] = from;
  while (head < tail) {
    uint32_t node = queue[head++];
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      if (!ripstop_port_sends(f, port)) continue;
      uint32_t next = f->port_node[f->peer[port]];
      if (distance[next] != RIPSTOP_NONE) continue;
      distance[next] = distance[node] + 1;
      queue[tail++] = next;
    }
  }
}

int ripstop_fabric_distances(const ripstop_fabric *f, uint32_t node, uint32_t *distance) {
  RIPSTOP_GUARD(NULL, -1);
  uint32_t *queue = ripstop_realloc(NULL, f->nodes, sizeof *queue);
  search(f, node, distance, queue);
  ripstop_free(queue);
  return 0;
}

int ripstop_fabric_span(const ripstop_fabric *f, uint32_t limit, ripstop_span *out) {
  RIPSTOP_GUARD(NULL, -1);
  uint32_t *distance = ripstop_realloc(NULL, f->nodes, sizeof *distance);
  uint32_t *queue = ripstop_realloc(NULL, f->nodes, sizeof *queue);
  uint64_t sum = 0, pairs = 0;
  uint32_t sources = f->family->symmetric ? 1 : f->ends < limit ? f->ends : limit;
  *out = (ripstop_span){.sources = sources};
  for (uint32_t i = 0; i < sources; i++) {
    uint32_t from = (uint32_t)((uint64_t)i * f->ends / sources);
    search(f, from, distance, queue);
    for (uint32_t end = 0; end < f->ends; end++) {
      if (end == from) continue;
      if (distance[end] == RIPSTOP_NONE) {
        out->unreachable++;
        continue;
      }
      if (distance[end] > out->diameter) out->diameter = distance[end];
      sum += distance[end];
      pairs++;
    }
  }
  if (pairs > 0) out->mean = (double)sum / (double)pairs;
  ripstop_free(distance);
  ripstop_free(queue);
  return 0;
}
