/* test_ordered_protocol.c - ordered's protocol after any history: random graphs and tori, links and routers that fail
 * and return while messages are in transit, late and overtaking each other. When all is quiet each component has one
 * order with one root, its tables are those of the faults that are left, found here by other means (distances by
 * igraph, the routers below by walking down), and whatever the queues hold drains: every packet in every queue, by the
 * candidates that routers return. That the routers have what the method computes for their places centrally is its own
 * check. */
#include <jansson.h>

#include "histories.h"
#include "ripstop/plugin/method.h"
#include "stand.h"

enum { HISTORIES = 1500, /* tools/ordered-histories.sh runs more */ PATIENCE = 30000000, CANDIDATES_MAX = 255 };

typedef struct subject {
  char what[64]; /* the history, for messages */
  const ripstop_network *network;
  const ripstop_plan *plan;
  const ripstop_fabric *fabric;
  uint32_t routers;
  bool restarted[HISTORY_ROUTERS];
  json_t *state[HISTORY_ROUTERS]; /* NULL: the router is down */
  uint32_t distance[HISTORY_ROUTERS][HISTORY_ROUTERS];
} subject;

static uint32_t node_of(const subject *n, uint32_t router) { return n->fabric->ends + router; }

static uint32_t neighbour(const subject *n, uint32_t router, uint32_t port) {
  return n->fabric->port_node[n->fabric->peer[n->fabric->port_base[node_of(n, router)] + port]] - n->fabric->ends;
}

static bool is_live(const subject *n, uint32_t port) {
  return n->plan->view->port_up[port] && !ripstop_is_end(n->fabric, n->fabric->port_node[n->fabric->peer[port]]);
}

static bool has_interface(const subject *n, uint32_t router) {
  const ripstop_fabric *f = n->fabric;
  for (uint32_t end = 0; end < f->ends; end++)
    if (ripstop_end_switch(f, end) == node_of(n, router) && n->plan->view->port_up[f->port_base[end]]) return true;
  return false;
}

static void read_state(subject *n, uint32_t router) {
  ripstop_text text = {0};
  ripstop_network_json(n->network, node_of(n, router), &text);
  json_t *state = json_loads(text.data, JSON_DECODE_ANY, NULL);
  ripstop_text_free(&text);
  n->state[router] = json_is_object(state) ? state : NULL;
  if (!n->state[router]) json_decref(state);
}

static json_t *ports_of(const subject *n, uint32_t router, const char *side) {
  return json_object_get(n->state[router], side);
}

static bool leads(const subject *n, uint32_t router, uint32_t port, const char *side) {
  size_t i;
  json_t *value;
  json_array_foreach(ports_of(n, router, side), i, value) if (json_integer_value(value) == port) return true;
  return false;
}

/* ------------------------------------------------------------------ the order and the tables */

/* One end of each link says up and the other down; exactly one router of a component has none above it, the root. */
static void check_order(const subject *n, uint32_t router) {
  const ripstop_fabric *f = n->fabric;
  char name[RIPSTOP_NAME_MAX];
  uint32_t first = f->port_base[node_of(n, router)], live = 0;
  for (uint32_t port = first; port < f->port_base[node_of(n, router) + 1]; port++) {
    bool up = leads(n, router, port - first, "up"), down = leads(n, router, port - first, "down");
    live += is_live(n, port);
    if (up + down != is_live(n, port)) fail_msg("%s: router %u is wrong about a link", n->what, router);
    if (!is_live(n, port)) continue;
    uint32_t other = neighbour(n, router, port - first);
    if (up != leads(n, other, f->peer[port] - f->port_base[node_of(n, other)], "down"))
      fail_msg("%s: routers %u and %u differ on who is above", n->what, router, other);
  }
  ripstop_node_name(f, node_of(n, router), name);
  const char *root = json_string_value(json_object_get(n->state[router], "root"));
  if (live && (json_array_size(ports_of(n, router, "up")) == 0) != (root && strcmp(root, name) == 0))
    fail_msg("%s: router %u is a root and has a router above it, or neither", n->what, router);
}

/* Marks what is below a router. */
static void walk_down(const subject *n, uint32_t router, bool *below) {
  size_t i;
  json_t *port;
  if (below[router]) return;
  below[router] = true;
  json_array_foreach(ports_of(n, router, "down"), i, port)
      walk_down(n, neighbour(n, router, (uint32_t)json_integer_value(port)), below);
}

