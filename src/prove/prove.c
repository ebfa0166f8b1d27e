/* prove.c - all states of a plan, destination by destination; then the queues that can wait.
 *
 * For one destination the states form a graph that is walked breadth first from all sources, once, with no hashing as
 * long as a state's place can be computed from its queue and header. Delivery and livelock follow from it by one depth
 * first walk that closes its components of states. What outlives a destination is, for each queue, the different
 * sets of next queues that a head in it can be confined to, as bits over the lanes of its switch, each once, with one
 * packet as its example. That is little, whatever the number of states, and all that the question of deadlock needs.
 *
 * Deadlock: start from all queues; drop a queue when each of its sets meets a dropped queue; repeat. Sets of heads that
 * are consumed or discarded need nothing and are never stored. A ring under bubble flow control (see waits.c) is
 * dropped as a whole.
 *
 * Cost: O(states + ways) time, memory O(states of one destination + different sets). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "prove/prover.h"
#include "ripstop/plugin/method.h"

#define CLOSED UINT32_MAX /* `low` of a state whose component is finished */

/* ------------------------------------------------------------------ states of one destination */

static uint64_t hash_state(uint32_t place, uint64_t header) {
  uint64_t x = header * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)place * UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 29;
}

static void grow_table(ripstop_prover *p) {
  uint32_t size = p->table ? 2 * (p->table_mask + 1) : 4096;
  p->table = ripstop_arena_realloc(p->keep, p->table, size, sizeof *p->table);
  memset(p->table, 0xff, size * sizeof *p->table);
  p->table_mask = size - 1;
  for (uint32_t i = 0; i < p->states; i++) {
    if (p->state[i].header < p->headers) continue;
    uint32_t at = (uint32_t)hash_state(p->state[i].place, p->state[i].header) & p->table_mask;
    while (p->table[at] != RIPSTOP_NONE) at = (at + 1) & p->table_mask;
    p->table[at] = i;
  }
}

/* A row of numbers for each header below `headers`, which few methods use more than one of. */
static void grow_rows(ripstop_prover *p, uint64_t header) {
  p->number = ripstop_arena_realloc(p->keep, p->number, p->places * (header + 1), sizeof *p->number);
  memset(p->number + p->places * p->headers, 0xff, p->places * (header + 1 - p->headers) * sizeof *p->number);
  p->headers = header + 1;
}

/* Where a state's number is kept: by index while its header is small, by hash beyond. */
static uint32_t *find_number(ripstop_prover *p, uint32_t place, uint64_t header) {
  if (header >= p->headers && header < p->rows) grow_rows(p, header);
  if (header < p->headers) return &p->number[header * p->places + place];
  if (!p->table || 2 * p->states > p->table_mask) grow_table(p);
  uint32_t at = (uint32_t)hash_state(place, header) & p->table_mask;
  for (; p->table[at] != RIPSTOP_NONE; at = (at + 1) & p->table_mask) {
    const state *s = &p->state[p->table[at]];
    if (s->place == place && s->header == header) break;
  }
  return &p->table[at];
}

static inline uint32_t find_or_add(ripstop_prover *p, uint32_t place, uint64_t header, uint32_t parent) {
  uint32_t *number = header < p->headers ? &p->number[header * p->places + place] : find_number(p, place, header);
  if (*number != RIPSTOP_NONE) return *number;
  if (p->states == p->state_room) {
    p->state_room = p->state_room ? 2 * p->state_room : 4096;
    p->state = ripstop_arena_realloc(p->keep, p->state, p->state_room, sizeof *p->state);
  }
  p->state[p->states] = (state){.place = place, .header = header, .parent = parent};
  return *number = p->states++;
}

static void forget_states(ripstop_prover *p) {
  bool hashed = false;
  for (uint32_t i = 0; i < p->states; i++) {
    const state *s = &p->state[i];
    if (s->header < p->headers)
      p->number[s->header * p->places + s->place] = RIPSTOP_NONE;
    else
      hashed = true;
  }
  if (hashed) memset(p->table, 0xff, (p->table_mask + 1) * sizeof *p->table);
  p->states = p->edges = 0;
}

