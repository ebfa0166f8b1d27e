/* depend_changes.c - cycles that changes of the dependency graph close, by depth-first search.
 *
 * If the graph without the last additions is sorted, a cycle must contain an edge of the log that leads to no higher
 * rank. So the search begins at these edges only; usually there are none. If the graph has a cycle, the last one
 * found is checked first. */
#include <string.h>

#include "tables/depend.h"

void depend_undo(depend *g) {
  while (g->logged > 0) {
    const depend_edge *e = &g->log[--g->logged];
    depend_change(g, e->from, e->to, g->count ? 0 - e->added : 0);
  }
}

/* ------------------------------------------------------------------ cycles */

bool depend_witness_holds(const depend *g, const ripstop_view *view) {
  bool holds = g->witnesses > 0;
  for (uint32_t i = 0; i < g->witnesses && holds; i++)
    holds = depend_alive(g, view, g->witness[i]) && depend_has(g, g->witness[i], g->witness[(i + 1) % g->witnesses]);
  return holds;
}

static void keep_witness(depend *g, uint32_t vertex, uint32_t depth) {
  uint32_t first = depth;
  while (g->path[first - 1] != vertex) first--;
  first--;
  g->witnesses = depth - first;
  memcpy(g->witness, g->path + first, g->witnesses * sizeof *g->witness);
}

/* Depth-first search; the last vertex to be left gets the lowest rank. A vertex has the colour `colours` while it is
 * on the path, and `colours` + 1 after it was left. View NULL: all channels count. */
static bool search(depend *g, const ripstop_view *view, uint32_t root, uint32_t *rank) {
  uint32_t depth = 0, open = g->colours, done = open + 1;
  if (g->colour[root] >= open || !depend_alive(g, view, root)) return false;
  for (uint32_t enter = root; enter != RIPSTOP_NONE || depth > 0;) {
    if (enter != RIPSTOP_NONE) {
      g->colour[enter] = open;
      g->at[enter] = 0;
      g->path[depth++] = enter;
    }
    uint32_t here = g->path[depth - 1], next = depend_next(g, here, &g->at[here]);
    enter = RIPSTOP_NONE;
    if (next == RIPSTOP_NONE) {
      g->colour[here] = done;
      if (rank) g->rank[here] = --*rank;
      depth--;
    } else if (g->colour[next] == open) {
      keep_witness(g, next, depth);
      return true;
    } else if (g->colour[next] != done && depend_alive(g, view, next)) {
      enter = next;
    }
  }
  return false;
}

static void new_colours(depend *g) {
  g->colours += 2;
  if (g->colours < UINT32_MAX - 2) return;
  memset(g->colour, 0, g->vertices * sizeof *g->colour);
  g->colours = 2;
}

static bool against(const depend *g, const depend_edge *t) { return g->rank[t->from] >= g->rank[t->to]; }

void depend_settle(depend *g) {
  for (uint32_t i = 0; i < g->logged && g->sorted; i++) g->sorted = !against(g, &g->log[i]);
  g->logged = 0;
}

void depend_clear(depend *g) {
  const depend_row *last = g->vertices ? &g->row[g->vertices - 1] : NULL;
  if (last) memset(g->edge, 0, (last->word + (last->width + 63) / 64) * sizeof *g->edge);
  if (last && g->count) memset(g->count, 0, (last->slot + last->width) * sizeof *g->count);
  g->logged = g->witnesses = 0;
  g->sorted = false;
}

void depend_sort(depend *g) {
  uint32_t rank = g->vertices;
  if (g->sorted) return;
  g->sorted = true;
  new_colours(g);
  for (uint32_t vertex = 0; vertex < g->vertices && g->sorted; vertex++) g->sorted = !search(g, NULL, vertex, &rank);
}

bool depend_cycle(depend *g, const ripstop_view *view) {
  bool found = depend_witness_holds(g, view);
  if (found) return true;
  new_colours(g);
  for (uint32_t i = 0; g->sorted && i < g->logged && !found; i++)
    if (against(g, &g->log[i]) && depend_has(g, g->log[i].from, g->log[i].to))
      found = search(g, view, g->log[i].to, NULL);
  for (uint32_t vertex = 0; !g->sorted && vertex < g->vertices && !found; vertex++)
    found = search(g, view, vertex, NULL);
  return found;
}
