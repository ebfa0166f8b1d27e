/* odd_rows.c - orders and gathers the rows of odd_rows.h. Names of places are looked up only where they matter. */
#include "recognise/odd_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "fabric/ib.h"
#include "fabric/inner.h"

enum { FEW = 3 }; /* rows of a kind at one switch that stay rows of their own, and places that a gathered row shows */

/* ------------------------------------------------------------------ names in places */

/* The switch of `id[port]`, `id` or an end node's name; RIPSTOP_NONE: it is neither. */
static uint32_t switch_of(const ripstop_names *names, const char *text, size_t length) {
  const char *bracket = memchr(text, '[', length);
  size_t id = bracket ? (size_t)(bracket - text) : length;
  uint32_t node = ripstop_names_switch(names, text, id);
  if (node != RIPSTOP_NONE) return node;
  node = ripstop_names_end(names, text, length);
  return node == RIPSTOP_NONE ? node : ripstop_end_switch(ripstop_names_fabric(names), node);
}

/* One switch, or the two without the second where that is the first again. */
static unsigned differ(const uint32_t node[2]) { return node[0] == node[1] ? 1 : 2; }

/* `a-b` of two ends. A name may have hyphens of its own, so each is tried, those behind a port first. */
static unsigned both_ends(const ripstop_names *names, const char *place, uint32_t node[2]) {
  for (unsigned any = 0; any < 2; any++)
    for (const char *c = place; (c = strchr(c, '-')) != NULL; c++) {
      if (!any && (c == place || c[-1] != ']')) continue;
      node[0] = switch_of(names, place, (size_t)(c - place));
      if (node[0] != RIPSTOP_NONE) node[1] = switch_of(names, c + 1, strlen(c + 1));
      if (node[0] != RIPSTOP_NONE && node[1] != RIPSTOP_NONE) return differ(node);
    }
  return 0;
}

unsigned ripstop_odd_switches(const ripstop_names *names, const char *place, uint32_t node[2]) {
  const ripstop_fabric *f = ripstop_names_fabric(names);
  unsigned count = both_ends(names, place, node);
  if (count > 0) return count;
  node[0] = switch_of(names, place, strlen(place));
  if (node[0] != RIPSTOP_NONE) return 1;
  const uint32_t link = ripstop_names_link(names, place, strlen(place));
  if (link == RIPSTOP_NONE) return 0;
  for (unsigned side = 0; side < 2; side++) {
    node[side] = ripstop_link_node(f, link, side);
    if (ripstop_is_end(f, node[side])) node[side] = ripstop_end_switch(f, node[side]);
  }
  return differ(node);
}

/* ------------------------------------------------------------------ the order of kinds */

/* Kinds from the most important one. `slow` kinds of hosts' cables stand at "slow hosts". */
static const char *const kinds[] = {
    "truncated", "isolated switch", "isolated router", "isolated adapter", "conflicting end", "duplicate GUID",
    "port listed twice", "one id for two nodes", "listed twice", "half link", "broken line", "stray line",
    /* between switches */
    "missing uplink", "missing cable", "missing switch", "unequal planes", "cable to the wrong switch",
    "cable in the wrong port", "swapped switch cables", "cable between leaves", "cable inside a level", "extra cable",
    "foreign switch", "switch that leads nowhere", "two cables at a port", RIPSTOP_ODD_OWN_CABLE,
    "cable without a switch", "narrow cable", "slow cable", "ends disagree on width",
    /* hosts */
    "host on a spine", "wrong rail", "wrong leaf", "swapped host cables", "missing adapter", "slow hosts",
    /* LIDs and names */
    "lid used twice", "lid out of range", "no lid", "name differs"};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* A kind that the table does not have comes last. */
static uint32_t rank_of(const char *what) {
  uint32_t i = 0;
  while (i < KINDS && strcmp(kinds[i], what) != 0) i++;
  return i;
}

static bool is_slow(const char *what) { return !strcmp(what, "narrow cable") || !strcmp(what, "slow cable"); }

typedef struct ranked {
  uint32_t rank, index;
} ranked;

