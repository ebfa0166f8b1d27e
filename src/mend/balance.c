/* balance.c - evens out existing tables with few changed entries. Branches move from the busiest channels to cheaper
 * ones, as when tables are made, but only a limited number of them.
 *
 * The turns of the old tables stay required, and new turns become required as branches move. For one destination no
 * two neighbours change. So packets that meet old and new entries use turns of the old tables or of the new ones; all
 * of these go up in one order, and a single write is safe. */
#include <string.h>

#include "base/local.h"
#include "mend/mender_trees.h"
#include "tables/cut_bound.h"

enum { ROUNDS = 20 };

static void make_trees(ripstop_mender *m, mend_trees *t, ripstop_arena *scratch) {
  size_t entries = (size_t)m->tables->addresses * m->net.switches;
  *t = (mend_trees){.net = &m->net, .orders = &m->orders, .random = &m->random};
  t->home = RIPSTOP_ARRAY(scratch, m->tables->addresses, uint32_t);
  t->weight = RIPSTOP_ARRAY(scratch, m->tables->addresses, uint8_t);
  t->rows = RIPSTOP_ARRAY(scratch, entries, uint16_t);
  t->row = RIPSTOP_ARRAY(scratch, m->tables->addresses, uint32_t);
  t->mask = RIPSTOP_ARRAY(scratch, entries, uint8_t);
  t->load = RIPSTOP_ARRAY(scratch, m->net.channels, uint32_t);
}

/* Reads the tree of the current destination as the next one. */
static void read_tree(ripstop_mender *m, mend_trees *t) {
  const switch_graph *net = &m->net;
  const uint32_t d = t->count++;
  t->row[d] = m->address;
  uint16_t *row = mend_trees_row(t, d);
  uint8_t *mask = t->mask + (size_t)d * net->switches, lanes = (uint8_t)mender_lanes_to(m);
  t->home[d] = m->to;
  t->weight[d] = ripstop_is_end(m->view->fabric, m->tables->node[m->address]);
  for (uint32_t s = 0; s < net->switches; s++) {
    bool there = net->part[s] == net->part[m->to];
    row[s] = there && s != m->to && mender_next(m, s) != RIPSTOP_NONE ? m->row[s] : RIPSTOP_NO_PORT;
    mask[s] = there ? lanes : 0;
  }
}

/* True if all turns to the current destination go up in the order. */
static bool goes_up(const ripstop_mender *m) {
  const switch_graph *net = &m->net;
  const uint32_t lane = (uint32_t)__builtin_ctz(mender_lanes_to(m));
  bool up = true;
  for (uint32_t s = 0; up && s < net->switches; s++) {
    if (s == m->to || net->part[s] != net->part[m->to]) continue;
    const uint32_t c = mender_next(m, s), v = c == RIPSTOP_NONE ? m->to : net->to[c];
    const uint32_t on = v == m->to ? RIPSTOP_NONE : mender_next(m, v);
    up = on == RIPSTOP_NONE || mender_turns_up(m, c, on, lane);
  }
  return up;
}

bool mender_trees_read(ripstop_mender *m, mend_trees *t, uint32_t *regular, ripstop_arena *scratch) {
  bool all = true;
  make_trees(m, t, scratch);
  for (unsigned odd = 0; all && odd < 2; odd++) {
    for (uint32_t address = 0; all && address < m->tables->addresses; address++) {
      mender_turn_to(m, address);
      if (m->to == RIPSTOP_NONE || goes_up(m) == odd) continue;
      all = mender_all_arrive(m) && (!odd || regular);
      read_tree(m, t);
    }
    if (!odd && regular) *regular = t->count;
  }
  for (uint32_t d = 0; all && d < t->count; d++) mend_trees_add(t, d, true);
  return all;
}

/* Entries that a repair has just changed count as changed, too. */
static void mark_changed(const ripstop_mender *m, mend_trees *t, ripstop_arena *scratch) {
  uint32_t d = 0;
  t->changed = RIPSTOP_ARRAY(scratch, (size_t)t->count * m->net.switches, uint8_t);
  for (uint32_t i = 0; i < m->log.entries; i++) {
    while (d < t->count && t->row[d] < m->log.entry[i].address) d++;
    if (d < t->count && t->row[d] == m->log.entry[i].address)
      t->changed[(size_t)d * m->net.switches + (m->log.entry[i].switch_ - m->view->fabric->ends)] = 1;
  }
}

void mender_trees_write(ripstop_mender *m, const mend_trees *t) {
  for (uint32_t d = 0; d < t->count; d++) {
    const uint16_t *row = mend_trees_row(t, d);
    mender_turn_to(m, t->row[d]);
    for (uint32_t s = 0; s < m->net.switches; s++)
      if (row[s] != RIPSTOP_NO_PORT && row[s] != m->row[s]) mender_write(m, s, row[s]);
  }
  memcpy(m->load, t->load, m->net.channels * sizeof *m->load);
  m->counted = true;
}

static uint64_t enough_for(const ripstop_mender *m, ripstop_arena *scratch) {
  switch_graph alive;
  switch_graph_make(&alive, m->view, (switch_graph_kind){0}, scratch);
  alive.addresses = ripstop_forwarding_most(m->tables);
  return cut_bound_enough(&alive, scratch);
}

void mender_balance(ripstop_mender *m, uint32_t most) {
  RIPSTOP_LOCAL_ARENA(scratch);
  mend_trees t;
  if (!mender_trees_read(m, &t, NULL, scratch)) return;
  mark_changed(m, &t, scratch);
  mend_trees_loosen(&t, scratch);
  mend_trees_polish(&t, ROUNDS, enough_for(m, scratch), MEND_STEEP, most);
  mender_trees_write(m, &t);
}
