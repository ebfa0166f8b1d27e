/* test_free_places.c - shortest routes; a protocol that never sends anything, so that its check is called every
 * measure.check cycles, and records the free places of one queue. */
#include "fabric/inner.h"
#include "free_places.h"
#include "promises.h"
#include "ripstop/plugin/method.h"

static const ripstop_option options[] = {{0}};
static const char *const losses[] = {"no candidate", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  uint32_t *distance = RIPSTOP_ARRAY(p->arena, (size_t)f->ends * f->nodes, uint32_t);
  (void)err;
  for (uint32_t e = 0; e < f->ends; e++) ripstop_fabric_distances(f, e, distance + (size_t)e * f->nodes);
  for (uint32_t v = 0; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > p->candidates_max) p->candidates_max = ripstop_node_ports(f, v);
  p->data = distance;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t *distance = (const uint32_t *)p->data + (size_t)head->destination * f->nodes;
  int count = 0;
  for (uint32_t i = 0; i < ripstop_node_ports(f, head->node); i++)
    if (distance[f->port_node[f->peer[f->port_base[head->node] + i]]] < distance[head->node])
      candidates[count++] = (ripstop_candidate){.port = (uint16_t)i, .space = 1};
  return count ? count : -1;
}

static int candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                      ripstop_candidate *candidate) {
  (void)state;
  return route(p, head, candidate);
}

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  (void)p, (void)node;
  return 1;
}

static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  (void)p, (void)node, (void)state, (void)event, (void)actions;
}

static uint64_t delay(const ripstop_plan *p, const void *message) {
  (void)p, (void)message;
  return 1;
}

static void print(const ripstop_plan *p, const void *message, ripstop_text *out) {
  (void)p, (void)message;
  ripstop_text_add(out, "-");
}

static int check(const ripstop_plan *p, const void *const *state, const ripstop_watch *watch, ripstop_error *err) {
  (void)p, (void)state, (void)err;
  if (looks < FREE_PLACES_MAX) free_places[looks++] = watch->free_space(watch, free_places_port, 0);
  return 0;
}

static const ripstop_proto proto = {.message_size = 1,
                                    .state_size = state_size,
                                    .step = step,
                                    .candidates = candidates,
                                    .delay = delay,
                                    .print = print,
                                    .check = check};
const ripstop_method ripstop_method_test_free_places = {.abi = RIPSTOP_METHOD_ABI,
                                                        .name = "test-free-places",
                                                        .summary = "for tests",
                                                        .source = "none",
                                                        .options = options,
                                                        .losses = losses,
                                                        .plan = plan,
                                                        .route = route,
                                                        .guarantees = promise_nothing,
                                                        .proto = &proto};
