/* tree_blocks.c - finds the blocks of a tree by the cables that its model has, and the rows of ports on each side.
 * Cost: O(n log n) for n cables. */
#include "recognise/tree_blocks.h"

#include <stdlib.h>

#include "base/sort.h"

/* ------------------------------------------------------------------ blocks */

static uint32_t lower_of(const ripstop_model *m, const ripstop_want *w) {
  return tree_level(m, w->a) < tree_level(m, w->b) ? w->a : w->b;
}

/* Each upper switch's first lower one, by which its block is known; RIPSTOP_NONE: it has none. */
static uint32_t *find_firsts(const tree_blocks *t) {
  uint32_t *first = RIPSTOP_ARRAY(t->net->arena, t->net->switches, uint32_t);
  for (uint32_t v = 0; v < t->net->switches; v++) first[v] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < t->model->wants; i++) {
    const uint32_t low = lower_of(t->model, &t->model->want[i]), up = t->model->want[i].a + t->model->want[i].b - low;
    if (low < first[up]) first[up] = low;
  }
  return first;
}

/* Numbers blocks, those of a level after those of lower ones. */
static void number_blocks(tree_blocks *t) {
  const uint32_t *first = find_firsts(t);
  uint32_t levels = 0;
  for (uint32_t v = 0; v < t->net->switches; v++) {
    t->above[v] = t->below[v] = RIPSTOP_NONE;
    if (tree_level(t->model, v) >= levels) levels = tree_level(t->model, v) + 1;
  }
  for (uint32_t level = 1; level < levels; level++)
    for (uint32_t v = 0; v < t->net->switches; v++) {
      if (tree_level(t->model, v) != level || first[v] == RIPSTOP_NONE) continue;
      if (t->above[first[v]] == RIPSTOP_NONE) {
        t->list[t->count].level = level - 1;
        t->above[first[v]] = t->count++;
      }
      t->below[v] = t->above[first[v]];
    }
  for (uint32_t i = 0; i < t->model->wants; i++) {
    const uint32_t low = lower_of(t->model, &t->model->want[i]);
    t->above[low] = t->below[t->model->want[i].a + t->model->want[i].b - low];
  }
}

/* The switches of one side of each block. */
static void list_side(tree_blocks *t, const uint32_t *block_of, bool lower) {
  uint32_t *node = RIPSTOP_ARRAY(t->net->arena, t->net->switches, uint32_t);
  uint32_t *from = RIPSTOP_ARRAY(t->net->arena, t->count + 2, uint32_t);
  for (uint32_t v = 0; v < t->net->switches; v++)
    if (block_of[v] != RIPSTOP_NONE) from[block_of[v] + 2]++;
  for (uint32_t b = 0; b < t->count; b++) {
    from[b + 2] += from[b + 1];
    tree_side *side = lower ? &t->list[b].lower : &t->list[b].upper;
    *side = (tree_side){node + from[b + 1], from[b + 2] - from[b + 1]};
  }
  for (uint32_t v = 0; v < t->net->switches; v++)
    if (block_of[v] != RIPSTOP_NONE) node[from[block_of[v] + 1]++] = v;
}

void tree_blocks_find(tree_blocks *t, const recognised_graph *net, const ripstop_model *model) {
  *t = (tree_blocks){.net = net, .model = model};
  t->list = RIPSTOP_ARRAY(net->arena, net->switches + 1, tree_block);
  t->above = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  t->below = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  number_blocks(t);
  list_side(t, t->above, true);
  list_side(t, t->below, false);
  for (uint32_t i = 0; i < model->wants; i++) t->list[t->above[lower_of(model, &model->want[i])]].twins++;
  for (uint32_t b = 0; b < t->count; b++) t->list[b].twins /= t->list[b].lower.nodes * t->list[b].upper.nodes;
  port_habits_find(&t->habits, model, net);
}

/* ------------------------------------------------------------------ rows of ports */

