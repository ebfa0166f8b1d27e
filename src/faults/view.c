/* view.c - the fabric with its failed parts: three arrays of bytes that stay consistent under every change.
 *
 * Invariant: port_up[p] is 1 exactly when p has a cable that it may send into, the link is up, and both nodes are up.
 * A link's own state survives its switches' failure: a link that fails while its switch is down is down when the
 * switch returns. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fabric/inner.h"
#include "faults/strong.h"
#include "ripstop/plugin/faults.h"

static uint8_t *all_up(ripstop_arena *arena, size_t count) {
  return memset(RIPSTOP_ARRAY(arena, count, uint8_t), 1, count);
}

static uint16_t *new_rates(ripstop_view *view) {
  uint16_t *rate = RIPSTOP_ARRAY(view->arena, view->fabric->links, uint16_t);
  for (uint32_t link = 0; link < view->fabric->links; link++) rate[link] = ripstop_fabric_rate(view->fabric, link);
  return rate;
}

ripstop_view *ripstop_view_new(const ripstop_fabric *fabric, const ripstop_faults *faults) {
  RIPSTOP_GUARD(NULL, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_view *view = RIPSTOP_NEW(arena, ripstop_view);
  *view = (ripstop_view){.fabric = fabric,
                         .link_up = all_up(arena, fabric->links),
                         .node_up = all_up(arena, fabric->nodes),
                         .port_up = all_up(arena, fabric->ports),
                         .arena = arena};
  for (uint32_t port = 0; port < fabric->ports; port++) view->port_up[port] = ripstop_port_sends(fabric, port);
  if (fabric->rate != NULL) view->link_rate = new_rates(view);
  if (faults != NULL) ripstop_view_set_faults(view, faults, false);
  for (uint32_t i = 0; faults != NULL && i < faults->slows; i++)
    ripstop_view_set_rate(view, faults->slow[i].link, faults->slow[i].rate);
  view->epoch = 0;
  return view;
}

/* With the fault set that `find` makes of the fabric's names. */
typedef int (*find_faults)(ripstop_arena *arena, const ripstop_names *names, const void *context, ripstop_faults *out,
                           ripstop_error *err);

static ripstop_view *open_with(const ripstop_fabric *fabric, find_faults find, const void *context,
                               ripstop_error *err) {
  if (!fabric) return NULL;
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_names *names = ripstop_names_new(fabric);
  ripstop_faults faults;
  ripstop_view *view = find(arena, names, context, &faults, err) ? NULL : ripstop_view_new(fabric, &faults);
  ripstop_names_free(names);
  ripstop_arena_free(arena);
  return view;
}

static int parse_failed(ripstop_arena *arena, const ripstop_names *names, const void *context, ripstop_faults *out,
                        ripstop_error *err) {
  const char *failed = context ? context : "";
  return ripstop_faults_parse(arena, names, failed, strlen(failed), out, err);
}

ripstop_view *ripstop_view_open(const ripstop_fabric *fabric, const char *failed, ripstop_error *err) {
  return open_with(fabric, parse_failed, failed, err);
}

typedef struct sample {
  const char *scope;
  uint32_t count;
  uint64_t seed, index;
} sample;

static int draw_sample(ripstop_arena *arena, const ripstop_names *names, const void *context, ripstop_faults *out,
                       ripstop_error *err) {
  const sample *s = context;
  const ripstop_fault_scope *scope;
  return ripstop_scope_open(arena, names, s->scope, &scope, err) ||
                 ripstop_faults_sample(arena, ripstop_names_fabric(names), scope, s->count, s->seed, s->index, out, err)
             ? -1
             : 0;
}

ripstop_view *ripstop_view_sample(const ripstop_fabric *fabric, const char *scope, uint32_t count, uint64_t seed,
                                  uint64_t index, ripstop_error *err) {
  const sample s = {scope, count, seed, index};
  return open_with(fabric, draw_sample, &s, err);
}

ripstop_view *ripstop_view_copy(const ripstop_view *from) {
  RIPSTOP_GUARD(NULL, NULL);
  ripstop_view *view = ripstop_view_new(from->fabric, NULL), fresh = *view;
  *view = *from;
  view->link_up = memcpy(fresh.link_up, from->link_up, from->fabric->links);
  view->node_up = memcpy(fresh.node_up, from->node_up, from->fabric->nodes);
  view->port_up = memcpy(fresh.port_up, from->port_up, from->fabric->ports);
  view->arena = fresh.arena;
  view->link_rate = NULL;
  if (from->link_rate) {
    view->link_rate = new_rates(view);
    memcpy(view->link_rate, from->link_rate, from->fabric->links * sizeof *view->link_rate);
  }
  return view;
}

void ripstop_view_free(ripstop_view *view) {
  if (view != NULL) ripstop_arena_free(view->arena);
}

