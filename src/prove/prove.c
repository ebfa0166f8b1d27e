/* prove.c - all states of a plan, destination by destination; then the queues that can wait.
 *
 * For one destination the states form a graph that is walked breadth-first from all sources, once, without hashing as
 * long as a state's index can be computed from its queue and header. Delivery and livelock follow from it (fates.c).
 * The data kept after a destination is, for each queue, the different sets of next queues that a head in it can be
 * confined to, as bits over the output VCs of its switch, each once, with one packet as its example. That is little,
 * whatever the number of states, and sufficient to decide deadlock.
 *
 * Deadlock: start from all queues; drop a queue when each of its sets meets a dropped queue; repeat. Sets of heads
 * that are consumed or discarded need nothing and are never stored. A ring under bubble flow control (see waits.c) is
 * dropped as a whole.
 *
 * Cost: O(states + candidates) time, memory O(states of one destination + different sets). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "base/team.h"
#include "fabric/inner.h"
#include "prove/proof.h"
#include "prove/prover.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"
#include "tables/versions.h"

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t greatest(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ------------------------------------------------------------------ fates of pairs */

/* The fates that a packet can have over all random headers: a random header is one more alternative. The state of
 * each header comes `sources` states after the one before it. */
static outlook any_header(const ripstop_prover *p, uint32_t number) {
  outlook all = p->state[number].outlook;
  for (uint32_t draw = 1; draw < p->random_headers; draw++) {
    const outlook *one = &p->state[number + draw * p->sources].outlook;
    all.fate |= one->fate;
    all.longest = greatest(all.longest, one->longest);
    all.shortest = least(all.shortest, one->shortest);
  }
  return all;
}

/* The first of a source's states from which a packet can have this fate. */
static uint32_t header_with(const ripstop_prover *p, uint32_t number, uint8_t fate) {
  while (!(p->state[number].outlook.fate & fate)) number += p->sources;
  return number;
}

/* A pair whose packets can be lost or loop forever. The pair counts once, whatever the number of classes. */
static __attribute__((noinline)) void judge_failing(ripstop_prover *p, const outlook *s, uint32_t number,
                                                    uint32_t destination, ripstop_proof *out) {
  enum { BY_SOME = 1, BY_EVERY = 2 };
  uint8_t *failed = &p->failed[p->state[number].place - p->lanes], before = *failed;
  bool every = !(s->fate & FATE_DELIVERED);
  *failed |= every ? BY_SOME | BY_EVERY : BY_SOME;
  out->lost_pairs_some_choice += (*failed & ~before & BY_SOME) != 0;
  out->lost_pairs_every_choice += (*failed & ~before & BY_EVERY) != 0;
  if (every && !out->never_walk) out->never_walk = walk_to(p, number, FATE_LOST, destination);
  if (!every && (s->fate & FATE_LOST) && !out->lost_walk)
    out->lost_walk = walk_to(p, header_with(p, number, FATE_LOST), FATE_LOST, destination);
  if ((s->fate & FATE_CYCLE) && !out->livelock_walk)
    out->livelock_walk = walk_round(p, header_with(p, number, FATE_CYCLE), destination);
}

/* Judges one pair by the fates of a packet at its injection. */
static inline void judge_pair(ripstop_prover *p, const outlook *s, uint32_t number, uint32_t destination,
                              ripstop_proof *out) {
  if (!(s->fate & FATE_CYCLE)) out->max_hops = greatest(out->max_hops, s->longest);
  if ((s->fate & FATES) != FATE_DELIVERED) judge_failing(p, s, number, destination, out);
}

/* Measures a pair once, over the walks of all classes, after the last one and if none of them failed. */
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

static void judge_pairs(ripstop_prover *p, uint32_t destination, ripstop_proof *out) {
  for (uint32_t i = 0; i < p->sources; i++) {
    const state *s = &p->state[i];
    judge_pair(p, &s->outlook, i, destination, out);
    if (p->paths) measure_pair(p, &s->outlook, s->place - p->lanes, &out->paths);
  }
}

static void judge_sampled_pairs(ripstop_prover *p, uint32_t destination, ripstop_proof *out) {
  for (uint32_t i = 0; i < p->sources; i++) {
    outlook all = any_header(p, i);
    judge_pair(p, &all, i, destination, out);
    if (p->paths) measure_pair(p, &all, p->state[i].place - p->lanes, &out->paths);
  }
}