static void check_tables(const subject *n, uint32_t router) {
  bool below[HISTORY_ROUTERS] = {false};
  walk_down(n, router, below);
  for (uint32_t to = 0; to < n->routers; to++) {
    const json_t *distance = json_array_get(json_object_get(n->state[router], "distances"), to);
    bool there = n->state[to] && has_interface(n, to);
    uint32_t hops = there ? n->distance[router][to] : n->routers;
    uint32_t said = json_is_integer(distance) ? (uint32_t)json_integer_value(distance) : n->routers;
    if (said != hops) fail_msg("%s: router %u is %u from %u, and says %u", n->what, router, hops, to, said);
    bool reach = json_integer_value(json_array_get(json_object_get(n->state[router], "reach"), to));
    if (reach != (there && below[to])) fail_msg("%s: router %u is wrong about %u being below", n->what, router, to);
  }
}

/* ------------------------------------------------------------------ whatever the queues hold */

/* Output VCs are numbered port * 2 + channel, by the sending port; `drains` has those that surely empty. */
static bool can_leave(const subject *n, const ripstop_head *head, const uint8_t *drains) {
  const ripstop_fabric *f = n->fabric;
  ripstop_candidate candidate[CANDIDATES_MAX];
  int count =
      n->plan->method->proto->candidates(n->plan, ripstop_network_state(n->network, head->node), head, candidate);
  if (count == 0) fail_msg("%s: a packet waits forever", n->what);
  for (int i = 0; i < count; i++) {
    uint32_t port = f->port_base[head->node] + candidate[i].port;
    assert_true(n->plan->view->port_up[port]);
    if (ripstop_is_end(f, f->port_node[f->peer[port]]) || drains[2 * port + candidate[i].channel]) return true;
  }
  return count < 0; /* it is dropped */
}

/* A packet is not dropped as stale while updates of its sender, made before it was sent, may still be unsent. */
static void check_patience(const subject *n, ripstop_head head) {
  ripstop_candidate candidate[CANDIDATES_MAX];
  head.header |= UINT64_C(0xffffffffffff) << 6;
  int count =
      n->plan->method->proto->candidates(n->plan, ripstop_network_state(n->network, head.node), &head, candidate);
  if (count < 0 && strcmp(n->plan->method->losses[-1 - count], "no room for guests") == 0)
    fail_msg("%s: a packet is given up before its sender has sent its place", n->what);
}

/* Any packet there: to any end node, with any header that matters: none or all of its detours, and sent from any place
 * that its sender had in an earlier incarnation. */
static bool queue_drains(const subject *n, uint32_t lane, const uint8_t *drains) {
  static const uint64_t detours[] = {0, 15}, stamps[] = {0, 1, 5, 32767};
  const ripstop_fabric *f = n->fabric;
  uint32_t in = f->peer[lane / 2], node = f->port_node[in], sender = f->port_node[lane / 2];
  bool many = !ripstop_is_end(f, sender) && n->restarted[sender - f->ends];
  uint32_t count = many ? sizeof stamps / sizeof *stamps : 1;
  for (uint32_t end = 0; end < f->ends; end++)
    for (uint32_t i = 0; i < 2 * count; i++) {
      ripstop_head head = {.node = node,
                           .in_port = in - f->port_base[node],
                           .destination = end,
                           .header = detours[i % 2] | stamps[i / 2] << 6,
                           .channel = (uint8_t)(lane % 2)};
      check_patience(n, head);
      if (!can_leave(n, &head, drains)) return false;
    }
  return true;
}

static void check_drains(const subject *n) {
  const ripstop_fabric *f = n->fabric;
  uint8_t *drains = calloc(2 * (size_t)f->ports, 1);
  bool more = true, all = true;
  while (more) {
    more = false;
    all = true;
    for (uint32_t lane = 0; lane < 2 * f->ports; lane++) {
      uint32_t peer = f->peer[lane / 2];
      if (peer == RIPSTOP_NONE || ripstop_is_end(f, f->port_node[peer]) || drains[lane]) continue;
      if (!n->plan->view->node_up[f->port_node[peer]]) continue;
      drains[lane] = queue_drains(n, lane, drains);
      more |= drains[lane];
      all &= drains[lane];
    }
  }
  if (!all) fail_msg("%s: queues may wait for each other forever", n->what);
  free(drains);
}

/* ------------------------------------------------------------------ histories */

