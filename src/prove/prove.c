/* prove.c - all states of a plan, destination by destination; then the queues that can wait.
 *
 * For one destination the states form a graph that is walked breadth first from all sources, once, with no hashing as
 * long as a state's place can be computed from its queue and header. Delivery and livelock follow from it (fates.c).
 * What outlives a destination is, for each queue, the different sets of next queues that a head in it can be confined
 * to, as bits over the lanes of its switch, each once, with one packet as its example. That is little, whatever the
 * number of states, and all that the question of deadlock needs.
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

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t greatest(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ------------------------------------------------------------------ states of one destination */

static uint64_t hash_state(uint32_t place, uint64_t header) {
  uint64_t x = header * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)place * UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 29;
}

/* Numbers of states go on counting from one destination to the next: one below `before` is of an earlier one, and says
 * that there is no such state. So nothing has to be cleared until they run out. */
static bool is_known(const ripstop_prover *p, uint32_t number) { return number - p->before < p->states; }

static void grow_table(ripstop_prover *p) {
  uint32_t size = p->table ? 2 * (p->table_mask + 1) : 4096;
  p->table = ripstop_arena_realloc(p->keep, p->table, size, sizeof *p->table);
  memset(p->table, 0, size * sizeof *p->table);
  p->table_mask = size - 1;
  for (uint32_t i = 0; i < p->states; i++) {
    if (p->state[i].header < p->headers) continue;
    uint32_t at = (uint32_t)hash_state(p->state[i].place, p->state[i].header) & p->table_mask;
    while (is_known(p, p->table[at])) at = (at + 1) & p->table_mask;
    p->table[at] = p->before + i;
  }
}

/* A row of numbers for each header below `headers`, which few methods use more than one of. */
static void grow_rows(ripstop_prover *p, uint64_t header) {
  p->number = ripstop_arena_realloc(p->keep, p->number, p->places * (header + 1), sizeof *p->number);
  memset(p->number + p->places * p->headers, 0, p->places * (header + 1 - p->headers) * sizeof *p->number);
  p->headers = header + 1;
}

/* Where a state's number is kept: by index while its header is small, by hash beyond. */
static uint32_t *find_number(ripstop_prover *p, uint32_t place, uint64_t header) {
  if (header >= p->headers && header < p->rows) grow_rows(p, header);
  if (header < p->headers) return &p->number[header * p->places + place];
  if (!p->table || 2 * p->states > p->table_mask) grow_table(p);
  uint32_t at = (uint32_t)hash_state(place, header) & p->table_mask;
  for (; is_known(p, p->table[at]); at = (at + 1) & p->table_mask) {
    const state *s = &p->state[p->table[at] - p->before];
    if (s->place == place && s->header == header) break;
  }
  return &p->table[at];
}

/* Room for so many edges more, each to a state more; and for a state behind the last, of which `first` alone is looked
 * at. */
static void reserve(ripstop_prover *p, uint32_t edges) {
  if (p->states + edges >= p->state_room) {
    p->state_room = 2 * p->state_room + edges + 4096;
    p->state = ripstop_arena_realloc(p->keep, p->state, p->state_room, sizeof *p->state);
  }
  if (p->edges + edges > p->edge_room) {
    p->edge_room = 2 * p->edge_room + edges + 4096;
    p->edge = ripstop_arena_realloc(p->keep, p->edge, p->edge_room, sizeof *p->edge);
  }
}

/* There is room for it. */
static inline uint32_t find_or_add(ripstop_prover *p, uint32_t place, uint64_t header, uint32_t parent) {
  uint32_t *number = header < p->headers ? &p->number[header * p->places + place] : find_number(p, place, header);
  if (is_known(p, *number)) return *number - p->before;
  p->state[p->states] = (state){.place = place, .header = header, .parent = parent};
  *number = p->before + p->states;
  return p->states++;
}