/* The pairs to one destination with the sources of p->source, for the present class. */
static int prove_class(ripstop_prover *p, uint32_t destination, ripstop_proof *out, ripstop_error *err) {
  if (p->mixing.versions ? transients_find(p, destination, err) : states_find(p, destination, err)) return -1;
  if (p->class_ == 0) out->pairs += p->sources;
  fates_find(p);
  dependencies_add(p, destination);
  if (p->mixing.versions) transients_count(p, destination, out);
  out->states += p->states;
  if (p->random_headers == 1)
    judge_pairs(p, destination, out);
  else
    judge_sampled_pairs(p, destination, out);
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
  const uint32_t *to; /* NULL: destinations are `first` .. `end` - 1; else the list */
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
  for (uint32_t n = s->first; n < s->end && !s->status; n++) {
    ripstop_task_progress("packets walked to end nodes", n - s->first, s->end - s->first);
    s->status = prove_sources(s->prover, s->to ? s->to[n] : n, &s->proof, &s->err);
  }
  states_forget(s->prover);
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
  to->deadlock_packets += more->deadlock_packets;
  to->dropped += more->dropped;
  to->max_hops = greatest(to->max_hops, more->max_hops);
  to->lost_walk = first_of(to->lost_walk, more->lost_walk);
  to->never_walk = first_of(to->never_walk, more->never_walk);
  to->livelock_walk = first_of(to->livelock_walk, more->livelock_walk);
  to->dropped_walk = first_of(to->dropped_walk, more->dropped_walk);
  add_paths(&to->paths, &more->paths, 1);
}

/* All packets to one destination are in memory together, at 32 bytes for each random header of each source, and more
 * for packets on their path. */
int ripstop_prove_check(const ripstop_plan *plan, uint32_t random_headers, ripstop_error *err) {
  const uint64_t most = UINT64_C(1) << 26, sources = plan->method->by_source ? 1 : plan->fabric->ends;
  const uint64_t starts =
      sources * (random_headers && random_headers < plan->random_headers ? random_headers : plan->random_headers);
  if (starts <= most) return 0;
  return ripstop_fail(err,
                      "prove: packets to one end node have %" PRIu64 " first states, as %s gives each one of %u random "
                      "headers, which takes too much memory; a sample (`--destinations`, `--draws`) takes less",
                      starts, plan->method->name, plan->random_headers);
}

static int prove(ripstop_prover *p, const ripstop_plan *plan, ripstop_mixing mixing, ripstop_proof *out,
                 ripstop_error *err) {
  uint32_t destinations = p->tos ? p->tos : p->fabric->ends;
  unsigned shares = p->threads < destinations ? p->threads : destinations;
  share *s = ripstop_realloc(NULL, shares, sizeof *s);
  for (unsigned i = 0; i < shares; i++) {
    s[i].prover = i ? p->helper[i] : p;
    s[i].to = p->tos ? p->to : NULL;
    s[i].first = (uint32_t)((uint64_t)destinations * i / shares);
    s[i].end = (uint32_t)((uint64_t)destinations * (i + 1) / shares);
    s[i].prover->mixing = mixing;
    prover_prepare(s[i].prover, plan);
  }
  int status = ripstop_prove_check(plan, p->some_draws, err);
  if (!status) ripstop_team_share(shares, prove_share, s);
  *out = (ripstop_proof){0};
  for (unsigned i = 0; i < shares && !status; i++) {
    status = s[i].status;
    if (status) *err = s[i].err;
    add_share(out, &s[i].proof);
    if (i) waits_merge(p, s[i].prover);
    if (i) dependencies_merge(p, s[i].prover);
  }
  ripstop_free(s);
  if (status) return -1;
  out->random_headers = p->random_headers;
  out->livelock_free = !out->livelock_walk;
  if (!out->livelock_free) out->max_hops = RIPSTOP_NONE;
  out->tolerated = out->lost_pairs_some_choice == 0;
  out->disconnected_pairs =
      plan->view->failed_links + plan->view->failed_switches ? ripstop_view_disconnected_pairs(plan->view) : 0;
  waits_decide(p, out);
  dependencies_decide(p, &out->dependencies);
  return 0;
}

int ripstop_prover_prove(ripstop_prover *p, const ripstop_plan *plan, ripstop_proof *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (ripstop_plan_check_tables(plan, err)) return -1;
  return prove(p, plan, (ripstop_mixing){0}, out, err);
}

int ripstop_prove_transients(ripstop_prover *p, const ripstop_mixing *mixing, ripstop_proof *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  return prove(p, mixing->versions->after, *mixing, out, err);
}

double ripstop_lost_share_at_most(const ripstop_proof *proof, const ripstop_fabric *fabric, double confidence) {
  return (double)ripstop_hits_at_most(proof->lost_destinations, proof->destinations, fabric->ends, confidence) /
         fabric->ends;
}