static void check_quiet(subject *n) {
  for (uint32_t router = 0; router < n->routers; router++) read_state(n, router);
  for (uint32_t router = 0; router < n->routers; router++) {
    assert_int_equal(!n->state[router], !n->plan->view->node_up[node_of(n, router)]);
    if (!n->state[router]) continue;
    check_order(n, router);
    check_tables(n, router);
  }
  check_drains(n);
  for (uint32_t router = 0; router < n->routers; router++) json_decref(n->state[router]);
}

static void run_history(uint32_t number) {
  static const char *const subjects[] = {"ordered", "ordered:hold_cycles=3000", "ordered:guests=0",
                                         "ordered:dimension_order=on,detours=1"};
  ripstop_stream random = ripstop_stream_open(17, RIPSTOP_RANDOM_TEST, number);
  ripstop_fabric *f = history_fabric(&random);
  ripstop_change change[HISTORY_CHANGES];
  ripstop_schedule schedule;
  ripstop_error err;
  subject n = {.fabric = f, .routers = ripstop_fabric_switches(f)};
  snprintf(n.what, sizeof n.what, "history %u", number);
  ripstop_network_options options = history_draw(f, &random, change, &schedule);
  stand run_setup = stand_on(f, subjects[number % (sizeof subjects / sizeof *subjects)], NULL);
  ripstop_network *network = ripstop_network_open(run_setup.plan, &options, &err);
  if (!network || ripstop_network_run(network, PATIENCE, &err) != 1) fail_msg("%s: %s", n.what, err.text);
  assert_true(n.routers <= HISTORY_ROUTERS);
  for (uint32_t i = 0; i < schedule.count; i++)
    if (change[i].is_switch && change[i].up && change[i].cycle > 0) n.restarted[change[i].id - f->ends] = true;
  n.network = network;
  n.plan = ripstop_network_plan(network);
  history_distances(n.plan->view, n.distance);
  check_quiet(&n);
  ripstop_network_free(network);
  stand_close(&run_setup);
  ripstop_fabric_free(f);
}

static void any_history_ends_well(void **state) {
  (void)state;
  uint32_t histories = history_count(HISTORIES);
  for (uint32_t number = 0; number < histories; number++) run_history(number);
}

/* ------------------------------------------------------------------ a network at rest, and the plan's tables */

static bool leads_to_interface(const ripstop_fabric *f, uint32_t node, uint32_t port) {
  return ripstop_is_end(f, f->port_node[f->peer[f->port_base[node] + port]]);
}

/* A stale packet has no candidate of the escape; nor has a new one that goes far. */
static bool is_stale(const subject *n, const ripstop_head *head, const ripstop_candidate *last) {
  if (leads_to_interface(n->fabric, head->node, head->in_port)) return false;
  return leads_to_interface(n->fabric, head->node, last->port) ? last->rank == 3 : last->channel > 0;
}

/* A stale packet could be an in-transit packet at first; the routers have been quiet for long and drop it. */
static void same_candidates(const subject *n, const ripstop_head *head) {
  ripstop_candidate planned[CANDIDATES_MAX], present[CANDIDATES_MAX];
  int a = ripstop_route(n->plan, head, planned);
  int b = n->plan->method->proto->candidates(n->plan, ripstop_network_state(n->network, head->node), head, present);
  if (a > 0 && is_stale(n, head, &planned[a - 1])) {
    assert_true(b < 0);
    return;
  }
  history_same_candidates(planned, a, present, b);
}

/* Without faults the settled start is what the plan computes, on every fabric. */
static void settled_start_is_the_plan(void **state) {
  (void)state;
  for (uint32_t number = 0; number < 100; number++) {
    ripstop_stream random = ripstop_stream_open(18, RIPSTOP_RANDOM_TEST, number);
    ripstop_fabric *f = history_fabric(&random);
    ripstop_error err;
    stand run_setup = stand_on(f, "ordered", NULL);
    subject n = {.fabric = f, .network = ripstop_network_open(run_setup.plan, NULL, &err), .plan = run_setup.plan};
    if (!n.network) fail_msg("%s", err.text);
    for (uint32_t port = f->port_base[f->ends]; port < f->ports; port++)
      for (uint32_t end = 0; end < f->ends; end++)
        for (uint8_t channel = 0; channel < 2; channel++) {
          uint32_t node = f->port_node[port];
          same_candidates(&n, &(ripstop_head){.node = node,
                                              .in_port = port - f->port_base[node],
                                              .destination = end,
                                              .header = number % 16,
                                              .channel = channel});
        }
    ripstop_network_free((ripstop_network *)n.network);
    stand_close(&run_setup);
    ripstop_fabric_free(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_history_ends_well),
                                     cmocka_unit_test(settled_start_is_the_plan)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
