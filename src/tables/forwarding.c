/* forwarding.c - room for forwarding tables; readers and engines fill them. */
#include "ripstop/plugin/forwarding.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/growing.h"
#include "base/memory.h"
#include "tables/addresses.h"

ripstop_forwarding *ripstop_forwarding_in(ripstop_arena *arena, const ripstop_fabric *fabric, const uint32_t *node,
                                          uint32_t addresses) {
  RIPSTOP_GUARD(NULL, NULL);
  size_t entries = (size_t)addresses * ripstop_fabric_switches(fabric);
  ripstop_forwarding *f = RIPSTOP_NEW(arena, ripstop_forwarding);
  *f = (ripstop_forwarding){.fabric = fabric, .addresses = addresses, .lanes = 1, .arena = arena};
  f->node = RIPSTOP_ARRAY(arena, addresses, uint32_t);
  f->port = RIPSTOP_ARRAY(arena, entries, uint16_t);
  if (addresses > 0) memcpy(f->node, node, addresses * sizeof *node);
  for (size_t i = 0; i < entries; i++) f->port[i] = RIPSTOP_NO_PORT;
  return f;
}

ripstop_forwarding *ripstop_forwarding_new(const ripstop_fabric *fabric, const uint32_t *node, uint32_t addresses) {
  RIPSTOP_GUARD(NULL, NULL);
  return ripstop_forwarding_in(ripstop_arena_new(), fabric, node, addresses);
}

static void *copy_array(ripstop_arena *arena, const void *from, size_t count, size_t size) {
  void *to = from ? ripstop_arena_array(arena, count, size) : NULL;
  if (to && count > 0) memcpy(to, from, count * size);
  return to;
}

static size_t lane_bytes(const ripstop_forwarding *t) {
  uint32_t switches = ripstop_fabric_switches(t->fabric);
  if (!t->lane_first || switches == 0) return 0;
  size_t ports = ripstop_node_ports(t->fabric, t->fabric->ends + switches - 1);
  return t->lane_first[switches - 1] + ports * ports * RIPSTOP_LEVELS;
}

/* ------------------------------------------------------------------ sets of next hops */

static int by_port(const void *a, const void *b) {
  const ripstop_next_hop *x = a, *y = b;
  return (x->port > y->port) - (x->port < y->port);
}

/* The set with these next hops, which is made if there is none. */
static uint32_t set_of(ripstop_arena *arena, ripstop_hop_sets *own, const ripstop_next_hop *hops, uint32_t count) {
  for (uint32_t i = 0; i < own->sets; i++)
    if (own->set[i].count == count && memcmp(own->hop + own->set[i].first, hops, count * sizeof *hops) == 0) return i;
  RIPSTOP_GROW_IN(arena, own->set, own->sets, own->set_room);
  own->set[own->sets].first = own->hops;
  own->set[own->sets].count = count;
  for (uint32_t i = 0; i < count; i++) {
    RIPSTOP_GROW_IN(arena, own->hop, own->hops, own->hop_room);
    own->hop[own->hops++] = hops[i];
  }
  return own->sets++;
}

/* Joins sorted next hops of one port, whose weights add up. */
static uint32_t join_equal(ripstop_next_hop *hops, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (kept > 0 && hops[kept - 1].port == hops[i].port)
      hops[kept - 1].weight = (uint16_t)(hops[kept - 1].weight + hops[i].weight);
    else
      hops[kept++] = hops[i];
  }
  return kept;
}

int ripstop_forwarding_set_hops(ripstop_forwarding *t, uint32_t address, uint32_t switch_, const ripstop_next_hop *hops,
                                uint32_t count, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_fabric *f = t->fabric;
  if (count < 2) {
    ripstop_forwarding_set(t, address, switch_, count ? hops->port : RIPSTOP_NO_PORT);
    return 0;
  }
  if (!t->sets) t->sets = RIPSTOP_ARRAY(t->arena, ripstop_fabric_switches(f), ripstop_hop_sets);
  ripstop_arena *scratch = ripstop_arena_new();
  ripstop_next_hop *sorted = copy_array(scratch, hops, count, sizeof *hops);
  qsort(sorted, count, sizeof *sorted, by_port);
  count = join_equal(sorted, count);
  uint32_t set = ripstop_node_ports(f, switch_) + set_of(t->arena, &t->sets[switch_ - f->ends], sorted, count);
  ripstop_arena_free(scratch);
  if (set >= RIPSTOP_NO_PORT) return ripstop_fail(err, "a switch has more than %d sets of next hops", RIPSTOP_NO_PORT);
  ripstop_forwarding_set(t, address, switch_, (uint16_t)set);
  return 0;
}

