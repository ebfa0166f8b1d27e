/* repair.c - tables that follow a change of what is alive.
 *
 * Turns that the old tables take are hard, in the lanes in which packets take them; an order in which all go up is the
 * frame, whatever made the tables. Then each destination's tree is grown again with all pointers fixed that still lead
 * to it. A pointer that changes brings new turns, which are made hard as well, and with them those that packets meet
 * while only some switches have been written, from an old pointer to a new one and from a new one to an old one. So all
 * turns of old, new and mixed tables go up in one order: no circle, and no loop either, which is a circle of turns.
 * Where only the new tables can have that, they do; whoever writes them has to do it in two steps (judge.h).
 *
 * Cost: for each destination the switches, and a search where something changes. */
#include <string.h>

#include "base/memory.h"
#include "mend/grow.h"
#include "ripstop/mend.h"

typedef struct repair {
  const ripstop_forwarding *old;
  ripstop_forwarding *new;
  mend_net net;
  mend_frames frames;
  mend_grow grow;
  uint32_t lanes;
  uint32_t *channel; /* [ports]: that a port sends into; RIPSTOP_NONE: none */
  uint32_t *load;    /* [channels]: paths of the old tables that arrive */
  double *price;
  /* Of the destination at hand. */
  uint32_t address, home;
  uint32_t *next;     /* [switches]: old channels that are alive */
  uint8_t *state;     /* [switches] */
  uint8_t *used;      /* [switches]: lanes of packets that start there or pass */
  uint32_t *position; /* [switches]: where packets are led, from there back */
  ripstop_stream random;
} repair;

enum { UNKNOWN, OPEN, ARRIVES, LOST };

/* ------------------------------------------------------------------ the old tables, one destination at a time */

static void read_pointers(repair *r, uint32_t address) {
  const ripstop_fabric *f = r->net.view->fabric;
  uint32_t node = r->old->node[address];
  r->address = address;
  r->home = node < f->ends ? r->net.home[node] : node - f->ends;
  if (r->home != RIPSTOP_NONE && r->net.part[r->home] == RIPSTOP_NONE) r->home = RIPSTOP_NONE;
  for (uint32_t s = 0; s < r->net.switches; s++) {
    uint16_t port = ripstop_forwarding_port(r->old, address, f->ends + s);
    bool leads = port < ripstop_node_ports(f, f->ends + s) && s != r->home;
    r->next[s] = leads ? r->channel[f->port_base[f->ends + s] + port] : RIPSTOP_NONE;
    r->state[s] = r->used[s] = 0;
  }
}

/* Follows pointers until what is known; then all on the way are the same. */
static uint8_t follow(repair *r, uint32_t s) {
  uint32_t count = 0, at = s;
  while (r->state[at] == UNKNOWN && at != r->home && r->next[at] != RIPSTOP_NONE) {
    r->state[at] = OPEN;
    r->position[count++] = at;
    at = r->net.to[r->next[at]];
  }
  uint8_t end = at == r->home ? ARRIVES : r->state[at] == ARRIVES ? ARRIVES : LOST;
  r->state[at] = end;
  while (count > 0) r->state[r->position[--count]] = end;
  return end;
}

/* The port of the destination's own switch to it. */
static uint16_t last_port(const repair *r) {
  uint32_t node = r->old->node[r->address];
  return ripstop_is_end(r->old->fabric, node) ? (uint16_t)ripstop_end_switch_port(r->old->fabric, node) : 0;
}

/* Whether packets of all live switches in the destination's part arrive. */
static bool all_arrive(repair *r) {
  bool all = ripstop_forwarding_port(r->old, r->address, r->old->fabric->ends + r->home) == last_port(r);
  for (uint32_t s = 0; s < r->net.switches; s++)
    if (r->net.part[s] == r->net.part[r->home]) all &= follow(r, s) == ARRIVES;
  return all;
}

static unsigned old_lane(const repair *r, uint32_t end) {
  return ripstop_forwarding_level(r->old, end, r->address) % r->lanes;
}

static void pass(repair *r, uint32_t s, uint8_t lane) {
  for (; s != RIPSTOP_NONE && !(r->used[s] & lane);
       s = r->next[s] == RIPSTOP_NONE ? RIPSTOP_NONE : r->net.to[r->next[s]])
    r->used[s] |= lane;
}

/* Lanes in which packets pass each switch; those that do not arrive go as far as they come. */
static void find_lanes(repair *r) {
  const ripstop_fabric *f = r->net.view->fabric;
  for (uint32_t s = 0; !r->old->level && s < r->net.switches; s++)
    if (r->net.hosts[s]) pass(r, s, 1);
  for (uint32_t end = 0; r->old->level && end < f->ends; end++)
    pass(r, r->net.home[end], (uint8_t)(1u << old_lane(r, end)));
}

