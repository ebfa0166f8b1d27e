/* proof_values.c - the numbers of one proof by name. */
#include <math.h>

#include "prove/proof.h"
#include "ripstop/kit/values.h"

typedef double number_of(const ripstop_proof *proof, const ripstop_plan *plan);

#define MEMBER(member)                                                              \
  static double of_##member(const ripstop_proof *proof, const ripstop_plan *plan) { \
    (void)plan;                                                                     \
    return (double)proof->member;                                                   \
  }
MEMBER(pairs)
MEMBER(disconnected_pairs)
MEMBER(lost_pairs_some_choice)
MEMBER(lost_pairs_every_choice)
MEMBER(tolerated)
MEMBER(livelock_free)
MEMBER(deadlock_free)
MEMBER(states)

static double waiting_queues(const ripstop_proof *proof, const ripstop_plan *plan) {
  (void)plan;
  return proof->deadlock_free ? 0 : proof->queues;
}

static double channels(const ripstop_proof *proof, const ripstop_plan *plan) {
  (void)proof;
  return plan->channels;
}

static double max_hops(const ripstop_proof *proof, const ripstop_plan *plan) {
  (void)plan;
  return proof->max_hops == RIPSTOP_NONE ? NAN : proof->max_hops;
}

/* In the order of JSON. */
static const struct {
  const char *name;
  number_of *of;
} numbers[] = {{"pairs", of_pairs},
               {"disconnected_pairs", of_disconnected_pairs},
               {"lost_pairs_some_choice", of_lost_pairs_some_choice},
               {"lost_pairs_every_choice", of_lost_pairs_every_choice},
               {"tolerated", of_tolerated},
               {"livelock_free", of_livelock_free},
               {"deadlock_free", of_deadlock_free},
               {"waiting_queues", waiting_queues},
               {"channels", channels},
               {"states", of_states},
               {"max_hops", max_hops}};

ripstop_value ripstop_proof_value(const char *name, double value) {
  return (ripstop_value){name, ripstop_quantity_find(name, RIPSTOP_VALUES_PROOF)->unit, value, NAN};
}

size_t ripstop_proof_values(const ripstop_proof *proof, const ripstop_plan *plan, ripstop_value *value) {
  const size_t count = sizeof numbers / sizeof *numbers;
  for (size_t i = 0; i < count; i++) value[i] = ripstop_proof_value(numbers[i].name, numbers[i].of(proof, plan));
  return count;
}
