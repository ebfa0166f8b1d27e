/* transient.c - two tables at once: the effects of transient states, while one is written over the other switch by
 * switch, and in how many writes old tables may become new ones.
 *
 * One write is enough if no transient state of old and new tables has a cycle of dependencies. Otherwise every entry
 * that changes is removed first. Until all switches have removed them, packets meet old entries or none; afterwards
 * none or new ones. So each transient state is a part of the old tables, or of the new ones. Only sources that still
 * use their old service levels remain to be checked. */
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "ripstop/kit/judge.h"
#include "tables/addresses.h"
#include "tables/depend.h"
#include "tables/multicast.h"
#include "tables/transient.h"

typedef enum scope {
  ALL,    /* all packets together */
  DATA,   /* packets to switches must not loop, but do not count among those that wait */
  MASKS,  /* masks are written; packets of groups and packets to switches do not count together */
  CLEARED /* likewise, and the first write clears all masks */
} scope;

/* Both tables with the same addresses. */
typedef struct pair {
  const ripstop_view *view;
  ripstop_forwarding *before, *after, *between;
  uint32_t addresses, lanes;
} pair;

/* Keeps the addresses that both have; returns their number. */
static uint32_t keep_common(uint32_t *node, uint32_t *old, uint32_t *new, uint32_t all) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < all; i++) {
    if (old[i] == RIPSTOP_NONE || new[i] == RIPSTOP_NONE) continue;
    node[count] = node[i];
    old[count] = old[i];
    new[count++] = new[i];
  }
  return count;
}

/* With the addresses that both have if `common` is set, else with those that one of them has. */
static void open_pair(pair *p, ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *before,
                      const ripstop_forwarding *after, bool common) {
  size_t most = (size_t)before->addresses + after->addresses;
  uint32_t *node = RIPSTOP_ARRAY(arena, most, uint32_t), *old = RIPSTOP_ARRAY(arena, most, uint32_t);
  uint32_t *new = RIPSTOP_ARRAY(arena, most, uint32_t), all = forwarding_merge(before, after, node, old, new);
  *p = (pair){.view = view, .lanes = depend_lanes_of_both(before, after)};
  p->addresses = common ? keep_common(node, old, new, all) : all;
  p->before = forwarding_select(arena, before, node, old, p->addresses);
  p->after = forwarding_select(arena, after, node, new, p->addresses);
  p->before->lanes = p->after->lanes = p->lanes;
}

/* ------------------------------------------------------------------ changes */

static bool known(const ripstop_forwarding *t, uint32_t address) {
  size_t switches = ripstop_fabric_switches(t->fabric);
  for (size_t s = 0; s < switches; s++)
    if (t->port[address * switches + s] != RIPSTOP_NO_PORT) return true;
  return false;
}

static bool is_dead(const ripstop_view *view, uint32_t switch_, uint16_t port) {
  return port < ripstop_node_ports(view->fabric, switch_) && !view->port_up[view->fabric->port_base[switch_] + port];
}

/* Counts entries that differ, and adds to the second count those whose old one leads into a failed part. */
static uint64_t count_entries(const pair *p, uint64_t *dead) {
  const ripstop_fabric *f = p->view->fabric;
  uint64_t changed = 0;
  for (uint32_t a = 0; a < p->addresses; a++)
    for (uint32_t node = f->ends; node < f->nodes; node++) {
      if (forwarding_same(p->before, p->after, a, node)) continue;
      changed++;
      *dead += is_dead(p->view, node, ripstop_forwarding_port(p->before, a, node));
    }
  return changed;
}

/* Sources of an address with another service level. */
static uint64_t count_levels(const pair *p, uint32_t a) {
  const ripstop_forwarding *x = p->before, *y = p->after;
  uint64_t changed = 0;
  for (uint32_t end = 0; (x->level || y->level) && end < p->view->fabric->ends; end++)
    changed += end != x->node[a] && ripstop_forwarding_level(x, end, a) != ripstop_forwarding_level(y, end, a);
  return changed;
}