/* False: the turn closes a circle in one of the lanes. */
static bool harden(repair *r, uint32_t c, uint32_t d, unsigned lanes) {
  if (mend_goes_back(&r->net, c, d)) return false;
  for (uint32_t lane = 0; lane < r->lanes; lane++)
    if (lanes >> lane & 1 && !(r->frames.hard[mend_turn(&r->net, c, d)] >> lane & 1) &&
        !mend_frame_add(&r->frames, lane, c, d))
      return false;
  return true;
}

/* What the old tables do for the destination: their turns, which are only marked yet, and their paths. */
static void mark_old(repair *r) {
  const mend_net *net = &r->net;
  for (uint32_t s = 0; s < net->switches; s++) {
    uint32_t c = r->next[s], on = c == RIPSTOP_NONE ? RIPSTOP_NONE : r->next[net->to[c]];
    if (on != RIPSTOP_NONE) r->frames.hard[mend_turn(net, c, on)] |= r->used[s];
    for (uint32_t v = net->hosts[s] && r->state[s] == ARRIVES ? s : r->home; v != r->home; v = net->to[r->next[v]])
      r->load[r->next[v]] += net->hosts[s];
  }
}

/* Switches without end nodes send too, in any lane in which their way closes no circle. */
static void harden_switches(repair *r) {
  const mend_net *net = &r->net;
  for (uint32_t s = 0; s < net->switches; s++) {
    bool done = r->used[s] || r->state[s] != ARRIVES || s == r->home;
    for (uint32_t lane = 0; !done && lane < r->lanes; lane++) {
      uint32_t v = s, on = net->to[r->next[s]];
      for (done = true; done && on != r->home; v = on, on = net->to[r->next[on]])
        done = harden(r, r->next[v], r->next[on], 1u << lane);
    }
  }
}

/* ------------------------------------------------------------------ one destination's new tree */

/* Shortest ways, over channels that carry little, with old pointers before others. */
static void set_prices(repair *r, bool keep) {
  uint32_t worst = 1;
  for (uint32_t c = 0; c < r->net.channels; c++)
    if (r->load[c] > worst) worst = r->load[c];
  for (uint32_t c = 0; c < r->net.channels; c++) {
    double busy = (double)r->load[c] / worst;
    r->price[c] = 1 + busy * busy + (keep && r->next[r->net.from[c]] != c ? 3 : 0);
  }
}

/* The lanes that all packets use which arrive, or any one: by destination there is only one. */
static unsigned lanes_of_tree(const repair *r) {
  unsigned lanes = 0;
  for (uint32_t s = 0; s < r->net.switches; s++) lanes |= r->used[s];
  return lanes ? lanes : 1;
}

static bool grow(repair *r, unsigned lanes, bool keep) {
  uint32_t *kept = r->position;
  for (uint32_t s = 0; s < r->net.switches; s++)
    kept[s] = keep && r->state[s] == ARRIVES && s != r->home ? r->next[s] : RIPSTOP_NONE;
  r->grow.kept = kept;
  set_prices(r, true);
  return mend_grow_tree(&r->grow, r->home, lanes);
}

/* Few changes before many; then another lane. */
static bool grow_somehow(repair *r) {
  unsigned lanes = lanes_of_tree(r), all = (1u << r->lanes) - 1;
  if (grow(r, lanes, true) || grow(r, lanes, false)) return true;
  for (uint32_t lane = 0; lane < r->lanes; lane++)
    if (grow(r, 1u << lane, false)) return true;
  return grow(r, all, false);
}

/* Turns of packets that come to a switch by an old pointer and go on by a new one, or the other way round. Where one
 * closes a circle it stays out, and the tables have to be written in two steps. */
static void harden_mixed(repair *r) {
  const mend_net *net = &r->net;
  for (uint32_t s = 0; s < net->switches; s++) {
    uint32_t was = r->next[s], is = r->grow.next[s];
    if (was != RIPSTOP_NONE && r->grow.next[net->to[was]] != RIPSTOP_NONE)
      harden(r, was, r->grow.next[net->to[was]], r->used[s]);
    if (is != RIPSTOP_NONE && is != was && r->next[net->to[is]] != RIPSTOP_NONE)
      harden(r, is, r->next[net->to[is]], r->used[s]);
  }
}

static void write_tree(repair *r) {
  const ripstop_fabric *f = r->net.view->fabric;
  for (uint32_t s = 0; s < r->net.switches; s++) {
    uint32_t c = r->grow.next[s];
    if (c != r->next[s] && s != r->home && r->net.part[s] == r->net.part[r->home])
      ripstop_forwarding_set(r->new, r->address, f->ends + s, mend_port(&r->net, c));
  }
  ripstop_forwarding_set(r->new, r->address, f->ends + r->home, last_port(r));
}

