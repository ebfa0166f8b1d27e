/* prove.c - all states of a plan, destination by destination; then the queues that can wait.
 *
 * For one destination the states form a graph that is walked breadth first from all sources, once, with no hashing as
 * long as a state's place can be computed from its queue and header. Delivery and livelock follow from it by one
 * topological order and two sweeps against its edges. What outlives a destination is, for each queue, the different
 * sets of next queues that a head in it can be confined to, as bits over the lanes of its switch, each once, with one
 * packet as its example. That is little, whatever the number of states, and all that the question of deadlock needs.
 *
 * Deadlock: start from all queues; drop a queue when each of its sets meets a dropped queue; repeat. Sets of heads that
 * are consumed or discarded need nothing and are never stored. A ring under bubble flow control (see rings.c) is
 * dropped as a whole.
 *
 * Cost: O(states + ways) time, memory O(states of one destination + different sets). */
#include <stdlib.h>
#include <string.h>

#include "prove/prover.h"

/* ------------------------------------------------------------------ states of one destination */

static uint64_t hash_state(uint32_t place, uint64_t header) {
  uint64_t x = header * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)place * UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 29;
}

static void grow_table(rs_prover *p) {
  uint32_t size = p->table ? 2 * (p->table_mask + 1) : 4096;
  p->table = rs_realloc(p->table, size, sizeof *p->table);
  memset(p->table, 0xff, size * sizeof *p->table);
  p->table_mask = size - 1;
  for (uint32_t i = 0; i < p->states; i++) {
    if (p->state[i].header < p->headers) continue;
    uint32_t at = (uint32_t)hash_state(p->state[i].place, p->state[i].header) & p->table_mask;
    while (p->table[at] != RS_NONE) at = (at + 1) & p->table_mask;
    p->table[at] = i;
  }
}

/* Where a state's number is kept: by index while its header is small, by hash beyond. */
static uint32_t *find_number(rs_prover *p, uint32_t place, uint64_t header) {
  if (header < p->headers) return &p->number[(size_t)place * p->headers + header];
  if (!p->table || 2 * p->states > p->table_mask) grow_table(p);
  uint32_t at = (uint32_t)hash_state(place, header) & p->table_mask;
  for (; p->table[at] != RS_NONE; at = (at + 1) & p->table_mask) {
    const state *s = &p->state[p->table[at]];
    if (s->place == place && s->header == header) break;
  }
  return &p->table[at];
}

static uint32_t find_or_add(rs_prover *p, uint32_t place, uint64_t header, uint32_t parent) {
  uint32_t *number = find_number(p, place, header);
  if (*number != RS_NONE) return *number;
  if (p->states == p->state_room) {
    p->state_room = p->state_room ? 2 * p->state_room : 4096;
    p->state = rs_realloc(p->state, p->state_room, sizeof *p->state);
  }
  p->state[p->states] = (state){.place = place, .header = header, .parent = parent};
  return *number = p->states++;
}

static void forget_states(rs_prover *p) {
  bool hashed = false;
  for (uint32_t i = 0; i < p->states; i++) {
    const state *s = &p->state[i];
    if (s->header < p->headers)
      p->number[(size_t)s->place * p->headers + s->header] = RS_NONE;
    else
      hashed = true;
  }
  if (hashed) memset(p->table, 0xff, (p->table_mask + 1) * sizeof *p->table);
  p->states = p->edges = 0;
}

rs_head prover_head(const rs_prover *p, uint32_t place, uint64_t header, uint32_t source, uint32_t destination) {
  const rs_fabric *f = p->fabric;
  if (place >= p->lanes)
    return (rs_head){
        .node = place - p->lanes, .in_port = RS_NONE, .source = place - p->lanes, .destination = destination};
  uint32_t port = f->peer[place / p->channels], node = f->port_node[port];
  return (rs_head){.node = node,
                   .in_port = port - f->port_base[node],
                   .source = source,
                   .destination = destination,
                   .header = header,
                   .channel = (uint8_t)(place % p->channels)};
}

static void add_edge(rs_prover *p, uint32_t target) {
  if (p->edges == p->edge_room) {
    p->edge_room = p->edge_room ? 2 * p->edge_room : 16384;
    p->edge = rs_realloc(p->edge, p->edge_room, sizeof *p->edge);
  }
  p->edge[p->edges++] = target;
}

