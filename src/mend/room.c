/* room.c - makes room for a destination in its VC, where the other trees of the VC leave none.
 *
 * Service levels must stay. So first the easiest turn becomes required although it closes cycles. All of these cycles
 * lead into its first channel and out of its second one. Either the trees that lead into the first or the trees that
 * leave the second, whichever are fewer, find other paths. If those are blocked by other trees, the same is repeated
 * for these.
 * If that does not help, all trees of the VC are laid again. Those that found no place come first, then the others as
 * they are, as long as their turns close no cycle with those already laid; where they do, the tree is grown again. A
 * tree that finds no place comes first in the next round. The changes of a round are undone before the next one.
 *
 * Old and new tables then do not fit into one order, so they are written in two steps. */
#include <string.h>

#include "base/local.h"
#include "mend/mender.h"
#include "mend/return_steps.h"

enum { ROUNDS = 8, MOVED = 64, TURNS = 16 }; /* ROUNDS; trees moved in one call; turns for one tree */
enum { DETOUR_ENTRIES = 20000000 };          /* entries that are looked at for a detour, or for a cable */

typedef struct room {
  ripstop_mender *m;
  unsigned lane;
  uint32_t *first, firsts; /* addresses */
  uint8_t *listed;         /* [addresses] */
  uint32_t *added;         /* [switches]: turns */
} room;

/* ------------------------------------------------------------------ trees of the VC */

static bool is_mate(ripstop_mender *m, uint32_t address, unsigned lane) {
  mender_turn_to(m, address);
  return m->to != RIPSTOP_NONE && mender_lanes_to(m) == 1u << lane;
}

/* Except the turns of packets to failed destinations, which are used until no path remains, and those of the groups'
 * tree. */
static void forget_lane(room *r) {
  ripstop_mender *m = r->m;
  for (uint32_t turn = 0; turn < m->net.turns; turn++) m->orders.required[turn] &= (uint8_t) ~(1u << r->lane);
  for (uint32_t address = 0; address < m->tables->addresses; address++) {
    mender_turn_to(m, address);
    if (m->to == RIPSTOP_NONE && mender_lanes_to(m) == 1u << r->lane) mender_mark_turns(m);
  }
  if (r->lane == 0) mender_tree_read(m);
}

/* Keeps the tree as it is. False: it does not serve all, or a turn closes a cycle. */
static bool keep_tree(room *r) {
  ripstop_mender *m = r->m;
  uint32_t added = 0;
  uint8_t bit = (uint8_t)(1u << r->lane);
  bool fits = mender_all_arrive(m);
  for (uint32_t s = 0; fits && s < m->net.switches; s++) {
    if (s == m->to || m->net.part[s] != m->net.part[m->to]) continue;
    uint32_t c = mender_next(m, s), on = m->net.to[c] == m->to ? RIPSTOP_NONE : mender_next(m, m->net.to[c]);
    if (on == RIPSTOP_NONE || m->orders.required[switch_graph_turn(&m->net, c, on)] & bit) continue;
    fits = mender_harden(m, c, on, bit);
    if (fits) r->added[added++] = switch_graph_turn(&m->net, c, on);
  }
  while (!fits && added > 0) m->orders.required[r->added[--added]] &= (uint8_t)~bit;
  return fits;
}

/* For the groups' tree many trees may move, so each sees where the others went. */
static bool grow_again(room *r) {
  ripstop_mender *m = r->m;
  if (!m->tree) return mender_grow_whole(m, false);
  mender_lay(m, false);
  const bool done = mender_grow_whole(m, false);
  mender_lay(m, true);
  return done;
}

/* False: some tree found no place, and will be the first. */
static bool one_round(room *r) {
  ripstop_mender *m = r->m;
  if (m->tree) mender_count_load(m);
  m->counted = false;
  forget_lane(r);
  for (uint32_t i = r->firsts; i-- > 0;) {
    mender_turn_to(m, r->first[i]);
    if (!mender_grow_whole(m, true)) return false;
  }
  for (uint32_t address = 0; address < m->tables->addresses; address++) {
    if (r->listed[address] || !is_mate(m, address, r->lane) || keep_tree(r) || grow_again(r)) continue;
    r->listed[address] = 1;
    r->first[r->firsts++] = address;
    return false;
  }
  return true;
}

/* ------------------------------------------------------------------ few trees move */

/* A wanted turn, and the trees in its way: those that turn from a marked channel into the first one (`before`), or
 * from the second one into a marked one. */
