/* mender.c - tables that follow a change in what is alive.
 *
 * Turns that the tables use are required, in the VCs in which packets use them. The channel order is any order in
 * which all of them go up, whatever made the tables. A switch that is cut off from a destination gets a new path to
 * one that is not, and the turns of that path become required. At the end, so do the turns that packets meet while
 * only some switches are written: from an old entry to a new one, and from a new one to an old one, unless they close
 * a cycle. Then the turns of old, new and transient tables go up in one order. So there is no cycle, and no loop
 * either, since a loop is a cycle of turns. Otherwise the tables must be written in two steps (judge.h).
 *
 * Invariant between calls: each turn that packets use is required in their VC, and required turns go up.
 * Cost: where only cables fail and nothing is disconnected, one column of the tables for each end of a cable, plus
 * the switches that are cut off. Otherwise, all entries. */
#include "mend/mender.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "mend/kept_tree.h"
#include "tables/addresses.h"

/* BLOCK: ports compared at once; FEW: channels whose ends are looked at one by one; AHEAD: rows prefetched. */
enum { BLOCK = 64, FEW = 16, AHEAD = 32 };

typedef struct root {
  uint32_t address, s;
} root;

typedef struct record {
  ripstop_mended_entry entry;
  uint32_t at;
} record;

/* ------------------------------------------------------------------ one destination */

void mender_turn_to(ripstop_mender *m, uint32_t address) {
  uint32_t node = m->tables->node[address], ends = m->view->fabric->ends;
  m->address = address;
  m->row = m->tables->port + (size_t)address * m->net.switches;
  m->to = node < ends ? m->net.home[node] : node - ends;
  if (m->to != RIPSTOP_NONE && m->net.part[m->to] == RIPSTOP_NONE) m->to = RIPSTOP_NONE;
  m->cuts = 0;
}

static uint32_t next_alive(const ripstop_mender *m, uint32_t s) {
  uint32_t c = s == m->to ? RIPSTOP_NONE : mender_next(m, s);
  return c != RIPSTOP_NONE && m->alive[c] ? c : RIPSTOP_NONE;
}

/* The port by which the destination's own switch reaches it. */
static uint16_t last_port(const ripstop_mender *m) {
  return switch_graph_last_port(m->view->fabric, m->tables->node[m->address]);
}

bool mender_harden(ripstop_mender *m, uint32_t c, uint32_t d, unsigned lanes) {
  if (switch_graph_goes_back(&m->net, c, d)) return false;
  for (uint32_t lane = 0; lane < m->lanes; lane++)
    if (lanes >> lane & 1 && !(m->orders.required[switch_graph_turn(&m->net, c, d)] >> lane & 1) &&
        !mend_order_add(&m->orders, lane, c, d))
      return false;
  return true;
}

static unsigned lanes_of_ends(const ripstop_mender *m) {
  unsigned lanes = 0;
  for (uint32_t end = 0; end < m->view->fabric->ends; end++)
    if (m->net.home[end] != RIPSTOP_NONE) lanes |= 1u << mender_lane(m, end);
  return lanes ? lanes : 1;
}

/* The VC of the tree. Service levels for a packet to its own node play no part. */
static unsigned lane_of_tree(const ripstop_mender *m) {
  uint32_t end = m->tables->node[m->address] == 0 ? 1 : 0;
  return end < m->view->fabric->ends ? 1u << mender_lane(m, end) : 1;
}

unsigned mender_lanes_at(const ripstop_mender *m, uint32_t s) {
  const ripstop_fabric *f = m->view->fabric;
  unsigned lanes = 0;
  if (!m->by_pair) return m->net.hosts[s] ? lane_of_tree(m) : 0;
  for (uint32_t p = f->port_base[f->ends + s]; p < f->port_base[f->ends + s + 1]; p++) {
    uint32_t end = f->peer[p] == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_node[f->peer[p]];
    if (end < f->ends && m->net.home[end] == s) lanes |= 1u << mender_lane(m, end);
  }
  return lanes;
}

unsigned mender_lanes_to(const ripstop_mender *m) { return m->by_pair ? (1u << m->lanes) - 1 : lane_of_tree(m); }

