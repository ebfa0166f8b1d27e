/* test_lanes.c - a method for one switch with end nodes around it: every traffic class has a virtual channel of its
 * own. */
#include "ripstop/plan.h"

typedef struct config {
  int64_t channels;
} config;

static const rs_option options[] = {{.name = "channels",
                                     .type = RS_OPTION_INTEGER,
                                     .offset = offsetof(config, channels),
                                     .min = 1,
                                     .max = RS_CHANNELS_MAX,
                                     .fallback = "2",
                                     .help = "virtual channels, at least as many as traffic classes"},
                                    {0}};
static const char *const losses[] = {"dead", NULL};

static rs_answer plan(rs_plan *p, rs_error *err) {
  (void)err;
  p->channels = (uint32_t)((const config *)p->config)->channels;
  p->classes = p->channels < RS_CLASSES_MAX ? p->channels : RS_CLASSES_MAX;
  return rs_fabric_switches(p->fabric) == 1 ? RS_APPLIES : RS_DOES_NOT_APPLY;
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  uint32_t port = rs_is_end(p->fabric, head->node) ? 0 : rs_end_switch_port(p->fabric, head->destination);
  ways[0] = (rs_way){.port = (uint16_t)port, .channel = head->class_, .space = 1};
  return p->view->port_up[p->fabric->port_base[head->node] + port] ? 1 : -1;
}

static void claims(const rs_fabric *fabric, const void *config_, rs_claims *out) {
  (void)fabric, (void)config_;
  *out = (rs_claims){.minimal = true, .deadlock_free = true};
}

const rs_method rs_method_test_lanes = {.abi = RS_METHOD_ABI,
                                        .name = "test-lanes",
                                        .summary = "a channel per class around one switch, for tests",
                                        .source = "none",
                                        .options = options,
                                        .config_size = sizeof(config),
                                        .losses = losses,
                                        .plan = plan,
                                        .route = route,
                                        .claims = claims};
