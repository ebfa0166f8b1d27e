/* test_prove_schemes.c - what waits for ever under each way to hand out channels on today's fabrics: the queues in use
 * and the greatest set that can only wait for itself, beside what another program found. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "ripstop/prove.h"
#include "stand.h"

#define FOLDER RIPSTOP_SOURCE_DIR "/tests/data/topologies/"

/* A spec, or a file of the folder. */
static ripstop_fabric *fabric_of(ripstop_arena *arena, const char *name) {
  return open_fabric(strstr(name, ".edges") ? ripstop_arena_printf(arena, FOLDER "%s", name) : name);
}

/* Whether the proof says so. `used` is known where nothing waits: then the proof has all queues. */
static bool agrees(const char *fabric, const char *method, uint32_t used, uint32_t waiting) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  ripstop_proof proof;
  ripstop_fabric *f = fabric_of(arena, fabric);
  stand s = stand_on(f, method, NULL);
  ripstop_prover *prover = ripstop_prover_new(f);
  if (ripstop_prove(prover, s.plan, &proof, &err)) fail_msg("%s, %s: %s", fabric, method, err.text);
  const bool right = proof.tolerated && proof.deadlock_free == !waiting && proof.queues == (waiting ? waiting : used);
  if (!right)
    print_error("%s, %s: %u queues, %s, not %u of %u\n", fabric, method, proof.queues,
                proof.deadlock_free ? "none waits" : "which wait", waiting, used);
  ripstop_prover_free(prover);
  stand_close(&s);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
  return right;
}

static void as_many_queues_wait_as_another_program_found(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  char *text, fabric[128], method[128];
  size_t length;
  unsigned used, waiting, rows = 0, wrong = 0;
  int read;
  if (ripstop_read_file(arena, FOLDER "waiting.txt", 1 << 20, &text, &length, &err)) fail_msg("%s", err.text);
  for (const char *at = text; sscanf(at, "%127s %127s %u %u%n", fabric, method, &used, &waiting, &read) == 4;
       at += read, rows++)
    wrong += !agrees(fabric, method, used, waiting);
  assert_int_equal(wrong, 0);
  assert_true(rows >= 100);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_many_queues_wait_as_another_program_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