bool forwarding_same_hops(const ripstop_forwarding *x, const ripstop_forwarding *y, uint32_t address,
                          uint32_t switch_) {
  for (uint32_t i = 0;; i++) {
    ripstop_next_hop a = ripstop_forwarding_hop(x, address, switch_, i);
    ripstop_next_hop b = ripstop_forwarding_hop(y, address, switch_, i);
    if (a.port != b.port || a.weight != b.weight) return false;
    if (a.port == RIPSTOP_NO_PORT) return true;
  }
}

ripstop_hop_sets *forwarding_copy_sets(ripstop_arena *arena, const ripstop_forwarding *t) {
  uint32_t switches = ripstop_fabric_switches(t->fabric);
  ripstop_hop_sets *sets = copy_array(arena, t->sets, switches, sizeof *sets);
  for (uint32_t s = 0; sets && s < switches; s++) {
    ripstop_hop_sets *own = &sets[s];
    own->set = copy_array(arena, own->set, own->set_room = own->sets, sizeof *own->set);
    own->hop = copy_array(arena, own->hop, own->hop_room = own->hops, sizeof *own->hop);
  }
  return sets;
}

const ripstop_groups *forwarding_copy_groups(ripstop_arena *arena, const ripstop_forwarding *t) {
  if (!t->groups) return NULL;
  ripstop_groups *to = RIPSTOP_NEW(arena, ripstop_groups);
  *to = *t->groups;
  to->group = copy_array(arena, to->group, to->groups, sizeof *to->group);
  for (uint32_t i = 0; i < to->groups; i++) {
    ripstop_group *g = &to->group[i];
    if (g->mgid) g->mgid = ripstop_arena_text(arena, g->mgid);
    g->mask = copy_array(arena, g->mask, ripstop_bits_words(t->fabric->ports), sizeof *g->mask);
    g->own = copy_array(arena, g->own, ripstop_fabric_switches(t->fabric), sizeof *g->own);
    g->member = copy_array(arena, g->member, g->members, sizeof *g->member);
  }
  return to;
}

int forwarding_check_simple(const ripstop_forwarding *t, const char *what, ripstop_error *err) {
  if (t->sets)
    return ripstop_fail(err,
                        "%s: the tables have entries with several next hops, as for adaptive routing "
                        "(ibdiagnet2.far), which only 'judge' takes; give tables with one port an entry (dump_lfts)",
                        what);
  if (!t->next_level && !t->drops) return 0;
  return ripstop_fail(err, "%s: packets that change their service levels, or are dropped, are not supported", what);
}

/* ------------------------------------------------------------------ other addresses */

/* Copies an address of some tables to tables of equally many levels. */
static void copy_address(ripstop_forwarding *to, uint32_t address, const ripstop_forwarding *from, uint32_t old) {
  size_t switches = ripstop_fabric_switches(to->fabric);
  memcpy(to->port + address * switches, from->port + old * switches, switches * sizeof *to->port);
  for (uint32_t row = 0; row < ripstop_forwarding_level_rows(to); row++)
    to->level[(size_t)row * to->addresses + address] = (uint8_t)ripstop_forwarding_level(from, row, old);
}

ripstop_forwarding *forwarding_like(ripstop_arena *arena, const ripstop_forwarding *t, const uint32_t *node,
                                    uint32_t addresses) {
  ripstop_forwarding *f = ripstop_forwarding_in(arena, t->fabric, node, addresses), like = *t;
  like.addresses = addresses;
  like.node = f->node;
  like.port = f->port;
  like.arena = arena;
  *f = like;
  return f;
}

