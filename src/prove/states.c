/* states.c - all states of the packets to one destination, and the output VCs that their heads can be confined to.
 *
 * Breadth-first search from the NICs, without hashing as long as a state's index can be computed from its queue and
 * header. A state is numbered when it is found, so the order is always the same: first the NICs, which no candidate
 * leads to and which are never looked up, then switches. Proofs spend their time here, some hundred instructions a
 * state beside those of the method. */
#include <string.h>

#include "base/memory.h"
#include "prove/states.h"
#include "ripstop/plugin/method.h"

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint64_t hash_state(uint32_t place, uint64_t header) {
  uint64_t x = header * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)place * UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 29;
}

static void grow_table(ripstop_prover *p) {
  uint32_t size = p->table ? 2 * (p->table_mask + 1) : 4096;
  p->table = ripstop_arena_realloc(p->keep, p->table, size, sizeof *p->table);
  memset(p->table, 0, size * sizeof *p->table);
  p->table_mask = size - 1;
  for (uint32_t i = 0; i < p->states; i++) {
    if (p->state[i].header < p->headers || p->state[i].place >= p->lanes) continue;
    uint32_t at = (uint32_t)hash_state(p->state[i].place, p->state[i].header) & p->table_mask;
    while (states_known(p, p->table[at])) at = (at + 1) & p->table_mask;
    p->table[at] = p->before + i;
  }
}

/* Adds rows of numbers for headers below `headers`; few methods use more than one. */
static void grow_rows(ripstop_prover *p, uint64_t header) {
  size_t lanes = p->lanes;
  p->number = ripstop_arena_realloc(p->keep, p->number, lanes * (header + 1), sizeof *p->number);
  memset(p->number + lanes * p->headers, 0, lanes * (header + 1 - p->headers) * sizeof *p->number);
  p->headers = header + 1;
}

/* The place of a state's number: by index while its header is small, by hash beyond. */
uint32_t *states_find_number(ripstop_prover *p, uint32_t lane, uint64_t header) {
  if (header >= p->headers && header < p->rows) grow_rows(p, header);
  if (header < p->headers) return &p->number[header * p->lanes + lane];
  if (!p->table || 2 * p->states > p->table_mask) grow_table(p);
  uint32_t at = (uint32_t)hash_state(lane, header) & p->table_mask;
  for (; states_known(p, p->table[at]); at = (at + 1) & p->table_mask) {
    const state *s = &p->state[p->table[at] - p->before];
    if (s->place == lane && s->header == header) break;
  }
  return &p->table[at];
}