static int by_port(const void *a_, const void *b_) {
  const tree_seat *a = a_, *b = b_;
  if (a->port != b->port) return a->port < b->port ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

/* The first of the ports that nearly all ends of a role use, as many as there are twins; RIPSTOP_NONE: they have no
 * such ports. */
static uint32_t home_of(const tree_blocks *t, uint64_t role, uint32_t twins) {
  uint32_t most = 0, all = 0, homes = 0, first = RIPSTOP_NONE, there = 0;
  for (uint32_t i = port_habits_first(&t->habits, role); port_habits_has(&t->habits, i, role); i++) {
    if (t->habits.list[i].times > most) most = t->habits.list[i].times;
    all += t->habits.list[i].times;
  }
  for (uint32_t i = port_habits_first(&t->habits, role); port_habits_has(&t->habits, i, role); i++) {
    const port_habit *h = &t->habits.list[i];
    if (2 * h->times < most) continue;
    if (h->port < first) first = h->port;
    homes++;
    there += h->times;
  }
  return homes > 0 && homes <= twins && 10 * (uint64_t)there >= 9 * (uint64_t)all ? first : RIPSTOP_NONE;
}

/* The most common difference between neighbours in the row, the smallest of equals; 0: it has less than two thirds of
 * them. */
static uint32_t step_of(const tree_blocks *t, const tree_seat *seat, uint32_t seats) {
  uint32_t *step = RIPSTOP_ARRAY(t->net->arena, seats, uint32_t), best = 0, times = 0;
  for (uint32_t i = 1; i < seats; i++) step[i - 1] = seat[i].port - seat[i - 1].port;
  qsort(step, seats - 1, sizeof *step, ripstop_by_u32);
  for (uint32_t i = 0, j; i < seats - 1; i = j) {
    for (j = i; j < seats - 1 && step[j] == step[i];) j++;
    if (j - i > times) best = step[i], times = j - i;
  }
  return 2 * times >= seats - 1 ? best : 0;
}

/* The row with the seats that are known; true if it has a step. */
static bool find_seats(const tree_blocks *t, const tree_block *block, bool of_lower, tree_row *row) {
  const tree_side *own = of_lower ? &block->lower : &block->upper;
  tree_seat *seat = RIPSTOP_ARRAY(t->net->arena, own->nodes, tree_seat);
  *row = (tree_row){.seat = seat, .twins = block->twins};
  for (uint32_t i = 0; i < own->nodes; i++) {
    const uint64_t kind = of_lower ? 2 : 1; /* fat_tree.c gives these roles */
    const uint32_t port = home_of(t, kind << 32 | own->node[i], block->twins);
    if (port != RIPSTOP_NONE) seat[row->seats++] = (tree_seat){own->node[i], port};
  }
  if (row->seats < 2) return false;
  qsort(seat, row->seats, sizeof *seat, by_port);
  row->step = step_of(t, seat, row->seats);
  return row->step >= block->twins && row->step > 0;
}

bool tree_row_find(const tree_blocks *t, const tree_block *block, bool of_lower, tree_row *row) {
  const tree_side *own = of_lower ? &block->lower : &block->upper;
  return find_seats(t, block, of_lower, row) && 10 * row->seats >= 9 * own->nodes;
}

/* The port that all other switches of a pod have on those above them; RIPSTOP_NONE: they have several. */
static uint32_t port_of_pod(const tree_blocks *t, uint32_t lower) {
  const tree_side *pod = &t->list[t->below[lower]].upper;
  uint32_t port = RIPSTOP_NONE;
  for (uint32_t i = 0; i < pod->nodes; i++) {
    if (pod->node[i] == lower || t->above[pod->node[i]] == RIPSTOP_NONE) continue;
    const uint32_t other = home_of(t, (uint64_t)2 << 32 | pod->node[i], t->list[t->above[pod->node[i]]].twins);
    if (port != RIPSTOP_NONE && other != RIPSTOP_NONE && other != port) return RIPSTOP_NONE;
    if (other != RIPSTOP_NONE) port = other;
  }
  return port;
}

uint32_t tree_port_lost(const tree_blocks *t, uint32_t lower) {
  tree_row row;
  if (t->above[lower] == RIPSTOP_NONE) return RIPSTOP_NONE;
  const bool regular = find_seats(t, &t->list[t->above[lower]], true, &row);
  const uint32_t port = t->below[lower] != RIPSTOP_NONE ? port_of_pod(t, lower) : RIPSTOP_NONE;
  if (port != RIPSTOP_NONE && !tree_row_has(&row, port)) return port;
  if (!regular) return RIPSTOP_NONE;
  uint32_t found = RIPSTOP_NONE;
  for (uint32_t p = row.seat[0].port; p < row.seat[row.seats - 1].port; p += row.step) {
    if (tree_row_has(&row, p)) continue;
    if (found != RIPSTOP_NONE) return RIPSTOP_NONE;
    found = p;
  }
  return found;
}

bool tree_row_has(const tree_row *row, uint32_t port) {
  for (uint32_t i = 0; i < row->seats; i++)
    if (port >= row->seat[i].port && port < row->seat[i].port + row->twins) return true;
  return false;
}

bool tree_row_has_free(const tree_row *row, uint32_t port, uint32_t beyond) {
  const uint32_t first = row->seat[0].port, last = row->seat[row->seats - 1].port, most = beyond * row->step;
  return port + most >= first && port < last + most + row->step && !tree_row_has(row, port);
}