typedef struct wanted {
  uint32_t first, second;
  bool before;
  uint8_t *marked;                       /* [channels] */
  uint32_t *in_candidate, in_candidates; /* addresses; RIPSTOP_NONE as their count: some cannot move */
} wanted;

/* Marks all channels that required turns of the VC lead to from a channel, or with `back` from which they lead to
 * it. */
static void mark_reach(const room *r, uint32_t from, bool back, uint8_t *marked, uint32_t *queue) {
  const switch_graph *net = &r->m->net;
  const uint8_t *required = r->m->orders.required;
  uint32_t head = 0, tail = 0;
  memset(marked, 0, net->channels);
  marked[queue[tail++] = from] = 1;
  for (; head < tail; head++) {
    uint32_t c = queue[head], s = back ? net->from[c] : net->to[c];
    for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      uint32_t d = back ? net->out[i] ^ 1 : net->out[i],
               turn = back ? switch_graph_turn(net, d, c) : switch_graph_turn(net, c, d);
      if (!marked[d] && required[turn] >> r->lane & 1) marked[queue[tail++] = d] = 1;
    }
  }
}

/* True if the groups' tree has such a turn. It never gives way. */
static bool is_in_tree(const room *r, const wanted *w) {
  const switch_graph *net = &r->m->net;
  uint32_t s = w->before ? net->from[w->first] : net->to[w->second];
  bool is = false;
  for (uint32_t i = net->out_first[s]; !is && i < net->out_first[s + 1]; i++) {
    uint32_t c = w->before ? net->out[i] ^ 1 : net->out[i];
    is = w->marked[c] && mender_tree_turns(r->m, c, w->before ? w->first : w->second, r->lane);
  }
  return is;
}

/* True if the current tree uses such a turn. */
static bool is_in_candidate(const ripstop_mender *m, const wanted *w) {
  const switch_graph *net = &m->net;
  uint32_t s = w->before ? net->from[w->first] : net->to[w->second];
  if (!w->before) {
    uint32_t on = s == m->to ? RIPSTOP_NONE : mender_next(m, s);
    return mender_next(m, net->from[w->second]) == w->second && on != RIPSTOP_NONE && w->marked[on];
  }
  bool is = false;
  for (uint32_t i = net->out_first[s]; !is && mender_next(m, s) == w->first && i < net->out_first[s + 1]; i++) {
    uint32_t c = net->out[i] ^ 1;
    is = w->marked[c] && net->from[c] != m->to && mender_next(m, net->from[c]) == c;
  }
  return is;
}

static void find_in_candidate(room *r, wanted *w, uint32_t address) {
  ripstop_mender *m = r->m;
  w->in_candidates = 0;
  for (uint32_t a = 0; a < m->tables->addresses && w->in_candidates != RIPSTOP_NONE; a++) {
    mender_turn_to(m, a);
    if (a == address || mender_lanes_to(m) != 1u << r->lane || !is_in_candidate(m, w)) continue;
    w->in_candidate[w->in_candidates++] = a;
    if (m->to == RIPSTOP_NONE || m->helped[a]) w->in_candidates = RIPSTOP_NONE;
  }
}

static wanted new_wanted(const ripstop_mender *m, ripstop_arena *scratch) {
  return (wanted){.marked = RIPSTOP_ARRAY(scratch, m->net.channels, uint8_t),
                  .in_candidate = RIPSTOP_ARRAY(scratch, m->tables->addresses + 1, uint32_t),
                  .in_candidates = RIPSTOP_NONE};
}

/* The channel that a switch uses for the current destination, or the one found so far. */
static uint32_t next_found(const ripstop_mender *m, uint32_t s) {
  return s == m->to ? RIPSTOP_NONE : m->place[s] == RIPSTOP_NONE ? mender_next(m, s) : m->candidates[s].next;
}

/* Finds the turn of switch s with the fewest trees in its way, unless the destination is in the way itself. Changes
 * the current destination. */
