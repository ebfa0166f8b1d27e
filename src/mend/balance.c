/* balance.c - evens out existing tables with few changed entries. Branches move from the busiest channels to cheaper
 * ones, as when tables are made, but only a limited number of them.
 *
 * The turns of the old tables stay required, and new turns become required as branches move. For one destination no
 * two neighbours change. So packets that meet old and new entries use turns of the old tables or of the new ones; all
 * of these go up in one order, and a single write is safe. */
#include <string.h>

#include "base/local.h"
#include "mend/mender.h"
#include "mend/trees.h"
#include "tables/cut_bound.h"

enum { ROUNDS = 20 };

typedef struct balance {
  ripstop_mender *m;
  mend_trees t; /* `row`: by address */
} balance;

static void make_trees(balance *b, ripstop_arena *scratch) {
  ripstop_mender *m = b->m;
  size_t entries = (size_t)m->tables->addresses * m->net.switches;
  b->t = (mend_trees){.net = &m->net, .orders = &m->orders, .random = &m->random};
  b->t.home = RIPSTOP_ARRAY(scratch, m->tables->addresses, uint32_t);
  b->t.weight = RIPSTOP_ARRAY(scratch, m->tables->addresses, uint8_t);
  b->t.rows = RIPSTOP_ARRAY(scratch, entries, uint16_t);
  b->t.row = RIPSTOP_ARRAY(scratch, m->tables->addresses, uint32_t);
  b->t.mask = RIPSTOP_ARRAY(scratch, entries, uint8_t);
  b->t.load = RIPSTOP_ARRAY(scratch, m->net.channels, uint32_t);
}

/* Reads the tree of the current destination. False: the tables come from elsewhere, and do not serve all switches or
 * use a turn against the order. */
static bool read_tree(balance *b) {
  ripstop_mender *m = b->m;
  const switch_graph *net = &m->net;
  uint32_t d = b->t.count++;
  b->t.row[d] = m->address;
  uint16_t *row = mend_trees_row(&b->t, d);
  uint8_t *mask = b->t.mask + (size_t)d * net->switches, lanes = (uint8_t)mender_lanes_to(m);
  b->t.home[d] = m->to;
  b->t.weight[d] = ripstop_is_end(m->view->fabric, m->tables->node[m->address]);
  if (!mender_all_arrive(m)) return false;
  for (uint32_t s = 0; s < net->switches; s++) {
    bool there = net->part[s] == net->part[m->to];
    row[s] = there && s != m->to && mender_next(m, s) != RIPSTOP_NONE ? m->row[s] : RIPSTOP_NO_PORT;
    mask[s] = there ? lanes : 0;
  }
  bool up = true;
  for (uint32_t s = 0; up && s < net->switches; s++) {
    uint32_t c = switch_graph_next(net, row, s), on = c == RIPSTOP_NONE ? c : switch_graph_next(net, row, net->to[c]);
    up = on == RIPSTOP_NONE || mender_turns_up(m, c, on, (uint32_t)__builtin_ctz(lanes));
  }
  return up;
}

static bool read_trees(balance *b) {
  bool all = true;
  for (uint32_t address = 0; all && address < b->m->tables->addresses; address++) {
    mender_turn_to(b->m, address);
    all = b->m->to == RIPSTOP_NONE || read_tree(b);
  }
  for (uint32_t d = 0; all && d < b->t.count; d++) mend_trees_add(&b->t, d, true);
  return all;
}

/* Entries that a repair has just changed count as changed, too. */
static void mark_changed(balance *b, ripstop_arena *scratch) {
  const ripstop_mender *m = b->m;
  uint32_t d = 0;
  b->t.changed = RIPSTOP_ARRAY(scratch, (size_t)b->t.count * m->net.switches, uint8_t);
  for (uint32_t i = 0; i < m->log.entries; i++) {
    while (d < b->t.count && b->t.row[d] < m->log.entry[i].address) d++;
    if (d < b->t.count && b->t.row[d] == m->log.entry[i].address)
      b->t.changed[(size_t)d * m->net.switches + (m->log.entry[i].switch_ - m->view->fabric->ends)] = 1;
  }
}

static void write_trees(balance *b) {
  ripstop_mender *m = b->m;
  for (uint32_t d = 0; d < b->t.count; d++) {
    const uint16_t *row = mend_trees_row(&b->t, d);
    mender_turn_to(m, b->t.row[d]);
    for (uint32_t s = 0; s < m->net.switches; s++)
      if (row[s] != RIPSTOP_NO_PORT && row[s] != m->row[s]) mender_write(m, s, row[s]);
  }
  memcpy(m->load, b->t.load, m->net.channels * sizeof *m->load);
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
  balance b = {.m = m};
  make_trees(&b, scratch);
  if (read_trees(&b)) {
    mark_changed(&b, scratch);
    mend_trees_loosen(&b.t, scratch);
    mend_trees_polish(&b.t, ROUNDS, enough_for(m, scratch), MEND_STEEP, most);
    write_trees(&b);
  }
}
