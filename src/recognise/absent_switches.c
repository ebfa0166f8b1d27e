/* absent_switches.c - finds leaves and spines of a fat tree that are not there at all, by two signs.
 *
 * - Ports. The switches of a block have ports in equal steps on those of its other side (tree_blocks.h). A place in the
 *   row without a switch is a sign if its ports are empty on nine of ten switches.
 * - Names. The names of one side of a block differ in one number, and a number is left out.
 * With both signs a switch is absent; with one it may be. One that two blocks miss, as a spine is missed by its leaves
 * and by its cores, is one switch. */
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "recognise/name_series.h"
#include "recognise/recognised_graph.h"
#include "recognise/tree_blocks.h"

/* A switch that is missed on one side of a block. */
typedef struct absence {
  const tree_block *block;
  bool of_lower;
  uint32_t port;      /* its first one on the other side; RIPSTOP_NONE: only the names miss it */
  uint32_t number;    /* in the series of names; RIPSTOP_NONE: only the ports miss it */
  const char *name;   /* NULL: not known */
  const char **ports; /* [ends] */
  uint32_t ends, room;
  bool joined; /* to another one */
} absence;

typedef struct finder {
  const recognised_graph *net;
  const tree_blocks *blocks;
  absence *list;
  uint32_t count, room;
} finder;

/* ------------------------------------------------------------------ ports */

/* Adds the ports of a place that are empty; false: they are not on nine of ten switches. */
static bool list_ports(const finder *f, absence *a, uint32_t twins) {
  const tree_side *other = a->of_lower ? &a->block->upper : &a->block->lower;
  for (uint32_t k = 0; k < twins; k++)
    for (uint32_t i = 0; i < other->nodes; i++) {
      if (!recognised_port_is_free(f->net, other->node[i], a->port + k)) continue;
      RIPSTOP_GROW_IN(f->net->arena, a->ports, a->ends, a->room);
      a->ports[a->ends++] = recognised_end(f->net, other->node[i], a->port + k);
    }
  return 10 * (uint64_t)a->ends >= 9 * (uint64_t)twins * other->nodes;
}

static void add(finder *f, const absence *a) {
  RIPSTOP_GROW_IN(f->net->arena, f->list, f->count, f->room);
  f->list[f->count++] = *a;
}

/* Switches on one side of a block that lost all cables to the other one. */
static uint32_t count_cut_off(const finder *f, const tree_side *side, bool lower) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < side->nodes; i++) {
    const uint64_t role = (uint64_t)(lower ? 2 : 1) << 32 | side->node[i]; /* fat_tree.c gives these roles */
    count += !port_habits_has(&f->blocks->habits, port_habits_first(&f->blocks->habits, role), role);
  }
  return count;
}

/* Places between two switches of a row. A wide gap is how the fabric was built. A switch of the block that lost all its
 * cables has a place too: no more places than such switches show none that is absent. */
static void find_gaps(finder *f, const tree_block *block, bool of_lower, const tree_row *row) {
  enum { WIDEST = 4 };
  const uint32_t from = f->count;
  for (uint32_t i = 1; i < row->seats; i++) {
    const uint32_t steps = (row->seat[i].port - row->seat[i - 1].port) / row->step;
    if ((row->seat[i].port - row->seat[i - 1].port) % row->step != 0 || steps > WIDEST + 1) continue;
    for (uint32_t k = 1; k < steps; k++) {
      absence a = {
          .block = block, .of_lower = of_lower, .port = row->seat[i - 1].port + k * row->step, .number = RIPSTOP_NONE};
      if (list_ports(f, &a, row->twins)) add(f, &a);
    }
  }
  if (f->count - from <= count_cut_off(f, of_lower ? &block->lower : &block->upper, of_lower)) f->count = from;
}

/* ------------------------------------------------------------------ names */

/* The names of one side of a block, by its order. */
typedef struct side_names {
  const tree_side *side;
  name_series series;
  bool found;
} side_names;

static side_names name_side(const finder *f, const tree_side *side) {
  ripstop_arena *arena = f->net->arena;
  const char **name = RIPSTOP_ARRAY(arena, side->nodes, const char *);
  side_names out = {.side = side};
  for (uint32_t i = 0; i < side->nodes; i++)
    name[i] = name_series_short(arena, recognised_called(f->net, side->node[i]));
  out.found = name_series_find(arena, name, side->nodes, &out.series);
  if (out.found) return out;
  for (uint32_t i = 0; i < side->nodes; i++) name[i] = recognised_called(f->net, side->node[i]); /* chips of one name */
  out.found = name_series_find(arena, name, side->nodes, &out.series);
  return out;
}

