/* levels.c - finds a fat tree in the wiring alone: levels by distance from the leaves; columns, which stay connected
 * without the lower levels; and pods, which stay connected without the upper levels. */
#include "mend/levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/forest.h"
#include "base/sort.h"

enum { ROOM = 1 << 20, TABLE = 1 << 28 }; /* entries that `into` may have on any fabric, and those of columns.c */

/* Half of the switches with end nodes have at least this many. */
static uint32_t median_hosts(const switch_graph *net, uint32_t *list) {
  uint32_t count = 0;
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->hosts[s]) list[count++] = net->hosts[s];
  if (count) qsort(list, count, sizeof *list, ripstop_by_u32);
  return count ? list[count / 2] : 0;
}

static bool find_levels_from_leaves(mend_levels *l, ripstop_arena *arena) {
  const switch_graph *net = l->net;
  uint32_t *queue = RIPSTOP_ARRAY(arena, net->switches, uint32_t), head = 0, tail = 0;
  uint32_t median = median_hosts(net, queue);
  memset(l->level, 0xFF, net->switches);
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->hosts[s] && 4 * net->hosts[s] >= median) l->level[queue[tail++] = s] = 0;
  for (; head < tail; head++)
    for (uint32_t s = queue[head], i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      uint32_t next = net->to[net->out[i]];
      if (l->level[next] != UINT8_MAX) continue;
      l->level[next] = (uint8_t)(l->level[s] + 1);
      l->top = l->level[next];
      if (l->top >= MEND_LEVELS) return false;
      queue[tail++] = next;
    }
  for (uint32_t c = 0; c < net->channels; c++)
    if (l->level[net->from[c]] == l->level[net->to[c]]) return false;
  return l->top > 0;
}

/* Joins the switches that channels between the levels from..to connect: returns a representative of each component. */
static uint32_t *join(const mend_levels *l, uint32_t from, uint32_t to, ripstop_arena *arena) {
  const switch_graph *net = l->net;
  uint32_t *parent = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  for (uint32_t s = 0; s < net->switches; s++) parent[s] = l->level[s] >= from && l->level[s] <= to ? s : RIPSTOP_NONE;
  for (uint32_t c = 0; c < net->channels; c += 2) {
    if (parent[net->from[c]] == RIPSTOP_NONE || parent[net->to[c]] == RIPSTOP_NONE) continue;
    if (l->level[net->from[c]] == l->level[net->to[c]]) continue;
    uint32_t a = ripstop_root(parent, net->from[c]), b = ripstop_root(parent, net->to[c]);
    parent[a < b ? b : a] = a < b ? a : b;
  }
  for (uint32_t s = 0; s < net->switches; s++)
    if (parent[s] != RIPSTOP_NONE) parent[s] = ripstop_root(parent, s);
  return parent;
}

/* Numbers the switches of each level in each column. */
static void find_indices(mend_levels *l, ripstop_arena *arena) {
  const switch_graph *net = l->net;
  uint32_t *count = RIPSTOP_ARRAY(arena, (size_t)net->switches * MEND_LEVELS, uint32_t);
  l->index = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  l->members = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t s = 0; s < net->switches; s++) {
      if (l->level[s] > l->top) continue;
      uint32_t *of = &count[(size_t)l->above[l->level[s]][s] * MEND_LEVELS + l->level[s]];
      if (pass == 0) l->index[s] = (*of)++;
      l->members[s] = *of;
    }
}

/* Numbers the sub-pods, one level lower, in each pod. */
static void find_digits(mend_levels *l, uint32_t level, ripstop_arena *arena) {
  const switch_graph *net = l->net;
  const uint32_t *inner = l->below[level - 1], *outer = l->below[level];
  uint32_t *number = RIPSTOP_ARRAY(arena, net->switches, uint32_t),
           *count = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  l->digit[level] = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  l->digits[level] = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  for (uint32_t s = 0; s < net->switches; s++)
    if (inner[s] == s) number[s] = count[outer[s]]++;
  for (uint32_t s = 0; s < net->switches; s++) {
    if (inner[s] == RIPSTOP_NONE) continue;
    l->digit[level][s] = number[inner[s]];
    l->digits[level][s] = count[outer[s]];
  }
}

static uint32_t column_of(const mend_levels *l, uint32_t c) {
  uint32_t to = l->net->to[c];
  return l->above[l->level[to]][to];
}

static int by_column(const void *levels, const void *a, const void *b) {
  uint32_t c = *(const uint32_t *)a, d = *(const uint32_t *)b, x = column_of(levels, c), y = column_of(levels, d);
  if (x != y) return x < y ? -1 : 1;
  return c < d ? -1 : c > d;
}

