/* test_faults_view.c - the view under random histories of failures and repairs of links, switches and end nodes, in any
 * order, with links that carry packets in one direction and without: port_up against its definition, components and
 * cut-off pairs against igraph. */
#include <igraph/igraph.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/plugin/faults.h"

/* The broken parts, recorded separately from the view. */
typedef struct truth {
  bool *failed_link, *failed_node;
  uint32_t links, nodes; /* the number of failed parts */
} truth;

/* The second port of a one-way link only receives. */
static bool sends(const ripstop_fabric *f, uint32_t port) {
  uint32_t link = f->port_link[port];
  return !f->one_way || !f->one_way[link] || f->link_port[2 * link + 1] != port;
}

static void check_ports(const ripstop_view *view, const truth *t) {
  const ripstop_fabric *f = view->fabric;
  for (uint32_t port = 0; port < f->ports; port++) {
    bool up = sends(f, port) && !t->failed_link[f->port_link[port]] && !t->failed_node[f->port_node[port]] &&
              !t->failed_node[f->port_node[f->peer[port]]];
    assert_int_equal(view->port_up[port], up);
  }
  for (uint32_t link = 0; link < f->links; link++) assert_int_equal(view->link_up[link], !t->failed_link[link]);
  for (uint32_t node = 0; node < f->nodes; node++) assert_int_equal(view->node_up[node], !t->failed_node[node]);
  assert_int_equal(view->failed_links, t->links);
  assert_int_equal(view->failed_switches, t->nodes);
}

/* Ordered pairs of end nodes without a path. */
static uint64_t count_apart(const ripstop_fabric *f, const igraph_t *graph) {
  uint64_t apart = 0;
  igraph_vector_int_t reached;
  igraph_vector_int_init(&reached, 0);
  for (uint32_t end = 0; end < f->ends; end++) {
    igraph_subcomponent(graph, &reached, end, IGRAPH_OUT);
    apart += f->ends;
    for (igraph_integer_t i = 0; i < igraph_vector_int_size(&reached); i++) apart -= VECTOR(reached)[i] < f->ends;
  }
  igraph_vector_int_destroy(&reached);
  return apart;
}

static void check_components(const ripstop_view *view, const truth *t) {
  const ripstop_fabric *f = view->fabric;
  igraph_vector_int_t edges, membership;
  igraph_vector_int_init(&edges, 0);
  igraph_vector_int_init(&membership, 0);
  for (uint32_t link = 0; link < f->links; link++) {
    uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1);
    if (t->failed_link[link] || t->failed_node[a] || t->failed_node[b]) continue;
    igraph_vector_int_push_back(&edges, a);
    igraph_vector_int_push_back(&edges, b);
    if (f->one_way && f->one_way[link]) continue;
    igraph_vector_int_push_back(&edges, b);
    igraph_vector_int_push_back(&edges, a);
  }
  igraph_t graph;
  igraph_create(&graph, &edges, f->nodes, IGRAPH_DIRECTED);
  igraph_connected_components(&graph, &membership, NULL, NULL, IGRAPH_STRONG);

  uint32_t *component = calloc(f->nodes, sizeof *component);
  uint32_t with_ends = ripstop_view_components(view, component), found = 0;
  for (uint32_t a = 0; a < f->nodes; a++) {
    assert_int_equal(component[a] == RIPSTOP_NONE, t->failed_node[a]);
    bool first = ripstop_is_end(f, a) && !t->failed_node[a]; /* the first end node of its component */
    for (uint32_t b = 0; b < f->nodes; b++) {
      bool together = VECTOR(membership)[a] == VECTOR(membership)[b];
      if (!t->failed_node[a] && !t->failed_node[b]) assert_int_equal(component[a] == component[b], together);
      if (b < a && ripstop_is_end(f, b) && together) first = false;
    }
    found += first;
  }
  assert_int_equal(with_ends, found);
  assert_true(ripstop_view_disconnected_pairs(view) == count_apart(f, &graph));
  free(component);
  igraph_destroy(&graph);
  igraph_vector_int_destroy(&edges);
  igraph_vector_int_destroy(&membership);
}