static int check_way(const rs_prover *p, const rs_head *head, const rs_way *way, rs_error *err) {
  const rs_fabric *f = p->fabric;
  uint32_t port = f->port_base[head->node] + way->port;
  char name[RS_NAME_MAX];
  if (way->port < rs_node_ports(f, head->node) && p->plan->view->port_up[port] && way->channel < p->channels &&
      way->space >= 1 && way->space <= 2) {
    uint32_t next = f->port_node[f->peer[port]];
    if (!rs_is_end(f, next) || next == head->destination) return 0;
  }
  rs_node_name(f, head->node, name);
  return rs_fail(err,
                 "method %s: at %s it permits port %u, channel %u, space %u, which is dead, does not exist or leads to "
                 "another end node",
                 p->plan->method->name, name, way->port, way->channel, way->space);
}

/* A packet that settles early settles on a way of lowest rank. */
static int keep_lowest_rank(rs_way *way, int ways) {
  int kept = 0, lowest = 0;
  for (int i = 1; i < ways; i++)
    if (way[i].rank < way[lowest].rank) lowest = i;
  uint8_t rank = way[lowest].rank;
  for (int i = 0; i < ways; i++)
    if (way[i].rank == rank) way[kept++] = way[i];
  return kept;
}

/* One head: its successors, and what it may wait for. */
static int expand(rs_prover *p, uint32_t number, uint32_t destination, rs_error *err) {
  const rs_fabric *f = p->fabric;
  uint32_t place = p->state[number].place;
  rs_head head = prover_head(p, place, p->state[number].header, p->source, destination);
  int ways = rs_route(p->plan, &head, p->way);
  p->state[number].first = p->edges;
  if (place < p->lanes) p->used[place] = 1;
  if (ways == 0 || ways > (int)p->plan->ways_max)
    return rs_fail(err, "method %s: it permits %d ways; 1 to %u may be", p->plan->method->name, ways,
                   p->plan->ways_max);
  if (ways < 0) {
    p->state[number].lost = true;
    p->state[number].loss = (uint8_t)(-ways - 1);
    return 0;
  }
  if (p->plan->choose_early) ways = keep_lowest_rank(p->way, ways);
  for (int i = 0; i < ways; i++) {
    if (check_way(p, &head, &p->way[i], err)) return -1;
    uint32_t port = f->port_base[head.node] + p->way[i].port;
    if (rs_is_end(f, f->port_node[f->peer[port]])) {
      p->state[number].delivers = true;
      continue;
    }
    uint32_t next = find_or_add(p, port * p->channels + p->way[i].channel, p->way[i].header, number);
    add_edge(p, next);
  }
  p->state[number].count = p->edges - p->state[number].first;
  if (place < p->lanes) waits_add(p, number, &head, (uint32_t)ways, destination);
  return 0;
}

/* ------------------------------------------------------------------ delivery and livelock */

/* Edges turned round, so that sweeps can go against them. */
static void turn_edges(rs_prover *p) {
  p->into = rs_realloc(p->into, p->states + 1, sizeof *p->into);
  p->from = rs_realloc(p->from, p->edges + 1, sizeof *p->from);
  memset(p->into, 0, (p->states + 1) * sizeof *p->into);
  for (uint32_t i = 0; i < p->edges; i++) p->into[p->edge[i] + 1]++;
  for (uint32_t i = 0; i < p->states; i++) p->into[i + 1] += p->into[i];
  p->fill = rs_realloc(p->fill, p->states + 1, sizeof *p->fill);
  memcpy(p->fill, p->into, p->states * sizeof *p->fill);
  for (uint32_t i = 0; i < p->states; i++)
    for (uint32_t k = p->state[i].first; k < p->state[i].first + p->state[i].count; k++)
      p->from[p->fill[p->edge[k]]++] = i;
}

/* Marks with `bit` everything from which a marked state can be reached. */
static void spread_back(rs_prover *p, uint8_t bit) {
  uint32_t head = 0, tail = 0;
  for (uint32_t i = 0; i < p->states; i++)
    if (p->state[i].fate & bit) p->fill[tail++] = i;
  while (head < tail) {
    uint32_t at = p->fill[head++];
    for (uint32_t k = p->into[at]; k < p->into[at + 1]; k++)
      if (!(p->state[p->from[k]].fate & bit)) {
        p->state[p->from[k]].fate |= bit;
        p->fill[tail++] = p->from[k];
      }
  }
}

/* Topological order from the ends backwards: a state is passed when all its successors are. What is left can go round a
 * cycle. Sets the longest walk from every state that is passed. */
static bool find_cycles(rs_prover *p) {
  uint32_t head = 0, tail = 0;
  for (uint32_t i = 0; i < p->states; i++) {
    p->state[i].hops = 1;
    p->state[i].left = p->state[i].count;
    if (p->state[i].count == 0) p->fill[tail++] = i;
  }
  while (head < tail) {
    uint32_t at = p->fill[head++];
    for (uint32_t k = p->into[at]; k < p->into[at + 1]; k++) {
      state *before = &p->state[p->from[k]];
      if (p->state[at].hops + 1 > before->hops) before->hops = p->state[at].hops + 1;
      if (--before->left == 0) p->fill[tail++] = p->from[k];
    }
  }
  if (tail == p->states) return false;
  for (uint32_t i = 0; i < p->states; i++)
    if (p->state[i].left) p->state[i].fate |= FATE_CYCLE;
  return true;
}

