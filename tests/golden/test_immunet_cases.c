/* test_immunet_cases.c - immunet's protocol against final states that were computed elsewhere
 * (tests/data/known-answers/immunet.json): each case as a graph, tori also as tori, with the protocol's own delays and
 * with random ones, on links that keep the order of messages and on links that do not. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "ripstop/kit/protocol.h"
#include "stand.h"

enum { ROUTERS_MAX = 64, CHANGES_MAX = 16, RANDOM_RUNS = 10, SPREAD = 3000 };

/* One case on one fabric: `node` are the case's routers as nodes. */
typedef struct scene {
  const char *id;
  json_t *wanted;
  ripstop_fabric *fabric;
  uint32_t routers, node[ROUTERS_MAX];
  ripstop_change change[CHANGES_MAX];
  ripstop_schedule schedule;
  bool own_delays;
} scene;

/* ------------------------------------------------------------------ the case's fabric and schedule */

static uint32_t pair_at(json_t *pair, size_t i) { return (uint32_t)json_integer_value(json_array_get(pair, i)); }

static ripstop_fabric *open_graph(json_t *topology) {
  char spec[] = "graph:/tmp/ripstop-immunet-XXXXXX", *path = strchr(spec, ':') + 1;
  size_t i;
  json_t *edge;
  ripstop_error err;
  FILE *file = fdopen(mkstemp(path), "w");
  json_array_foreach(json_object_get(topology, "edges"), i, edge)
      fprintf(file, "%u %u\n", pair_at(edge, 0), pair_at(edge, 1));
  fclose(file);
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  unlink(path);
  if (!fabric) fail_msg("%s", err.text);
  return fabric;
}

static ripstop_fabric *open_torus(json_t *topology) {
  const char *type = json_string_value(json_object_get(topology, "type"));
  char spec[64];
  ripstop_error err;
  if (strncmp(type, "torus", 5) != 0) return NULL;
  snprintf(spec, sizeof spec, "torus:%s", type + 5);
  return ripstop_fabric_open(spec, &err);
}

/* Graphs name routers by their numbers in the case, tori have them in order. */
static void find_nodes(scene *s, bool graph) {
  char name[RIPSTOP_NAME_MAX];
  assert_int_equal(ripstop_fabric_switches(s->fabric), s->routers);
  for (uint32_t v = s->fabric->ends; v < s->fabric->nodes; v++) {
    ripstop_node_name(s->fabric, v, name);
    s->node[graph ? (uint32_t)strtoul(name, NULL, 10) : v - s->fabric->ends] = v;
  }
}

static uint32_t link_between(const ripstop_fabric *f, uint32_t a, uint32_t b) {
  for (uint32_t link = f->link_ends; link < f->links; link++)
    if ((ripstop_link_node(f, link, 0) == a && ripstop_link_node(f, link, 1) == b) ||
        (ripstop_link_node(f, link, 0) == b && ripstop_link_node(f, link, 1) == a))
      return link;
  return RIPSTOP_NONE;
}

/* Parts that fail again while they are down are left out. */
static void read_schedule(scene *s, json_t *list) {
  size_t i, count = 0;
  json_t *one;
  json_array_foreach(list, i, one) {
    bool is_switch = strcmp(json_string_value(json_array_get(one, 1)), "node") == 0, again = false;
    uint32_t a = s->node[pair_at(one, 2)];
    ripstop_change change = {.cycle = pair_at(one, 0), .is_switch = is_switch};
    change.id = is_switch ? a : link_between(s->fabric, a, s->node[pair_at(one, 3)]);
    assert_int_not_equal(change.id, RIPSTOP_NONE);
    for (size_t k = 0; k < count; k++) again |= s->change[k].id == change.id && s->change[k].is_switch == is_switch;
    assert_true(count < CHANGES_MAX);
    if (!again) s->change[count++] = change;
  }
  s->schedule = (ripstop_schedule){.count = count, .change = s->change};
}

/* ------------------------------------------------------------------ results and expectations */

/* The row of a router as the case prints it: by the case's numbers; nulls if it is down. */
static json_t *row_of(const scene *s, const ripstop_network *n, uint32_t router, const char *what) {
  ripstop_text text = {0};
  ripstop_network_json(n, s->node[router], &text);
  json_t *state = json_loads(text.data, JSON_DECODE_ANY, NULL), *row = json_array();
  json_t *found = json_object_get(state, what);
  ripstop_text_free(&text);
  for (uint32_t to = 0; to < s->routers; to++)
    json_array_append_new(row, found ? json_incref(json_array_get(found, s->node[to] - s->fabric->ends)) : json_null());
  json_decref(state);
  return row;
}

static uint32_t router_named(const scene *s, const char *name) {
  char other[RIPSTOP_NAME_MAX];
  for (uint32_t r = 0; r < s->routers; r++) {
    ripstop_node_name(s->fabric, s->node[r], other);
    if (strcmp(name, other) == 0) return r;
  }
  fail_msg("%s: no router %s", s->id, name);
  return RIPSTOP_NONE;
}

static int compare_numbers(const void *a, const void *b) {
  json_int_t x = *(const json_int_t *)a, y = *(const json_int_t *)b;
  return (x > y) - (x < y);
}