static bool lanes_differ(const ripstop_forwarding *x, const ripstop_forwarding *y, uint32_t levels, uint32_t switch_,
                         uint32_t in, uint32_t out) {
  for (unsigned level = 0; level < RIPSTOP_LEVELS; level++)
    if ((levels >> level & 1) &&
        (ripstop_forwarding_lane(x, switch_, in, out, level) != ripstop_forwarding_lane(y, switch_, in, out, level) ||
         ripstop_forwarding_next_level(x, switch_, in, out, level) !=
             ripstop_forwarding_next_level(y, switch_, in, out, level)))
      return true;
  return false;
}

static uint64_t count_lanes(const ripstop_forwarding *x, const ripstop_forwarding *y) {
  const ripstop_fabric *f = x->fabric;
  uint32_t levels = depend_levels(x) | depend_levels(y);
  uint64_t changed = 0;
  if (!x->lane && !y->lane && !x->next_level && !y->next_level && x->lanes == y->lanes) return 0;
  for (uint32_t node = f->ends; node < f->nodes; node++)
    for (uint32_t ports = ripstop_node_ports(f, node), i = 0; i < ports * ports; i++)
      changed += lanes_differ(x, y, levels, node, i / ports, i % ports);
  return changed;
}

/* ------------------------------------------------------------------ loops of one packet */

typedef struct rounds {
  const pair *p;
  uint32_t address;
  uint32_t *at; /* [switches]: the next hop to look at, of the old entry in even places, of the new one in odd ones */
  uint8_t *colour; /* [switches]: 0 not seen, 1 on the path, 2 done */
  uint32_t *path;  /* [switches + 1] */
} rounds;

/* The switch to which a next hop leads; RIPSTOP_NONE: to none. */
static uint32_t switch_behind(const pair *p, uint32_t node, uint16_t local) {
  const ripstop_fabric *f = p->view->fabric;
  uint32_t port = f->port_base[node] + local;
  if (local >= ripstop_node_ports(f, node) || !p->view->port_up[port]) return RIPSTOP_NONE;
  uint32_t other = f->port_node[f->peer[port]];
  return ripstop_is_end(f, other) ? RIPSTOP_NONE : other - f->ends;
}

/* The next switch to which either entry of a switch leads; RIPSTOP_NONE: no more. */
static uint32_t next_from(rounds *r, uint32_t s) {
  const uint32_t node = r->p->view->fabric->ends + s;
  for (;;) {
    uint32_t i = r->at[s]++ / 2;
    uint16_t old = ripstop_forwarding_hop(r->p->before, r->address, node, i).port;
    uint16_t new = ripstop_forwarding_hop(r->p->after, r->address, node, i).port;
    uint32_t other = switch_behind(r->p, node, r->at[s] % 2 ? old : new);
    if (other != RIPSTOP_NONE) return other;
    if (old == RIPSTOP_NO_PORT && new == RIPSTOP_NO_PORT) return RIPSTOP_NONE;
  }
}

static void enter(rounds *r, uint32_t s, uint32_t *depth) {
  r->colour[s] = 1;
  r->at[s] = 0;
  r->path[(*depth)++] = s;
}

/* Depth-first search from one switch. True: the path returned to one of its switches. */
static bool comes_round(rounds *r, uint32_t first) {
  uint32_t depth = 0;
  enter(r, first, &depth);
  while (depth > 0) {
    uint32_t to = next_from(r, r->path[depth - 1]);
    if (to == RIPSTOP_NONE)
      r->colour[r->path[--depth]] = 2;
    else if (r->colour[to] == 1)
      return true;
    else if (r->colour[to] == 0)
      enter(r, to, &depth);
  }
  return false;
}

/* True if packets of some end node for the address can loop in a transient state. */
static bool loops(rounds *r) {
  const pair *p = r->p;
  const ripstop_fabric *f = p->view->fabric;
  memset(r->colour, 0, ripstop_fabric_switches(f));
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t s = ripstop_end_switch(f, end) - f->ends;
    if (end == p->before->node[r->address] || !p->view->port_up[f->port_base[end]]) continue;
    if (r->colour[s] == 0 && comes_round(r, s)) return true;
  }
  return false;
}