static int prove_destination(rs_prover *p, uint32_t destination, rs_proof *out, rs_error *err) {
  const rs_fabric *f = p->fabric;
  forget_states(p);
  for (uint32_t source = 0; source < f->ends; source++)
    if (source != destination && (!p->by_source || source == p->source)) find_or_add(p, p->lanes + source, 0, RS_NONE);
  uint32_t starts = p->states;
  for (uint32_t i = 0; i < p->states; i++)
    if (expand(p, i, destination, err)) return -1;
  turn_edges(p);
  for (uint32_t i = 0; i < p->states; i++)
    p->state[i].fate = (p->state[i].lost ? FATE_LOST : 0) | (p->state[i].delivers ? FATE_DELIVERED : 0);
  bool cycles = find_cycles(p);
  spread_back(p, FATE_DELIVERED);
  spread_back(p, FATE_LOST);
  out->states += p->states;
  out->livelock_free &= !cycles;
  for (uint32_t i = 0; i < starts; i++) {
    const state *s = &p->state[i];
    bool some = s->fate & (FATE_LOST | FATE_CYCLE), every = !(s->fate & FATE_DELIVERED);
    out->pairs++;
    out->lost_pairs_some_choice += some || every;
    out->lost_pairs_every_choice += every;
    if (!(s->fate & FATE_CYCLE) && s->hops > out->max_hops) out->max_hops = s->hops;
    if (every && !out->never_walk) out->never_walk = walk_to(p, i, FATE_LOST, destination);
    if (!every && (s->fate & FATE_LOST) && !out->lost_walk) out->lost_walk = walk_to(p, i, FATE_LOST, destination);
    if ((s->fate & FATE_CYCLE) && !out->livelock_walk) out->livelock_walk = walk_round(p, i, destination);
  }
  return 0;
}

/* ------------------------------------------------------------------ the whole plan */

static void prepare(rs_prover *p, const rs_plan *plan) {
  p->plan = plan;
  p->by_source = plan->method->by_source;
  if (p->channels != plan->channels) {
    p->channels = plan->channels;
    p->lanes = p->fabric->ports * plan->channels;
    free(p->number);
    p->number = NULL;
  }
  uint64_t places = (uint64_t)p->lanes + p->fabric->ends;
  if (!p->number) {
    p->headers = PROVER_HEADERS;
    while (p->headers > 1 && places * p->headers > PROVER_NUMBERS) p->headers /= 2;
    p->number = rs_realloc(NULL, places * p->headers, sizeof *p->number);
    memset(p->number, 0xff, places * p->headers * sizeof *p->number);
  }
  p->way = rs_realloc(p->way, plan->ways_max + 1, sizeof *p->way);
  p->used = rs_realloc(p->used, p->lanes + 1, 1);
  memset(p->used, 0, p->lanes);
  rs_arena_free(p->arena);
  p->arena = rs_arena_new();
  waits_reset(p);
}

int rs_prove(rs_prover *p, const rs_plan *plan, rs_proof *out, rs_error *err) {
  prepare(p, plan);
  *out = (rs_proof){.livelock_free = true};
  for (uint32_t destination = 0; destination < p->fabric->ends; destination++) {
    uint32_t rounds = p->by_source ? p->fabric->ends : 1;
    for (p->source = 0; p->source < rounds; p->source++)
      if ((!p->by_source || p->source != destination) && prove_destination(p, destination, out, err)) {
        forget_states(p);
        return -1;
      }
  }
  forget_states(p);
  if (!out->livelock_free) out->max_hops = RS_NONE;
  out->tolerated = out->lost_pairs_some_choice == 0;
  out->disconnected_pairs =
      plan->view->dead_links + plan->view->dead_switches ? rs_view_disconnected_pairs(plan->view) : 0;
  waits_decide(p, out);
  return 0;
}

rs_prover *rs_prover_new(const rs_fabric *fabric) {
  rs_prover *p = rs_realloc(NULL, 1, sizeof *p);
  *p = (rs_prover){.fabric = fabric, .arena = rs_arena_new()};
  return p;
}

void rs_prover_free(rs_prover *p) {
  if (!p) return;
  free(p->number);
  free(p->table);
  free(p->state);
  free(p->edge);
  free(p->into);
  free(p->from);
  free(p->fill);
  free(p->way);
  free(p->used);
  waits_free(p);
  rs_arena_free(p->arena);
  free(p);
}