static void find_ups(mend_levels *l, ripstop_arena *arena) {
  const switch_graph *net = l->net;
  uint32_t count = 0;
  l->ups = RIPSTOP_ARRAY(arena, net->channels / 2 + 1, uint32_t);
  l->up_first = RIPSTOP_ARRAY(arena, net->switches + 1, uint32_t);
  for (uint32_t s = 0; s < net->switches; s++) {
    l->up_first[s] = count;
    for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++)
      if (l->level[net->to[net->out[i]]] > l->level[s]) l->ups[count++] = net->out[i];
    uint32_t *ups = l->ups + l->up_first[s];
    if (l->shared)
      mend_columns_sort(l, ups, count - l->up_first[s]);
    else
      ripstop_sort(ups, count - l->up_first[s], sizeof *ups, by_column, l);
  }
  l->up_first[net->switches] = count;
  l->up_column = RIPSTOP_ARRAY(arena, count + 1, uint32_t);
  l->up_to = RIPSTOP_ARRAY(arena, count + 1, uint32_t);
  for (uint32_t i = 0; i < count; i++) {
    l->up_to[i] = net->to[l->ups[i]];
    l->up_column[i] = column_of(l, l->ups[i]);
  }
}

static void number_columns(mend_levels *l, ripstop_arena *arena) {
  const uint32_t switches = l->net->switches, *up_first = l->up_first;
  uint32_t *number = RIPSTOP_ARRAY(arena, switches, uint32_t);
  memset(number, 0xFF, switches * sizeof *number);
  l->column = RIPSTOP_ARRAY(arena, up_first[switches] + 1, uint32_t);
  for (uint32_t s = 0; s < switches; s++)
    for (uint32_t i = up_first[s]; l->level[s] == l->leaves && i < up_first[s + 1]; i++) {
      if (number[l->up_column[i]] == RIPSTOP_NONE) number[l->up_column[i]] = l->columns++;
      l->column[i] = number[l->up_column[i]];
    }
}

static void find_ups_by_column(mend_levels *l, ripstop_arena *arena) {
  const uint32_t switches = l->net->switches;
  number_columns(l, arena);
  if ((uint64_t)switches * l->columns > ROOM + 4 * (uint64_t)l->net->channels) l->columns = 0;
  l->into = RIPSTOP_ARRAY(arena, (size_t)switches * l->columns, uint32_t);
  memset(l->into, 0xFF, (size_t)switches * l->columns * sizeof *l->into);
  for (uint32_t s = 0; l->columns > 0 && s < switches; s++)
    for (uint32_t i = l->up_first[s]; l->level[s] == l->leaves && i < l->up_first[s + 1]; i++) {
      uint32_t *into = &l->into[(size_t)s * l->columns + l->column[i]];
      *into = *into == RIPSTOP_NONE ? i : MEND_SEVERAL;
    }
}

/* True if all leaves are alike, and the destinations of each are no multiple of its channels up. */
static bool is_uneven(const mend_levels *l) {
  const switch_graph *net = l->net;
  uint32_t hosts = 0, ups = 0;
  for (uint32_t s = 0; s < net->switches; s++) {
    if (l->level[s] != l->leaves) continue;
    if (ups == 0) hosts = net->hosts[s], ups = switch_graph_outs(net, s);
    if (net->hosts[s] != hosts || switch_graph_outs(net, s) != ups) return false;
  }
  return ups > 0 && hosts * net->addresses % ups > 0;
}

/* The leaf from which most channels lead up, those of its parents included. */
static uint32_t find_hub(const mend_levels *l) {
  uint32_t best = 0, most = 0;
  for (uint32_t s = 0; s < l->net->switches; s++) {
    const uint32_t ups = l->level[s] == l->leaves ? mend_hubs_ups(l, s) : 0;
    if (ups > most) most = ups, best = s;
  }
  return best;
}

bool mend_levels_make(mend_levels *l, const switch_graph *net, ripstop_arena *arena) {
  *l = (mend_levels){.net = net, .level = RIPSTOP_ARRAY(arena, net->switches, uint8_t)};
  if (!find_levels_from_leaves(l, arena)) l->from_top = true;
  if (l->from_top && !mend_from_top(l, arena)) return false;
  for (uint32_t level = 0; level <= l->top; level++) {
    l->above[level] = join(l, level, l->top, arena);
    l->below[level] = join(l, 0, level, arena);
  }
  bool chains = l->from_top || is_uneven(l) || mend_columns_are_shared(l, arena);
  l->shared = chains && (uint64_t)net->switches * net->switches < TABLE;
  if (l->shared) mend_columns_make(l, arena);
  find_indices(l, arena);
  for (uint32_t level = 1; level <= l->top; level++) find_digits(l, level, arena);
  find_ups(l, arena);
  find_ups_by_column(l, arena);
  l->hub = find_hub(l);
  l->detours = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  return true;
}

