/* test_immunet_protocol.c - immunet's protocol after any history: random graphs and tori, links and routers that fail
 * and return while messages are in transit, late and overtaking each other. When all is quiet each component has one
 * tree, whose ring passes every router, and all tables are those of the faults that are left, found here by other
 * means: distances by igraph, the ring and the branches of the tree by walking them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "histories.h"
#include "ripstop/kit/protocol.h"
#include "ripstop/plugin/method.h"
#include "stand.h"

enum { HISTORIES = 2000, PATIENCE = 3000000, PORTS_MAX = 64 };

/* ------------------------------------------------------------------ the routers' states */

typedef struct router {
  json_t *state; /* NULL: the router is down */
  uint64_t epl;
  uint32_t parent; /* local port; RIPSTOP_NONE: none */
  uint64_t tree;   /* ports of the parent and the children */
} router;

typedef struct subject {
  const char *what; /* the history, for messages */
  const ripstop_network *network;
  const ripstop_fabric *fabric;
  const ripstop_view *view;
  uint32_t routers;
  router router[HISTORY_ROUTERS];
  uint32_t distance[HISTORY_ROUTERS][HISTORY_ROUTERS]; /* over the links that are up; `routers`: no path */
} subject;

static uint32_t peer_at(const subject *n, uint32_t r, uint32_t port) {
  return n->fabric->peer[n->fabric->port_base[n->fabric->ends + r] + port];
}

static uint32_t neighbour(const subject *n, uint32_t r, uint32_t port) {
  return n->fabric->port_node[peer_at(n, r, port)] - n->fabric->ends;
}

static uint32_t port_there(const subject *n, uint32_t r, uint32_t port) {
  uint32_t peer = peer_at(n, r, port);
  return peer - n->fabric->port_base[n->fabric->port_node[peer]];
}

static bool is_alive(const subject *n, uint32_t r, uint32_t port) {
  return n->view->port_up[n->fabric->port_base[n->fabric->ends + r] + port] &&
         !ripstop_is_end(n->fabric, n->fabric->port_node[peer_at(n, r, port)]);
}

static void read_router(subject *n, uint32_t r) {
  ripstop_text text = {0};
  size_t i;
  json_t *port;
  router *to = &n->router[r];
  ripstop_network_json(n->network, n->fabric->ends + r, &text);
  json_t *state = json_loads(text.data, JSON_DECODE_ANY, NULL);
  ripstop_text_free(&text);
  *to = (router){.state = json_is_object(state) ? state : NULL, .parent = RIPSTOP_NONE};
  if (!to->state) {
    json_decref(state);
    return;
  }
  if (json_is_true(json_object_get(state, "emergency"))) fail_msg("%s: router %u is in an emergency", n->what, r);
  to->epl = (uint64_t)json_integer_value(json_object_get(state, "epl"));
  if (json_is_integer(json_object_get(state, "parent")))
    to->parent = (uint32_t)json_integer_value(json_object_get(state, "parent"));
  if (to->parent != RIPSTOP_NONE) to->tree |= UINT64_C(1) << to->parent;
  json_array_foreach(json_object_get(state, "children"), i, port) to->tree |= UINT64_C(1) << json_integer_value(port);
}

/* ------------------------------------------------------------------ invariants */