/* By destination all sources change together. */
static void write_levels(repair *r) {
  const ripstop_fabric *f = r->net.view->fabric;
  for (uint32_t end = 0; r->new->level &&end < f->ends; end++) {
    unsigned mask = r->net.home[end] == RIPSTOP_NONE ? 0 : r->grow.mask[r->net.home[end]];
    if (mask && !(mask >> old_lane(r, end) & 1))
      r->new->level[(size_t)end * r->new->addresses + r->address] = (uint8_t)__builtin_ctz(mask);
  }
}

/* Paths that did not arrive before. */
static void add_load(repair *r) {
  const mend_net *net = &r->net;
  for (uint32_t s = 0; s < net->switches; s++)
    for (uint32_t c = net->hosts[s] && r->state[s] != ARRIVES ? r->grow.next[s] : RIPSTOP_NONE; c != RIPSTOP_NONE;
         c = r->grow.next[net->to[c]])
      r->load[c] += net->hosts[s];
}

/* Where there is no way to the destination, entries that still lead on would in time lead round. */
static void clear_outside(repair *r) {
  const mend_net *net = &r->net;
  for (uint32_t s = 0; r->home != RIPSTOP_NONE && s < net->switches; s++)
    if (net->part[s] != net->part[r->home] && r->next[s] != RIPSTOP_NONE)
      ripstop_forwarding_set(r->new, r->address, net->view->fabric->ends + s, RIPSTOP_NO_PORT);
}

static bool mend_destination(repair *r) {
  if (!grow_somehow(r)) return false;
  add_load(r);
  harden_mixed(r);
  write_tree(r);
  write_levels(r);
  return true;
}

/* ------------------------------------------------------------------ the whole */

static void make_repair(repair *r, const ripstop_view *view, ripstop_arena *arena) {
  const ripstop_fabric *f = view->fabric;
  mend_net_make(&r->net, view, arena);
  mend_frames_make(&r->frames, &r->net, r->lanes, arena);
  r->channel = RIPSTOP_ARRAY(arena, f->ports, uint32_t);
  memset(r->channel, 0xFF, f->ports * sizeof *r->channel);
  for (uint32_t c = 0; c < r->net.channels; c++) r->channel[r->net.port[c]] = c;
  r->load = RIPSTOP_ARRAY(arena, r->net.channels, uint32_t);
  r->price = RIPSTOP_ARRAY(arena, r->net.channels, double);
  r->next = RIPSTOP_ARRAY(arena, r->net.switches, uint32_t);
  r->position = RIPSTOP_ARRAY(arena, r->net.switches + 1, uint32_t);
  r->state = RIPSTOP_ARRAY(arena, r->net.switches, uint8_t);
  r->used = RIPSTOP_ARRAY(arena, r->net.switches, uint8_t);
  mend_grow_make(&r->grow, &r->frames, &r->random, arena);
  r->grow.turns = r->frames.hard;
  r->grow.price = r->price;
  r->grow.extend = true;
}

/* Reads a destination's pointers and lanes. Whether all packets arrive, or there is no way for any. */
static bool look_at(repair *r, uint32_t address) {
  read_pointers(r, address);
  bool arrive = r->home == RIPSTOP_NONE || all_arrive(r);
  find_lanes(r);
  return arrive;
}

/* Over all destinations: first the turns that packets of end nodes take, then those of switches, then what does not
 * arrive. Packets for a dead destination go on until there is no way. */
static bool repair_all(repair *r) {
  uint32_t addresses = r->old->addresses;
  for (uint32_t address = 0; address < addresses; address++) {
    look_at(r, address);
    mark_old(r);
  }
  for (uint32_t lane = 0; lane < r->lanes; lane++)
    if (!mend_frame_settle(&r->frames, lane)) return false;
  for (uint32_t address = 0; address < addresses; address++) {
    look_at(r, address);
    if (r->home != RIPSTOP_NONE) harden_switches(r);
  }
  for (uint32_t address = 0; address < addresses; address++) {
    if (!look_at(r, address) && !mend_destination(r)) return false;
    clear_outside(r);
  }
  return true;
}

ripstop_forwarding *ripstop_mend_repair(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed,
                                        ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  *answer = RIPSTOP_DOES_NOT_APPLY;
  ripstop_fail(err, "mend: these tables cannot be repaired");
  if (old->lane || old->end_lane || old->lanes > RIPSTOP_MEND_LANES) return NULL;
  ripstop_arena *arena = ripstop_arena_new();
  repair r = {.old = old, .new = ripstop_forwarding_copy(ripstop_arena_new(), old), .lanes = old->lanes};
  r.random = ripstop_stream_open(seed, RIPSTOP_RANDOM_MEND, 1);
  make_repair(&r, view, arena);
  bool done = repair_all(&r);
  ripstop_arena_free(arena);
  if (!done) ripstop_forwarding_free(r.new);
  if (!done) return NULL;
  *answer = RIPSTOP_APPLIES;
  return r.new;
}
