/* repair_follow.c - other tables in place of the repaired ones after a failure. They are judged by their changes: an
 * address whose entries are the same is not looked at again, and the maker of the tables reports which these are.
 *
 * All follows from the original tables: the paths over the part are already subtracted from the loads, and the paths
 * of other switches with new entries are subtracted here. */
#include <string.h>

#include "base/memory.h"
#include "tables/repair_state.h"

static const uint16_t *row_of(const ripstop_forwarding *t, uint32_t switches, uint32_t address) {
  return t->port + (size_t)address * switches;
}

static bool same_levels(const ripstop_forwarding *a, const ripstop_forwarding *b) {
  size_t rows = ripstop_forwarding_level_rows(a);
  if (rows == ripstop_forwarding_level_rows(b))
    return rows == 0 || memcmp(a->level, b->level, rows * a->addresses) == 0;
  for (uint32_t end = 0; end < a->fabric->ends; end++)
    for (uint32_t i = 0; i < a->addresses; i++)
      if (ripstop_forwarding_level(a, end, i) != ripstop_forwarding_level(b, end, i)) return false;
  return true;
}

/* True if each packet takes the same VL by both tables, where both use the same next hop. */
static bool same_lanes(const ripstop_forwarding *a, const ripstop_forwarding *b) {
  if (a->lanes != b->lanes || a->lane || b->lane || a->end_lane || b->end_lane || !a->level != !b->level) return false;
  return same_levels(a, b);
}

bool repair_follows(const repair *r, const ripstop_forwarding *tables) {
  const ripstop_forwarding *old = r->original;
  if (tables->addresses != old->addresses || memcmp(tables->node, old->node, old->addresses * sizeof *old->node) != 0)
    return false;
  return same_lanes(old, tables);
}

/* ------------------------------------------------------------------ changed entries */

static void add_change(repair *r, uint32_t s, uint16_t port) {
  if (r->mark[s] != r->marked) repair_list(r, s, 0, port);
}

/* Lists the switches whose packets for the address may take another path than before: those that were behind the
 * part, those with another entry, and those whose packets crossed or cross one of these. */
static void list_change(repair *r, const ripstop_forwarding *tables, uint32_t address, const torn *behind) {
  const switch_graph *c = &r->net;
  const uint16_t *old = row_of(r->original, r->switches, address), *now = row_of(tables, r->switches, address);
  torn *change = &r->followed[r->follows++];
  *change = (torn){.address = address, .first = r->members};
  r->marked++;
  for (uint32_t i = 0; behind && i < behind->count; i++) {
    uint32_t s = r->member[behind->first + i].s;
    add_change(r, s, old[s]);
  }
  change->behind = r->members - change->first;
  for (uint32_t s = 0; s < r->switches; s++)
    if (old[s] != now[s]) add_change(r, s, old[s]);
  for (uint32_t i = change->first; i < r->members; i++)
    for (uint32_t s = r->member[i].s, out = c->out_first[s]; out < c->out_first[s + 1]; out++) {
      uint32_t other = c->to[out];
      if (switch_graph_leads_back(c, old, out) || switch_graph_leads_back(c, now, out))
        add_change(r, other, old[other]);
    }
  change->count = r->members - change->first;
}

/* Lists addresses of end nodes: those that the part affects, and those with other entries. Both lists are ascending. */
static void list_changes(repair *r, const ripstop_repaired *now) {
  if (!r->followed) r->followed = RIPSTOP_ARRAY(r->arena, r->data, torn);
  r->follows = 0;
  for (uint32_t next = 0, other = 0;;) {
    uint32_t behind = next < r->torns ? r->torn[next].address : RIPSTOP_NONE;
    uint32_t changed = other < now->addresses && now->address[other] < r->data ? now->address[other] : RIPSTOP_NONE;
    uint32_t a = behind < changed ? behind : changed;
    if (a == RIPSTOP_NONE) return;
    list_change(r, now->tables, a, behind == a ? &r->torn[next] : NULL);
    next += behind == a;
    other += changed == a;
  }
}

/* ------------------------------------------------------------------ loads */

/* Moves the load of one switch to these tables; subtracts the old paths unless the switch was cut off from the
 * address. Returns how many paths do not arrive. */
static uint64_t follow_switch(repair *r, const ripstop_forwarding *tables, uint32_t address, uint32_t s, bool cut_off) {
  uint64_t paths = repair_sources(r, address, s);
  if (paths == 0) return 0;
  if (!cut_off && hops_of(r, address)[s] != RIPSTOP_NONE) load_candidate(r, r->tables, address, s, (uint64_t)0 - paths);
  if (repair_walk(r, tables, address, s) == RIPSTOP_NONE) return paths;
  load_candidate(r, tables, address, s, paths);
  return 0;
}

/* The same for all switches; switches that were not listed have the same paths, with the same result. */
static uint64_t follow_loads(repair *r, const ripstop_forwarding *tables) {
  const ripstop_fabric *f = r->fabric;
  uint64_t unreached = 0;
  uint32_t next = 0;
  for (uint32_t a = 0; a < r->data; a++) {
    const torn *change = next < r->follows && r->followed[next].address == a ? &r->followed[next++] : NULL;
    if (!r->view->port_up[f->port_base[r->tables->node[a]]]) continue;
    r->marked++;
    for (uint32_t i = 0; change && i < change->count; i++) {
      uint32_t s = r->member[change->first + i].s;
      r->mark[s] = r->marked;
      unreached += follow_switch(r, tables, a, s, i < change->behind);
    }
    for (uint32_t s = 0; r->lost[a] > 0 && s < r->switches; s++)
      if (r->mark[s] != r->marked && hops_of(r, a)[s] == RIPSTOP_NONE) unreached += repair_sources(r, a, s);
  }
  return unreached;
}

/* Counts ordered pairs of live end nodes without any physical path. */
static uint64_t count_disconnected(const repair *r) {
  uint64_t ends = r->fabric->ends, live = 0;
  for (uint32_t s = 0; s < r->switches; s++) live += r->sources[s];
  return r->disconnected - (ends * (ends - 1) - live * (live - (live > 0)));
}

static uint64_t count_changes(const repair *r, const ripstop_repaired *now) {
  uint64_t changed = 0;
  for (uint32_t i = 0; i < now->addresses; i++) {
    const uint16_t *was = row_of(r->original, r->switches, now->address[i]);
    const uint16_t *is = row_of(now->tables, r->switches, now->address[i]);
    for (uint32_t s = 0; s < r->switches; s++) changed += is[s] != was[s];
  }
  return changed;
}

void repair_follow(repair *r, const ripstop_repaired *now, ripstop_what_if *out) {
  list_changes(r, now);
  uint64_t unreached = follow_loads(r, now->tables);
  out->unrouted = unreached > 0 ? unreached - count_disconnected(r) : 0;
  out->worst = repair_worst(r);
  out->changed = count_changes(r, now);
  r->now = now->tables;
  r->change = r->followed;
  r->changes = r->follows;
}
