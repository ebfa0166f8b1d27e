/* counted_fickle.c - counted.h in one step, and only for a fabric whose first link is up. */
#include "counted.h"

static ripstop_answer plan_if_up(ripstop_plan *p, ripstop_error *err) {
  if (p->view->port_up[0]) return plan(p, err) == RIPSTOP_APPLIES ? make_table(p, err) : RIPSTOP_ERROR;
  ripstop_fail(err, "the first link is down");
  return RIPSTOP_DOES_NOT_APPLY;
}

const ripstop_method ripstop_method_counted_fickle = {.abi = RIPSTOP_METHOD_ABI,
                                                      .name = "counted-fickle",
                                                      .summary = "one switch, while its first link is up",
                                                      .source = "a test",
                                                      .options = options,
                                                      .losses = losses,
                                                      .plan = plan_if_up,
                                                      .route = route,
                                                      .guarantees = promise_nothing};
