/* depend_cycles.c - cycles of the dependency graph: strongly connected components by Tarjan's algorithm (1972), with an
 * explicit stack since fabrics are deep. The search looks at each edge once. */
#include "base/local.h"
#include "base/memory.h"
#include "tables/depend.h"

typedef struct tarjan {
  const depend *g;
  const ripstop_view *view;
  uint32_t vertices, next, component;
  uint32_t *number; /* number of the visit, 0: not visited */
  uint32_t *low;
  uint32_t *at;    /* the next edge to look at */
  uint32_t *path;  /* explicit stack of the depth-first search */
  uint32_t *open;  /* vertices whose component is not known yet */
  uint32_t *group; /* the component, 0: not known */
  uint32_t depth, opened;
  uint32_t best, best_size, cyclic; /* the smallest component that has a cycle */
} tarjan;

static void enter(tarjan *t, uint32_t vertex) {
  t->number[vertex] = t->low[vertex] = ++t->next;
  t->path[t->depth++] = vertex;
  t->open[t->opened++] = vertex;
}

/* A component is complete: `vertex` and the vertices above it on the stack of open ones. */
static void close_component(tarjan *t, uint32_t vertex) {
  uint32_t size = 0;
  t->component++;
  do {
    t->group[t->open[--t->opened]] = t->component;
    size++;
  } while (t->open[t->opened] != vertex);
  if (size < 2) return; /* a channel never leads into itself */
  t->cyclic += size;
  if (t->best_size == 0 || size < t->best_size) t->best = vertex, t->best_size = size;
}

static void leave(tarjan *t, uint32_t vertex) {
  if (t->low[vertex] == t->number[vertex]) close_component(t, vertex);
  t->depth--;
  if (t->depth == 0) return;
  uint32_t before = t->path[t->depth - 1];
  if (t->low[vertex] < t->low[before]) t->low[before] = t->low[vertex];
}

static void search_from(tarjan *t, uint32_t root) {
  enter(t, root);
  while (t->depth > 0) {
    uint32_t vertex = t->path[t->depth - 1], to = depend_next(t->g, vertex, &t->at[vertex]);
    if (to == RIPSTOP_NONE)
      leave(t, vertex);
    else if (!depend_alive(t->g, t->view, to))
      continue;
    else if (!t->number[to])
      enter(t, to);
    else if (!t->group[to] && t->number[to] < t->low[vertex])
      t->low[vertex] = t->number[to];
  }
}

/* Finds a shortest cycle through t->best, within its component. */
static void trace(const tarjan *t, ripstop_arena *arena, depend_cycles *out) {
  uint32_t *from = t->low, *queue = t->open, head = 0, tail = 0; /* both arrays are free again */
  for (uint32_t i = 0; i < t->vertices; i++) from[i] = RIPSTOP_NONE;
  queue[tail++] = t->best;
  for (; head < tail && from[t->best] == RIPSTOP_NONE; head++)
    for (uint32_t at = 0, to; (to = depend_next(t->g, queue[head], &at)) != RIPSTOP_NONE;) {
      if (t->group[to] != t->group[t->best] || from[to] != RIPSTOP_NONE) continue;
      from[to] = queue[head];
      queue[tail++] = to;
    }
  uint32_t length = 1;
  for (uint32_t at = from[t->best]; at != t->best; at = from[at]) length++;
  uint32_t *cycle = RIPSTOP_ARRAY(arena, length, uint32_t), at = t->best;
  for (uint32_t i = length; i-- > 0; at = from[at])
    cycle[i] = t->g->net->port[at / t->g->lanes] * t->g->lanes + at % t->g->lanes;
  *out = (depend_cycles){.vertices = t->cyclic, .length = length, .cycle = cycle};
}

void depend_search(const depend *g, const ripstop_view *view, ripstop_arena *arena, depend_cycles *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  tarjan t = {.g = g, .view = view, .vertices = g->vertices};
  uint32_t **const arrays[] = {&t.number, &t.low, &t.at, &t.path, &t.open, &t.group};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = RIPSTOP_ARRAY(scratch, t.vertices + 1, uint32_t);
  for (uint32_t vertex = 0; vertex < t.vertices; vertex++)
    if (!t.number[vertex] && depend_alive(g, view, vertex)) search_from(&t, vertex);
  *out = (depend_cycles){0};
  if (t.best_size > 0) trace(&t, arena, out);
}