void states_forget(ripstop_prover *p) {
  p->before += p->states + 1; /* never 0, which marks unused memory */
  p->states = p->edges = 0;
  if (p->before <= UINT32_MAX / 2) return;
  p->before = 1;
  if (p->by_node) memset(p->lone, 0, p->fabric->nodes * sizeof *p->lone);
  memset(p->number, 0, p->headers * p->lanes * sizeof *p->number);
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

static __attribute__((noinline, cold)) int break_rule(const ripstop_prover *p, const ripstop_head *head,
                                                      const ripstop_candidate *candidate, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(p->fabric, head->node, name);
  return ripstop_fail(
      err,
      "method %s: at %s it permits port %u, channel %u, space %u, which has failed, does not exist or leads to "
      "another end node",
      p->plan->method->name, name, candidate->port, candidate->channel, candidate->space);
}

/* A packet that settles early settles on a candidate of lowest rank. */
int states_keep_lowest_rank(ripstop_candidate *candidate, int candidates) {
  int kept = 0, lowest = 0;
  for (int i = 1; i < candidates; i++)
    if (candidate[i].rank < candidate[lowest].rank) lowest = i;
  uint8_t rank = candidate[lowest].rank;
  for (int i = 0; i < candidates; i++)
    if (candidate[i].rank == rank) candidate[kept++] = candidate[i];
  return kept;
}

/* No candidate is a valid answer. */
static int refuse_candidates(const ripstop_prover *p, state *s, int candidates, ripstop_error *err) {
  s->outlook.fate = FATE_LOST;
  if (candidates < 0) return 0;
  return ripstop_fail(err, "method %s: it permits %d candidates; 1 to %u are allowed", p->plan->method->name,
                      candidates, p->plan->candidates_max);
}

typedef enum { WRONG, DELIVERS, LEADS } step;

/* The step of a candidate, by its output VC counted from the first of the switch: to the destination, or to a state,
 * for which there is room. Or the candidate is not allowed. */
static inline step follow_candidate(ripstop_prover *p, uint32_t number, const ripstop_head *head,
                                    const ripstop_candidate *candidate, uint32_t local) {
  uint32_t lane = p->first_lane[head->node] + local;
  if (lane >= p->first_lane[head->node + 1] || candidate->channel >= p->channels || (uint8_t)(candidate->space - 1) > 1)
    return WRONG;
  uint32_t next = p->arrival[lane].node;
  if (next == head->destination) {
    p->state[number].outlook = (outlook){.fate = FATE_DELIVERED, .longest = 1, .shortest = 1};
    return DELIVERS;
  }
  if (next < p->ends || next == RIPSTOP_NONE) return WRONG;
  p->edge[p->edges++] = states_find_or_add(p, lane, candidate->header, number);
  return LEADS;
}

/* Expands a head that has no candidate, or several. */
static __attribute__((noinline)) int expand_candidates(ripstop_prover *p, uint32_t number, const ripstop_head *head,
                                                       int candidates, ripstop_error *err) {
  if ((uint32_t)candidates - 1 >= p->candidates_max) return refuse_candidates(p, &p->state[number], candidates, err);
  if (p->early) candidates = states_keep_lowest_rank(p->candidate, candidates);
  for (int i = 0; i < candidates; i++)
    if (follow_candidate(p, number, head, &p->candidate[i], lane_of_candidate(p, &p->candidate[i])) == WRONG)
      return break_rule(p, head, &p->candidate[i], err);
  if (p->state[number].place >= p->lanes || (candidates == 1 && p->state[number].outlook.fate)) return 0;
  waits_add(p, number, head->node, (uint32_t)candidates, head->destination);
  return 0;
}

/* Expands one head: its successors, and the queues that it may wait for. There is room for them. */
static inline int expand(ripstop_prover *p, uint32_t number, const ripstop_head *head, bool at_switch,
                         ripstop_error *err) {
  int candidates = ripstop_route(p->plan, head, p->candidate);
  p->state[number].first = p->edges;
  if (candidates != 1) return expand_candidates(p, number, head, candidates, err);
  uint32_t bit = waits_bit(p, p->candidate);
  step done = follow_candidate(p, number, head, p->candidate, lane_of_candidate(p, p->candidate));
  if (done == WRONG) return break_rule(p, head, p->candidate, err);
  if (!at_switch) return 0;
  if (p->by_node) p->lone[head->node] = (lone){.number = p->before + number, .bit = bit};
  if (done == LEADS && !waits_known(p, p->state[number].place, bit))
    waits_add(p, number, head->node, 1, head->destination);
  return 0;
}

/* True if the head has the same candidate as the previous one at this switch, and nothing is new. There is room. */
static inline bool follow_last(ripstop_prover *p, state *s, const lone *last) {
  uint32_t number = last->number - p->before;
  if (number >= p->states || p->state[number].header != s->header) return false;
  const state *like = &p->state[number];
  if (!like->outlook.fate && !waits_known(p, s->place, last->bit)) return false;
  s->first = p->edges;
  s->outlook = like->outlook;
  if (!like->outlook.fate) p->edge[p->edges++] = p->edge[like->first];
  return true;
}

/* Expands some states at NICs. */
static int expand_sources(ripstop_prover *p, uint32_t from, uint32_t end, ripstop_head *head, ripstop_error *err) {
  states_reserve(p, (end - from) * p->candidates_max);
  for (uint32_t i = from; i < end; i++) {
    head->node = head->source = p->state[i].place - p->lanes;
    head->header = p->state[i].header;
    if (expand(p, i, head, false, err)) return -1;
  }
  return 0;
}

/* Expands some states at switches. */
static int expand_queued(ripstop_prover *p, uint32_t from, uint32_t end, ripstop_head *head, ripstop_error *err) {
  states_reserve(p, (end - from) * p->candidates_max);
  for (uint32_t i = from; i < end; i++) {
    arrival *at = &p->arrival[p->state[i].place];
    at->used = true;
    if (p->by_node && follow_last(p, &p->state[i], &p->lone[at->node])) continue;
    head->node = at->node;
    head->in_port = at->port;
    head->channel = at->channel;
    head->header = p->state[i].header;
    if (expand(p, i, head, true, err)) return -1;
  }
  return 0;
}

/* Finds all states that the first `starts` ones, at NICs, lead to. */
static int expand_all(ripstop_prover *p, uint32_t starts, uint32_t destination, ripstop_error *err) {
  enum { TOGETHER = 64 };
  ripstop_head head = {.in_port = RIPSTOP_NONE, .destination = destination, .class_ = (uint8_t)p->class_};
  for (uint32_t i = 0, end; i < starts; i = end) {
    end = least(i + TOGETHER, starts);
    ripstop_task_progress(NULL, 0, 0);
    if (expand_sources(p, i, end, &head, err)) return -1;
  }
  head.source = p->source;
  for (uint32_t i = starts, end; i < p->states; i = end) {
    end = least(i + TOGETHER, p->states);
    ripstop_task_progress(NULL, 0, 0);
    if (expand_queued(p, i, end, &head, err)) return -1;
  }
  p->state[p->states].first = p->edges;
  return 0;
}

/* Adds a packet from each source of p->source, with one of the random headers. */
static void add_sources(ripstop_prover *p, uint32_t destination, uint32_t number) {
  uint32_t draw = p->draw ? p->draw[number] : number;
  uint32_t first = p->by_source ? p->source : 0, end = p->by_source ? p->source + 1 : p->fabric->ends;
  states_reserve(p, end - first);
  for (uint32_t source = first; source < end; source++)
    if (source != destination) states_add(p, p->lanes + source, draw, RIPSTOP_NONE);
}

void states_add_sources(ripstop_prover *p, uint32_t destination) {
  states_forget(p);
  add_sources(p, destination, 0);
  p->sources = p->states;
  for (uint32_t i = 1; i < p->random_headers; i++) add_sources(p, destination, i);
}

int states_find(ripstop_prover *p, uint32_t destination, ripstop_error *err) {
  states_add_sources(p, destination);
  return expand_all(p, p->states, destination, err);
}
