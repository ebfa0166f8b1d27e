/* prover.c - the prover's workspace: its life, its threads, and what it needs for the plan at hand. */
#include <string.h>

#include "base/memory.h"
#include "prove/prover.h"
#include "ripstop/plugin/method.h"

/* Where each lane leads. */
static void know_lanes(ripstop_prover *p, uint32_t channels) {
  const ripstop_fabric *f = p->fabric;
  p->channels = channels;
  p->lanes = f->ports * channels;
  p->places = (size_t)p->lanes + f->ends;
  p->headers = 0;
  uint64_t rows = PROVER_NUMBERS / p->places;
  p->rows = rows < PROVER_HEADERS ? rows : PROVER_HEADERS;
  p->arrival = ripstop_arena_realloc(p->keep, p->arrival, p->lanes, sizeof *p->arrival);
  for (uint32_t i = 0; i < p->lanes; i++) {
    uint32_t in = f->peer[i / channels], node = in == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_node[in];
    p->arrival[i] = (arrival){.node = node, .channel = (uint8_t)(i % channels)};
    if (in != RIPSTOP_NONE) p->arrival[i].port = in - f->port_base[node];
  }
}

void prover_prepare(ripstop_prover *p, const ripstop_plan *plan) {
  p->plan = plan;
  p->by_source = plan->method->by_source;
  if (p->channels != plan->channels) know_lanes(p, plan->channels);
  p->way = ripstop_arena_realloc(p->keep, p->way, plan->ways_max + 1, sizeof *p->way);
  p->wanted = ripstop_arena_realloc(p->keep, p->wanted, plan->ways_max + 1, sizeof *p->wanted);
  p->used = ripstop_arena_realloc(p->keep, p->used, p->lanes + 1, 1);
  p->failed = ripstop_arena_realloc(p->keep, p->failed, p->fabric->ends, 1);
  memset(p->used, 0, p->lanes);
  if (p->paths) p->distance = ripstop_arena_realloc(p->keep, p->distance, p->fabric->nodes, sizeof *p->distance);
  if (p->paths) p->lengths = ripstop_arena_realloc(p->keep, p->lengths, p->fabric->ends, sizeof *p->lengths);
  ripstop_arena_clear(p->arena);
  waits_reset(p);
}

static ripstop_prover *new_prover(const ripstop_fabric *fabric) {
  ripstop_arena *keep = ripstop_arena_new();
  ripstop_prover *p = RIPSTOP_NEW(keep, ripstop_prover);
  *p = (ripstop_prover){.fabric = fabric, .threads = 1, .arena = ripstop_arena_new(), .keep = keep};
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

int ripstop_prover_threads(ripstop_prover *p, unsigned threads) {
  RIPSTOP_GUARD(NULL, -1);
  ripstop_prover **helper = RIPSTOP_ARRAY(p->keep, threads, ripstop_prover *);
  for (unsigned i = 1; i < threads; i++) {
    helper[i] = i < p->threads ? p->helper[i] : new_prover(p->fabric);
    helper[i]->paths = p->paths;
  }
  for (unsigned i = threads; i < p->threads; i++)
    ripstop_prover_free(p->helper[i]); /* no memory is taken from here on */
  p->helper = helper;
  p->threads = threads;
  return 0;
}
