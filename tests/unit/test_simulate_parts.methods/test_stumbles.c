/* test_stumbles.c - dimension order on tori; its last switch breaks a rule, and proposes no candidate. */
#include "plain_dor.h"

static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return plain_dor_plan(p, 1, err); }

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  if (head->node == p->fabric->nodes - 1) return 0;
  uint32_t port = plain_dor_port(p, head);
  candidates[0] = (ripstop_candidate){.port = (uint16_t)port, .space = 1};
  return 1;
}

const ripstop_method ripstop_method_test_stumbles = {.abi = RIPSTOP_METHOD_ABI,
                                                     .name = "test-stumbles",
                                                     .summary = "dimension order, and breaks a rule at the last switch",
                                                     .source = "a test",
                                                     .options = options,
                                                     .plan = plan,
                                                     .route = route,
                                                     .guarantees = plain_dor_guarantees};