/* ------------------------------------------------------------------ the turns of the tables */

/* Marks the turns of packets from a switch, up to where they are marked already; `used` has the VCs in which packets
 * pass. */
static void pass(ripstop_mender *m, uint8_t *used, uint32_t s, unsigned lane) {
  uint32_t c = next_alive(m, s);
  while (c != RIPSTOP_NONE && !(used[s] & lane)) {
    uint32_t on = next_alive(m, m->net.to[c]);
    used[s] |= (uint8_t)lane;
    if (on != RIPSTOP_NONE) m->orders.required[switch_graph_turn(&m->net, c, on)] |= (uint8_t)lane;
    s = m->net.to[c];
    c = on;
  }
}

void mender_mark_turns(ripstop_mender *m) {
  uint8_t *used = m->need;
  memset(used, 0, m->net.switches);
  for (uint32_t s = 0; !m->by_pair && s < m->net.switches; s++)
    if (m->net.hosts[s]) pass(m, used, s, lane_of_tree(m));
  for (uint32_t end = 0; m->by_pair && end < m->view->fabric->ends; end++)
    if (m->net.home[end] != RIPSTOP_NONE) pass(m, used, m->net.home[end], 1u << mender_lane(m, end));
}

enum { UNKNOWN, OPEN, ARRIVES, LOST };

/* Follows pointers to a switch whose state is known; all switches on the path get that state. */
static bool arrives(ripstop_mender *m, uint8_t *state, uint32_t s) {
  uint32_t count = 0, c = next_alive(m, s);
  for (; state[s] == UNKNOWN && s != m->to && c != RIPSTOP_NONE; c = next_alive(m, s)) {
    state[s] = OPEN;
    m->candidate[count++] = s;
    s = m->net.to[c];
  }
  state[s] = s == m->to || state[s] == ARRIVES ? ARRIVES : LOST;
  for (uint8_t end = state[s]; count > 0;) state[m->candidate[--count]] = end;
  return state[s] == ARRIVES;
}

bool mender_all_arrive(ripstop_mender *m) {
  bool all = true;
  memset(m->settled, 0, m->net.switches);
  for (uint32_t s = 0; all && s < m->net.switches; s++)
    all = s == m->to || m->net.part[s] != m->net.part[m->to] || arrives(m, m->settled, s);
  return all;
}

/* Switches without end nodes send too, in a VC of the tree in which their path closes no cycle. */
static void harden_switches(ripstop_mender *m, uint8_t *state) {
  unsigned lanes = mender_lanes_to(m);
  const uint8_t *used = m->need; /* by end nodes */
  mender_mark_turns(m);
  memset(state, 0, m->net.switches);
  for (uint32_t s = 0; s < m->net.switches; s++) {
    bool done = used[s] || s == m->to || !arrives(m, state, s);
    for (uint32_t lane = 0; !done && lane < m->lanes; lane++) {
      done = lanes >> lane & 1;
      for (uint32_t c = mender_next(m, s); done && m->net.to[c] != m->to; c = mender_next(m, m->net.to[c]))
        done = mender_harden(m, c, mender_next(m, m->net.to[c]), 1u << lane);
    }
  }
}

bool mender_read_turns(ripstop_mender *m) {
  memset(m->orders.required, 0, m->net.turns);
  for (uint32_t address = 0; address < m->tables->addresses; address++) {
    mender_turn_to(m, address);
    mender_mark_turns(m);
  }
  for (uint32_t lane = 0; lane < m->lanes; lane++)
    if (!mend_order_settle(&m->orders, lane)) return false;
  mender_tree_read(m);
  for (uint32_t address = 0; address < m->tables->addresses; address++) {
    mender_turn_to(m, address);
    if (m->to != RIPSTOP_NONE) harden_switches(m, m->settled);
  }
  m->fresh = true;
  return true;
}

static void find_scale(ripstop_mender *m) {
  uint32_t worst = 1;
  for (uint32_t c = 0; c < m->net.channels; c++)
    if (m->load[c] > worst) worst = m->load[c];
  m->scale = 1.0 / worst;
}