/* ------------------------------------------------------------------ the channel order */

/* Gives the tops of a switch to it. False: another one has some of them. */
static bool claim_tops(const mend_levels *l, uint32_t s, uint32_t *owner) {
  for (uint32_t i = l->up_first[s]; i < l->up_first[s + 1]; i++)
    if (owner[l->up_to[i]] != RIPSTOP_NONE && owner[l->up_to[i]] != s) return false;
  for (uint32_t i = l->up_first[s]; i < l->up_first[s + 1]; i++) owner[l->up_to[i]] = s;
  return true;
}

/* Marks the hub and switches with a path down to it. With `owner` it takes one of those that share tops, so that no
 * packet needs to go up from one of them and down to another. Returns how many. */
static uint32_t mark_ancestors(const mend_levels *l, uint32_t hub, uint8_t *is, uint32_t *queue, uint32_t *owner) {
  uint32_t head = 0, tail = 0;
  is[queue[tail++] = hub] = 1;
  for (; head < tail; head++)
    for (uint32_t s = queue[head], i = l->up_first[s]; i < l->up_first[s + 1]; i++) {
      uint32_t to = l->up_to[i];
      if (!is[to] && (!owner || claim_tops(l, to, owner))) is[queue[tail++] = to] = 1;
    }
  return tail;
}

/* The order of channels: up, down to the hub, up from it and from all above it, across within a level, down. So every
 * route that goes up and down once is allowed, except up from above the hub and down to above it, where a shorter route
 * exists unless switches share tops. A pair without such a route may turn at the hub. */
static uint32_t key_of(const mend_levels *l, const uint8_t *ancestor, uint32_t c) {
  uint32_t from = l->net->from[c], to = l->net->to[c], high = l->top + 1, at = l->level[from];
  if (l->level[to] == at) return 3 * high - 1;
  if (l->level[to] > at) return ancestor[from] && ancestor[to] ? 2 * high + at : at;
  return (ancestor[from] && ancestor[to] ? high : 3 * high) + (l->top - at);
}

/* True if every route that goes up and then down is allowed. */
static bool is_plain(const mend_levels *l, const mend_orders *orders) {
  const switch_graph *net = l->net;
  unsigned all = (1u << orders->lanes) - 1;
  for (uint32_t c = 0; c < net->channels; c++) {
    bool up = l->level[net->to[c]] > l->level[net->from[c]];
    if (l->level[net->to[c]] == l->level[net->from[c]]) continue; /* trees by quotas do not use it */
    for (uint32_t s = net->to[c], i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      uint32_t d = net->out[i];
      bool wanted = l->level[net->to[d]] < l->level[s] || (up && l->level[net->to[d]] > l->level[s]);
      if (wanted && !switch_graph_goes_back(net, c, d) && orders->required[switch_graph_turn(net, c, d)] != all)
        return false;
    }
  }
  return true;
}

bool mend_levels_is_busy(const mend_levels *l, ripstop_arena *scratch) {
  uint32_t *queue = RIPSTOP_ARRAY(scratch, l->net->switches, uint32_t);
  uint8_t *ancestor = RIPSTOP_ARRAY(scratch, l->net->switches, uint8_t);
  uint32_t count = mark_ancestors(l, l->hub, ancestor, queue, NULL);
  for (uint32_t i = 1; i < count; i++)
    if (l->net->hosts[queue[i]]) return true;
  return false;
}

void mend_levels_begin(mend_levels *l, mend_orders *orders, bool apart, ripstop_arena *scratch) {
  const switch_graph *net = l->net;
  uint32_t *key = RIPSTOP_ARRAY(scratch, net->channels, uint32_t),
           *queue = RIPSTOP_ARRAY(scratch, net->switches, uint32_t),
           *owner = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  uint8_t *ancestor = RIPSTOP_ARRAY(scratch, net->switches, uint8_t);
  memset(owner, 0xFF, net->switches * sizeof *owner);
  mark_ancestors(l, l->hub, ancestor, queue, apart ? owner : NULL);
  for (uint32_t c = 0; c < net->channels; c++) key[c] = key_of(l, ancestor, c);
  for (uint32_t lane = 0; lane < orders->lanes; lane++) mend_order_begin(orders, lane, key, true);
  l->plain = is_plain(l, orders);
}

uint32_t mend_levels_up_into(const mend_levels *l, const bool *leads, uint32_t s, uint32_t column, uint32_t at) {
  const uint32_t count = mend_levels_ups(l, s);
  at = at < count ? at : 0;
  for (uint32_t i = 0; i < count; i++, at = at ? at - 1 : count - 1) {
    const uint32_t up = l->up_first[s] + at;
    if (l->up_column[up] == column && leads[l->up_to[up]]) return l->ups[up];
  }
  return RIPSTOP_NONE;
}
