/* return_steps.c - see return_steps.h. Each move gives one switch of one destination's tree the channel that it has in
 * the plan. A move is made if its turns close no cycle with the required turns of the VC and if no channel then carries
 * more than the bar. Moves that are made open others, so passes repeat until none is left.
 *
 * Then moves come in bundles: one that loads a channel too much, and after it those that relieve such channels. A
 * bundle that does not end below the bar is undone.
 *
 * Where trees of a VC block each other no sequence of moves helps: see mender_detour in room.c.
 *
 * With `single` the turns of old entries stay required, and no two neighbours change for one destination. So packets
 * that meet old and new entries only make turns of the old tables or of the new ones, all of which go up in one order.
 */
#include "mend/return_steps.h"

#include <string.h>

#include "base/local.h"
#include "mend/mender_trees.h"

typedef struct move {
  uint32_t d, s, old; /* old: the channel before */
} move;

typedef struct steps {
  ripstop_mender *m;
  const plan_step *step;
  mend_trees t;
  uint32_t regular; /* the first destinations: all their turns go up */
  uint32_t *branch; /* [switches] */
  uint8_t *same;    /* [destinations]: service levels are those of the plan */
  move *done;       /* [most] */
  uint64_t moved;
  uint64_t excess; /* paths above the bar, over all channels */
} steps;

/* ------------------------------------------------------------------ one move */

static uint32_t planned(const steps *b, uint32_t d, uint32_t s) {
  const switch_graph *net = b->t.net;
  const uint32_t port = net->first_port[s] + b->step->plan->port[(size_t)b->t.row[d] * net->switches + s];
  return port < net->first_port[s + 1] ? net->hop[port].channel : RIPSTOP_NONE;
}

/* True if the entry is not the plan's, and may become so. */
static bool differs(const steps *b, uint32_t d, uint32_t s) {
  const uint16_t *row = mend_trees_row(&b->t, d);
  const uint32_t c = row[s] == RIPSTOP_NO_PORT ? RIPSTOP_NONE : planned(b, d, s);
  return b->same[d] && c != RIPSTOP_NONE && b->m->alive[c] && c != switch_graph_next(b->t.net, row, s);
}

/* End nodes of the switches whose path leads over s, s included. */
static uint32_t ends_over(const steps *b, const uint16_t *row, uint32_t s) {
  const switch_graph *net = b->t.net;
  uint32_t members = 0, ends = 0;
  b->branch[members++] = s;
  for (uint32_t head = 0; head < members; head++) {
    const uint32_t v = b->branch[head];
    ends += net->hosts[v];
    for (uint32_t i = net->out_first[v]; i < net->out_first[v + 1]; i++)
      if (row[net->side[i].to] == net->side[i].back && b->m->alive[net->side[i].out])
        b->branch[members++] = net->side[i].to;
  }
  return ends;
}

static uint64_t over(const steps *b, uint32_t c) {
  return b->t.load[c] > b->step->bar ? b->t.load[c] - b->step->bar : 0;
}

/* Adds paths from channel c on to the end. */
static void lay(steps *b, const uint16_t *row, uint32_t c, uint32_t paths) {
  while (c != RIPSTOP_NONE) {
    b->excess -= over(b, c);
    b->t.load[c] += paths;
    b->excess += over(b, c);
    c = switch_graph_next(b->t.net, row, b->t.net->to[c]);
  }
}

/* True if the path from channel c leads over s. */
static bool leads_back(const steps *b, const uint16_t *row, uint32_t c, uint32_t s) {
  while (c != RIPSTOP_NONE && b->t.net->to[c] != s) c = switch_graph_next(b->t.net, row, b->t.net->to[c]);
  return c != RIPSTOP_NONE;
}

/* True if the entry, or that of a neighbour, has changed where only one may. */
static bool is_near_change(const steps *b, uint32_t d, uint32_t s) {
  const switch_graph *net = b->t.net;
  const uint8_t *changed = b->t.changed ? b->t.changed + (size_t)d * net->switches : NULL;
  bool near = changed && changed[s];
  for (uint32_t i = net->out_first[s]; changed && !near && i < net->out_first[s + 1]; i++)
    near = changed[net->to[net->out[i]]];
  return near;
}

/* If no end node sends over s, the turns are those of switches alone, which give way. They are not counted then, so
 * the destination has no more moves. */
static bool gives_way(steps *b, uint32_t d, uint32_t s, uint32_t ends) {
  if (ends > 0 || is_near_change(b, d, s)) return false;
  if (b->t.changed) b->t.changed[(size_t)d * b->t.net->switches + s] = 1;
  if (d < b->regular) b->same[d] = 0;
  return true;
}

static bool may_turn(steps *b, uint32_t d, uint32_t s, uint32_t c, uint32_t ends) {
  return (d < b->regular && mend_trees_turn_to(&b->t, d, s, c)) || gives_way(b, d, s, ends);
}

/* Gives s another channel, if the turns and the excess allow it. */
static bool turn_to(steps *b, uint32_t d, uint32_t s, uint32_t c, uint64_t excess) {
  uint16_t *row = mend_trees_row(&b->t, d);
  if (leads_back(b, row, c, s)) return false;
  const uint32_t old = switch_graph_next(b->t.net, row, s), ends = ends_over(b, row, s),
                 paths = b->t.weight[d] ? ends : 0;
  lay(b, row, old, 0u - paths);
  lay(b, row, c, paths);
  if (b->excess <= excess && may_turn(b, d, s, c, ends)) {
    row[s] = b->t.net->local[c];
    return true;
  }
  lay(b, row, c, 0u - paths);
  lay(b, row, old, paths);
  return false;
}