/* One random change to a random part, often one that changes nothing. */
static void step(ripstop_view *view, truth *t, ripstop_stream *stream) {
  const ripstop_fabric *f = view->fabric;
  ripstop_change change = {.is_switch = ripstop_stream_below(stream, 3) == 0,
                           .up = ripstop_stream_below(stream, 2) == 0};
  change.id = ripstop_stream_below(stream, change.is_switch ? f->nodes : f->links);
  bool *dead = change.is_switch ? &t->failed_node[change.id] : &t->failed_link[change.id];
  uint32_t *count = change.is_switch ? &t->nodes : &t->links, epoch = view->epoch;
  bool changes = *dead == change.up;
  if (changes) *count += change.up ? -1u : 1u;
  *dead = !change.up;
  ripstop_view_apply(view, &change);
  assert_int_equal(view->epoch, epoch + changes);
}

static void views_stay_true_under_any_history(void **state) {
  (void)state;
  static const char *const specs[] = {"kary-ntree:k=2,n=3", "mport-ntree:m=4,n=2", "torus:2x3", "kns:k=3,n=2,c=2",
                                      "kns:k=4,n=2,s=2,line=ruft"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_error err = {0};
    ripstop_fabric *f = ripstop_fabric_open(specs[i], &err);
    ripstop_stream stream = ripstop_stream_open(11, RIPSTOP_RANDOM_TEST, i);
    ripstop_view *view = ripstop_view_new(f, NULL);
    truth t = {.failed_link = calloc(f->links, 1), .failed_node = calloc(f->nodes, 1)};
    check_ports(view, &t);
    check_components(view, &t);
    for (int k = 0; k < 400; k++) {
      step(view, &t, &stream);
      check_ports(view, &t);
      if (k % 10 == 0) check_components(view, &t);
    }
    /* Everything repaired is as good as new. */
    for (uint32_t link = 0; link < f->links; link++) ripstop_view_set_link(view, link, true);
    for (uint32_t node = 0; node < f->nodes; node++) ripstop_view_set_switch(view, node, true);
    for (uint32_t port = 0; port < f->ports; port++) assert_int_equal(view->port_up[port], sends(f, port));
    assert_int_equal(view->failed_links + view->failed_switches, 0);
    assert_true(ripstop_view_disconnected_pairs(view) == 0);
    free(t.failed_link);
    free(t.failed_node);
    ripstop_view_free(view);
    ripstop_fabric_free(f);
  }
}

static void a_view_starts_with_its_faults(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_fabric_open("kary-ntree:k=2,n=2", &err);
  ripstop_names *names = ripstop_names_new(f);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults set;
  const char line[] = "0/0/2 0/0/3 switch:1/1";
  assert_int_equal(ripstop_faults_parse(arena, names, line, strlen(line), &set, &err), 0);
  ripstop_view *view = ripstop_view_new(f, &set);
  assert_int_equal(view->epoch, 0);
  assert_int_equal(view->failed_links, 2);
  assert_int_equal(view->failed_switches, 1);
  assert_true(ripstop_view_disconnected_pairs(view) == 8); /* two end nodes here, two there, in both directions */
  uint32_t *component = calloc(f->nodes, sizeof *component);
  assert_int_equal(ripstop_view_components(view, component), 2);
  assert_int_equal(component[f->nodes - 1], RIPSTOP_NONE);
  ripstop_view_set_switch(view, f->nodes - 1, true); /* its failed links stay down */
  assert_true(ripstop_view_disconnected_pairs(view) == 8);
  free(component);
  ripstop_view_free(view);
  ripstop_arena_free(arena);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(views_stay_true_under_any_history),
      cmocka_unit_test(a_view_starts_with_its_faults),
  };
  return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