void mender_lay(ripstop_mender *m, bool add) {
  if (m->to == RIPSTOP_NONE || !ripstop_is_end(m->view->fabric, m->tables->node[m->address])) return;
  memset(m->settled, 0, m->net.switches);
  for (uint32_t s = 0; s < m->net.switches; s++)
    for (uint32_t v = m->net.hosts[s] && arrives(m, m->settled, s) ? s : m->to; v != m->to;) {
      uint32_t c = mender_next(m, v);
      m->load[c] += add ? m->net.hosts[s] : 0u - m->net.hosts[s];
      v = m->net.to[c];
    }
}

void mender_count_load(ripstop_mender *m) {
  memset(m->load, 0, m->net.channels * sizeof *m->load);
  for (uint32_t address = 0; address < m->tables->addresses; address++) {
    mender_turn_to(m, address);
    mender_lay(m, true);
  }
  m->counted = true;
  find_scale(m);
}

/* ------------------------------------------------------------------ a change of what is alive */

static void forget_turns(ripstop_mender *m, uint32_t c) {
  const switch_graph *net = &m->net;
  for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++)
    m->orders.required[switch_graph_turn(net, c, net->out[i])] = 0;
  for (uint32_t i = net->out_first[net->from[c]]; i < net->out_first[net->from[c] + 1]; i++)
    m->orders.required[switch_graph_turn(net, net->out[i] ^ 1, c)] = 0;
}

static void look_at_channel(ripstop_mender *m, uint32_t c, bool alive) {
  m->alive[c] = alive;
  if (alive) {
    m->back[m->backs++] = c;
    return;
  }
  forget_turns(m, c);
  m->dead[m->deads++] = c;
}

/* True if only channels have changed. */
static bool look_at_ports(ripstop_mender *m) {
  const uint8_t *up = m->view->port_up;
  bool only = true;
  m->deads = m->backs = 0;
  for (uint32_t block = 0, end; block < m->view->fabric->ports; block = end) {
    end = m->view->fabric->ports - block < BLOCK ? m->view->fabric->ports : block + BLOCK;
    if (memcmp(m->up + block, up + block, end - block) == 0) continue;
    for (uint32_t port = block; port < end; port++) {
      if (m->up[port] == up[port]) continue;
      m->up[port] = up[port];
      if (m->net.hop[port].channel == RIPSTOP_NONE)
        only = false;
      else
        look_at_channel(m, m->net.hop[port].channel, up[port]);
    }
  }
  return only;
}

/* True if few cables have failed, nothing else has, and connectivity is as before. */
static bool are_joined(ripstop_mender *m) {
  bool joined = m->deads <= FEW && m->backs == 0;
  for (uint32_t s = 0; joined && s < m->net.switches; s++)
    joined = (m->part[s] != RIPSTOP_NONE) == m->view->node_up[m->view->fabric->ends + s];
  for (uint32_t i = 0; joined && i < m->deads; i++)
    joined = m->dead[i] & 1 || switch_graph_joined(&m->net, m->net.from[m->dead[i]], m->net.to[m->dead[i]]);
  return joined;
}

/* True if the same end nodes and switches are alive, and connected to the same others. */
static bool look_at_parts(ripstop_mender *m) {
  size_t ends = m->view->fabric->ends * sizeof *m->home, switches = m->net.switches * sizeof *m->part;
  bool only = look_at_ports(m);
  if (m->followed && only && are_joined(m)) return true;
  switch_graph_follow(&m->net);
  bool same = memcmp(m->home, m->net.home, ends) == 0 && memcmp(m->part, m->net.part, switches) == 0;
  memcpy(m->home, m->net.home, ends);
  memcpy(m->part, m->net.part, switches);
  return same;
}

static void cut_off(ripstop_mender *m, uint32_t s, uint32_t was) {
  if (m->place[s] != RIPSTOP_NONE) return;
  m->place[s] = m->cuts;
  m->was[m->cuts] = was;
  m->cut[m->cuts++] = s;
}