ripstop_forwarding *forwarding_select(ripstop_arena *arena, const ripstop_forwarding *t, const uint32_t *node,
                                      const uint32_t *from, uint32_t addresses) {
  ripstop_forwarding *f = forwarding_like(arena, t, node, addresses);
  if (t->level) f->level = RIPSTOP_ARRAY(arena, (size_t)ripstop_forwarding_level_rows(t) * addresses, uint8_t);
  for (uint32_t a = 0; a < addresses; a++)
    if (from[a] != RIPSTOP_NONE) copy_address(f, a, t, from[a]);
  return f;
}

uint32_t forwarding_merge(const ripstop_forwarding *x, const ripstop_forwarding *y, uint32_t *node, uint32_t *of_x,
                          uint32_t *of_y) {
  uint32_t i = 0, j = 0, count = 0;
  for (; i < x->addresses || j < y->addresses; count++) {
    uint32_t a = i < x->addresses ? x->node[i] : RIPSTOP_NONE, b = j < y->addresses ? y->node[j] : RIPSTOP_NONE;
    node[count] = a < b ? a : b;
    of_x[count] = a <= b ? i++ : RIPSTOP_NONE;
    of_y[count] = b <= a ? j++ : RIPSTOP_NONE;
  }
  return count;
}

ripstop_forwarding *ripstop_forwarding_copy(ripstop_arena *arena, const ripstop_forwarding *t) {
  RIPSTOP_GUARD(NULL, NULL);
  size_t switches = ripstop_fabric_switches(t->fabric), ends = t->fabric->ends;
  ripstop_forwarding *f = RIPSTOP_NEW(arena, ripstop_forwarding);
  *f = *t;
  f->arena = arena;
  f->node = copy_array(arena, t->node, t->addresses, sizeof *f->node);
  f->port = copy_array(arena, t->port, t->addresses * switches, sizeof *f->port);
  f->level = copy_array(arena, t->level, (size_t)ripstop_forwarding_level_rows(t) * t->addresses, 1);
  f->lane = copy_array(arena, t->lane, lane_bytes(t), 1);
  f->next_level = copy_array(arena, t->next_level, lane_bytes(t), 1);
  f->sets = forwarding_copy_sets(arena, t);
  f->groups = forwarding_copy_groups(arena, t);
  f->lane_first = copy_array(arena, t->lane_first, switches, sizeof *f->lane_first);
  f->end_lane = copy_array(arena, t->end_lane, ends * RIPSTOP_LEVELS, 1);
  return f;
}

void ripstop_forwarding_free(ripstop_forwarding *f) {
  if (f != NULL) ripstop_arena_free(f->arena);
}

/* The addresses of a node, or as many as others have that it did not have; `from` says which of the old ones each is.
 */
static uint32_t cover_nodes(const ripstop_forwarding *t, uint32_t several, uint32_t *node, uint32_t *from) {
  uint32_t count = 0;
  for (uint32_t n = 0, a = 0; n < t->fabric->nodes; n++) {
    uint32_t missing = a < t->addresses && t->node[a] == n ? 0 : ripstop_is_end(t->fabric, n) ? several : 1;
    for (; missing > 0; missing--) node[count] = n, from[count++] = RIPSTOP_NONE;
    for (; a < t->addresses && t->node[a] == n; a++) node[count] = n, from[count++] = a;
  }
  return count;
}

ripstop_forwarding *ripstop_forwarding_cover(const ripstop_forwarding *t) {
  RIPSTOP_GUARD(NULL, NULL);
  ripstop_arena *scratch = ripstop_arena_new();
  uint32_t several = ripstop_forwarding_most(t);
  size_t most = t->addresses + (size_t)t->fabric->nodes * several;
  uint32_t *node = RIPSTOP_ARRAY(scratch, most, uint32_t), *from = RIPSTOP_ARRAY(scratch, most, uint32_t);
  uint32_t count = cover_nodes(t, several, node, from);
  ripstop_forwarding *f = forwarding_select(ripstop_arena_new(), t, node, from, count);
  f->sets = forwarding_copy_sets(f->arena, t);
  f->groups = forwarding_copy_groups(f->arena, t);
  f->lane = f->end_lane = f->next_level = NULL;
  f->lane_first = NULL;
  ripstop_arena_free(scratch);
  return f;
}

