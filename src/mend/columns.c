/* columns.c - columns of a tree whose switches share their tops: several switches of a pod have the same switches
 * above them, as in directors and in fabrics with planes. Such a tree is k plain trees that share tops: the first
 * switch of each pod belongs to the first of them, the second to the second, and so on. So a column has one switch of
 * each pod, and the tree of a destination needs one column.
 *
 * A switch joins the column with which it shares most switches above, if none of its switches below is in that column
 * already. Half and a quarter stand for all and none, since cables may have failed, and small parts hang anywhere. */
#include <string.h>

#include "base/local.h"
#include "base/sort.h"
#include "mend/levels.h"

typedef struct finder {
  mend_levels *l;
  const switch_graph *net;
  uint32_t columns;  /* so far, on the present level */
  uint32_t *first;   /* [columns]: its first switch, which names it */
  uint8_t *touches;  /* [columns * switches]: a switch of the column has a channel from or to this one */
  uint32_t *highest; /* [switches]: columns of a plane, by its name */
} finder;

static bool leads_up(const mend_levels *l, uint32_t c) { return l->level[l->net->to[c]] > l->level[l->net->from[c]]; }

/* Channels of a switch up, or down, and those of them that lead to a switch that the column touches. */
static uint32_t count_shared(const finder *f, uint32_t s, uint32_t column, bool up, uint32_t *all) {
  const switch_graph *net = f->net;
  const uint8_t *touches = f->touches + (size_t)column * net->switches;
  uint32_t shared = 0;
  *all = 0;
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
    uint32_t c = net->out[i];
    if (f->l->level[net->to[c]] == f->l->level[s] || leads_up(f->l, c) != up) continue;
    ++*all;
    shared += touches[net->to[c]];
  }
  return shared;
}

/* The column that a switch joins; if there is none, *plane is one whose tops it shares, or RIPSTOP_NONE. */
static uint32_t find_column(const finder *f, uint32_t s, uint32_t *plane) {
  uint32_t best = RIPSTOP_NONE, most = 0, most_of_plane = 0, ups, downs;
  *plane = RIPSTOP_NONE;
  for (uint32_t k = 0; k < f->columns; k++) {
    uint32_t above = count_shared(f, s, k, true, &ups), below = count_shared(f, s, k, false, &downs);
    if (2 * above < ups || above == 0) continue;
    if (above > most_of_plane) most_of_plane = above, *plane = k;
    if (4 * below > downs || above <= most) continue;
    most = above;
    best = k;
  }
  return best;
}

static void join_column(finder *f, uint32_t s, uint32_t column) {
  const switch_graph *net = f->net;
  f->l->above[f->l->level[s]][s] = f->first[column];
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++)
    f->touches[(size_t)column * net->switches + net->to[net->out[i]]] = 1;
}

static void find_columns_of(finder *f, uint32_t level) {
  mend_levels *l = f->l;
  f->columns = 0;
  for (uint32_t s = 0; s < f->net->switches; s++) {
    uint32_t plane;
    if (l->level[s] != level) continue;
    uint32_t column = find_column(f, s, &plane);
    if (column == RIPSTOP_NONE) {
      column = f->columns++;
      memset(f->touches + (size_t)column * f->net->switches, 0, f->net->switches);
      f->first[column] = s;
      l->plane[s] = plane == RIPSTOP_NONE ? s : l->plane[f->first[plane]];
      l->place[s] = f->highest[l->plane[s]]++;
    }
    join_column(f, s, column);
  }
}

/* A switch whose tops others share: all of a plane are counted, so that their destinations can take turns. */
static void count_planes(finder *f) {
  mend_levels *l = f->l;
  for (uint32_t s = 0; s < f->net->switches; s++) {
    if (l->level[s] > l->top) continue;
    uint32_t column = l->level[s] == l->leaves ? s : l->above[l->level[s]][s];
    l->plane[s] = l->plane[column];
    l->place[s] = l->place[column];
    l->places[s] = f->highest[l->plane[s]];
  }
}

/* The leaves of a component are one column. Every switch below leaves, or at the top, has its own. */
static void find_plain_columns(finder *f) {
  mend_levels *l = f->l;
  uint32_t *leaf = f->first; /* by component: its first leaf */
  memset(leaf, 0xFF, f->net->switches * sizeof *leaf);
  for (uint32_t s = 0; s < f->net->switches; s++) {
    if (l->level[s] > l->top) continue;
    uint32_t part = f->net->part[s];
    if (l->level[s] == l->leaves && leaf[part] == RIPSTOP_NONE) leaf[part] = s;
    l->above[l->level[s]][s] = l->level[s] == l->leaves ? leaf[part] : s;
    l->plane[s] = s;
    f->highest[s] = 1;
  }
}

/* The number of a channel among those of its switch to the same switch. */
static uint32_t twin_number(const switch_graph *net, uint32_t c) {
  uint32_t number = 0;
  for (uint32_t s = net->from[c], i = net->out_first[s]; net->out[i] != c; i++)
    number += net->to[net->out[i]] == net->to[c];
  return number;
}

/* Neighbours in this order share neither a switch nor, if possible, tops. */
static int by_twin(const void *levels, const void *a, const void *b) {
  const mend_levels *l = levels;
  uint32_t c = *(const uint32_t *)a, d = *(const uint32_t *)b, x = l->net->to[c], y = l->net->to[d];
  if (l->twin[c] != l->twin[d]) return l->twin[c] < l->twin[d] ? -1 : 1;
  if (l->place[x] != l->place[y]) return l->place[x] < l->place[y] ? -1 : 1;
  if (l->plane[x] != l->plane[y]) return l->plane[x] < l->plane[y] ? -1 : 1;
  return c < d ? -1 : c > d;
}

void mend_columns_sort(mend_levels *l, uint32_t *ups, uint32_t count) {
  ripstop_sort(ups, count, sizeof *ups, by_twin, l);
}

/* True if two switches of a pod are in one column, or two channels lead to one switch. */
bool mend_columns_are_shared(const mend_levels *l, ripstop_arena *scratch) {
  const switch_graph *net = l->net;
  uint32_t *last = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  for (uint32_t s = 0; s < net->switches; s++)
    for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      uint32_t to = net->to[net->out[i]], level = l->level[to];
      if (level > l->top || level <= l->level[s]) continue;
      uint32_t *seen = &last[l->above[level][to]];
      if (*seen == s + 1) return true;
      *seen = s + 1;
    }
  return false;
}

void mend_columns_make(mend_levels *l, ripstop_arena *arena) {
  const switch_graph *net = l->net;
  finder f = {.l = l, .net = net};
  size_t widest = 0, count[MEND_LEVELS] = {0};
  uint32_t **const rows[] = {&l->plane, &l->place, &l->places, &f.first, &f.highest};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  l->twin = RIPSTOP_ARRAY(arena, net->channels, uint32_t);
  for (uint32_t c = 0; c < net->channels; c++) l->twin[c] = twin_number(net, c);
  for (uint32_t s = 0; s < net->switches; s++)
    if (l->level[s] > l->leaves && l->level[s] < l->top && ++count[l->level[s]] > widest) widest = count[l->level[s]];
  f.touches = RIPSTOP_ARRAY(arena, widest * net->switches, uint8_t);
  find_plain_columns(&f);
  for (uint32_t s = 0; s < net->switches; s++)
    if (l->level[s] > l->leaves && l->level[s] < l->top) f.highest[s] = 0;
  for (uint32_t level = l->top; level-- > l->leaves + 1;) find_columns_of(&f, level);
  count_planes(&f);
}