static uint64_t count_loops(const pair *p, ripstop_arena *scratch) {
  uint32_t switches = ripstop_fabric_switches(p->view->fabric);
  rounds r = {.p = p,
              .at = RIPSTOP_ARRAY(scratch, switches, uint32_t),
              .colour = RIPSTOP_ARRAY(scratch, switches, uint8_t),
              .path = RIPSTOP_ARRAY(scratch, (size_t)switches + 1, uint32_t)};
  uint64_t looping = 0;
  for (; r.address < p->addresses; r.address++) looping += loops(&r);
  return looping;
}

static uint32_t count_looping_groups(const pair *p) {
  const ripstop_forwarding *const both[] = {p->before, p->after};
  const depend_mix m = {.view = p->view, .tables = both, .table_count = 2, .levels = both, .level_count = 2};
  return multicast_looping(&m);
}

/* ------------------------------------------------------------------ deadlock */

/* The cycles of dependencies in all transient states of some tables, with some service levels in use, of packets for
 * the first addresses and, if they are wanted, of groups. A packet that loops uses the same VLs again, so a loop shows
 * as a cycle. */
static depend_cycles search(const pair *p, const ripstop_forwarding *const *tables, uint32_t count,
                            const ripstop_forwarding *const *levels, uint32_t addresses, bool groups,
                            ripstop_arena *arena) {
  RIPSTOP_LOCAL_ARENA(scratch);
  depend d;
  depend_cycles cycles;
  const depend_mix m = {
      .view = p->view, .tables = tables, .table_count = count, .levels = levels, .level_count = count};
  depend_make(&d, scratch, &m, p->lanes, addresses);
  if (groups) depend_add_groups(&d, &m, 0);
  depend_search(&d, p->view, arena, &cycles);
  return cycles;
}

static void find_loops(const pair *p, ripstop_arena *arena, ripstop_transient *out) {
  const ripstop_forwarding *const both[] = {p->before, p->after};
  uint32_t ends = ripstop_forwarding_ends(p->before);
  depend_cycles cycles = search(p, both, 2, both, ends, true, arena);
  out->credit_loop = cycles.length > 0;
  out->in_loops = cycles.vertices;
  out->loop_length = cycles.length;
  out->loop = cycles.cycle;
  out->lanes = p->lanes;
  if (cycles.length > 0) cycles = search(p, both + 1, 1, both, ends, true, arena); /* a subset of these dependencies */
  out->old_levels_loop = cycles.length > 0;
  out->old_levels_in_loops = cycles.vertices;
  out->old_levels_length = cycles.length;
  out->old_levels_cycle = cycles.cycle;
}

int ripstop_judge_transient(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *before,
                            const ripstop_forwarding *after, ripstop_transient *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *scratch = ripstop_arena_new();
  const ripstop_fabric *f = view->fabric;
  pair p;
  uint64_t dead = 0;
  *out = (ripstop_transient){0};
  open_pair(&p, scratch, view, before, after, true);
  out->entries = (uint64_t)p.addresses * ripstop_fabric_switches(f);
  out->changed = count_entries(&p, &dead);
  for (uint32_t a = 0; a < p.addresses; a++) {
    if (before->level || after->level) out->levels += f->ends - ripstop_is_end(f, p.before->node[a]);
    out->levels_changed += count_levels(&p, a);
  }
  out->looping = count_loops(&p, scratch);
  out->looping_groups = count_looping_groups(&p);
  find_loops(&p, arena, out);
  ripstop_arena_free(scratch);
  return 0;
}

/* ------------------------------------------------------------------ the number of writes */

