/* kept_tree.c - see kept_tree.h. A packet of a group holds its buffer until all its copies have left (judge.md), so
 * each cable of the tree depends on every other one at the switch it leads to: these are the tree's turns. As required
 * turns of VL 0 they go up in its order, and whatever the mender adds later goes up in the same order.
 *
 * A failed cable splits the tree. Then the cables that join its parts are tried one by one, each with all its turns. If
 * none closes no cycle, VL 0 begins again with the tree and the cable for which the fewest unicast trees move (room.c).
 *
 * Invariant between calls, if `tree` is not NULL: its cables are alive and form no cycle, and its turns are required on
 * VL 0. Cost: where no cable of the tree has changed, that of all cables; otherwise also the turns of the new ones. */
#include "mend/kept_tree.h"

#include <string.h>

#include "base/forest.h"
#include "base/local.h"
#include "mend/group_tree.h"
#include "mend/mender.h"

enum { TREE_LANE = 1 }; /* a bit for VL 0 */

static uint32_t cable_of(const ripstop_mender *m, uint32_t c) { return m->view->fabric->port_link[m->net.port[c]]; }

/* The channel of a cable from its first port; RIPSTOP_NONE: it does not join two switches that are alive. */
static uint32_t channel_of(const ripstop_mender *m, uint32_t link) {
  uint32_t c = m->net.hop[m->view->fabric->link_port[2 * (size_t)link]].channel;
  return c != RIPSTOP_NONE && m->alive[c] && m->net.from[c] != m->net.to[c] ? c : RIPSTOP_NONE;
}

bool mender_tree_turns(const ripstop_mender *m, uint32_t c, uint32_t d, unsigned lane) {
  return m->tree && lane == 0 && m->tree[cable_of(m, c)] && m->tree[cable_of(m, d)];
}

/* ------------------------------------------------------------------ one cable */

typedef struct added {
  uint32_t *turn, turns;
} added;

/* Makes a turn required; one that already is, is not listed. */
static bool require(ripstop_mender *m, uint32_t c, uint32_t d, added *list) {
  const uint32_t turn = switch_graph_turn(&m->net, c, d);
  if (m->orders.required[turn] & TREE_LANE) return true;
  if (!mender_harden(m, c, d, TREE_LANE)) return false;
  list->turn[list->turns++] = turn;
  return true;
}

/* The turns between channel c and the tree at the switch where it begins, in both directions. */
static bool require_at(ripstop_mender *m, uint32_t c, added *list) {
  const switch_graph *net = &m->net;
  bool fits = true;
  for (uint32_t i = net->out_first[net->from[c]]; fits && i < net->out_first[net->from[c] + 1]; i++) {
    const uint32_t d = net->out[i];
    if (d != c && m->tree[cable_of(m, d)]) fits = require(m, d ^ 1, c, list) && require(m, c ^ 1, d, list);
  }
  return fits;
}

/* Takes a cable into the tree if its turns close no cycle. */
static void take(ripstop_mender *m, uint32_t link, uint32_t c, uint32_t *parent, added *list) {
  list->turns = 0;
  if (require_at(m, c, list) && require_at(m, c ^ 1, list)) {
    m->tree[link] = 1;
    ripstop_join(parent, m->net.from[c], m->net.to[c]);
    return;
  }
  for (uint32_t i = 0; i < list->turns; i++) m->orders.required[list->turn[i]] &= (uint8_t)~TREE_LANE;
}

/* ------------------------------------------------------------------ the tree */

/* Components by the tree alone. */
static uint32_t *components(const ripstop_mender *m, ripstop_arena *scratch) {
  const ripstop_fabric *f = m->view->fabric;
  uint32_t *parent = ripstop_forest(scratch, m->net.switches);
  for (uint32_t link = f->link_ends; link < f->links; link++)
    if (m->tree[link]) ripstop_join(parent, m->net.from[channel_of(m, link)], m->net.to[channel_of(m, link)]);
  return parent;
}

/* True if all switches with end nodes of each component are in one tree. */
static bool is_whole(const ripstop_mender *m, uint32_t *parent, ripstop_arena *scratch) {
  uint32_t *root = RIPSTOP_ARRAY(scratch, m->net.switches, uint32_t);
  bool whole = true;
  memset(root, 0xFF, m->net.switches * sizeof *root);
  for (uint32_t s = 0; whole && s < m->net.switches; s++) {
    const uint32_t part = m->net.part[s];
    if (!m->net.hosts[s] || part == RIPSTOP_NONE) continue;
    if (root[part] == RIPSTOP_NONE) root[part] = ripstop_root(parent, s);
    whole = root[part] == ripstop_root(parent, s);
  }
  return whole;
}