static bool make_move(steps *b, uint32_t d, uint32_t s, uint64_t excess) {
  if (b->moved == b->step->most || !differs(b, d, s)) return false;
  const uint32_t old = switch_graph_next(b->t.net, mend_trees_row(&b->t, d), s);
  if (!turn_to(b, d, s, planned(b, d, s), excess)) return false;
  b->done[b->moved++] = (move){d, s, old};
  return true;
}

/* Undoes the last moves in reverse: every state in between was one before. */
static void undo(steps *b, uint64_t moved) {
  while (b->moved > moved) {
    const move *last = &b->done[--b->moved];
    uint8_t *changed = b->t.changed ? b->t.changed + (size_t)last->d * b->t.net->switches + last->s : NULL;
    if (changed) *changed = 0;
    if (b->t.vain) memset(b->t.vain, 0, b->t.net->turns);
    turn_to(b, last->d, last->s, last->old, UINT64_MAX);
    if (changed) *changed = 0;
  }
}

/* ------------------------------------------------------------------ many moves */

enum { PASSES = 16, BUNDLES = 200, BUNDLE_ENTRIES = 20000000 }; /* BUNDLE_ENTRIES: that are looked at for bundles */

/* All that keep below the bar, or with `relieve` those that bring channels closer to it. */
static void make_moves(steps *b, bool relieve) {
  uint64_t before = UINT64_MAX;
  for (unsigned i = 0; i < PASSES && before != b->moved && b->moved < b->step->most; i++) {
    before = b->moved;
    memset(b->t.vain, 0, b->t.net->turns);
    for (uint32_t d = 0; d < b->t.count; d++)
      for (uint32_t s = 0; s < b->t.net->switches; s++)
        if (!relieve || b->excess > 0) make_move(b, d, s, relieve ? b->excess - 1 : 0);
  }
}

/* A move that loads a channel too much, and those that relieve it. False: they are undone. */
static bool make_bundle(steps *b, uint32_t d, uint32_t s) {
  const uint64_t moved = b->moved;
  memset(b->t.vain, 0, b->t.net->turns);
  if (!make_move(b, d, s, UINT64_MAX)) return false;
  make_moves(b, true);
  if (b->excess == 0) return true;
  undo(b, moved);
  return false;
}

static void make_bundles(steps *b) {
  const uint64_t affordable = BUNDLE_ENTRIES / ((uint64_t)b->t.count * b->t.net->switches + 1);
  uint64_t left = affordable < BUNDLES ? affordable : BUNDLES;
  for (uint32_t d = 0; d < b->t.count; d++)
    for (uint32_t s = 0; s < b->t.net->switches && left > 0; s++)
      if (differs(b, d, s) && (left--, make_bundle(b, d, s))) return;
}

/* ------------------------------------------------------------------ the whole */

static void list_same(steps *b) {
  const ripstop_forwarding *plan = b->step->plan, *now = b->m->tables;
  for (uint32_t d = 0; d < b->t.count; d++) {
    const uint32_t a = b->t.row[d], source = now->node[a] == 0 ? 1 : 0;
    b->same[d] = b->m->view->fabric->ends < 2 ||
                 ripstop_forwarding_level(plan, source, a) == ripstop_forwarding_level(now, source, a);
  }
}

/* Turns that entries use become required, and are counted. With two writes no others are, beside those of the groups'
 * tree: the first write removes old ones. */
static void count_turns(steps *b, ripstop_arena *scratch) {
  const uint32_t all = b->t.count;
  if (!b->step->single) {
    memset(b->m->orders.required, 0, b->m->net.turns);
    mender_tree_read(b->m);
    for (uint32_t d = b->regular; d < all; d++) {
      mender_turn_to(b->m, b->t.row[d]);
      mender_mark_turns(b->m);
    }
  }
  b->t.count = b->regular;
  mend_trees_loosen(&b->t, scratch);
  b->t.count = all;
}

uint64_t mender_step(ripstop_mender *m, const plan_step *step) {
  RIPSTOP_LOCAL_ARENA(scratch);
  steps b = {.m = m, .step = step};
  if (m->by_pair || ripstop_forwarding_by_pair(step->plan) || !mender_trees_read(m, &b.t, &b.regular, scratch))
    return 0;
  b.branch = RIPSTOP_ARRAY(scratch, m->net.switches, uint32_t);
  b.same = RIPSTOP_ARRAY(scratch, b.t.count + 1, uint8_t);
  b.done = RIPSTOP_ARRAY(scratch, step->most + 1, move);
  list_same(&b);
  if (step->single) b.t.changed = RIPSTOP_ARRAY(scratch, (size_t)b.t.count * m->net.switches, uint8_t);
  count_turns(&b, scratch);
  for (uint32_t c = 0; c < m->net.channels; c++) b.excess += over(&b, c);
  if (b.excess > 0) return 0;
  make_moves(&b, false);
  if (b.moved == 0) make_bundles(&b);
  mender_trees_write(m, &b.t);
  m->fresh = false;
  return b.moved;
}
