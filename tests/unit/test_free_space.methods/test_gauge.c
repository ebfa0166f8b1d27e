/* test_gauge.c - a test's protocol for one switch with four end nodes: it reads its queues' lengths every few cycles
 * and records them, and holds all packets until cycle GAUGE_OPENS. */
#include "gauge.h"
#include "promises.h"

gauge gauge_log[GAUGES];
uint32_t gauges;

static const ripstop_option options[] = {{0}};
static const char *const losses[] = {"failed link", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)p, (void)err;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate) {
  const ripstop_fabric *f = p->fabric;
  bool first = ripstop_is_end(f, head->node);
  *candidate =
      (ripstop_candidate){.port = (uint16_t)(first ? 0 : ripstop_end_switch_port(f, head->destination)), .space = 1};
  return p->view->port_up[f->port_base[head->node] + candidate->port] ? 1 : -1;
}

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  (void)p, (void)node;
  return sizeof(bool);
}

static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  bool *open = state;
  (void)p, (void)node;
  if (gauges < GAUGES) {
    gauge *g = &gauge_log[gauges++];
    *g = (gauge){.cycle = event->cycle, .known = event->free_space && event->load};
    for (int i = 0; i < GAUGE_QUEUES && g->known; i++) g->room[i] = event->free_space[i], g->load[i] = event->load[i];
  }
  if (event->cycle < 2 * GAUGE_OPENS) ripstop_act_timer(actions, 0, GAUGE_EVERY);
  if (event->cycle < GAUGE_OPENS || *open) return;
  *open = true;
  ripstop_act_candidates_changed(actions);
}

static int candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                      ripstop_candidate *candidate) {
  return *(const bool *)state ? route(p, head, candidate) : 0;
}

static uint64_t delay(const ripstop_plan *p, const void *message) {
  (void)p, (void)message;
  return 1;
}

static void print(const ripstop_plan *p, const void *message, ripstop_text *out) { (void)p, (void)message, (void)out; }

static const ripstop_proto proto = {.message_size = 1,
                                    .needs_space = true,
                                    .needs_load = true,
                                    .state_size = state_size,
                                    .step = step,
                                    .candidates = candidates,
                                    .delay = delay,
                                    .print = print};

const ripstop_method ripstop_method_test_gauge = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "test-gauge",
    .summary = "one switch that looks at its queues",
    .source = "a test",
    .options = options,
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = promise_nothing,
    .proto = &proto,
};
