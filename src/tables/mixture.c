/* mixture.c - two tables at once: the effects of transient states, while one is written over the other, switch by
 * switch. */
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "ripstop/judge.h"
#include "tables/addresses.h"
#include "tables/depend.h"

/* Both tables with the addresses that both have, for depend_add. */
typedef struct both {
  const ripstop_forwarding *table[2];
  uint32_t addresses, lanes;
} both;

static void open_both(both *b, ripstop_arena *arena, const ripstop_forwarding *before,
                      const ripstop_forwarding *after) {
  size_t most = (size_t)before->addresses + after->addresses;
  uint32_t *node = RIPSTOP_ARRAY(arena, most, uint32_t), *old = RIPSTOP_ARRAY(arena, most, uint32_t);
  uint32_t *new = RIPSTOP_ARRAY(arena, most, uint32_t), all = forwarding_merge(before, after, node, old, new);
  *b = (both){.lanes = depend_lanes_of_both(before, after)};
  for (uint32_t i = 0; i < all; i++) {
    if (old[i] == RIPSTOP_NONE || new[i] == RIPSTOP_NONE) continue;
    node[b->addresses] = node[i];
    old[b->addresses] = old[i];
    new[b->addresses++] = new[i];
  }
  ripstop_forwarding *x = forwarding_select(arena, before, node, old, b->addresses);
  ripstop_forwarding *y = forwarding_select(arena, after, node, new, b->addresses);
  x->lanes = y->lanes = b->lanes;
  b->table[0] = x;
  b->table[1] = y;
}

/* ------------------------------------------------------------------ churn */

static void count_changes(const both *b, ripstop_transient *out) {
  const ripstop_forwarding *x = b->table[0], *y = b->table[1];
  size_t entries = (size_t)b->addresses * ripstop_fabric_switches(x->fabric);
  out->entries = entries;
  for (size_t i = 0; i < entries; i++) out->changed += x->port[i] != y->port[i];
  for (uint32_t a = 0; a < b->addresses; a++)
    for (uint32_t end = 0; (x->level || y->level) && end < x->fabric->ends; end++) {
      if (end == x->node[a]) continue;
      out->levels++;
      out->levels_changed += ripstop_forwarding_level(x, end, a) != ripstop_forwarding_level(y, end, a);
    }
}

/* ------------------------------------------------------------------ loops of one packet */

typedef struct rounds {
  const both *b;
  const ripstop_view *view;
  uint32_t *candidate; /* [2 * switches]: the switch to which each table leads, RIPSTOP_NONE: none */
  uint8_t *colour;     /* [switches]: 0 not seen, 1 on the path, 2 done */
  uint32_t *path;      /* [switches + 1] */
} rounds;

static uint32_t candidate_on(const rounds *r, const ripstop_forwarding *t, uint32_t address, uint32_t node) {
  const ripstop_fabric *f = t->fabric;
  uint32_t local = ripstop_forwarding_port(t, address, node);
  if (local >= ripstop_node_ports(f, node)) return RIPSTOP_NONE;
  uint32_t port = f->port_base[node] + local;
  if (!r->view->port_up[port]) return RIPSTOP_NONE;
  uint32_t other = f->port_node[f->peer[port]];
  return ripstop_is_end(f, other) ? RIPSTOP_NONE : other - f->ends;
}

/* Depth-first search from one switch. True: the path returned to one of its switches. */
static bool comes_round(rounds *r, uint32_t first) {
  uint32_t depth = 0;
  r->path[depth++] = first;
  while (depth > 0) {
    uint32_t at = r->path[depth - 1], to = RIPSTOP_NONE;
    r->colour[at] = 1;
    for (unsigned side = 0; side < 2 && to == RIPSTOP_NONE; side++) {
      uint32_t other = r->candidate[2 * (size_t)at + side];
      if (other == RIPSTOP_NONE || r->colour[other] == 2) continue;
      if (r->colour[other] == 1) return true;
      to = other;
    }
    if (to != RIPSTOP_NONE)
      r->path[depth++] = to;
    else
      r->colour[r->path[--depth]] = 2;
  }
  return false;
}

/* True if packets of some end node for the address can loop in a transient state. */
static bool loops(rounds *r, uint32_t address) {
  const ripstop_fabric *f = r->view->fabric;
  uint32_t switches = ripstop_fabric_switches(f);
  memset(r->colour, 0, switches);
  for (uint32_t s = 0; s < switches; s++)
    for (unsigned side = 0; side < 2; side++)
      r->candidate[2 * (size_t)s + side] = candidate_on(r, r->b->table[side], address, f->ends + s);
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t s = ripstop_end_switch(f, end) - f->ends;
    if (end == r->b->table[0]->node[address] || !r->view->port_up[f->port_base[end]]) continue;
    if (r->colour[s] == 0 && comes_round(r, s)) return true;
  }
  return false;
}

static void count_loops(const both *b, ripstop_arena *scratch, const ripstop_view *view, ripstop_transient *out) {
  uint32_t switches = ripstop_fabric_switches(view->fabric);
  rounds r = {.b = b,
              .view = view,
              .candidate = RIPSTOP_ARRAY(scratch, 2 * (size_t)switches, uint32_t),
              .colour = RIPSTOP_ARRAY(scratch, switches, uint8_t),
              .path = RIPSTOP_ARRAY(scratch, (size_t)switches + 1, uint32_t)};
  for (uint32_t a = 0; a < b->addresses; a++) out->looping += loops(&r, a);
}

/* ------------------------------------------------------------------ deadlock */

static void search(const both *b, ripstop_arena *arena, const depend_mix *m, depend_cycles *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  depend d;
  depend_make(&d, scratch, m, b->lanes, ripstop_forwarding_ends(b->table[0]));
  depend_search(&d, m->view, arena, out);
}

static void find_loops(const both *b, ripstop_arena *arena, const ripstop_view *view, ripstop_transient *out) {
  depend_mix m = {.view = view, .tables = b->table, .table_count = 2, .levels = b->table, .level_count = 2};
  depend_cycles cycles;
  search(b, arena, &m, &cycles);
  out->credit_loop = cycles.length > 0;
  out->in_loops = cycles.vertices;
  out->loop_length = cycles.length;
  out->loop = cycles.cycle;
  out->lanes = b->lanes;
  m.tables++; /* a subset of these dependencies: the new tables, the old levels */
  m.table_count = m.level_count = 1;
  if (cycles.length > 0) search(b, arena, &m, &cycles);
  out->old_levels_loop = cycles.length > 0;
  out->old_levels_in_loops = cycles.vertices;
  out->old_levels_length = cycles.length;
  out->old_levels_cycle = cycles.cycle;
}

int ripstop_judge_transient(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *before,
                            const ripstop_forwarding *after, ripstop_transient *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *scratch = ripstop_arena_new();
  both b;
  *out = (ripstop_transient){0};
  open_both(&b, scratch, before, after);
  count_changes(&b, out);
  count_loops(&b, scratch, view, out);
  find_loops(&b, arena, view, out);
  ripstop_arena_free(scratch);
  return 0;
}