/* Adds cables that join parts of the tree, those of `first` before all others. */
static void grow(ripstop_mender *m, uint32_t *parent, const uint8_t *first, ripstop_arena *scratch) {
  uint32_t cables;
  const uint32_t *order = group_cables_list(scratch, m->view, first, &cables);
  added list = {.turn = RIPSTOP_ARRAY(scratch, m->net.turns, uint32_t)};
  for (uint32_t i = 0; i < cables; i++) {
    const uint32_t c = channel_of(m, order[i]);
    if (c != RIPSTOP_NONE && ripstop_root(parent, m->net.from[c]) != ripstop_root(parent, m->net.to[c]))
      take(m, order[i], c, parent, &list);
  }
}

static void drop_failed(ripstop_mender *m) {
  const ripstop_fabric *f = m->view->fabric;
  for (uint32_t link = f->link_ends; link < f->links; link++)
    if (m->tree[link] && channel_of(m, link) == RIPSTOP_NONE) m->tree[link] = 0;
}

/* The number of trees that a component with end nodes has too many, over all components. */
static uint32_t missing(const ripstop_mender *m, uint32_t *parent, ripstop_arena *scratch) {
  bool *counted = RIPSTOP_ARRAY(scratch, m->net.switches, bool), *part = RIPSTOP_ARRAY(scratch, m->net.switches, bool);
  uint32_t roots = 0, parts = 0;
  for (uint32_t s = 0; s < m->net.switches; s++) {
    if (!m->net.hosts[s] || m->net.part[s] == RIPSTOP_NONE) continue;
    roots += !counted[ripstop_root(parent, s)];
    parts += !part[m->net.part[s]];
    counted[ripstop_root(parent, s)] = part[m->net.part[s]] = true;
  }
  return roots - parts;
}

const uint32_t *mender_tree_joins(const ripstop_mender *m, uint32_t *cables, ripstop_arena *arena) {
  uint32_t count, *parent = components(m, arena), *list = RIPSTOP_ARRAY(arena, m->view->fabric->links + 1, uint32_t);
  const uint32_t *order = group_cables_list(arena, m->view, NULL, &count);
  *cables = 0;
  if (missing(m, parent, arena) != 1) return list;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t c = channel_of(m, order[i]);
    if (c != RIPSTOP_NONE && ripstop_root(parent, m->net.from[c]) != ripstop_root(parent, m->net.to[c]))
      list[(*cables)++] = order[i];
  }
  return list;
}

void mender_tree_read(ripstop_mender *m) {
  if (!m->tree) return;
  RIPSTOP_LOCAL_ARENA(scratch);
  const size_t links = m->view->fabric->links;
  uint8_t *first = RIPSTOP_ARRAY(scratch, links + 1, uint8_t);
  memcpy(first, m->tree, links);
  memset(m->tree, 0, links);
  uint32_t *parent = components(m, scratch);
  grow(m, parent, first, scratch);
  m->tree_whole = is_whole(m, parent, scratch);
}

void mender_tree_follow(ripstop_mender *m) {
  if (!m->tree) return;
  RIPSTOP_LOCAL_ARENA(scratch);
  const bool was_whole = m->tree_whole;
  drop_failed(m);
  uint32_t *parent = components(m, scratch);
  m->tree_whole = is_whole(m, parent, scratch);
  if (m->tree_whole) return;
  grow(m, parent, NULL, scratch);
  m->tree_whole = is_whole(m, parent, scratch) || (was_whole && mender_make_room_for_tree(m));
}

/* ------------------------------------------------------------------ calls of the planner */

const uint8_t *mender_tree(const ripstop_mender *m) { return m->tree && m->tree_whole ? m->tree : NULL; }

void mender_keep_tree(ripstop_mender *m, const uint8_t *cable) {
  const size_t links = m->view->fabric->links;
  if (!m->tree) m->tree = RIPSTOP_ARRAY(m->arena, links + 1, uint8_t);
  memcpy(m->tree, cable, links);
  m->fresh = mender_read_turns(m);
}