static void find_wanted(room *r, uint32_t s, wanted *best, ripstop_arena *scratch) {
  ripstop_mender *m = r->m;
  const switch_graph *net = &m->net;
  uint32_t address = m->address, to = m->to, *queue = RIPSTOP_ARRAY(scratch, net->channels, uint32_t);
  wanted w = new_wanted(m, scratch);
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
    w.first = net->out[i];
    uint32_t on = net->to[w.first];
    if (!m->alive[w.first] || on == to || (m->place[on] != RIPSTOP_NONE && !m->settled[on])) continue;
    mender_turn_to(m, address);
    w.second = next_found(m, on);
    uint32_t third = next_found(m, net->to[w.second]);
    if (switch_graph_goes_back(net, w.first, w.second)) continue;
    for (unsigned side = 0; side < 2; side++) {
      w.before = side;
      mark_reach(r, side ? w.second : w.first, !side, w.marked, queue);
      if ((!side && third != RIPSTOP_NONE && w.marked[third]) || is_in_tree(r, &w)) continue;
      find_in_candidate(r, &w, address);
      if (w.in_candidates >= best->in_candidates) continue;
      wanted held = *best;
      *best = w;
      w = held;
      w.first = best->first;
      w.second = best->second;
    }
  }
}

/* Removes those turns, so that the wanted turn closes no cycle. */
static void open_candidate(const room *r, const wanted *w) {
  const switch_graph *net = &r->m->net;
  uint32_t s = w->before ? net->from[w->first] : net->to[w->second];
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
    uint32_t c = w->before ? net->out[i] ^ 1 : net->out[i];
    uint32_t turn = w->before ? switch_graph_turn(net, c, w->first) : switch_graph_turn(net, w->second, c);
    if (w->marked[c]) r->m->orders.required[turn] &= (uint8_t) ~(1u << r->lane);
  }
}

/* Moves the trees in its way, as far as they still are: from the switch where they made the turn, and behind it. */
static bool move_on(room *r, const wanted *w) {
  ripstop_mender *m = r->m;
  uint32_t s = w->before ? m->net.from[w->first] : m->net.to[w->second];
  bool done = true;
  for (uint32_t i = 0; done && i < w->in_candidates; i++) {
    mender_turn_to(m, w->in_candidate[i]);
    if (keep_tree(r)) continue;
    mender_cut_off(m, s);
    done = mender_mend_cut(m);
  }
  return done;
}

/* Makes a turn required for one more switch that is cut off and has no path, until all have one; appends the turns to
 * `list`. */
static bool take_wanted(room *r, wanted *list, uint32_t *count, ripstop_arena *scratch) {
  ripstop_mender *m = r->m;
  const uint32_t address = m->address, cuts = m->cuts, roots = m->roots;
  if (mender_regrow(m)) return true; /* if it fails, it still finds which switches have a path */
  for (uint32_t i = 0; i < cuts && *count < TURNS; i++) {
    wanted *w = &list[*count];
    if (m->settled[m->cut[i]]) continue;
    *w = new_wanted(m, scratch);
    find_wanted(r, m->cut[i], w, scratch);
    mender_turn_to(m, address);
    m->cuts = cuts;
    m->roots = roots;
    if (w->in_candidates >= MOVED - m->moved) continue;
    m->moved += 1 + w->in_candidates;
    m->counted = m->fresh = false;
    m->twice = m->apart = true;
    ++*count;
    open_candidate(r, w);
    if (!mender_harden(m, w->first, w->second, 1u << r->lane)) return false;
    if (mender_regrow(m)) return true;
  }
  return false;
}

bool mender_give_candidate(ripstop_mender *m) {
  if (m->by_pair || m->moved >= MOVED) return false;
  RIPSTOP_LOCAL_ARENA(scratch);
  room r = {.m = m, .lane = (unsigned)__builtin_ctz(mender_lanes_to(m))};
  r.added = RIPSTOP_ARRAY(scratch, m->net.switches, uint32_t);
  wanted list[TURNS];
  uint32_t count = 0, address = m->address, cuts = m->cuts, entries = m->log.entries;
  m->helped[address] = 1;
  bool done = take_wanted(&r, list, &count, scratch);
  for (uint32_t i = 0; done && i < cuts; i++) m->place[m->cut[i]] = RIPSTOP_NONE;
  if (done) m->cuts = cuts = 0;
  for (uint32_t i = 0; done && i < count; i++) done = move_on(&r, &list[i]);
  if (!done) {
    entry_log_undo(&m->log, entries);
    mender_turn_to(m, address);
    m->cuts = cuts;
  }
  return done;
}

/* ------------------------------------------------------------------ the whole */