static int by_rank(const void *a_, const void *b_) {
  const ranked *a = a_, *b = b_;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

static void append(ripstop_odds *out, const ripstop_odds *rows) {
  for (uint32_t i = 0; rows != NULL && i < rows->count; i++) {
    RIPSTOP_GROW_IN(out->arena, out->list, out->count, out->room);
    out->list[out->count++] = rows->list[i];
  }
}

/* True if the place is the cable of a host. */
static bool is_host_cable(const ripstop_names *names, const char *place) {
  const uint32_t link = ripstop_names_link(names, place, strlen(place));
  return link != RIPSTOP_NONE && link < ripstop_names_fabric(names)->link_ends;
}

void ripstop_odd_rank(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_odds *told,
                      const ripstop_odds *odd, ripstop_odds *out) {
  ripstop_odds all = {.arena = arena};
  append(&all, told);
  append(&all, odd);
  *out = (ripstop_odds){.arena = arena};
  if (all.count == 0) return;
  ranked *order = RIPSTOP_ARRAY(arena, all.count, ranked);
  ripstop_names *names = NULL;
  for (uint32_t i = 0; i < all.count; i++) {
    const ripstop_odd *row = &all.list[i];
    order[i] = (ranked){2 * rank_of(row->what), i};
    if (!is_slow(row->what) || row->places == 0) continue;
    if (names == NULL) names = ripstop_names_new(fabric);
    if (is_host_cable(names, row->where[0])) order[i].rank = 2 * rank_of("slow hosts") - 1;
  }
  if (names != NULL) ripstop_names_free(names);
  qsort(order, all.count, sizeof *order, by_rank);
  out->list = RIPSTOP_ARRAY(arena, all.count, ripstop_odd);
  out->count = out->room = all.count;
  for (uint32_t i = 0; i < all.count; i++) out->list[i] = all.list[order[i].index];
}

/* ------------------------------------------------------------------ many of a kind at one switch */

typedef struct gatherer {
  ripstop_arena *arena;
  ripstop_names *names;
  const ripstop_odds *rows;
  uint32_t (*at)[2]; /* [rows]: the switches of a row's first place; RIPSTOP_NONE: none */
  uint32_t *times;   /* [nodes]: rows of the kind at each switch; 0 between kinds */
} gatherer;

/* The switch with most of the rows that are not done; RIPSTOP_NONE: none has more than a few. */
static uint32_t busiest(const gatherer *g, uint32_t from, uint32_t to, const bool *done) {
  uint32_t best = RIPSTOP_NONE;
  for (uint32_t i = from; i < to; i++)
    for (unsigned side = 0; side < 2 && !done[i]; side++) {
      const uint32_t v = g->at[i][side];
      if (v == RIPSTOP_NONE || ++g->times[v] <= FEW) continue;
      if (best == RIPSTOP_NONE || g->times[v] > g->times[best]) best = v;
    }
  for (uint32_t i = from; i < to; i++)
    for (unsigned side = 0; side < 2; side++)
      if (g->at[i][side] != RIPSTOP_NONE) g->times[g->at[i][side]] = 0;
  return best;
}

/* The rows at one switch as one: their number, and the first places. */
static ripstop_odd join_rows(const gatherer *g, uint32_t from, uint32_t to, uint32_t v, bool *done) {
  RIPSTOP_LOCAL_TEXT(text);
  char name[RIPSTOP_NAME_MAX];
  const ripstop_fabric *f = ripstop_names_fabric(g->names);
  const char *called = ripstop_ib_of(f) ? ripstop_ib_description(f, v) : "";
  ripstop_odds places = {.arena = g->arena};
  ripstop_odd out = {.what = g->rows->list[from].what};
  uint32_t rows = 0, shown = 0;
  ripstop_node_name(f, v, name);
  ripstop_odd_place(&places, &out, name);
  for (uint32_t i = from; i < to; i++) {
    const ripstop_odd *row = &g->rows->list[i];
    if (done[i] || (g->at[i][0] != v && g->at[i][1] != v)) continue;
    done[i] = true;
    if (rows < FEW) ripstop_text_add(&text, "%s%s", rows > 0 ? ", " : "", row->where[0]);
    if (rows < FEW) shown += row->count;
    for (uint32_t k = 0; k < row->places; k++) ripstop_odd_place(&places, &out, row->where[k]);
    out.count += row->count;
    rows++;
  }
  out.text = ripstop_arena_printf(g->arena, "%u at '%s': %s and %u more", out.count, called[0] ? called : name,
                                  text.data, out.count - shown);
  return out;
}

static void gather_kind(const gatherer *g, uint32_t from, uint32_t to, ripstop_odds *out) {
  bool *done = RIPSTOP_ARRAY(g->arena, g->rows->count, bool);
  for (uint32_t v; to - from > FEW && (v = busiest(g, from, to, done)) != RIPSTOP_NONE;) {
    const ripstop_odd row = join_rows(g, from, to, v, done);
    append(out, &(ripstop_odds){.list = (ripstop_odd *)&row, .count = 1});
  }
  for (uint32_t i = from; i < to; i++)
    if (!done[i]) append(out, &(ripstop_odds){.list = &g->rows->list[i], .count = 1});
}

void ripstop_odd_gather(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_odds *rows,
                        ripstop_odds *out) {
  *out = (ripstop_odds){.arena = arena};
  if (rows->count <= FEW) {
    append(out, rows);
    return;
  }
  gatherer g = {.arena = arena, .names = ripstop_names_new(fabric), .rows = rows};
  g.at = ripstop_arena_array(arena, rows->count, sizeof *g.at);
  g.times = RIPSTOP_ARRAY(arena, fabric->nodes, uint32_t);
  for (uint32_t i = 0; i < rows->count; i++) {
    const ripstop_odd *row = &rows->list[i];
    unsigned found = row->places > 0 ? ripstop_odd_switches(g.names, row->where[0], g.at[i]) : 0;
    for (; found < 2; found++) g.at[i][found] = RIPSTOP_NONE;
  }
  for (uint32_t i = 0, next; i < rows->count; i = next) {
    for (next = i + 1; next < rows->count && strcmp(rows->list[next].what, rows->list[i].what) == 0;) next++;
    gather_kind(&g, i, next, out);
  }
  ripstop_names_free(g.names);
}