uint32_t ripstop_forwarding_most(const ripstop_forwarding *t) {
  uint32_t row = 0, most = 1;
  for (uint32_t a = 0; a < t->addresses; a++) {
    row = a > 0 && t->node[a] == t->node[a - 1] ? row + 1 : 1;
    if (row > most) most = row;
  }
  return most;
}

static bool addresses_are_alike(const ripstop_forwarding *t, uint32_t a, uint32_t b) {
  size_t switches = ripstop_fabric_switches(t->fabric);
  if (memcmp(t->port + a * switches, t->port + b * switches, switches * sizeof *t->port) != 0) return false;
  for (uint32_t row = 0; row < ripstop_forwarding_level_rows(t); row++)
    if (ripstop_forwarding_level(t, row, a) != ripstop_forwarding_level(t, row, b)) return false;
  return true;
}

static void keep_addresses(ripstop_forwarding *t, const uint32_t *kept, uint32_t count) {
  size_t switches = ripstop_fabric_switches(t->fabric), before = t->addresses;
  for (uint32_t i = 0; i < count; i++) {
    t->node[i] = t->node[kept[i]];
    memmove(t->port + i * switches, t->port + kept[i] * switches, switches * sizeof *t->port);
  }
  for (size_t row = 0; row < ripstop_forwarding_level_rows(t); row++) /* never behind what is still to be read */
    for (size_t i = 0; i < count; i++) t->level[row * count + i] = t->level[row * before + kept[i]];
  t->addresses = count;
}

bool ripstop_forwarding_fold(ripstop_forwarding *t) {
  RIPSTOP_GUARD(NULL, false);
  ripstop_arena *scratch = ripstop_arena_new();
  uint32_t *kept = RIPSTOP_ARRAY(scratch, (size_t)t->addresses + 1, uint32_t), count = 0;
  bool alike = true;
  for (uint32_t a = 0; alike && a < t->addresses; a++) {
    bool again = count > 0 && t->node[kept[count - 1]] == t->node[a];
    if (again) alike = addresses_are_alike(t, kept[count - 1], a);
    if (!again) kept[count++] = a;
  }
  bool fewer = alike && count < t->addresses;
  if (fewer) keep_addresses(t, kept, count);
  ripstop_arena_free(scratch);
  return fewer;
}

bool ripstop_forwarding_by_pair(const ripstop_forwarding *t) {
  for (uint32_t end = 1; end < ripstop_forwarding_level_rows(t); end++)
    for (uint32_t a = 0; a < t->addresses; a++) {
      uint32_t first = t->node[a] != 0 ? 0 : 1;
      if (t->node[a] != end && ripstop_forwarding_level(t, end, a) != ripstop_forwarding_level(t, first, a))
        return true;
    }
  return false;
}

/* A bit for each level that some path has. */
static uint32_t levels_in_use(const ripstop_forwarding *t) {
  uint32_t used = t->level ? 0 : 1;
  for (uint32_t row = 0; row < ripstop_forwarding_level_rows(t); row++)
    for (uint32_t a = 0; a < t->addresses; a++)
      if (t->node[a] != row || t->level_shared) used |= 1u << ripstop_forwarding_level(t, row, a);
  return used;
}

static bool row_is_plain(const ripstop_forwarding *t, uint32_t used, const uint8_t *row) {
  for (unsigned level = 0; level < RIPSTOP_LEVELS; level++)
    if ((used >> level & 1) && row[level] != level % t->lanes) return false;
  return true;
}

bool ripstop_forwarding_plain(const ripstop_forwarding *t) {
  const ripstop_fabric *f = t->fabric;
  uint32_t used = levels_in_use(t);
  if (t->next_level || t->drops) return false;
  for (uint32_t node = f->ends; t->lane && node < f->nodes; node++) {
    size_t ports = ripstop_node_ports(f, node);
    for (size_t row = 0; row < ports * ports; row++)
      if (f->peer[f->port_base[node] + row % ports] != RIPSTOP_NONE &&
          !row_is_plain(t, used, t->lane + t->lane_first[node - f->ends] + row * RIPSTOP_LEVELS))
        return false;
  }
  for (uint32_t end = 0; t->end_lane && end < f->ends; end++)
    if (!row_is_plain(t, used, t->end_lane + (size_t)end * RIPSTOP_LEVELS)) return false;
  return true;
}
