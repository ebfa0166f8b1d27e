/* test_lanes.c - a method for one switch with end nodes around it: every traffic class has a virtual channel of its
 * own. */
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  int64_t channels;
} config;

static const ripstop_option options[] = {{.name = "channels",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, channels),
                                          .min = 1,
                                          .max = RIPSTOP_CHANNELS_MAX,
                                          .fallback = "2",
                                          .help = "virtual channels, at least as many as traffic classes"},
                                         {0}};
static const char *const losses[] = {"dead", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  p->channels = (uint32_t)((const config *)p->config)->channels;
  p->classes = p->channels < RIPSTOP_CLASSES_MAX ? p->channels : RIPSTOP_CLASSES_MAX;
  return ripstop_fabric_switches(p->fabric) == 1 ? RIPSTOP_APPLIES : RIPSTOP_DOES_NOT_APPLY;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  uint32_t port = ripstop_is_end(p->fabric, head->node) ? 0 : ripstop_end_switch_port(p->fabric, head->destination);
  candidates[0] = (ripstop_candidate){.port = (uint16_t)port, .channel = head->class_, .space = 1};
  return p->view->port_up[p->fabric->port_base[head->node] + port] ? 1 : -1;
}

const ripstop_method ripstop_method_test_lanes = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-lanes",
                                                  .summary = "a channel per class around one switch, for tests",
                                                  .source = "none",
                                                  .options = options,
                                                  .config_size = sizeof(config),
                                                  .losses = losses,
                                                  .plan = plan,
                                                  .route = route,
                                                  .guarantees = promise_no_deadlock};