static uint32_t number_of(const side_names *n, uint32_t node) {
  for (uint32_t i = 0; i < n->side->nodes; i++)
    if (n->side->node[i] == node) return n->series.number[i];
  return RIPSTOP_NONE;
}

/* True if a switch of the fabric has the name, or it was given to an absent one. */
static bool is_taken(const finder *f, const recognised_graph *whole, const char *name) {
  for (uint32_t v = 0; v < whole->switches; v++)
    if (strcmp(name_series_short(f->net->arena, recognised_called(whole, v)), name) == 0) return true;
  return false;
}

/* The number for the k-th of some places between two switches, by theirs; RIPSTOP_NONE: they do not show it. */
static uint32_t number_between(uint32_t before, uint32_t after, uint32_t k, uint32_t steps) {
  if (before == RIPSTOP_NONE || after == RIPSTOP_NONE) return RIPSTOP_NONE;
  if (after > before && after - before == steps) return before + k;
  if (before > after && before - after == steps) return before - k;
  return RIPSTOP_NONE;
}

/* A row of two has one step, which says nothing; the numbers of their names may divide it. */
static void divide_step(tree_row *row, const side_names *names) {
  const uint32_t a = number_of(names, row->seat[0].node), b = number_of(names, row->seat[1].node);
  if (row->seats != 2 || a == RIPSTOP_NONE || b == RIPSTOP_NONE) return;
  const uint32_t apart = a < b ? b - a : a - b;
  if (apart > 1 && row->step % apart == 0 && row->step / apart >= row->twins) row->step /= apart;
}

/* Names the places of a row by the switches at both sides of each gap. */
static void name_gaps(finder *f, const recognised_graph *whole, uint32_t from, const tree_row *row,
                      const side_names *names) {
  for (uint32_t j = from; names->found && j < f->count; j++) {
    absence *a = &f->list[j];
    uint32_t i = 1;
    while (row->seat[i].port < a->port) i++;
    const uint32_t first = row->seat[i - 1].port, steps = (row->seat[i].port - first) / row->step;
    const uint32_t number = number_between(number_of(names, row->seat[i - 1].node), number_of(names, row->seat[i].node),
                                           (a->port - first) / row->step, steps);
    if (number == RIPSTOP_NONE) continue;
    const char *name = name_series_name(f->net->arena, &names->series, number);
    if (is_taken(f, whole, name)) continue;
    a->number = number;
    a->name = name;
  }
}

/* True if a number of the series belongs to a switch, or to an absence from an index on. */
static bool has_number(const finder *f, uint32_t from, const side_names *names, uint32_t number) {
  for (uint32_t i = 0; i < names->side->nodes; i++)
    if (names->series.number[i] == number) return true;
  for (uint32_t j = from; j < f->count; j++)
    if (f->list[j].number == number) return true;
  return false;
}

/* Numbers that all names of a side leave out, no more than one in ten: a place without a name takes the first, others
 * are missed by the names alone. */
static void find_left_out(finder *f, const recognised_graph *whole, const tree_block *block, bool of_lower,
                          uint32_t from, const side_names *names) {
  enum { FEWEST = 4, SHARE = 10 };
  const name_series *s = &names->series;
  const uint32_t nodes = names->side->nodes, places = f->count - from;
  if (!names->found || s->members < nodes) return;
  const uint32_t left_out = s->most - s->least + 1 - nodes;
  if (left_out == 0 || (nodes < FEWEST && left_out > places) || left_out > places + 1 + nodes / SHARE) return;
  for (uint32_t number = s->least; number < s->most; number++) {
    if (has_number(f, from, names, number)) continue;
    const char *name = name_series_name(f->net->arena, s, number);
    if (is_taken(f, whole, name)) continue;
    uint32_t j = from;
    while (j < f->count && f->list[j].number != RIPSTOP_NONE) j++;
    if (j == f->count) add(f, &(absence){.block = block, .of_lower = of_lower, .port = RIPSTOP_NONE});
    f->list[j].number = number;
    f->list[j].name = name;
  }
}