static void forget_states(ripstop_prover *p) {
  p->before += p->states + 1; /* so it is never 0, which is what nothing was written to */
  p->states = p->edges = 0;
  if (p->before <= UINT32_MAX / 2) return;
  p->before = 1;
  memset(p->number, 0, p->headers * p->places * sizeof *p->number);
  if (p->table) memset(p->table, 0, (p->table_mask + 1) * sizeof *p->table);
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

/* No way on is an answer. */
static int refuse_ways(const ripstop_prover *p, state *s, int ways, ripstop_error *err) {
  s->outlook.fate = FATE_LOST;
  if (ways < 0) return 0;
  return ripstop_fail(err, "method %s: it permits %d ways; 1 to %u may be", p->plan->method->name, ways,
                      p->plan->ways_max);
}

/* One head: its successors, and what it may wait for. There is room for them. */
static inline int expand(ripstop_prover *p, uint32_t number, const ripstop_head *head, bool at_switch,
                         ripstop_error *err) {
  int ways = ripstop_route(p->plan, head, p->way);
  state *s = &p->state[number];
  s->first = p->edges;
  s->outlook.shortest = RIPSTOP_NONE;
  if ((uint32_t)ways - 1 >= p->ways_max) return refuse_ways(p, s, ways, err);
  if (p->early) ways = keep_lowest_rank(p->way, ways);
  uint32_t first = p->first_lane[head->node], lanes = p->first_lane[head->node + 1] - first;
  int i = 0;
  do {
    const ripstop_way *way = &p->way[i];
    uint32_t local = p->wanted[i] = way->port * p->channels + way->channel, lane = first + local;
    if (local >= lanes || way->channel >= p->channels || (uint8_t)(way->space - 1) > 1)
      return break_rule(p, head, way, err);
    uint32_t next = p->arrival[lane].node;
    if (next == head->destination)
      s->outlook = (outlook){.fate = FATE_DELIVERED, .longest = 1, .shortest = 1};
    else if (next >= p->fabric->ends && next != RIPSTOP_NONE)
      p->edge[p->edges++] = find_or_add(p, lane, way->header, number);
    else
      return break_rule(p, head, way, err);
  } while (++i < ways);
  if (!at_switch) return 0;
  if (ways == 1 && (s->outlook.fate || waits_known(p, s->place, p->wanted[0], &p->way[0]))) return 0;
  waits_add(p, number, head->node, (uint32_t)ways, head->destination);
  return 0;
}

/* Some states at network interfaces. */
static int expand_sources(ripstop_prover *p, uint32_t from, uint32_t end, ripstop_head *head, ripstop_error *err) {
  reserve(p, (end - from) * p->ways_max);
  for (uint32_t i = from; i < end; i++) {
    *head = prover_head(p, p->state[i].place, p->state[i].header, p->source, head->destination);
    if (expand(p, i, head, false, err)) return -1;
  }
  return 0;
}

/* Some at switches. */
static int expand_queued(ripstop_prover *p, uint32_t from, uint32_t end, ripstop_head *head, ripstop_error *err) {
  reserve(p, (end - from) * p->ways_max);
  for (uint32_t i = from; i < end; i++) {
    arrival *at = &p->arrival[p->state[i].place];
    at->used = true;
    head->node = at->node;
    head->in_port = at->port;
    head->channel = at->channel;
    head->header = p->state[i].header;
    if (expand(p, i, head, true, err)) return -1;
  }
  return 0;
}

/* All states that the first `starts` ones, at network interfaces, lead to. */
static int expand_all(ripstop_prover *p, uint32_t starts, uint32_t destination, ripstop_error *err) {
  enum { TOGETHER = 64 };
  ripstop_head head = {.source = p->source, .destination = destination, .class_ = (uint8_t)p->class_};
  for (uint32_t i = 0, end; i < starts; i = end) {
    end = least(i + TOGETHER, starts);
    if (expand_sources(p, i, end, &head, err)) return -1;
  }
  head.source = p->source;
  for (uint32_t i = starts, end; i < p->states; i = end) {
    end = least(i + TOGETHER, p->states);
    if (expand_queued(p, i, end, &head, err)) return -1;
  }
  p->state[p->states].first = p->edges;
  return 0;
}

/* ------------------------------------------------------------------ what becomes of pairs */

/* What can become of a packet whatever it has drawn: a draw is one choice more. The state of each draw comes `sources`
 * states after the one before it. */
static outlook any_draw(const ripstop_prover *p, uint32_t number) {
  outlook all = p->state[number].outlook;
  for (uint32_t draw = 1; draw < p->plan->draws; draw++) {
    const outlook *one = &p->state[number + draw * p->sources].outlook;
    all.fate |= one->fate;
    all.longest = greatest(all.longest, one->longest);
    all.shortest = least(all.shortest, one->shortest);
  }
  return all;
}

/* The first of a source's states from which a packet can fare so. */
static uint32_t draw_with(const ripstop_prover *p, uint32_t number, uint8_t fate) {
  while (!(p->state[number].outlook.fate & fate)) number += p->sources;
  return number;
}

/* One pair: what can become of a packet at its injection. The pair counts once, whatever the number of classes. */
static inline void judge_pair(ripstop_prover *p, const outlook *s, uint32_t number, uint32_t destination,
                              ripstop_proof *out) {
  enum { BY_SOME = 1, BY_EVERY = 2 };
  uint8_t *failed = &p->failed[p->state[number].place - p->lanes], before = *failed;
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
static void measure_pair(ripstop_prover *p, const outlook *s, uint32_t source, ripstop_paths *out) {
  uint32_t minimum = p->distance[source];
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
  reserve(p, p->fabric->ends);
  for (uint32_t source = 0; source < p->fabric->ends; source++)
    if (source != destination && (!p->by_source || source == p->source))
      find_or_add(p, p->lanes + source, draw, RIPSTOP_NONE);
}

static void judge_pairs(ripstop_prover *p, uint32_t destination, ripstop_proof *out) {
  for (uint32_t i = 0; i < p->sources; i++) {
    const state *s = &p->state[i];
    judge_pair(p, &s->outlook, i, destination, out);
    if (p->paths) measure_pair(p, &s->outlook, s->place - p->lanes, &out->paths);
  }
}

static void judge_drawn_pairs(ripstop_prover *p, uint32_t destination, ripstop_proof *out) {
  for (uint32_t i = 0; i < p->sources; i++) {
    outlook all = any_draw(p, i);
    judge_pair(p, &all, i, destination, out);
    if (p->paths) measure_pair(p, &all, p->state[i].place - p->lanes, &out->paths);
  }
}

/* The pairs that p->source asks for, to one destination, for the class at hand. */
static int prove_class(ripstop_prover *p, uint32_t destination, ripstop_proof *out, ripstop_error *err) {
  forget_states(p);
  add_sources(p, destination, 0);
  p->sources = p->states;
  for (uint32_t draw = 1; draw < p->plan->draws; draw++) add_sources(p, destination, draw);
  uint32_t starts = p->states;
  if (expand_all(p, starts, destination, err)) return -1;
  fates_find(p);
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
  const uint32_t *to; /* NULL: destinations are what `first` .. `end` - 1 say; else they are there */
  uint32_t first, end;
  ripstop_proof proof;
  ripstop_error err;
  int status;
} share;

/* Packets of all sources to one destination. */
static int prove_sources(ripstop_prover *p, uint32_t destination, ripstop_proof *out, ripstop_error *err) {
  uint32_t rounds = p->by_source ? p->fabric->ends : 1;
  uint64_t lost = out->lost_pairs_some_choice;
  if (p->paths) ripstop_fabric_distances(p->fabric, destination, p->distance);
  for (p->source = 0; p->source < rounds; p->source++)
    if ((!p->by_source || p->source != destination) && prove_destination(p, destination, out, err)) return -1;
  out->destinations++;
  out->lost_destinations += out->lost_pairs_some_choice > lost;
  return 0;
}

static void prove_share(void *shares, unsigned i) {
  share *s = (share *)shares + i;
  s->proof = (ripstop_proof){0};
  s->status = 0;
  for (uint32_t n = s->first; n < s->end && !s->status; n++)
    s->status = prove_sources(s->prover, s->to ? s->to[n] : n, &s->proof, &s->err);
  forget_states(s->prover);
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
  to->destinations += more->destinations;
  to->lost_destinations += more->lost_destinations;
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
  uint32_t destinations = p->tos ? p->tos : p->fabric->ends;
  unsigned shares = p->threads < destinations ? p->threads : destinations;
  share *s = ripstop_realloc(NULL, shares, sizeof *s);
  for (unsigned i = 0; i < shares; i++) {
    s[i].prover = i ? p->helper[i] : p;
    s[i].to = p->tos ? p->to : NULL;
    s[i].first = (uint32_t)((uint64_t)destinations * i / shares);
    s[i].end = (uint32_t)((uint64_t)destinations * (i + 1) / shares);
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

/* One-sided: the end of an interval whose other half of doubt lies below. Destinations are drawn without putting back,
 * which makes what is seen come closer to the truth than the binomial law has it. */
double ripstop_lost_share_at_most(const ripstop_proof *proof, const ripstop_fabric *fabric, double confidence) {
  if (proof->destinations == fabric->ends) return (double)proof->lost_destinations / fabric->ends;
  return ripstop_clopper_pearson(proof->lost_destinations, proof->destinations, 2 * confidence - 1).high;
}
