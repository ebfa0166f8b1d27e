/* test_spray.c - dimension order on tori, on any of sixteen channels; it loses packets that meet a failed link. */
#include "plain_dor.h"

enum { CHANNELS = 16 };
static const char *const losses[] = {"dead", NULL};
static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return plain_dor_plan(p, CHANNELS, err); }

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_torus *torus = p->data;
  uint32_t port = plain_dor_port(p, head);
  bool one = !ripstop_is_end(p->fabric, head->node) && port == ripstop_torus_end_port(torus, head->destination);
  if (!p->view->port_up[p->fabric->port_base[head->node] + port]) return -1;
  for (uint32_t i = 0; i < (one ? 1 : CHANNELS); i++)
    candidates[i] = (ripstop_candidate){.port = (uint16_t)port, .channel = (uint8_t)i, .space = 1};
  return one ? 1 : CHANNELS;
}

const ripstop_method ripstop_method_test_spray = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-spray",
                                                  .summary = "dimension order on any of sixteen channels",
                                                  .source = "a test",
                                                  .options = options,
                                                  .losses = losses,
                                                  .plan = plan,
                                                  .route = route,
                                                  .guarantees = plain_dor_guarantees};
