/* swaps.h - for tests: a mesh (a torus without use of its wrap-around links) in dimension order, and in the other order
 * as soon as any link has failed. Each order is free of deadlock, and no transient state of both is safe with a single
 * virtual channel. */
#ifndef TESTS_SWAPS_H
#define TESTS_SWAPS_H

#include "fabric/torus.h"
#include "promises.h"
#include "ripstop/plugin/method.h"

static const char *const swaps_losses[] = {"no candidate", NULL};

static inline ripstop_answer swaps_plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_torus *torus = RIPSTOP_NEW(p->arena, ripstop_torus);
  if (!ripstop_torus_from(p->fabric, torus))
    return ripstop_fail(err, "%s is for tori", p->method->name), RIPSTOP_DOES_NOT_APPLY;
  p->data = torus;
  return RIPSTOP_APPLIES;
}

/* The candidate in an order: the dimensions upwards, or downwards. */
static inline int swaps_candidate(const ripstop_plan *p, const ripstop_head *head, bool downwards,
                                  ripstop_candidate *candidate) {
  const ripstop_torus *t = p->data;
  *candidate = (ripstop_candidate){.space = 1};
  if (ripstop_is_end(p->fabric, head->node)) return 1;
  candidate->port = (uint16_t)ripstop_torus_end_port(t, head->destination);
  for (uint32_t i = 0; i < t->dimensions; i++) {
    uint32_t d = downwards ? t->dimensions - 1 - i : i;
    uint32_t from = ripstop_coords(p->fabric, head->node)[d], to = ripstop_coords(p->fabric, head->destination)[d];
    if (from == to) continue;
    candidate->port = (uint16_t)(2 * d + (from > to));
    break;
  }
  return p->view->port_up[p->fabric->port_base[head->node] + candidate->port] ? 1 : -1;
}

static inline int swaps_route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate) {
  return swaps_candidate(p, head, p->view->failed_links > 0, candidate);
}

#endif