static room open_room(ripstop_mender *m, unsigned lane, ripstop_arena *scratch) {
  room r = {.m = m, .lane = lane};
  r.first = RIPSTOP_ARRAY(scratch, m->tables->addresses, uint32_t);
  r.listed = RIPSTOP_ARRAY(scratch, m->tables->addresses, uint8_t);
  r.added = RIPSTOP_ARRAY(scratch, m->net.switches, uint32_t);
  m->counted = false;
  m->twice = m->apart = true;
  return r;
}

/* As long as a round adds one to those that come first. */
static bool all_rounds(room *r, uint32_t entries) {
  bool done = false, more = true;
  for (uint32_t i = 0; i < ROUNDS && !done && more; i++) {
    const uint32_t before = r->firsts;
    entry_log_undo(&r->m->log, entries);
    done = one_round(r);
    more = r->firsts > before;
  }
  return done;
}

bool mender_make_room(ripstop_mender *m) {
  if (m->by_pair) return false;
  RIPSTOP_LOCAL_ARENA(scratch);
  const uint32_t entries = m->log.entries;
  room r = open_room(m, (unsigned)__builtin_ctz(mender_lanes_to(m)), scratch);
  r.listed[m->address] = 1;
  r.first[r.firsts++] = m->address;
  return all_rounds(&r, entries);
}

/* The number of attempts, many on a small fabric. */
static uint32_t attempts_for(const ripstop_mender *m) {
  const uint64_t entries = (uint64_t)m->tables->addresses * m->net.switches + 1;
  return 1 + (uint32_t)(DETOUR_ENTRIES / entries);
}

/* The trees of the VC that cannot stay beside the groups' tree; `most` or more: enough is known. */
static uint32_t count_movers(room *r, uint32_t most) {
  uint32_t movers = 0;
  forget_lane(r);
  for (uint32_t a = 0; movers < most && a < r->m->tables->addresses; a++)
    movers += is_mate(r->m, a, 0) && !keep_tree(r);
  return movers;
}

/* Joins the two parts of the groups' tree by the cable for which the fewest trees move. */
static void choose_cable(room *r, ripstop_arena *scratch) {
  ripstop_mender *m = r->m;
  const size_t links = m->view->fabric->links;
  uint32_t cables, best = RIPSTOP_NONE, least = UINT32_MAX, left = attempts_for(m);
  const uint32_t *cable = mender_tree_joins(m, &cables, scratch);
  uint8_t *tree = RIPSTOP_ARRAY(scratch, links + 1, uint8_t);
  memcpy(tree, m->tree, links);
  for (uint32_t i = 0; i < cables && i < left; i++) {
    memcpy(m->tree, tree, links);
    m->tree[cable[i]] = 1;
    const uint32_t movers = count_movers(r, least);
    if (movers >= least) continue;
    least = movers;
    best = cable[i];
  }
  memcpy(m->tree, tree, links);
  if (best != RIPSTOP_NONE) m->tree[best] = 1;
}

bool mender_make_room_for_tree(ripstop_mender *m) {
  if (m->by_pair) return false;
  RIPSTOP_LOCAL_ARENA(scratch);
  const uint32_t entries = m->log.entries;
  room r = open_room(m, 0, scratch);
  choose_cable(&r, scratch);
  if (all_rounds(&r, entries)) return m->tree_whole;
  entry_log_undo(&m->log, entries);
  m->tree = NULL;
  m->fresh = mender_read_turns(m);
  return false;
}

/* ------------------------------------------------------------------ room for one tree of a plan */

/* Writes the plan's entries for the current destination. Returns how many changed. */
static uint32_t write_row(ripstop_mender *m, const uint16_t *row) {
  uint32_t changed = 0;
  for (uint32_t s = 0; s < m->net.switches; s++) {
    const bool there = s != m->to && m->net.part[s] == m->net.part[m->to] && m->row[s] != row[s];
    if (there) mender_write(m, s, row[s]);
    changed += there;
  }
  return changed;
}

/* Like keep_tree, for the turns of packets from end nodes alone: those of switches without end nodes give way. */
static bool keep_paths(room *r) {
  ripstop_mender *m = r->m;
  const uint8_t bit = (uint8_t)(1u << r->lane);
  uint32_t added = 0;
  bool fits = mender_all_arrive(m);
  memset(m->need, 0, m->net.switches);
  for (uint32_t s = 0; s < m->net.switches; s++)
    for (uint32_t v = s;
         fits && m->net.hosts[s] && m->net.part[s] == m->net.part[m->to] && v != m->to && !m->need[v];) {
      const uint32_t c = mender_next(m, v), on = m->net.to[c] == m->to ? RIPSTOP_NONE : mender_next(m, m->net.to[c]);
      m->need[v] = 1;
      v = m->net.to[c];
      if (on == RIPSTOP_NONE || m->orders.required[switch_graph_turn(&m->net, c, on)] & bit) continue;
      fits = mender_harden(m, c, on, bit);
      if (fits) r->added[added++] = switch_graph_turn(&m->net, c, on);
    }
  while (!fits && added > 0) m->orders.required[r->added[--added]] &= (uint8_t)~bit;
  return fits;
}

