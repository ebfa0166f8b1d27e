/* test_reports.c - the same by a protocol: a switch that is notified of a failed link notifies its neighbours, and uses
 * the other order from then on; with `waits` it holds packets to the first end node forever, with `rests` it never
 * changes. */
#include "swaps.h"

typedef struct config {
  bool waits, rests;
} config;

typedef struct memory {
  uint32_t node;
  bool knows;
} memory;

static const ripstop_option options[] = {{.name = "waits",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, waits),
                                          .fallback = "off",
                                          .help = "hold packets to the first end node once a link has failed"},
                                         {.name = "rests",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, rests),
                                          .fallback = "off",
                                          .help = "keep the order"},
                                         {0}};

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  (void)p;
  (void)node;
  return sizeof(memory);
}

static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  memory *m = state;
  uint8_t dead = 1;
  m->node = node;
  bool hears = event->kind == RIPSTOP_EVENT_LINK_DOWN || event->kind == RIPSTOP_EVENT_MESSAGE;
  if (!hears || m->knows) return;
  m->knows = true;
  ripstop_act_candidates_changed(actions);
  for (uint32_t port = 0; port < ripstop_node_ports(p->fabric, node); port++) ripstop_act_send(actions, port, &dead);
}

static int candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                      ripstop_candidate *candidate) {
  const memory *m = state;
  const config *c = p->config;
  if (c->waits && m->knows && head->destination == 0) return 0;
  return swaps_candidate(p, head, m->knows && !c->rests, candidate);
}

static uint64_t delay(const ripstop_plan *p, const void *message) {
  (void)p;
  (void)message;
  return 10;
}

static void print(const ripstop_plan *p, const void *message, ripstop_text *out) {
  (void)p;
  (void)message;
  ripstop_text_add(out, "dead");
}

static const ripstop_proto proto = {.message_size = 1,
                                    .settled = true,
                                    .state_size = state_size,
                                    .step = step,
                                    .candidates = candidates,
                                    .delay = delay,
                                    .print = print};

const ripstop_method ripstop_method_test_tells = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-tells",
                                                  .summary =
                                                      "dimension order, the other one in switches that are notified",
                                                  .source = "tests",
                                                  .options = options,
                                                  .config_size = sizeof(config),
                                                  .losses = swaps_losses,
                                                  .plan = swaps_plan,
                                                  .route = swaps_route,
                                                  .guarantees = promise_nothing,
                                                  .proto = &proto};