/* Cuts off all switches whose path leads over one that is cut off. */
static void cut_off_behind(ripstop_mender *m) {
  const uint16_t *row = m->row;
  m->roots = m->cuts;
  for (uint32_t i = 0; i < m->cuts; i++) {
    const switch_graph_side *side = m->net.side + m->net.out_first[m->cut[i]],
                            *end = m->net.side + m->net.out_first[m->cut[i] + 1];
    for (; side < end; side++)
      if (row[side->to] == side->back && m->alive[side->out ^ 1] && side->to != m->to)
        cut_off(m, side->to, side->out ^ 1);
  }
}

bool mender_mend_cut(ripstop_mender *m) {
  bool done = m->cuts == 0 || mender_regrow(m) || mender_grow_whole(m, true) || mender_give_candidate(m);
  for (uint32_t i = 0; i < m->cuts; i++) m->place[m->cut[i]] = RIPSTOP_NONE;
  m->cuts = 0;
  return done;
}

/* ------------------------------------------------------------------ only cables have failed */

static int by_entry(const void *a, const void *b) {
  const record *x = a, *y = b;
  if (x->entry.address != y->entry.address) return x->entry.address < y->entry.address ? -1 : 1;
  if (x->entry.switch_ != y->entry.switch_) return x->entry.switch_ < y->entry.switch_ ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static int by_address(const void *a, const void *b) {
  const root *x = a, *y = b;
  if (x->address != y->address) return x->address < y->address ? -1 : 1;
  return (x->s > y->s) - (x->s < y->s);
}

/* Finds the entries that lead into the listed channels, by address. */
static root *find_roots(ripstop_mender *m, const uint32_t *channel, uint32_t channels, ripstop_arena *scratch,
                        size_t *count) {
  const size_t switches = m->net.switches;
  const uint32_t addresses = m->tables->addresses;
  root *list = NULL;
  size_t room = 0;
  *count = 0;
  for (uint32_t i = 0; i < channels; i++) {
    const uint32_t s = m->net.from[channel[i]];
    const uint16_t port = m->net.local[channel[i]], *entry = m->tables->port + s;
    for (uint32_t address = 0; address < addresses; address++, entry += switches) {
      __builtin_prefetch(entry + (address + AHEAD < addresses ? AHEAD * switches : 0));
      if (*entry != port) continue;
      RIPSTOP_GROW_IN(scratch, list, *count, room);
      list[(*count)++] = (root){address, s};
    }
  }
  if (channels > 1 && *count > 0) qsort(list, *count, sizeof *list, by_address);
  return list;
}

/* Prefetches a destination's entries, which lie far apart, in more memory than a cache holds. */
static void fetch(const ripstop_mender *m, uint32_t address) {
  const uint16_t *port = m->tables->port + (size_t)address * m->net.switches;
  for (uint32_t s = 0; s < m->net.switches; s += 32) __builtin_prefetch(port + s);
}

static bool follow_cables(ripstop_mender *m, ripstop_arena *scratch) {
  size_t count;
  root *list = find_roots(m, m->dead, m->deads, scratch, &count);
  m->cables = m->counted;
  if (count > 0 && !m->counted) mender_count_load(m);
  bool done = true;
  for (size_t i = 0, next; done && i < count; i = next) {
    mender_turn_to(m, list[i].address);
    for (next = i; next < count && list[next].address == list[i].address; next++)
      if (m->to != RIPSTOP_NONE && list[next].s != m->to && next_alive(m, list[next].s) == RIPSTOP_NONE)
        cut_off(m, list[next].s, mender_next(m, list[next].s));
    if (next < count) fetch(m, list[next].address);
    cut_off_behind(m);
    done = mender_mend_cut(m);
  }
  return done;
}

/* ------------------------------------------------------------------ any change */

/* Clears entries that still lead on where no path to the destination exists; they could form loops later. */
static void clear_outside(ripstop_mender *m) {
  for (uint32_t s = 0; s < m->net.switches; s++)
    if (m->net.part[s] != m->net.part[m->to] && next_alive(m, s) != RIPSTOP_NONE) mender_write(m, s, RIPSTOP_NO_PORT);
}

/* Cuts off switches whose own channel has failed, those behind them, and those in a loop. */
static void cut_off_all(ripstop_mender *m) {
  for (unsigned round = 0; round < 2; round++) {
    for (uint32_t s = 0; s < m->net.switches; s++) {
      bool here = m->net.part[s] == m->net.part[m->to] && s != m->to && (round || next_alive(m, s) == RIPSTOP_NONE);
      if (here && !arrives(m, m->settled, s)) cut_off(m, s, mender_next(m, s));
    }
    if (round == 0) cut_off_behind(m);
  }
}

void mender_cut_off(ripstop_mender *m, uint32_t one_more) {
  memset(m->settled, 0, m->net.switches);
  if (one_more != RIPSTOP_NONE) cut_off(m, one_more, mender_next(m, one_more));
  cut_off_all(m);
}

/* Packets for a failed destination go on until no path remains. */
static bool follow_address(ripstop_mender *m, uint32_t address) {
  mender_turn_to(m, address);
  if (m->to == RIPSTOP_NONE) return true;
  mender_cut_off(m, RIPSTOP_NONE);
  if (ripstop_forwarding_port(m->tables, address, m->view->fabric->ends + m->to) != last_port(m))
    mender_write(m, m->to, last_port(m));
  if (!mender_mend_cut(m) && !mender_make_room(m)) return false;
  mender_turn_to(m, address);
  clear_outside(m);
  return true;
}

static bool follow_all(ripstop_mender *m) {
  m->cables = false;
  mender_count_load(m);
  for (uint32_t address = 0; address < m->tables->addresses; address++)
    if (!follow_address(m, address)) return false;
  return true;
}

/* ------------------------------------------------------------------ old and new entries together */

/* The channel of the port that an entry had; RIPSTOP_NONE: no live channel. */
static uint32_t old_channel(const ripstop_mender *m, const ripstop_mended_entry *e) {
  const ripstop_fabric *f = m->view->fabric;
  uint32_t c =
      e->was < ripstop_node_ports(f, e->switch_) ? m->net.hop[f->port_base[e->switch_] + e->was].channel : RIPSTOP_NONE;
  return c != RIPSTOP_NONE && m->alive[c] ? c : RIPSTOP_NONE;
}

/* Requires the turns from an old entry to the neighbour's present entry, and from a new one to the neighbour's old
 * entry. */
static bool mix_entry(ripstop_mender *m, const ripstop_mended_entry *e, unsigned lanes) {
  const switch_graph *net = &m->net;
  uint32_t was = old_channel(m, e), is = next_alive(m, e->switch_ - m->view->fabric->ends), after;
  if (was != RIPSTOP_NONE && (after = next_alive(m, net->to[was])) != RIPSTOP_NONE &&
      !mender_harden(m, was, after, lanes))
    return false;
  uint32_t at = is == RIPSTOP_NONE ? RIPSTOP_NONE : m->place[net->to[is]];
  after = at == RIPSTOP_NONE ? RIPSTOP_NONE : m->was[at];
  return after == RIPSTOP_NONE || mender_harden(m, is, after, lanes);
}

/* Does so for one destination; `place` and `was` give the old entries. */
static bool mix_address(ripstop_mender *m, const ripstop_mended_entry *e, uint32_t count) {
  mender_turn_to(m, e->address);
  unsigned lanes = m->by_pair ? lanes_of_ends(m) : lane_of_tree(m);
  for (uint32_t i = 0; i < count; i++) {
    m->place[e[i].switch_ - m->view->fabric->ends] = i;
    m->was[i] = old_channel(m, &e[i]);
  }
  bool mixed = true;
  for (uint32_t i = 0; mixed && m->to != RIPSTOP_NONE && i < count; i++) mixed = mix_entry(m, &e[i], lanes);
  for (uint32_t i = 0; i < count; i++) m->place[e[i].switch_ - m->view->fabric->ends] = RIPSTOP_NONE;
  return mixed;
}

/* Stops at the first turn that closes a cycle: then two writes are needed in any case. */
static bool mix(ripstop_mender *m) {
  for (uint32_t i = 0, next; i < m->log.entries; i = next) {
    for (next = i; next < m->log.entries && m->log.entry[next].address == m->log.entry[i].address;) next++;
    if (!mix_address(m, m->log.entry + i, next - i)) return false;
  }
  return true;
}

/* ------------------------------------------------------------------ the whole */

static void make_arrays(ripstop_mender *m) {
  const ripstop_fabric *f = m->view->fabric;
  uint32_t channels = m->net.channels, switches = m->net.switches;
  m->alive = RIPSTOP_ARRAY(m->arena, channels, uint8_t);
  m->up = RIPSTOP_ARRAY(m->arena, f->ports, uint8_t);
  memcpy(m->up, m->view->port_up, f->ports);
  m->home = RIPSTOP_ARRAY(m->arena, f->ends, uint32_t);
  m->part = RIPSTOP_ARRAY(m->arena, switches, uint32_t);
  m->helped = RIPSTOP_ARRAY(m->arena, m->tables->addresses, uint8_t);
  m->dead = RIPSTOP_ARRAY(m->arena, channels, uint32_t);
  m->back = RIPSTOP_ARRAY(m->arena, channels, uint32_t);
  m->load = RIPSTOP_ARRAY(m->arena, channels, uint32_t);
  m->price = RIPSTOP_ARRAY(m->arena, channels, double);
  m->saved = RIPSTOP_ARRAY(m->arena, m->net.turns, uint8_t);
  m->cut = RIPSTOP_ARRAY(m->arena, switches, uint32_t);
  m->place = RIPSTOP_ARRAY(m->arena, switches, uint32_t);
  m->was = RIPSTOP_ARRAY(m->arena, switches + 1, uint32_t);
  m->behind = RIPSTOP_ARRAY(m->arena, switches, uint32_t);
  m->beside = RIPSTOP_ARRAY(m->arena, switches, uint32_t);
  m->candidate = RIPSTOP_ARRAY(m->arena, switches + 1, uint32_t);
  m->need = RIPSTOP_ARRAY(m->arena, switches, uint8_t);
  m->settled = RIPSTOP_ARRAY(m->arena, switches, uint8_t);
  m->candidates = RIPSTOP_ARRAY(m->arena, switches, mender_candidate);
  memset(m->part, 0, switches * sizeof *m->part);
  memset(m->place, 0xFF, switches * sizeof *m->place);
  for (uint32_t c = 0; c < channels; c++) m->alive[c] = switch_graph_up(&m->net, c);
}

/* `prefer`: see kept_tree.h. */
static ripstop_mender *open_mender(const ripstop_view *view, ripstop_forwarding *tables, uint64_t seed, bool tree,
                                   const uint8_t *prefer, ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_DOES_NOT_APPLY;
  ripstop_fail(
      err, "mend: the tables map service levels to virtual lanes of other numbers, or to more than %d virtual lanes",
      RIPSTOP_MEND_LANES);
  if (tables->lane || tables->end_lane || tables->lanes > RIPSTOP_MEND_LANES) return NULL;
  if (forwarding_check_simple(tables, "mend", err)) return NULL;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_mender *m = RIPSTOP_NEW(arena, ripstop_mender);
  *m = (ripstop_mender){.view = view, .tables = tables, .arena = arena, .lanes = tables->lanes, .scale = 1};
  m->log = (entry_log){.tables = tables, .arena = arena};
  m->random = ripstop_stream_open(seed, RIPSTOP_RANDOM_MEND, 1);
  switch_graph_make(&m->net, view, (switch_graph_kind){.whole = true}, arena);
  mend_orders_make(&m->orders, &m->net, m->lanes, arena);
  mend_grow_make(&m->grow, &m->orders, &m->random, arena);
  mend_grow_look_ahead(&m->grow, arena);
  m->by_pair = ripstop_forwarding_by_pair(tables);
  make_arrays(m);
  if (tree) m->tree = RIPSTOP_ARRAY(arena, view->fabric->links + 1, uint8_t);
  if (prefer) memcpy(m->tree, prefer, view->fabric->links);
  m->grow.turns = m->orders.required;
  m->grow.price = m->price;
  m->grow.extend = true;
  if (mender_read_turns(m)) {
    *answer = RIPSTOP_APPLIES;
    return m;
  }
  ripstop_fail(err, "mend: packets to end nodes or switches can wait for each other in a cycle under the tables");
  ripstop_arena_free(arena);
  return NULL;
}

ripstop_mender *ripstop_mender_open(const ripstop_view *view, ripstop_forwarding *tables, uint64_t seed,
                                    ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  return open_mender(view, tables, seed, false, NULL, answer, err);
}

ripstop_mender *mender_open_with_tree(const ripstop_view *view, ripstop_forwarding *tables, uint64_t seed,
                                      const uint8_t *prefer, ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  return open_mender(view, tables, seed, true, prefer, answer, err);
}

void ripstop_mender_free(ripstop_mender *m) {
  if (m) ripstop_arena_free(m->arena);
}

/* True if entries for failed destinations may lead into channels that are back, whose turns are not known. */
static bool stale(ripstop_mender *m, ripstop_arena *scratch) {
  size_t count;
  find_roots(m, m->back, m->backs, scratch, &count);
  return count > 0;
}

static bool follow_anything(ripstop_mender *m) { return (m->fresh || mender_read_turns(m)) && follow_all(m); }

/* The groups' tree gives way if nothing else helps. */
static bool follow_without_tree(ripstop_mender *m) {
  if (!m->tree) return false;
  m->tree = NULL;
  m->fresh = false;
  m->twice = true;
  return follow_anything(m);
}

/* The first call knows nothing of what has changed. */
static bool follow(ripstop_mender *m) {
  RIPSTOP_LOCAL_ARENA(scratch);
  bool same = look_at_parts(m) && m->followed && !stale(m, scratch);
  mender_tree_follow(m);
  bool done = same && follow_cables(m, scratch);
  if (!done) m->twice |= same, done = follow_anything(m) || follow_without_tree(m);
  m->followed = true;
  m->fresh = false;
  return done;
}

void mender_join_log(ripstop_mender *m) {
  record *list = ripstop_realloc(NULL, m->log.entries + 1, sizeof *list);
  uint32_t count = m->log.entries;
  for (uint32_t i = 0; i < count; i++) list[i] = (record){m->log.entry[i], i};
  qsort(list, count, sizeof *list, by_entry);
  m->log.entries = 0;
  for (uint32_t i = 0; i < count; i++) {
    const ripstop_mended_entry *e = &list[i].entry;
    bool again = i > 0 && e->address == list[i - 1].entry.address && e->switch_ == list[i - 1].entry.switch_;
    if (!again && ripstop_forwarding_port(m->tables, e->address, e->switch_) != e->was)
      m->log.entry[m->log.entries++] = *e;
  }
  ripstop_free(list);
}

/* Spends the rest of the budget on balance. Where nothing else has changed, it first forgets required turns of the
 * past. Two writes, the first of which removes entries, are only for packets that do not arrive anyway. */
static void spend(ripstop_mender *m, uint32_t budget, ripstop_mended *out) {
  out->more = !m->by_pair;
  if (m->log.entries >= budget || m->by_pair || !out->mixed || (m->log.entries == 0 && !mender_read_turns(m))) return;
  uint32_t repaired = m->log.entries;
  mender_balance(m, budget - repaired);
  out->more = m->log.entries > 0;
  m->twice = m->log.entries > repaired;
}

static ripstop_answer follow_and_spend(ripstop_mender *m, uint32_t budget, ripstop_mended *out, ripstop_error *err) {
  m->log.entries = 0;
  m->levels_changed = 0;
  m->twice = m->apart = false;
  m->moved = 0;
  memset(m->helped, 0, m->tables->addresses);
  *out = (ripstop_mended){0};
  if (!follow(m)) return ripstop_does_not_apply(err, "mend: few changes do not help these tables");
  if (m->twice) mender_join_log(m);
  out->mixed = !m->apart && mix(m);
  if (budget > 0) spend(m, budget, out);
  if (m->twice) mender_join_log(m);
  out->levels_changed = m->levels_changed;
  out->entries = m->log.entries;
  out->entry = m->log.entry;
  if (m->counted) find_scale(m);
  m->fresh = false;
  return RIPSTOP_APPLIES;
}

ripstop_answer ripstop_mender_follow(ripstop_mender *m, ripstop_mended *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  return follow_and_spend(m, 0, out, err);
}

ripstop_answer ripstop_mender_balance(ripstop_mender *m, uint32_t budget, ripstop_mended *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  return follow_and_spend(m, budget, out, err);
}
