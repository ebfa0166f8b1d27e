/* test_prove_schemes.c - packets that wait forever under each scheme of channels on today's fabrics: the queues in use
 * and the greatest set that can only wait for itself, compared with another program's; and by a second walk the number
 * of pairs of queues that a packet can want one after the other, and a cycle of these if there is one. Slow: many
 * proofs. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "share.h"
#include "stand.h"
#include "walks.h"

#define FOLDER RIPSTOP_SOURCE_DIR "/tests/data/topologies/"

typedef struct scheme { /* a line of waiting.txt */
  char fabric[128], method[128], ring[8];
  unsigned used, wants, waiting;
} scheme;

/* A spec, or a file of the folder. */
static ripstop_fabric *fabric_of(ripstop_arena *arena, const char *name) {
  return open_fabric(strstr(name, ".edges") ? ripstop_arena_printf(arena, FOLDER "%s", name) : name);
}

/* ------------------------------------------------------------------ pairs of queues that a packet wants in turn */

typedef struct wants {
  uint32_t queues;
  uint8_t *used; /* [queues] */
  uint8_t *pair; /* [queues * queues]: from, to */
} wants;

static bool joins_switches(const ripstop_plan *plan, uint32_t queue) {
  const ripstop_fabric *f = plan->fabric;
  const uint32_t port = queue / plan->channels;
  return !ripstop_is_end(f, f->port_node[port]) && !ripstop_is_end(f, f->port_node[f->peer[port]]);
}

static void add_walk(wants *g, const walker *w) {
  for (uint32_t i = 0; i < w->states; i++) {
    const walk_state *s = &w->state[i];
    if (!joins_switches(w->plan, s->queue)) continue;
    g->used[s->queue] = 1;
    for (uint32_t k = s->candidate; k < s->candidate + s->candidates; k++)
      if (w->candidate[k] != RIPSTOP_NONE) g->pair[(size_t)s->queue * g->queues + w->state[w->candidate[k]].queue] = 1;
  }
}

/* Over all pairs of switches that have end nodes. */
static void walk_all(wants *g, const ripstop_plan *plan) {
  const ripstop_fabric *f = plan->fabric;
  walker *w = walker_new(plan);
  for (uint32_t s = 0; s < f->ends; s++)
    for (uint32_t d = 0; d < f->ends; d++) {
      if (s && ripstop_end_switch(f, s) == ripstop_end_switch(f, s - 1)) continue;
      if (d && ripstop_end_switch(f, d) == ripstop_end_switch(f, d - 1)) continue;
      if (ripstop_end_switch(f, s) == ripstop_end_switch(f, d)) continue;
      walk_pair(w, s, d);
      add_walk(g, w);
    }
  walker_free(w);
}

/* Takes away queues that want none that is left, until there are no more of them. */
static bool closes_ring(const wants *g) {
  uint8_t *left = malloc(g->queues);
  uint32_t count = 0;
  bool changed = true;
  memcpy(left, g->used, g->queues);
  while (changed) {
    changed = false;
    count = 0;
    for (uint32_t q = 0; q < g->queues; q++) {
      if (!left[q]) continue;
      bool stays = false;
      for (uint32_t to = 0; to < g->queues && !stays; to++) stays = left[to] && g->pair[(size_t)q * g->queues + to];
      count += stays;
      changed |= !stays;
      left[q] = stays;
    }
  }
  free(left);
  return count > 0;
}

static bool wants_agree(const ripstop_plan *plan, const scheme *x) {
  wants g = {.queues = plan->fabric->ports * plan->channels};
  uint32_t used = 0, pairs = 0;
  g.used = calloc(g.queues, 1);
  g.pair = calloc(g.queues, g.queues);
  walk_all(&g, plan);
  for (uint32_t q = 0; q < g.queues; q++) used += g.used[q];
  for (size_t i = 0; i < (size_t)g.queues * g.queues; i++) pairs += g.pair[i];
  const char *ring = closes_ring(&g) ? "ring" : "none";
  const bool right = used == x->used && pairs == x->wants && strcmp(ring, x->ring) == 0;
  if (!right)
    print_error("%s, %s: %u queues, %u pairs, %s, not %u, %u, %s\n", x->fabric, x->method, used, pairs, ring, x->used,
                x->wants, x->ring);
  free(g.used);
  free(g.pair);
  return right;
}

/* ------------------------------------------------------------------ queues that can wait forever */

/* `used` is known where nothing waits: then the proof has all queues. */
static bool proof_agrees(const ripstop_plan *plan, const scheme *x) {
  ripstop_error err = {0};
  ripstop_proof proof;
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s, %s: %s", x->fabric, x->method, err.text);
  const bool right =
      proof.tolerated && proof.deadlock_free == !x->waiting && proof.queues == (x->waiting ? x->waiting : x->used);
  if (!right)
    print_error("%s, %s: %u queues, %s, not %u of %u\n", x->fabric, x->method, proof.queues,
                proof.deadlock_free ? "none waits" : "which wait", x->waiting, x->used);
  ripstop_prover_free(prover);
  return right;
}

static bool agrees(const scheme *x) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *f = fabric_of(arena, x->fabric);
  stand s = stand_on(f, x->method, NULL);
  const bool waiting = proof_agrees(s.plan, x), wanted = wants_agree(s.plan, x);
  stand_close(&s);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
  return waiting && wanted;
}

static void as_many_queues_wait_as_another_program_found(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  scheme x;
  char *text;
  size_t length;
  unsigned rows = 0, wrong = 0, share = share_of_cases();
  int read;
  if (ripstop_read_file(arena, FOLDER "waiting.txt", 1 << 20, &text, &length, &err)) fail_msg("%s", err.text);
  for (const char *at = text;
       sscanf(at, "%127s %127s %u %u %7s %u%n", x.fabric, x.method, &x.used, &x.wants, x.ring, &x.waiting, &read) == 6;
       at += read, rows++)
    if (rows % share == share_first(share)) wrong += !agrees(&x);
  assert_int_equal(wrong, 0);
  assert_int_equal(rows, 136);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_many_queues_wait_as_another_program_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