/* ------------------------------------------------------------------ both */

static void look_at_side(finder *f, const recognised_graph *whole, const tree_block *block, bool of_lower) {
  const uint32_t from = f->count;
  const side_names names = name_side(f, of_lower ? &block->lower : &block->upper);
  tree_row row;
  if (tree_row_find(f->blocks, block, of_lower, &row)) {
    if (names.found) divide_step(&row, &names);
    find_gaps(f, block, of_lower, &row);
    name_gaps(f, whole, from, &row, &names);
  }
  find_left_out(f, whole, block, of_lower, from, &names);
}

/* The first port that most upper switches of a block have on those above them: the place of their pod; RIPSTOP_NONE:
 * they have none. */
static uint32_t pod_port(const finder *f, const tree_block *block) {
  uint32_t port = RIPSTOP_NONE;
  for (uint32_t i = 0; i < block->upper.nodes; i++) {
    const uint32_t above = f->blocks->above[block->upper.node[i]];
    tree_row row;
    if (above == RIPSTOP_NONE || !tree_row_find(f->blocks, &f->blocks->list[above], true, &row)) continue;
    for (uint32_t k = 0; k < row.seats; k++)
      if (row.seat[k].node == block->upper.node[i]) port = row.seat[k].port;
  }
  return port;
}

/* True if one is missed by those below it, and the other by those above it, and both may be the same switch. */
static bool may_be_same(const finder *f, const absence *below, const absence *above) {
  if (below->of_lower || !above->of_lower || above->block->level != below->block->level + 1) return false;
  if (below->name != NULL && above->name != NULL) return strcmp(below->name, above->name) == 0;
  return above->port != RIPSTOP_NONE && pod_port(f, below->block) == above->port;
}

static void join(finder *f) {
  for (uint32_t i = 0; i < f->count; i++)
    for (uint32_t j = 0; j < f->count && !f->list[i].joined; j++) {
      absence *below = &f->list[i], *above = &f->list[j];
      if (i == j || above->joined || !may_be_same(f, below, above)) continue;
      for (uint32_t k = 0; k < above->ends; k++) {
        RIPSTOP_GROW_IN(f->net->arena, below->ports, below->ends, below->room);
        below->ports[below->ends++] = above->ports[k];
      }
      if (below->name == NULL) below->name = above->name;
      if (below->port == RIPSTOP_NONE) below->port = above->port;
      above->joined = true;
      break;
    }
}

static ripstop_absent in_words(const absence *a, ripstop_arena *arena) {
  const bool leaf = a->of_lower && a->block->level == 0, sure = a->ends > 0 && a->name != NULL;
  const char *what = leaf ? "leaf" : "spine";
  const char **port = RIPSTOP_ARRAY(arena, a->ends, const char *);
  for (uint32_t i = 0; i < a->ends; i++) port[i] = ripstop_arena_text(arena, a->ports[i]);
  ripstop_absent out = {.what = what, .port = port, .ports = a->ends, .sure = sure};
  if (a->name != NULL) out.name = ripstop_arena_text(arena, a->name);
  if (sure)
    out.text = ripstop_arena_printf(arena, "the %s '%s' is not there: its ports are empty on all of its neighbours",
                                    what, a->name);
  else if (a->name != NULL)
    out.text = ripstop_arena_printf(arena, "a %s '%s' may be absent: the names leave its number out", what, a->name);
  else
    out.text = ripstop_arena_printf(arena, "a %s may be absent: the ports for it are empty, from %s on", what, port[0]);
  return out;
}

void recognised_find_absent(const recognised_graph *net, const recognised_graph *whole, const ripstop_model *model,
                            ripstop_arena *arena, ripstop_recognised *out) {
  tree_blocks blocks;
  tree_blocks_find(&blocks, net, model);
  finder f = {.net = net, .blocks = &blocks};
  for (uint32_t i = 0; i < blocks.count; i++) {
    look_at_side(&f, whole, &blocks.list[i], true);
    look_at_side(&f, whole, &blocks.list[i], false);
  }
  join(&f);
  ripstop_absent *list = RIPSTOP_ARRAY(arena, f.count + 1, ripstop_absent);
  for (uint32_t i = 0; i < f.count; i++)
    if (!f.list[i].joined) list[out->absents++] = in_words(&f.list[i], arena);
  out->absent = list;
}
