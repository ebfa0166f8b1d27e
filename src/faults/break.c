/* break.c - parts that fail one after another while the rest stays connected.
 *
 * Invariant: end nodes that were connected before, and whose switches are up, are connected after each failure. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ripstop/plugin/faults.h"

static uint32_t ends_of(const ripstop_fabric *f, uint32_t node) {
  uint32_t ends = 0;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    ends += f->peer[port] != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[f->peer[port]]);
  return ends;
}

/* The parts of a group that are up, so that exactly these can be repaired. `*ends`: end nodes of its switches. */
static void find_up(const ripstop_view *view, const ripstop_faults *group, uint32_t *id, ripstop_faults *up,
                    uint32_t *ends) {
  *up = (ripstop_faults){.link = id, .switch_ = id + group->links};
  *ends = 0;
  for (uint32_t i = 0; i < group->links; i++)
    if (view->link_up[group->link[i]]) id[up->links++] = group->link[i];
  for (uint32_t i = 0; i < group->switches; i++)
    if (view->node_up[group->switch_[i]]) {
      id[group->links + up->switches++] = group->switch_[i];
      *ends += ends_of(view->fabric, group->switch_[i]);
    }
}

/* Lets a group fail, unless that would disconnect something. The end nodes of a failed switch are components of their
 * own. */
static bool break_group(ripstop_view *view, const ripstop_faults *group, bool cut, uint32_t *component, uint32_t *id) {
  ripstop_faults up;
  uint32_t ends, before = cut ? 0 : ripstop_view_components(view, component);
  find_up(view, group, id, &up, &ends);
  if (up.links + up.switches == 0) return false;
  ripstop_view_set_faults(view, &up, false);
  if (cut || ripstop_view_components(view, component) <= before + ends) return true;
  ripstop_view_set_faults(view, &up, true);
  return false;
}

static uint32_t largest(const ripstop_faults *group, uint32_t groups) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < groups; i++)
    if (group[i].links + group[i].switches > most) most = group[i].links + group[i].switches;
  return most;
}

uint32_t ripstop_view_break_groups(ripstop_view *view, const ripstop_faults *group, uint32_t groups, uint32_t count,
                                   bool cut, ripstop_stream *stream, uint32_t *chosen) {
  RIPSTOP_GUARD(NULL, RIPSTOP_NONE);
  uint32_t *left = ripstop_realloc(NULL, groups + 1, sizeof *left), found = 0;
  uint32_t *component = ripstop_realloc(NULL, view->fabric->nodes, sizeof *component);
  uint32_t *id = ripstop_realloc(NULL, largest(group, groups) + 1, sizeof *id);
  uint32_t lefts = groups;
  for (uint32_t i = 0; i < groups; i++) left[i] = i;
  while (lefts && found < count) {
    uint32_t at = ripstop_stream_below(stream, lefts), one = left[at];
    left[at] = left[--lefts];
    if (break_group(view, &group[one], cut, component, id)) chosen[found++] = one;
  }
  ripstop_free(id);
  ripstop_free(component);
  ripstop_free(left);
  return found;
}

/* Each part is a group of its own. */
uint32_t ripstop_view_break(ripstop_view *view, const ripstop_fault_scope *scope, uint32_t count, bool cut,
                            ripstop_stream *stream, uint32_t *id) {
  RIPSTOP_GUARD(NULL, RIPSTOP_NONE);
  const bool switches = ripstop_scope_is_switches(scope);
  uint32_t population = ripstop_faults_population(view->fabric, scope), parts = 0;
  uint32_t *part = ripstop_realloc(NULL, population + 1, sizeof *part);
  ripstop_faults *group = ripstop_realloc(NULL, population + 1, sizeof *group);
  for (uint32_t i = 0; i < population; i++) {
    part[parts] = ripstop_scope_id(view->fabric, scope, i);
    if (!(switches ? view->node_up[part[parts]] : view->link_up[part[parts]])) continue;
    group[parts] = switches ? (ripstop_faults){.switches = 1, .switch_ = &part[parts]}
                            : (ripstop_faults){.links = 1, .link = &part[parts]};
    parts++;
  }
  uint32_t found = ripstop_view_break_groups(view, group, parts, count, cut, stream, id);
  for (uint32_t i = 0; i < found; i++) id[i] = part[id[i]];
  ripstop_free(group);
  ripstop_free(part);
  return found;
}
