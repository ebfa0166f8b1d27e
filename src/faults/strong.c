/* strong.c - strongly connected components by one search along the links and one against them from each node that has
 * none yet (Fleischer, Hendrickson and Pinar 2000, without their recursion: there are few components). */
#include "faults/strong.h"

#include "base/memory.h"

/* A search; a node is marked when its mark is that of the search. */
typedef struct search {
  const ripstop_view *view;
  uint32_t *mark, *stack; /* [nodes] */
  uint32_t number, depth;
} search;

static search open_search(const ripstop_view *view) {
  search s = {.view = view};
  s.mark = ripstop_realloc(NULL, view->fabric->nodes, sizeof *s.mark);
  s.stack = ripstop_realloc(NULL, view->fabric->nodes, sizeof *s.stack);
  for (uint32_t node = 0; node < view->fabric->nodes; node++) s.mark[node] = 0;
  return s;
}

static void close_search(search *s) {
  ripstop_free(s->mark);
  ripstop_free(s->stack);
}

static void see(search *s, uint32_t node) {
  s->mark[node] = s->number;
  s->stack[s->depth++] = node;
}

/* Marks all nodes without component that `from` reaches. */
static void go_forward(search *s, uint32_t from, const uint32_t *component) {
  const ripstop_fabric *f = s->view->fabric;
  s->number++;
  see(s, from);
  while (s->depth > 0) {
    uint32_t node = s->stack[--s->depth];
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      if (!s->view->port_up[port]) continue;
      uint32_t next = f->port_node[f->peer[port]];
      if (s->mark[next] != s->number && (!component || component[next] == RIPSTOP_NONE)) see(s, next);
    }
  }
}

static void join(search *s, uint32_t node, uint32_t number, uint32_t *component) {
  component[node] = number;
  s->stack[s->depth++] = node;
}

/* The nodes marked by go_forward that reach `from` are its component. Returns its end nodes. */
static uint32_t go_back(search *s, uint32_t from, uint32_t number, uint32_t *component) {
  const ripstop_fabric *f = s->view->fabric;
  uint32_t ends = 0;
  join(s, from, number, component);
  while (s->depth > 0) {
    uint32_t node = s->stack[--s->depth];
    ends += ripstop_is_end(f, node);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      uint32_t peer = f->peer[port];
      if (peer == RIPSTOP_NONE || !s->view->port_up[peer]) continue;
      uint32_t before = f->port_node[peer];
      if (component[before] == RIPSTOP_NONE && s->mark[before] == s->number) join(s, before, number, component);
    }
  }
  return ends;
}

uint32_t ripstop_strong_components(const ripstop_view *view, uint32_t *component) {
  uint32_t nodes = view->fabric->nodes, number = 0, with_ends = 0;
  search s = open_search(view);
  for (uint32_t node = 0; node < nodes; node++) component[node] = RIPSTOP_NONE;
  for (uint32_t node = 0; node < nodes; node++) {
    if (component[node] != RIPSTOP_NONE || !view->node_up[node]) continue;
    go_forward(&s, node, component);
    with_ends += go_back(&s, node, number++, component) > 0;
  }
  close_search(&s);
  return with_ends;
}

/* Counts the end nodes that are marked. */
static uint32_t count_seen(const search *s) {
  uint32_t count = 0;
  for (uint32_t end = 0; end < s->view->fabric->ends; end++) count += s->mark[end] == s->number;
  return count;
}

uint64_t ripstop_strong_pairs(const ripstop_view *view, const uint32_t *component) {
  const ripstop_fabric *f = view->fabric;
  uint32_t *reached =
      ripstop_realloc(NULL, f->nodes, sizeof *reached); /* by component: end nodes, 0: not counted yet */
  uint64_t pairs = 0;
  search s = open_search(view);
  for (uint32_t node = 0; node < f->nodes; node++) reached[node] = 0;
  for (uint32_t end = 0; end < f->ends; end++) {
    if (component[end] == RIPSTOP_NONE) continue;
    uint32_t *own = &reached[component[end]];
    if (*own == 0) {
      go_forward(&s, end, NULL);
      *own = count_seen(&s);
    }
    pairs += *own - 1;
  }
  close_search(&s);
  ripstop_free(reached);
  return pairs;
}
