/* prover.c - the prover's workspace: its lifetime, its threads, and its arrays for the present plan. */
#include <string.h>

#include "base/memory.h"
#include "prove/lowest.h"
#include "prove/proof.h"
#include "prove/prover.h"
#include "ripstop/plugin/method.h"
#include "tables/versions.h"

/* Resizes arrays when the output VCs change. */
static void count_lanes(ripstop_prover *p, uint32_t channels) {
  const ripstop_fabric *f = p->fabric;
  p->channels = channels;
  p->lanes = f->ports * channels;
  p->headers = 0;
  uint64_t rows = PROVER_NUMBERS / p->lanes;
  p->rows = rows < PROVER_HEADERS ? rows : PROVER_HEADERS;
  p->arrival = ripstop_arena_realloc(p->keep, p->arrival, p->lanes, sizeof *p->arrival);
  p->first_lane = ripstop_arena_realloc(p->keep, p->first_lane, f->nodes + 1, sizeof *p->first_lane);
  for (uint32_t node = 0; node <= f->nodes; node++) p->first_lane[node] = f->port_base[node] * channels;
}

/* Finds where each output VC leads in the present view; with transient states in any view. */
static void know_lanes(ripstop_prover *p) {
  const ripstop_fabric *f = p->fabric;
  const uint8_t *up = p->plan->view->port_up;
  bool any = p->mixing.versions;
  for (uint32_t port = 0, lane = 0; port < f->ports; port++) {
    uint32_t in = up[port] || any ? f->peer[port] : RIPSTOP_NONE,
             node = in == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_node[in];
    uint32_t local = in == RIPSTOP_NONE ? 0 : in - f->port_base[node];
    for (uint32_t channel = 0; channel < p->channels; channel++)
      p->arrival[lane++] = (arrival){.node = node, .port = (uint16_t)local, .channel = (uint8_t)channel};
  }
}

/* Selection sampling (Knuth, volume 2, 3.4.2): `count` of `of`, each decided in turn, with the remaining odds. */
static void sample(uint32_t *out, uint32_t count, uint32_t of, uint64_t seed, uint64_t index) {
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_PROOF, index);
  for (uint32_t i = 0, taken = 0; taken < count; i++)
    if (ripstop_stream_below(&stream, of - i) < count - taken) out[taken++] = i;
}

/* The same method for destinations and random headers, with different random numbers. */
static void choose_draws(ripstop_prover *p) {
  enum { OF_DRAWS = 1 };
  uint32_t all = p->plan->random_headers;
  bool some = p->some_draws && p->some_draws < all;
  p->random_headers = some ? p->some_draws : all;
  p->draw = some ? ripstop_arena_realloc(p->keep, p->draw, p->random_headers, sizeof *p->draw) : NULL;
  if (some) sample(p->draw, p->random_headers, all, p->draw_seed, (uint64_t)OF_DRAWS << 32 | p->random_headers);
}

void prover_prepare(ripstop_prover *p, const ripstop_plan *plan) {
  const ripstop_versions *v = p->mixing.versions;
  uint32_t channels = v ? ripstop_versions_channels(v) : plan->channels;
  p->plan = plan;
  p->candidates_max = v ? ripstop_versions_candidates_max(v) : plan->candidates_max;
  p->early = takes_lowest_rank(plan);
  p->bound = waits_for_one(plan);
  p->binds = plan->binding && !p->bound;
  p->by_node = plan->by_node && !v;
  p->by_source = plan->method->by_source;
  choose_draws(p);
  if (p->channels != channels) count_lanes(p, channels);
  know_lanes(p);
  p->candidate = ripstop_arena_realloc(p->keep, p->candidate, 2 * (size_t)p->candidates_max + 1, sizeof *p->candidate);
  if (v) p->component = ripstop_arena_realloc(p->keep, p->component, p->fabric->nodes, sizeof *p->component);
  if (v) ripstop_view_components(plan->view, p->component);
  p->failed = ripstop_arena_realloc(p->keep, p->failed, p->fabric->ends, 1);
  if (p->paths) p->distance = ripstop_arena_realloc(p->keep, p->distance, p->fabric->nodes, sizeof *p->distance);
  if (p->paths) p->lengths = ripstop_arena_realloc(p->keep, p->lengths, p->fabric->ends, sizeof *p->lengths);
  if (p->by_node) {
    p->lone = ripstop_arena_realloc(p->keep, p->lone, p->fabric->nodes, sizeof *p->lone);
    memset(p->lone, 0, p->fabric->nodes * sizeof *p->lone);
  }
  ripstop_arena_clear(p->arena);
  waits_reset(p);
  dependencies_reset(p);
}

static ripstop_prover *new_prover(const ripstop_fabric *fabric) {
  ripstop_arena *keep = ripstop_arena_new();
  ripstop_prover *p = RIPSTOP_NEW(keep, ripstop_prover);
  *p = (ripstop_prover){
      .fabric = fabric, .ends = fabric->ends, .threads = 1, .arena = ripstop_arena_new(), .keep = keep};
  return p;
}

ripstop_prover *ripstop_prover_new(const ripstop_fabric *fabric) {
  RIPSTOP_GUARD(NULL, NULL);
  return new_prover(fabric);
}

void ripstop_prover_free(ripstop_prover *p) {
  if (!p) return;
  for (unsigned i = 1; i < p->threads; i++) ripstop_prover_free(p->helper[i]);
  ripstop_arena_free(p->arena);
  ripstop_arena_free(p->keep);
}

void ripstop_prover_paths(ripstop_prover *p, bool wanted) {
  p->paths = wanted;
  for (unsigned i = 1; i < p->threads; i++) p->helper[i]->paths = wanted;
}

void ripstop_prover_dependencies(ripstop_prover *p, const ripstop_subfunction *wanted) {
  p->subfunction = wanted;
  for (unsigned i = 1; i < p->threads; i++) p->helper[i]->subfunction = wanted;
}

int ripstop_prover_destinations(ripstop_prover *p, uint32_t count, uint64_t seed) {
  RIPSTOP_GUARD(NULL, -1);
  p->tos = 0;
  if (count == 0 || count >= p->fabric->ends) return 0;
  p->to = ripstop_arena_realloc(p->keep, p->to, count, sizeof *p->to);
  sample(p->to, p->tos = count, p->fabric->ends, seed, count);
  return 0;
}

void ripstop_prover_sample_headers(ripstop_prover *p, uint32_t count, uint64_t seed) {
  p->some_draws = count;
  p->draw_seed = seed;
  for (unsigned i = 1; i < p->threads; i++) ripstop_prover_sample_headers(p->helper[i], count, seed);
}

int ripstop_prover_threads(ripstop_prover *p, unsigned threads) {
  RIPSTOP_GUARD(NULL, -1);
  ripstop_prover **helper = RIPSTOP_ARRAY(p->keep, threads, ripstop_prover *);
  for (unsigned i = 1; i < threads; i++) {
    helper[i] = i < p->threads ? p->helper[i] : new_prover(p->fabric);
    helper[i]->paths = p->paths;
    helper[i]->subfunction = p->subfunction;
    helper[i]->some_draws = p->some_draws;
    helper[i]->draw_seed = p->draw_seed;
  }
  for (unsigned i = threads; i < p->threads; i++)
    ripstop_prover_free(p->helper[i]); /* no memory is allocated from here on */
  p->helper = helper;
  p->threads = threads;
  return 0;
}
