/* test_flood_patient.c - the flood protocol with messages of three flits; packets without a candidate wait. */
#include "flood.h"
#include "ripstop/plugin/method.h"

static int patient_candidates(const ripstop_plan *plan, const void *state, const ripstop_head *head,
                              ripstop_candidate *candidates) {
  int count = flood_candidates(plan, state, head, candidates);
  return count < 0 ? 0 : count;
}

FLOOD_PROTO(sizeof(flood_message), 3, patient_candidates);
const ripstop_method ripstop_method_test_flood_patient = FLOOD_METHOD("test-flood-patient");