/* Names as the case's numbers, ascending. */
static json_t *numbers_of(const scene *s, json_t *names) {
  json_int_t number[ROUTERS_MAX];
  size_t count = json_array_size(names);
  for (size_t i = 0; i < count; i++) number[i] = router_named(s, json_string_value(json_array_get(names, i)));
  qsort(number, count, sizeof *number, compare_numbers);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_integer(number[i]));
  return list;
}

static void expect_equal(const scene *s, const char *what, json_t *found, json_t *wanted) {
  if (!json_equal(found, wanted))
    fail_msg("%s on %s: %s is %s, not %s", s->id, s->fabric->spec, what, json_dumps(found, JSON_ENCODE_ANY),
             json_dumps(wanted, JSON_ENCODE_ANY));
}

static void check_rows(const scene *s, const ripstop_network *n) {
  json_t *distances = json_object_get(s->wanted, "distances"), *ports = json_object_get(s->wanted, "minimal_ports");
  for (uint32_t r = 0; r < s->routers; r++) {
    json_t *row = row_of(s, n, r, "distances");
    if (distances) expect_equal(s, "a row of distances", row, json_array_get(distances, r));
    json_decref(row);
    row = row_of(s, n, r, "minimal_ports");
    for (size_t to = 0; to < json_array_size(row); to++)
      if (json_is_array(json_array_get(row, to))) json_array_set_new(row, to, numbers_of(s, json_array_get(row, to)));
    json_t *wanted = json_array_get(ports, r); /* null for a router that is down */
    if (json_is_array(wanted)) expect_equal(s, "a row of minimal ports", row, wanted);
    json_decref(row);
  }
}

/* The component of the report that has the same routers. */
static json_t *find_component(const scene *s, json_t *report, json_t *nodes) {
  size_t i;
  json_t *one;
  json_array_foreach(json_object_get(report, "components"), i, one) {
    json_t *found = numbers_of(s, json_object_get(one, "routers"));
    bool same = json_equal(found, nodes);
    json_decref(found);
    if (same) return one;
  }
  fail_msg("%s on %s: no component %s", s->id, s->fabric->spec, json_dumps(nodes, 0));
  return NULL;
}

static void check_components(const scene *s, const ripstop_network *n) {
  static const char *const fields[] = {"ring_length", "links", "distance_sum", "diameter", "safe_packets"};
  ripstop_text text = {0};
  ripstop_network_report(n, true, &text);
  json_t *report = json_loads(text.data, 0, NULL), *wanted = json_object_get(s->wanted, "components"), *one;
  ripstop_text_free(&text);
  size_t i;
  assert_int_equal(json_array_size(json_object_get(report, "components")), json_array_size(wanted));
  json_array_foreach(wanted, i, one) {
    json_t *found = find_component(s, report, json_object_get(one, "nodes"));
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
      expect_equal(s, fields[k], json_object_get(found, fields[k]), json_object_get(one, fields[k]));
    json_int_t sent = json_integer_value(json_object_get(found, "adaptive_transmissions")),
               least = json_integer_value(json_object_get(one, "adaptive_tx_minimum"));
    if (sent < least || (s->own_delays && sent > least))
      fail_msg("%s on %s: %" JSON_INTEGER_FORMAT " adaptive transmissions, at least %" JSON_INTEGER_FORMAT, s->id,
               s->fabric->spec, sent, least);
  }
  json_decref(report);
}

/* ------------------------------------------------------------------ runs */

static void run_once(scene *s, const ripstop_network_options *options) {
  ripstop_error err;
  stand run_setup = stand_on(s->fabric, "immunet", NULL);
  ripstop_network *n = ripstop_network_open(run_setup.plan, options, &err);
  if (!n || ripstop_network_run(n, RIPSTOP_NEVER, &err) != 1) fail_msg("%s: %s", s->id, err.text);
  check_rows(s, n);
  check_components(s, n);
  ripstop_network_free(n);
  stand_close(&run_setup);
}

static void run_case(json_t *wanted, bool graph) {
  scene s = {.id = json_string_value(json_object_get(wanted, "id")), .wanted = wanted, .own_delays = true};
  json_t *topology = json_object_get(wanted, "topology");
  s.routers = (uint32_t)json_integer_value(json_object_get(topology, "N"));
  s.fabric = graph ? open_graph(topology) : open_torus(topology);
  if (!s.fabric) return;
  assert_true(s.routers <= ROUTERS_MAX);
  find_nodes(&s, graph);
  read_schedule(&s, json_object_get(wanted, "schedule"));
  run_once(&s, &(ripstop_network_options){.schedule = &s.schedule});
  s.own_delays = false;
  uint32_t runs = s.routers > 30 ? 1 : RANDOM_RUNS;
  for (uint32_t seed = 1; seed <= runs; seed++)
    run_once(&s, &(ripstop_network_options){
                     .schedule = &s.schedule, .spread = SPREAD, .reorder = seed % 2 == 0, .seed = seed});
  ripstop_fabric_free(s.fabric);
}

static void known_final_states(void **state) {
  (void)state;
  json_error_t why;
  json_t *root = json_load_file(RIPSTOP_SOURCE_DIR "/tests/data/known-answers/immunet.json", 0, &why), *one;
  if (!root) fail_msg("%s", why.text);
  size_t i;
  json_array_foreach(json_object_get(root, "cases"), i, one) {
    run_case(one, true);
    run_case(one, false);
  }
  assert_int_equal(i, 17);
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_final_states)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