static const uint16_t *row_of(const ripstop_mender *m, const ripstop_forwarding *plan) {
  return plan->port + (size_t)m->address * m->net.switches;
}

/* True if packets to the current destination have the plan's service level. */
static bool has_level_of(const ripstop_mender *m, const ripstop_forwarding *plan) {
  const uint32_t source = m->tables->node[m->address] == 0 ? 1 : 0;
  return source >= m->view->fabric->ends ||
         ripstop_forwarding_level(plan, source, m->address) == ripstop_forwarding_level(m->tables, source, m->address);
}

/* Entries of the current destination that are not the plan's. */
static uint32_t count_differing(const ripstop_mender *m, const uint16_t *row) {
  uint32_t differing = 0;
  for (uint32_t s = 0; s < m->net.switches; s++)
    differing += s != m->to && m->net.part[s] == m->net.part[m->to] && m->row[s] != row[s];
  return differing;
}

/* Keeps the tree, or takes the plan's (NULL: it has another VC), or another one. */
static bool place_tree(room *r, const uint16_t *row) {
  ripstop_mender *m = r->m;
  const uint32_t entries = m->log.entries;
  if (keep_paths(r)) return true;
  if (row) write_row(m, row);
  if (row && keep_paths(r)) return true;
  entry_log_undo(&m->log, entries);
  mender_turn_to(m, m->address);
  return mender_grow_whole(m, true);
}

/* Trees that are the plan's keep their place, and so does that of `address`; all others of the VC follow. */
static bool place_all(room *r, const ripstop_forwarding *plan, uint32_t address) {
  ripstop_mender *m = r->m;
  bool done = true;
  forget_lane(r);
  for (uint32_t a = 0; done && a < m->tables->addresses; a++) {
    r->listed[a] = is_mate(m, a, r->lane) && has_level_of(m, plan) && count_differing(m, row_of(m, plan)) == 0;
    if (r->listed[a]) done = keep_paths(r);
  }
  for (uint32_t a = 0; done && a < m->tables->addresses; a++)
    if (!r->listed[a] && is_mate(m, a, r->lane)) done = place_tree(r, has_level_of(m, plan) ? row_of(m, plan) : NULL);
  mender_turn_to(m, address);
  return done && count_differing(m, row_of(m, plan)) == 0;
}

/* Gives the current destination the plan's entries. Returns how many have changed in all; 0: none, or more than `most`.
 */
static uint64_t make_detour(room *r, const ripstop_forwarding *plan, uint64_t most) {
  ripstop_mender *m = r->m;
  const uint32_t address = m->address;
  r->lane = (unsigned)__builtin_ctz(mender_lanes_to(m));
  write_row(m, row_of(m, plan));
  const bool placed = place_all(r, plan, address);
  mender_join_log(m);
  if (placed && m->log.entries <= most) return m->log.entries;
  entry_log_undo(&m->log, 0);
  return 0;
}

uint64_t mender_detour(ripstop_mender *m, const ripstop_forwarding *plan, const uint8_t *tree, uint64_t most) {
  if (m->by_pair || ripstop_forwarding_by_pair(plan)) return 0;
  RIPSTOP_LOCAL_ARENA(scratch);
  uint64_t changed = 0;
  room r = open_room(m, 0, scratch);
  m->log.entries = 0;
  if (tree && m->tree) memcpy(m->tree, tree, m->view->fabric->links);
  for (uint32_t a = 0, left = attempts_for(m); changed == 0 && left > 0 && a < m->tables->addresses; a++) {
    mender_turn_to(m, a);
    const uint32_t differing =
        m->to == RIPSTOP_NONE || !has_level_of(m, plan) ? 0 : count_differing(m, row_of(m, plan));
    if (differing == 0 || differing > most) continue;
    changed = make_detour(&r, plan, most);
    left--;
  }
  m->fresh = false;
  return changed;
}
