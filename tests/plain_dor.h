/* plain_dor.h - dimension order on tori, of which methods that only tests know are made. */
#ifndef RIPSTOP_TESTS_PLAIN_DOR_H
#define RIPSTOP_TESTS_PLAIN_DOR_H

#include "fabric/torus.h"
#include "ripstop/plugin/method.h"

/* ripstop_method.plan; the plan's data are the torus. */
static inline ripstop_answer plain_dor_plan(ripstop_plan *p, uint32_t channels, ripstop_error *err) {
  ripstop_torus *torus = RIPSTOP_NEW(p->arena, ripstop_torus);
  if (!ripstop_torus_from(p->fabric, torus))
    return ripstop_fail(err, "%s is for tori", p->method->name), RIPSTOP_DOES_NOT_APPLY;
  p->data = torus;
  p->channels = p->candidates_max = channels;
  return RIPSTOP_APPLIES;
}

/* The local port by which a packet leaves a node. */
static inline uint32_t plain_dor_port(const ripstop_plan *p, const ripstop_head *head) {
  const ripstop_torus *torus = p->data;
  if (ripstop_is_end(p->fabric, head->node)) return 0;
  for (uint32_t d = 0; d < torus->dimensions; d++) {
    uint32_t up = ripstop_torus_up(torus, d, head->node, head->destination);
    if (up) return ripstop_torus_port(torus, d, up);
  }
  return ripstop_torus_end_port(torus, head->destination);
}

/* ripstop_method.guarantees: nothing. */
static inline void plain_dor_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric;
  (void)config;
  *out = (ripstop_guarantees){0};
}

#endif