ripstop_head prover_head(const ripstop_prover *p, uint32_t place, uint64_t header, uint32_t source,
                         uint32_t destination) {
  if (place >= p->lanes)
    return (ripstop_head){.node = place - p->lanes,
                          .in_port = RIPSTOP_NONE,
                          .source = place - p->lanes,
                          .destination = destination,
                          .header = header,
                          .class_ = (uint8_t)p->class_};
  const arrival *at = &p->arrival[place];
  return (ripstop_head){.node = at->node,
                        .in_port = at->port,
                        .source = source,
                        .destination = destination,
                        .header = header,
                        .channel = at->channel,
                        .class_ = (uint8_t)p->class_};
}

static int break_rule(const ripstop_prover *p, const ripstop_head *head, const ripstop_way *way, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(p->fabric, head->node, name);
  return ripstop_fail(
      err,
      "method %s: at %s it permits port %u, channel %u, space %u, which is dead, does not exist or leads to "
      "another end node",
      p->plan->method->name, name, way->port, way->channel, way->space);
}

/* A packet that settles early settles on a way of lowest rank. */
static int keep_lowest_rank(ripstop_way *way, int ways) {
  int kept = 0, lowest = 0;
  for (int i = 1; i < ways; i++)
    if (way[i].rank < way[lowest].rank) lowest = i;
  uint8_t rank = way[lowest].rank;
  for (int i = 0; i < ways; i++)
    if (way[i].rank == rank) way[kept++] = way[i];
  return kept;
}

/* Room for the edges of one state more. */
static void reserve_edges(ripstop_prover *p) {
  if (p->edges + p->plan->ways_max <= p->edge_room) return;
  p->edge_room = 2 * p->edge_room + p->plan->ways_max + 4096;
  p->edge = ripstop_arena_realloc(p->keep, p->edge, p->edge_room, sizeof *p->edge);
}

/* One head: its successors, and what it may wait for. */
static int expand(ripstop_prover *p, uint32_t number, uint32_t destination, ripstop_error *err) {
  uint32_t place = p->state[number].place;
  ripstop_head head = prover_head(p, place, p->state[number].header, p->source, destination);
  int ways = ripstop_route(p->plan, &head, p->way);
  p->state[number].first = p->edges;
  if (place < p->lanes) p->used[place] = 1;
  if (ways == 0 || ways > (int)p->plan->ways_max)
    return ripstop_fail(err, "method %s: it permits %d ways; 1 to %u may be", p->plan->method->name, ways,
                        p->plan->ways_max);
  if (ways < 0) {
    p->state[number].lost = true;
    p->state[number].loss = (uint8_t)(-ways - 1);
    return 0;
  }
  if (p->plan->choose_early) ways = keep_lowest_rank(p->way, ways);
  reserve_edges(p);
  const ripstop_fabric *f = p->fabric;
  uint32_t base = f->port_base[head.node], ports = f->port_base[head.node + 1] - base, channels = p->channels;
  const uint8_t *up = p->plan->view->port_up + base;
  bool delivers = false;
  for (int i = 0; i < ways; i++) {
    const ripstop_way *way = &p->way[i];
    if (way->port >= ports || !up[way->port] || way->channel >= channels || way->space < 1 || way->space > 2)
      return break_rule(p, &head, way, err);
    uint32_t to = p->wanted[i] = (base + way->port) * channels + way->channel, next = p->arrival[to].node;
    if (next == destination)
      delivers = true;
    else if (ripstop_is_end(f, next))
      return break_rule(p, &head, way, err);
    else
      p->edge[p->edges++] = find_or_add(p, to, way->header, number);
  }
  p->state[number].delivers = delivers;
  p->state[number].count = p->edges - p->state[number].first;
  if (place >= p->lanes || (ways == 1 && (delivers || waits_known(p, place, &p->way[0])))) return 0;
  waits_add(p, number, head.node, (uint32_t)ways, destination);
  return 0;
}