/* True if no packet can wait forever. */
static bool safe(const pair *p, const ripstop_forwarding *x, const ripstop_forwarding *y, scope kind,
                 ripstop_arena *arena) {
  const ripstop_forwarding *const tables[] = {x, y}, *const levels[] = {p->before, p->after};
  const uint32_t ends = ripstop_forwarding_ends(p->before), all = p->addresses;
  if (kind == ALL) return search(p, tables, 2, levels, all, true, arena).length == 0;
  if (kind != DATA && search(p, tables, 2, levels, all, false, arena).length > 0) return false;
  return search(p, tables, 2, levels, ends, true, arena).length == 0;
}

static ripstop_forwarding *without_changes(const pair *p) {
  const ripstop_fabric *f = p->view->fabric;
  ripstop_forwarding *t = forwarding_like(ripstop_arena_new(), p->before, p->before->node, p->addresses);
  for (uint32_t a = 0; a < p->addresses; a++)
    for (uint32_t node = f->ends; node < f->nodes; node++)
      if (forwarding_same(p->before, p->after, a, node))
        ripstop_forwarding_set(t, a, node, ripstop_forwarding_port(p->before, a, node));
  return t;
}

static void find_steps(pair *p, scope kind, ripstop_arena *scratch, ripstop_update *out) {
  const ripstop_groups *groups = p->after->groups;
  const bool writes = out->changed || out->levels_changed || out->lanes_changed;
  out->steps = writes;
  if (!writes && kind != MASKS) return;
  if (kind == CLEARED) p->after->groups = NULL;
  if (safe(p, p->before, p->after, kind, scratch) && !(kind == DATA && count_loops(p, scratch))) return;
  out->steps = RIPSTOP_NONE;
  if (!writes) return;
  p->after->groups = groups;
  p->between = without_changes(p);
  if (kind == MASKS) p->between->groups = groups;
  if (kind == CLEARED) p->between->groups = NULL;
  if (safe(p, p->before, p->between, kind, scratch) && safe(p, p->between, p->after, kind, scratch)) out->steps = 2;
}

/* The result contains entries only. */
static void take_between(pair *p, ripstop_update *out) {
  if (out->steps != 2) {
    ripstop_forwarding_free(p->between);
    return;
  }
  ripstop_forwarding *t = out->between = p->between;
  t->lanes = 1;
  t->sets = forwarding_copy_sets(t->arena, t);
  t->level = t->lane = t->end_lane = t->next_level = NULL;
  t->lane_first = NULL;
  t->groups = NULL;
}

/* Clears the switches' entries for themselves, which no packet uses. */
static void clear_own(ripstop_forwarding *t) {
  for (uint32_t a = ripstop_forwarding_ends(t); a < t->addresses; a++)
    ripstop_forwarding_set(t, a, t->node[a], RIPSTOP_NO_PORT);
}

static void judge_update(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                         scope kind, ripstop_update *out) {
  ripstop_arena *scratch = ripstop_arena_new();
  pair p;
  *out = (ripstop_update){0};
  open_pair(&p, scratch, view, before, after, false);
  clear_own(p.before);
  clear_own(p.after);
  out->entries = (uint64_t)p.addresses * ripstop_fabric_switches(view->fabric);
  out->changed = count_entries(&p, &out->changed_failed);
  for (uint32_t a = 0; a < p.addresses; a++) /* a service level without an address has not changed */
    if (known(p.before, a) && known(p.after, a)) out->levels_changed += count_levels(&p, a);
  out->lanes_changed = count_lanes(before, after);
  find_steps(&p, kind, scratch, out);
  take_between(&p, out);
  ripstop_arena_free(scratch);
}

int ripstop_judge_update(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                         ripstop_update *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  judge_update(view, before, after, ALL, out);
  return 0;
}

void transient_judge_data(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                          ripstop_update *out) {
  judge_update(view, before, after, DATA, out);
}

void transient_judge_masks(const ripstop_view *view, const ripstop_forwarding *before, const ripstop_forwarding *after,
                           bool clear, ripstop_update *out) {
  judge_update(view, before, after, clear ? CLEARED : MASKS, out);
}