static void check_distances(const subject *n, uint32_t r) {
  json_t *distances = json_object_get(n->router[r].state, "distances");
  for (uint32_t to = 0; to < n->routers; to++)
    if (json_integer_value(json_array_get(distances, to)) != n->distance[r][to])
      fail_msg("%s: router %u is %u from %u, and says %d", n->what, r, n->distance[r][to], to,
               (int)json_integer_value(json_array_get(distances, to)));
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The neighbours one hop nearer, each once. */
static void check_minimal_ports(const subject *n, uint32_t r) {
  json_t *rows = json_object_get(n->router[r].state, "minimal_ports");
  for (uint32_t to = 0; to < n->routers; to++) {
    char names[PORTS_MAX][RIPSTOP_NAME_MAX];
    const char *wanted[PORTS_MAX], *found[PORTS_MAX];
    size_t count = 0;
    for (uint32_t port = 0; port < ripstop_node_ports(n->fabric, n->fabric->ends + r); port++) {
      uint32_t hops = n->distance[r][to];
      if (!is_alive(n, r, port) || hops == n->routers || n->distance[neighbour(n, r, port)][to] + 1 != hops) continue;
      bool again = false;
      ripstop_node_name(n->fabric, n->fabric->ends + neighbour(n, r, port), names[count]);
      for (size_t i = 0; i < count; i++) again |= strcmp(names[i], names[count]) == 0;
      if (!again) wanted[count] = names[count], count++;
    }
    json_t *row = json_array_get(rows, to);
    assert_int_equal(json_array_size(row), count);
    for (size_t i = 0; i < count; i++) found[i] = json_string_value(json_array_get(row, i));
    qsort(wanted, count, sizeof *wanted, compare_names);
    qsort(found, count, sizeof *found, compare_names);
    for (size_t i = 0; i < count; i++) assert_string_equal(found[i], wanted[i]);
  }
}

/* Both sides of each link agree whether it is in the tree, and who is the parent; routers with a path to each other are
 * in the same emergency. */
static void check_family(const subject *n, uint32_t r) {
  for (uint32_t port = 0; port < ripstop_node_ports(n->fabric, n->fabric->ends + r); port++) {
    bool in_tree = n->router[r].tree >> port & 1;
    if (in_tree && !is_alive(n, r, port)) fail_msg("%s: router %u has a tree port that is down", n->what, r);
    if (!is_alive(n, r, port)) continue;
    const router *other = &n->router[neighbour(n, r, port)];
    uint32_t there = port_there(n, r, port);
    assert_true(n->router[r].epl == other->epl);
    assert_int_equal(in_tree, other->tree >> there & 1);
    if (in_tree) assert_int_not_equal(n->router[r].parent == port, other->parent == there);
  }
}

/* From tree port to the next lower one, cyclically: written once more. */
static uint32_t next_port(uint64_t tree, uint32_t in) {
  do in = (in + PORTS_MAX - 1) % PORTS_MAX;
  while (!(tree >> in & 1));
  return in;
}

/* The ring through a root: all routers that have a path to it, each direction of each tree link once. */
static void check_ring(const subject *n, uint32_t root) {
  uint32_t members = 0, visited = 0, steps = 0;
  bool seen[HISTORY_ROUTERS] = {false};
  for (uint32_t r = 0; r < n->routers; r++) members += n->distance[root][r] < n->routers;
  if (members == 1) {
    assert_true(n->router[root].tree == 0);
    return;
  }
  uint32_t first = next_port(n->router[root].tree, 0), out = first, at = root;
  do {
    uint32_t there = port_there(n, at, out);
    at = neighbour(n, at, out);
    visited += !seen[at];
    seen[at] = true;
    out = next_port(n->router[at].tree, there);
    if (++steps > 2 * members) fail_msg("%s: the ring does not close", n->what);
  } while (at != root || out != first);
  assert_int_equal(visited, members);
  assert_int_equal(steps, 2 * (members - 1));
}

/* Into the ring where the safe table says, and on along it: no further than over the branch that the entry leads to, so
 * up to the first router from which the destination is below, and then down to it without turning up again. */
static void check_safe_table(const subject *n, uint32_t r) {
  for (uint32_t to = 0; to < n->routers; to++) {
    if (to == r || n->distance[r][to] == n->routers) continue;
    uint32_t at = r, hops = 0;
    bool down = false;
    while (at != to) {
      uint32_t port = (uint32_t)json_integer_value(json_array_get(json_object_get(n->router[at].state, "entry"), to));
      if (!(n->router[at].tree >> port & 1)) fail_msg("%s: router %u enters the ring where it is not", n->what, at);
      if (down && port == n->router[at].parent) fail_msg("%s: from %u to %u up after down", n->what, r, to);
      down |= port != n->router[at].parent;
      at = neighbour(n, at, port);
      if (++hops >= n->routers) fail_msg("%s: the safe tables do not lead from %u to %u", n->what, r, to);
    }
  }
}

static void check_quiet(const subject *n) {
  uint32_t roots[HISTORY_ROUTERS], count = 0;
  for (uint32_t r = 0; r < n->routers; r++) {
    bool dead = !n->view->node_up[n->fabric->ends + r];
    assert_int_equal(dead, !n->router[r].state);
    if (dead) continue;
    check_distances(n, r);
    check_minimal_ports(n, r);
    if (n->router[r].epl == 0) continue; /* a torus in which nothing has ever happened */
    check_family(n, r);
    check_safe_table(n, r);
    if (n->router[r].parent != RIPSTOP_NONE) continue;
    for (uint32_t i = 0; i < count; i++)
      if (n->distance[r][roots[i]] < n->routers) fail_msg("%s: two roots, %u and %u", n->what, r, roots[i]);
    roots[count++] = r;
    check_ring(n, r);
  }
  for (uint32_t r = 0; r < n->routers; r++) {
    bool has_root = !n->router[r].state || n->router[r].epl == 0;
    for (uint32_t i = 0; i < count; i++) has_root |= n->distance[r][roots[i]] < n->routers;
    if (!has_root) fail_msg("%s: no root where router %u is", n->what, r);
  }
}

static void read_and_check(subject *n) {
  history_distances(n->view, n->distance);
  for (uint32_t r = 0; r < n->routers; r++) read_router(n, r);
  check_quiet(n);
  for (uint32_t r = 0; r < n->routers; r++) json_decref(n->router[r].state);
}

/* ------------------------------------------------------------------ histories */

/* The protocol as it is, with a table module that takes its time, and with old rows and own packets that take theirs.
 */
static const char *const subjects[] = {"immunet",
                                       "immunet:control_handling=5,order=arrival",
                                       "immunet:control_handling=300,order=port",
                                       "immunet:control_handling=40,order=newest",
                                       "immunet:tables=stale",
                                       "immunet:control_path=safe,own_cycles=30"};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void run_history(uint32_t number) {
  ripstop_stream random = ripstop_stream_open(7, RIPSTOP_RANDOM_TEST, number);
  ripstop_fabric *f = history_fabric(&random);
  ripstop_change change[HISTORY_CHANGES];
  ripstop_schedule schedule;
  ripstop_error err;
  char what[64];
  snprintf(what, sizeof what, "history %u", number);
  ripstop_network_options options = history_draw(f, &random, change, &schedule);
  stand run_setup = stand_on(f, subjects[number % SUBJECTS], NULL);
  ripstop_network *network = ripstop_network_open(run_setup.plan, &options, &err);
  if (!network || ripstop_network_run(network, PATIENCE, &err) != 1) fail_msg("%s: %s", what, err.text);
  subject n = {.what = what,
               .network = network,
               .fabric = f,
               .view = ripstop_network_plan(network)->view,
               .routers = ripstop_fabric_switches(f)};
  assert_true(n.routers <= HISTORY_ROUTERS);
  read_and_check(&n);
  ripstop_network_free(network);
  stand_close(&run_setup);
  ripstop_fabric_free(f);
}

static void any_history_ends_well(void **state) {
  (void)state;
  for (uint32_t number = 0; number < HISTORIES; number++) run_history(number);
}

/* ------------------------------------------------------------------ a network at rest, and the plan's tables */

/* On a graph without faults the settled start makes the tree of `plan`: from the highest router, each router below the
 * lowest port that leads nearer. */
static void settled_start_is_the_plan(void **state) {
  (void)state;
  for (uint32_t number = 0; number < 60; number++) {
    ripstop_stream random = ripstop_stream_open(8, RIPSTOP_RANDOM_TEST, number);
    ripstop_fabric *f = history_graph(&random);
    ripstop_error err;
    bool slow = number % 2;
    stand run_setup = stand_on(f, slow ? "immunet:drain_cycles=0,control_handling=9" : "immunet:drain_cycles=0", NULL);
    ripstop_network *n = ripstop_network_open(run_setup.plan, NULL, &err);
    if (!n || ripstop_network_run(n, RIPSTOP_NEVER, &err) != 1) fail_msg("%s", err.text);
    assert_true(ripstop_network_now(n) == 0);
    const ripstop_plan *plan = ripstop_network_plan(n);
    ripstop_candidate planned[130], present[130];
    for (uint32_t v = f->ends; v < f->nodes; v++)
      for (uint32_t end = 0; end < f->ends; end++)
        for (uint32_t in = 0; in < ripstop_node_ports(f, v); in++)
          for (uint8_t channel = 0; channel < 2; channel++) {
            ripstop_head head = {.node = v, .in_port = in, .destination = end, .channel = channel};
            int a = ripstop_route(plan, &head, planned);
            int b = plan->method->proto->candidates(plan, ripstop_network_state(n, v), &head, present);
            history_same_candidates(planned, a, present, b);
          }
    ripstop_network_free(n);
    stand_close(&run_setup);
    ripstop_fabric_free(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_history_ends_well),
                                     cmocka_unit_test(settled_start_is_the_plan)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
