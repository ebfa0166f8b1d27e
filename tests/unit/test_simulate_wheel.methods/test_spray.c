/* test_spray.c - dimension order on tori, on any of sixteen channels; it loses what meets a dead link. */
#include "fabric/torus.h"
#include "ripstop/plugin/method.h"

enum { CHANNELS = 16 };
static const char *const losses[] = {"dead", NULL};
static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_torus *torus = RIPSTOP_NEW(p->arena, ripstop_torus);
  if (!ripstop_torus_from(p->fabric, torus)) return ripstop_fail(err, "test-spray is for tori"), RIPSTOP_DOES_NOT_APPLY;
  p->data = torus;
  p->channels = p->ways_max = CHANNELS;
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
  const ripstop_torus *torus = p->data;
  uint32_t port = ripstop_is_end(p->fabric, head->node) ? 0 : next_port(torus, head);
  bool one = !ripstop_is_end(p->fabric, head->node) && port == ripstop_torus_end_port(torus, head->destination);
  if (!p->view->port_up[p->fabric->port_base[head->node] + port]) return -1;
  for (uint32_t i = 0; i < (one ? 1 : CHANNELS); i++)
    ways[i] = (ripstop_way){.port = (uint16_t)port, .channel = (uint8_t)i, .space = 1};
  return one ? 1 : CHANNELS;
}

static void guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric;
  (void)config;
  *out = (ripstop_guarantees){0};
}

const ripstop_method ripstop_method_test_spray = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-spray",
                                                  .summary = "dimension order on any of sixteen channels",
                                                  .source = "a test",
                                                  .options = options,
                                                  .losses = losses,
                                                  .plan = plan,
                                                  .route = route,
                                                  .guarantees = guarantees};