/* Updates both ports of a link; the second does not send over a one-way link. */
static void refresh_link(ripstop_view *view, uint32_t link) {
  const ripstop_fabric *f = view->fabric;
  uint32_t a = f->link_port[2 * (size_t)link], b = f->link_port[2 * (size_t)link + 1];
  bool up = view->link_up[link] && view->node_up[f->port_node[a]] && view->node_up[f->port_node[b]];
  view->port_up[a] = up;
  view->port_up[b] = up && ripstop_port_sends(f, b);
}

void ripstop_view_set_link(ripstop_view *view, uint32_t link, bool up) {
  if (view->link_up[link] == up) return;
  view->link_up[link] = up;
  view->failed_links += up ? -1u : 1u;
  view->epoch++;
  refresh_link(view, link);
}

void ripstop_view_set_switch(ripstop_view *view, uint32_t node, bool up) {
  const ripstop_fabric *f = view->fabric;
  if (view->node_up[node] == up) return;
  view->node_up[node] = up;
  view->failed_switches += up ? -1u : 1u;
  view->epoch++;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->port_link[port] != RIPSTOP_NONE) refresh_link(view, f->port_link[port]);
}

void ripstop_view_set_faults(ripstop_view *view, const ripstop_faults *faults, bool up) {
  for (uint32_t i = 0; i < faults->links; i++) ripstop_view_set_link(view, faults->link[i], up);
  for (uint32_t i = 0; i < faults->switches; i++) ripstop_view_set_switch(view, faults->switch_[i], up);
}

void ripstop_view_set_rate(ripstop_view *view, uint32_t link, uint16_t rate) {
  if (!view->link_rate && rate == RIPSTOP_RATE_FULL) return;
  if (!view->link_rate) view->link_rate = new_rates(view);
  view->link_rate[link] = rate;
}

void ripstop_view_apply(ripstop_view *view, const ripstop_change *change) {
  if (change->is_switch) {
    ripstop_view_set_switch(view, change->id, change->up);
    return;
  }
  ripstop_view_set_link(view, change->id, change->up);
  if (change->up)
    ripstop_view_set_rate(view, change->id,
                          change->rate ? change->rate : ripstop_fabric_rate(view->fabric, change->id));
}

/* Gives every node that can be reached from `from` its component. Returns how many of them are end nodes. */
static uint32_t flood(const ripstop_view *view, uint32_t from, uint32_t number, uint32_t *component, uint32_t *stack) {
  const ripstop_fabric *f = view->fabric;
  uint32_t depth = 0, ends = 0;
  component[from] = number;
  stack[depth++] = from;
  while (depth > 0) {
    uint32_t node = stack[--depth];
    if (ripstop_is_end(f, node)) ends++;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      if (!view->port_up[port]) continue;
      uint32_t next = f->port_node[f->peer[port]];
      if (component[next] != RIPSTOP_NONE) continue;
      component[next] = number;
      stack[depth++] = next;
    }
  }
  return ends;
}

/* Numbers the components by their lowest node, so those with end nodes come first. Returns how many have end nodes,
 * and adds up the ordered pairs of end nodes that have a path. */
static uint32_t number_components(const ripstop_view *view, uint32_t *component, uint64_t *joined) {
  const ripstop_fabric *f = view->fabric;
  uint32_t *stack = ripstop_realloc(NULL, f->nodes, sizeof *stack);
  uint32_t number = 0, with_ends = 0;
  for (uint32_t node = 0; node < f->nodes; node++) component[node] = RIPSTOP_NONE;
  for (uint32_t node = 0; node < f->nodes; node++) {
    if (component[node] != RIPSTOP_NONE || !view->node_up[node]) continue;
    uint64_t ends = flood(view, node, number++, component, stack);
    if (ends == 0) continue;
    with_ends++;
    *joined += ends * (ends - 1);
  }
  ripstop_free(stack);
  return with_ends;
}

uint32_t ripstop_view_components(const ripstop_view *view, uint32_t *component) {
  RIPSTOP_GUARD(NULL, RIPSTOP_NONE);
  uint64_t joined = 0;
  return view->fabric->one_way ? ripstop_strong_components(view, component)
                               : number_components(view, component, &joined);
}

uint64_t ripstop_view_disconnected_pairs(const ripstop_view *view) {
  RIPSTOP_GUARD(NULL, UINT64_MAX);
  const ripstop_fabric *f = view->fabric;
  uint32_t *component = ripstop_realloc(NULL, f->nodes, sizeof *component);
  uint64_t joined = 0;
  if (f->one_way) {
    ripstop_strong_components(view, component);
    joined = ripstop_strong_pairs(view, component);
  } else {
    number_components(view, component, &joined);
  }
  ripstop_free(component);
  return (uint64_t)f->ends * (f->ends - 1) - joined;
}
