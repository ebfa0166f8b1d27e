/* shortest.c - the lengths of shortest paths. */
#include <math.h>

#include "base/memory.h"
#include "ripstop/kit/judge.h"
#include "tables/trees.h"

typedef struct search {
  const ripstop_view *view;
  uint32_t *hosts, *distance, *queue; /* [switches] */
  uint64_t pairs, links;
} search;

static void visit(search *s, uint32_t node, uint32_t at, uint32_t *tail) {
  const ripstop_fabric *f = s->view->fabric;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    uint32_t other = s->view->port_up[port] ? f->port_node[f->peer[port]] : 0;
    if (other < f->ends || s->distance[other - f->ends] != RIPSTOP_NONE) continue;
    s->distance[other - f->ends] = at + 1;
    s->queue[(*tail)++] = other;
  }
}

/* Counts all pairs from the end nodes of a switch. */
static void search_from(search *s, uint32_t first) {
  const ripstop_fabric *f = s->view->fabric;
  uint32_t head = 0, tail = 0;
  for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++) s->distance[i] = RIPSTOP_NONE;
  s->distance[first - f->ends] = 0;
  s->queue[tail++] = first;
  while (head < tail) {
    uint32_t node = s->queue[head++], at = s->distance[node - f->ends];
    uint64_t pairs = (uint64_t)s->hosts[first - f->ends] * (s->hosts[node - f->ends] - (node == first));
    s->pairs += pairs;
    s->links += at * pairs;
    visit(s, node, at, &tail);
  }
}

double ripstop_judge_minimum_hops(const ripstop_view *view) {
  RIPSTOP_GUARD(NULL, NAN);
  const ripstop_fabric *f = view->fabric;
  ripstop_arena *scratch = ripstop_arena_new();
  uint32_t switches = ripstop_fabric_switches(f);
  search s = {.view = view};
  uint32_t **const arrays[] = {&s.hosts, &s.distance, &s.queue};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  trees_count_sources(view, s.hosts);
  for (uint32_t i = 0; i < switches; i++)
    if (s.hosts[i]) search_from(&s, f->ends + i);
  ripstop_arena_free(scratch);
  return s.pairs ? (double)s.links / (double)s.pairs : NAN;
}
