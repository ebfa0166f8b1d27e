/* update.c - in how many writes old tables may become new ones.
 *
 * One write is enough if no transient state of old and new tables has a cycle of dependencies. Otherwise every entry
 * that changes is removed first. Until all switches have removed them, packets meet old entries or none; afterwards
 * none or new ones. So each transient state is a part of the old tables, or of the new ones. Only sources that still
 * use their old service levels remain to be checked. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "ripstop/judge.h"
#include "tables/addresses.h"
#include "tables/depend.h"

/* ------------------------------------------------------------------ the two tables, with the same addresses */

typedef struct pair {
  const ripstop_view *view;
  ripstop_forwarding *before, *after, *between;
} pair;

/* Tables without the switches' entries for themselves, which no packet uses. */
static ripstop_forwarding *widen(const ripstop_forwarding *t, const uint32_t *node, const uint32_t *from,
                                 uint32_t addresses) {
  ripstop_forwarding *wide = forwarding_select(ripstop_arena_new(), t, node, from, addresses);
  for (uint32_t a = ripstop_forwarding_ends(wide); a < addresses; a++)
    ripstop_forwarding_set(wide, a, node[a], RIPSTOP_NO_PORT);
  return wide;
}

static void open_pair(pair *p, const ripstop_view *view, const ripstop_forwarding *before,
                      const ripstop_forwarding *after) {
  RIPSTOP_LOCAL_ARENA(scratch);
  size_t most = (size_t)before->addresses + after->addresses;
  uint32_t *node = RIPSTOP_ARRAY(scratch, most, uint32_t), *old = RIPSTOP_ARRAY(scratch, most, uint32_t);
  uint32_t *new = RIPSTOP_ARRAY(scratch, most, uint32_t), addresses = forwarding_merge(before, after, node, old, new);
  *p = (pair){.view = view};
  p->before = widen(before, node, old, addresses);
  p->after = widen(after, node, new, addresses);
  p->before->lanes = p->after->lanes = depend_lanes_of_both(before, after);
}

static void close_pair(pair *p) {
  ripstop_forwarding_free(p->before);
  ripstop_forwarding_free(p->after);
}

static bool known(const ripstop_forwarding *t, uint32_t address) {
  size_t switches = ripstop_fabric_switches(t->fabric);
  for (size_t s = 0; s < switches; s++)
    if (t->port[address * switches + s] != RIPSTOP_NO_PORT) return true;
  return false;
}

static bool is_dead(const ripstop_view *view, uint32_t switch_, uint16_t port) {
  return port < ripstop_node_ports(view->fabric, switch_) && !view->port_up[view->fabric->port_base[switch_] + port];
}

static void count_changes(const pair *p, ripstop_update *out) {
  const ripstop_forwarding *x = p->before, *y = p->after;
  const uint32_t switches = ripstop_fabric_switches(x->fabric);
  out->entries = (uint64_t)x->addresses * switches;
  for (size_t i = 0; i < out->entries; i++) {
    if (x->port[i] == y->port[i]) continue;
    out->changed++;
    out->changed_dead += is_dead(p->view, x->fabric->ends + (uint32_t)(i % switches), x->port[i]);
  }
  for (uint32_t a = 0; a < x->addresses; a++) {
    if (!known(x, a) || !known(y, a)) continue; /* a service level without an address has not changed */
    for (uint32_t end = 0; end < x->fabric->ends; end++)
      out->levels_changed +=
          end != x->node[a] && ripstop_forwarding_level(x, end, a) != ripstop_forwarding_level(y, end, a);
  }
}

static bool lanes_differ(const ripstop_forwarding *x, const ripstop_forwarding *y, uint32_t levels, uint32_t switch_,
                         uint32_t in, uint32_t out) {
  for (unsigned level = 0; level < RIPSTOP_LEVELS; level++)
    if ((levels >> level & 1) &&
        ripstop_forwarding_lane(x, switch_, in, out, level) != ripstop_forwarding_lane(y, switch_, in, out, level))
      return true;
  return false;
}

static uint64_t count_lanes(const ripstop_forwarding *x, const ripstop_forwarding *y) {
  const ripstop_fabric *f = x->fabric;
  uint32_t levels = depend_levels(x) | depend_levels(y);
  uint64_t changed = 0;
  if (!x->lane && !y->lane && x->lanes == y->lanes) return 0;
  for (uint32_t node = f->ends; node < f->nodes; node++)
    for (uint32_t ports = ripstop_node_ports(f, node), i = 0; i < ports * ports; i++)
      changed += lanes_differ(x, y, levels, node, i / ports, i % ports);
  return changed;
}

/* ------------------------------------------------------------------ transient states */

/* True if no transient state of the two tables has a cycle of dependencies, with old and new service levels in use. A
 * packet that loops uses the same VLs again, so a loop shows as a cycle. */
static bool safe(const pair *p, const ripstop_forwarding *x, const ripstop_forwarding *y) {
  const ripstop_forwarding *const tables[] = {x, y}, *const levels[] = {p->before, p->after};
  RIPSTOP_LOCAL_ARENA(scratch);
  depend d;
  depend_cycles cycles;
  const depend_mix m = {.view = p->view, .tables = tables, .table_count = 2, .levels = levels, .level_count = 2};
  depend_make(&d, scratch, &m, x->lanes, x->addresses);
  depend_search(&d, p->view, scratch, &cycles);
  return cycles.length == 0;
}

static ripstop_forwarding *without_changes(const pair *p) {
  const ripstop_forwarding *x = p->before, *y = p->after;
  ripstop_forwarding *t = forwarding_like(ripstop_arena_new(), x, x->node, x->addresses);
  size_t entries = (size_t)x->addresses * ripstop_fabric_switches(x->fabric);
  for (size_t i = 0; i < entries; i++) t->port[i] = x->port[i] == y->port[i] ? x->port[i] : RIPSTOP_NO_PORT;
  return t;
}

static void find_steps(pair *p, ripstop_update *out) {
  out->steps = out->changed || out->levels_changed || out->lanes_changed ? 1 : 0;
  if (out->steps == 0 || safe(p, p->before, p->after)) return;
  p->between = without_changes(p);
  bool two = safe(p, p->before, p->between) && safe(p, p->between, p->after);
  out->steps = two ? 2 : RIPSTOP_NONE;
}

/* The result contains entries only. */
static void take_between(pair *p, ripstop_update *out) {
  if (out->steps != 2) {
    ripstop_forwarding_free(p->between);
    return;
  }
  ripstop_forwarding *t = out->between = p->between;
  t->lanes = 1;
  t->level = t->lane = t->end_lane = NULL;
  t->lane_first = NULL;
}

int ripstop_judge_update(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                         ripstop_update *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  pair p;
  *out = (ripstop_update){0};
  open_pair(&p, view, before, after);
  count_changes(&p, out);
  out->lanes_changed = count_lanes(before, after);
  find_steps(&p, out);
  take_between(&p, out);
  close_pair(&p);
  return 0;
}
