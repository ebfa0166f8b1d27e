/* test_stumbles.c - dimension order on tori; its last switch breaks a rule, and proposes no way. */
#include "fabric/torus.h"
#include "ripstop/plugin/method.h"

static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_torus *torus = RIPSTOP_NEW(p->arena, ripstop_torus);
  if (!ripstop_torus_from(p->fabric, torus))
    return ripstop_fail(err, "test-stumbles is for tori"), RIPSTOP_DOES_NOT_APPLY;
  p->data = torus;
  p->channels = p->ways_max = 1;
  return RIPSTOP_APPLIES;
}

static uint32_t next_port(const ripstop_torus *torus, const ripstop_head *head) {
  for (uint32_t d = 0; d < torus->dimensions; d++) {
    uint32_t up = ripstop_torus_up(torus, d, head->node, head->destination);
    if (up) return ripstop_torus_port(torus, d, up);
  }
  return ripstop_torus_end_port(torus, head->destination);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  if (head->node == p->fabric->nodes - 1) return 0;
  uint32_t port = ripstop_is_end(p->fabric, head->node) ? 0 : next_port(p->data, head);
  ways[0] = (ripstop_way){.port = (uint16_t)port, .space = 1};
  return 1;
}

static void guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric;
  (void)config;
  *out = (ripstop_guarantees){0};
}

const ripstop_method ripstop_method_test_stumbles = {.abi = RIPSTOP_METHOD_ABI,
                                                     .name = "test-stumbles",
                                                     .summary = "dimension order, and breaks a rule at the last switch",
                                                     .source = "a test",
                                                     .options = options,
                                                     .plan = plan,
                                                     .route = route,
                                                     .guarantees = guarantees};