/* ------------------------------------------------------------------ delivery and livelock
 * Depth first over the states (Tarjan 1972): a component of states that reach each other is finished after all that it
 * leads to, so a state's fate and hops are known from its successors' when it is left. */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t greatest(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* What `to` knows goes to `from`, one link before it. */
static inline void learn(state *from, const state *to) {
  from->fate |= to->fate;
  from->longest = greatest(from->longest, to->longest + 1);
  if (to->shortest != RIPSTOP_NONE) from->shortest = least(from->shortest, to->shortest + 1);
}

/* The walk in hand; what it points to stays where it is meanwhile. */
typedef struct descent {
  state *state;
  const uint32_t *edge;
  uint32_t *path, length; /* entered and not left */
  uint32_t *open, opened; /* entered and in no closed component */
  uint32_t entered;
} descent;

static inline void enter(descent *d, uint32_t number) {
  state *s = &d->state[number];
  s->index = s->low = ++d->entered;
  s->fate = (s->lost ? FATE_LOST : 0) | (s->delivers ? FATE_DELIVERED : 0);
  s->longest = s->delivers ? 1 : 0;
  s->shortest = s->delivers ? 1 : RIPSTOP_NONE;
  s->next = s->first;
  d->path[d->length++] = number;
  d->open[d->opened++] = number;
}

/* The states since `root` are a component; its root has learnt what all of them know. */
static inline void close_component(descent *d, uint32_t root) {
  state *r = &d->state[root];
  if (d->open[d->opened - 1] != root) r->fate |= FATE_CYCLE;
  for (uint32_t at = RIPSTOP_NONE; at != root;) {
    at = d->open[--d->opened];
    d->state[at].fate = r->fate;
    d->state[at].low = CLOSED;
  }
}

static inline void leave(descent *d) {
  uint32_t number = d->path[--d->length];
  state *s = &d->state[number];
  if (s->low == s->index) close_component(d, number);
  if (!d->length) return;
  state *before = &d->state[d->path[d->length - 1]];
  if (s->low != CLOSED) before->low = least(before->low, s->low);
  learn(before, s);
}

/* The next successor of the last state of the path. */
static inline void look_on(descent *d) {
  uint32_t number = d->path[d->length - 1];
  state *s = &d->state[number];
  uint32_t target = d->edge[s->next++];
  const state *to = &d->state[target];
  if (to->index == 0) {
    enter(d, target);
  } else if (to->low == CLOSED) {
    learn(s, to);
  } else {
    s->low = least(s->low, to->index);
    if (target == number) s->fate |= FATE_CYCLE;
  }
}

static void find_fates(ripstop_prover *p, uint32_t starts) {
  p->path = ripstop_arena_realloc(p->keep, p->path, 2 * (size_t)p->states + 1, sizeof *p->path);
  descent d = {.state = p->state, .edge = p->edge, .path = p->path, .open = p->path + p->states};
  for (uint32_t start = 0; start < starts; start++) {
    enter(&d, start);
    while (d.length) {
      const state *s = &d.state[d.path[d.length - 1]];
      if (s->next < s->first + s->count)
        look_on(&d);
      else
        leave(&d);
    }
  }
}

/* What can become of a packet whatever it has drawn: a draw is one choice more. The state of each draw comes `sources`
 * states after the one before it. */
static state any_draw(const ripstop_prover *p, uint32_t number) {
  state all = p->state[number];
  for (uint32_t draw = 1; draw < p->plan->draws; draw++) {
    const state *s = &p->state[number + draw * p->sources];
    all.fate |= s->fate;
    all.longest = greatest(all.longest, s->longest);
    all.shortest = least(all.shortest, s->shortest);
  }
  return all;
}

/* The first of a source's states from which a packet can fare so. */
static uint32_t draw_with(const ripstop_prover *p, uint32_t number, uint8_t fate) {
  while (!(p->state[number].fate & fate)) number += p->sources;
  return number;
}

/* One pair: what can become of a packet at its injection. The pair counts once, whatever the number of classes. */
static inline void judge_pair(ripstop_prover *p, const state *s, uint32_t number, uint32_t destination,
                              ripstop_proof *out) {
  enum { BY_SOME = 1, BY_EVERY = 2 };
  uint8_t *failed = &p->failed[s->place - p->lanes], before = *failed;
  bool every = !(s->fate & FATE_DELIVERED);
  if (every || s->fate & (FATE_LOST | FATE_CYCLE)) *failed |= BY_SOME;
  if (every) *failed |= BY_EVERY;
  out->pairs += p->class_ == 0;
  out->lost_pairs_some_choice += (*failed & ~before & BY_SOME) != 0;
  out->lost_pairs_every_choice += (*failed & ~before & BY_EVERY) != 0;
  if (!(s->fate & FATE_CYCLE)) out->max_hops = greatest(out->max_hops, s->longest);
  if (every && !out->never_walk) out->never_walk = walk_to(p, number, FATE_LOST, destination);
  if (!every && (s->fate & FATE_LOST) && !out->lost_walk)
    out->lost_walk = walk_to(p, draw_with(p, number, FATE_LOST), FATE_LOST, destination);
  if ((s->fate & FATE_CYCLE) && !out->livelock_walk)
    out->livelock_walk = walk_round(p, draw_with(p, number, FATE_CYCLE), destination);
}

/* A pair is told once, over the walks of all classes, after the last one and if none of them failed. */
static void measure_pair(ripstop_prover *p, const state *s, ripstop_paths *out) {
  uint32_t source = s->place - p->lanes, minimum = p->distance[source];
  walk_lengths *of = &p->lengths[source];
  if (p->class_ == 0) *of = (walk_lengths){s->shortest, s->longest};
  if (s->shortest < of->shortest) of->shortest = s->shortest;
  of->longest = greatest(of->longest, s->longest);
  if (p->class_ + 1 < p->plan->classes || p->failed[source]) return;
  out->pairs++;
  out->minimum += minimum;
  out->shortest += of->shortest;
  out->longest += of->longest;
  out->max_minimum = greatest(out->max_minimum, minimum);
  out->max_shortest = greatest(out->max_shortest, of->shortest);
  out->max_longest = greatest(out->max_longest, of->longest);
  out->max_extra_shortest = greatest(out->max_extra_shortest, of->shortest - minimum);
  out->max_extra_longest = greatest(out->max_extra_longest, of->longest - minimum);
}

/* A packet from each source that p->source asks for, with one draw. */
static inline void add_sources(ripstop_prover *p, uint32_t destination, uint32_t draw) {
  for (uint32_t source = 0; source < p->fabric->ends; source++)
    if (source != destination && (!p->by_source || source == p->source))
      find_or_add(p, p->lanes + source, draw, RIPSTOP_NONE);
}

static void judge_pairs(ripstop_prover *p, uint32_t destination, ripstop_proof *out) {
  for (uint32_t i = 0; i < p->sources; i++) {
    judge_pair(p, &p->state[i], i, destination, out);
    if (p->paths) measure_pair(p, &p->state[i], &out->paths);
  }
}

static void judge_drawn_pairs(ripstop_prover *p, uint32_t destination, ripstop_proof *out) {
  for (uint32_t i = 0; i < p->sources; i++) {
    state all = any_draw(p, i);
    judge_pair(p, &all, i, destination, out);
    if (p->paths) measure_pair(p, &all, &out->paths);
  }
}

/* The pairs that p->source asks for, to one destination, for the class at hand. */
static int prove_class(ripstop_prover *p, uint32_t destination, ripstop_proof *out, ripstop_error *err) {
  forget_states(p);
  add_sources(p, destination, 0);
  p->sources = p->states;
  for (uint32_t draw = 1; draw < p->plan->draws; draw++) add_sources(p, destination, draw);
  uint32_t starts = p->states;
  for (uint32_t i = 0; i < p->states; i++)
    if (expand(p, i, destination, err)) return -1;
  find_fates(p, starts);
  out->states += p->states;
  if (p->plan->draws == 1)
    judge_pairs(p, destination, out);
  else
    judge_drawn_pairs(p, destination, out);
  return 0;
}

static int prove_destination(ripstop_prover *p, uint32_t destination, ripstop_proof *out, ripstop_error *err) {
  memset(p->failed, 0, p->fabric->ends);
  for (p->class_ = 0; p->class_ < p->plan->classes; p->class_++)
    if (prove_class(p, destination, out, err)) return -1;
  return 0;
}

/* ------------------------------------------------------------------ the whole plan */

/* A share of a proof: its destinations, and what they yield. */
typedef struct share {
  ripstop_prover *prover;
  uint32_t first, end;
  ripstop_proof proof;
  ripstop_error err;
  int status;
} share;

static void prove_share(void *shares, unsigned i) {
  share *s = (share *)shares + i;
  ripstop_prover *p = s->prover;
  const ripstop_fabric *f = p->fabric;
  uint32_t rounds = p->by_source ? f->ends : 1;
  s->proof = (ripstop_proof){0};
  s->status = 0;
  for (uint32_t destination = s->first; destination < s->end && !s->status; destination++) {
    if (p->paths) ripstop_fabric_distances(f, destination, p->distance);
    for (p->source = 0; p->source < rounds && !s->status; p->source++)
      if (!p->by_source || p->source != destination) s->status = prove_destination(p, destination, &s->proof, &s->err);
  }
  forget_states(p);
}

static const char *first_of(const char *a, const char *b) { return a ? a : b; }

void add_paths(ripstop_paths *to, const ripstop_paths *more, uint64_t weight) {
  to->pairs += weight * more->pairs;
  to->minimum += weight * more->minimum;
  to->shortest += weight * more->shortest;
  to->longest += weight * more->longest;
  to->max_minimum = greatest(to->max_minimum, more->max_minimum);
  to->max_shortest = greatest(to->max_shortest, more->max_shortest);
  to->max_longest = greatest(to->max_longest, more->max_longest);
  to->max_extra_shortest = greatest(to->max_extra_shortest, more->max_extra_shortest);
  to->max_extra_longest = greatest(to->max_extra_longest, more->max_extra_longest);
}

static void add_share(ripstop_proof *to, const ripstop_proof *more) {
  to->pairs += more->pairs;
  to->lost_pairs_some_choice += more->lost_pairs_some_choice;
  to->lost_pairs_every_choice += more->lost_pairs_every_choice;
  to->states += more->states;
  to->max_hops = greatest(to->max_hops, more->max_hops);
  to->lost_walk = first_of(to->lost_walk, more->lost_walk);
  to->never_walk = first_of(to->never_walk, more->never_walk);
  to->livelock_walk = first_of(to->livelock_walk, more->livelock_walk);
  add_paths(&to->paths, &more->paths, 1);
}

int ripstop_prove(ripstop_prover *p, const ripstop_plan *plan, ripstop_proof *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (ripstop_plan_check_tables(plan, err)) return -1;
  unsigned shares = p->threads < p->fabric->ends ? p->threads : p->fabric->ends;
  share *s = ripstop_realloc(NULL, shares, sizeof *s);
  for (unsigned i = 0; i < shares; i++) {
    uint64_t ends = p->fabric->ends;
    s[i].prover = i ? p->helper[i] : p;
    s[i].first = (uint32_t)(ends * i / shares);
    s[i].end = (uint32_t)(ends * (i + 1) / shares);
    prover_prepare(s[i].prover, plan);
  }
  ripstop_team_share(shares, prove_share, s);
  int status = 0;
  *out = (ripstop_proof){0};
  for (unsigned i = 0; i < shares && !status; i++) {
    status = s[i].status;
    if (status) *err = s[i].err;
    add_share(out, &s[i].proof);
    if (i) waits_merge(p, s[i].prover);
  }
  ripstop_free(s);
  if (status) return -1;
  out->livelock_free = !out->livelock_walk;
  if (!out->livelock_free) out->max_hops = RIPSTOP_NONE;
  out->tolerated = out->lost_pairs_some_choice == 0;
  out->disconnected_pairs =
      plan->view->dead_links + plan->view->dead_switches ? ripstop_view_disconnected_pairs(plan->view) : 0;
  waits_decide(p, out);
  return 0;
}
