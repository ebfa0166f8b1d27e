/* histories.h - what may happen to a protocol, for tests: small fabrics, graphs among them, whose links and switches
 * fail and return while messages are in transit, late and overtaking each other; and how far apart routers then are, by
 * igraph. */
#ifndef RIPSTOP_TESTS_HISTORIES_H
#define RIPSTOP_TESTS_HISTORIES_H

#include <errno.h>
#include <igraph/igraph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "ripstop/kit/protocol.h"
#include "share.h"

enum { HISTORY_CHANGES = 16, HISTORY_ROUTERS = 32 };

/* The number of histories that a test runs: as many as RIPSTOP_HISTORIES says, if a script sets more than a test has; a
 * part of its own under sanitizers (share.h). */
static inline uint32_t history_count(uint32_t of_test) {
  const char *asked = getenv("RIPSTOP_HISTORIES");
  return asked ? (uint32_t)atoi(asked) : (of_test + share_of_cases() - 1) / share_of_cases();
}

/* A plan and a router at rest answer the same. */
static inline void history_same_candidates(const ripstop_candidate *planned, int candidates,
                                           const ripstop_candidate *present, int answered) {
  assert_int_equal(candidates, answered);
  for (int i = 0; i < candidates; i++) {
    assert_int_equal(planned[i].port, present[i].port);
    assert_int_equal(planned[i].channel, present[i].channel);
    assert_int_equal(planned[i].rank, present[i].rank);
    assert_int_equal(planned[i].space, present[i].space);
    assert_true(planned[i].header == present[i].header);
  }
}

/* Hops between all routers of a view, [routers][routers]; as many as there are routers: no path. */
static inline void history_distances(const ripstop_view *view, uint32_t (*distance)[HISTORY_ROUTERS]) {
  const ripstop_fabric *f = view->fabric;
  uint32_t routers = ripstop_fabric_switches(f);
  igraph_t graph;
  igraph_vector_int_t edges;
  igraph_matrix_t distances;
  igraph_vector_int_init(&edges, 0);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t port = f->link_port[2 * link];
    if (!view->port_up[port]) continue;
    igraph_vector_int_push_back(&edges, f->port_node[port] - f->ends);
    igraph_vector_int_push_back(&edges, f->port_node[f->peer[port]] - f->ends);
  }
  igraph_create(&graph, &edges, routers, IGRAPH_UNDIRECTED);
  igraph_matrix_init(&distances, 0, 0);
  igraph_distances(&graph, &distances, igraph_vss_all(), igraph_vss_all(), IGRAPH_ALL);
  for (uint32_t a = 0; a < routers; a++)
    for (uint32_t b = 0; b < routers; b++) {
      double hops = MATRIX(distances, a, b);
      distance[a][b] = hops < routers ? (uint32_t)hops : routers;
    }
  igraph_matrix_destroy(&distances);
  igraph_vector_int_destroy(&edges);
  igraph_destroy(&graph);
}

/* A fabric that a test needs. */
static inline ripstop_fabric *history_open(const char *spec) {
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (!fabric) fail_msg("%s: %s", spec, err.text);
  return fabric;
}

/* Its file is where the test runs, and only as long as it is read. */
static inline ripstop_fabric *history_graph(ripstop_stream *random) {
  char spec[] = "graph:./history-XXXXXX", *path = strchr(spec, ':') + 1;
  int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  uint32_t routers = 2 + ripstop_stream_below(random, 11), more = ripstop_stream_below(random, 2 * routers);
  fprintf(file, "@router r0\n"); /* pairs in both directions are cables */
  for (uint32_t v = 1; v < routers; v++) fprintf(file, "r%u r%u\n", ripstop_stream_below(random, v), v);
  for (uint32_t i = 0; i < more; i++) { /* parallel links too */
    uint32_t a = ripstop_stream_below(random, routers),
             b = (a + 1 + ripstop_stream_below(random, routers - 1)) % routers;
    fprintf(file, "r%u r%u\n", a, b);
  }
  if (fclose(file) != 0) fail_msg("%s: %s", path, strerror(errno));
  ripstop_fabric *fabric = history_open(spec);
  assert_int_equal(unlink(path), 0);
  return fabric;
}

static inline ripstop_fabric *history_fabric(ripstop_stream *random) {
  static const char *const specs[] = {"torus:3x3",   "torus:4x4",          "torus:3",    "torus:2x2", "torus:5",
                                      "torus:2x3x2", "kary-ntree:k=2,n=3", "kns:k=3,n=2"};
  uint32_t which = ripstop_stream_below(random, 16);
  return which < 8 ? history_open(specs[which]) : history_graph(random);
}

/* A part fails, or one that is down returns. */
static inline ripstop_change history_change(const ripstop_fabric *f, ripstop_stream *random, uint8_t *dead,
                                            uint64_t cycle) {
  bool is_switch = ripstop_stream_below(random, 4) == 0;
  uint32_t links = f->links - f->link_ends, id;
  do
    id = is_switch ? f->ends + ripstop_stream_below(random, ripstop_fabric_switches(f))
                   : f->link_ends + ripstop_stream_below(random, links);
  while (ripstop_stream_below(random, 3) == 0 && !dead[is_switch ? id : f->nodes + id]); /* repairs are as frequent */
  uint8_t *part = &dead[is_switch ? id : f->nodes + id];
  *part = !*part;
  return (ripstop_change){.cycle = cycle, .id = id, .is_switch = is_switch, .up = !*part};
}

/* Gaps between changes from nothing to longer than a reconfiguration takes; delays likewise. */
static inline ripstop_network_options history_draw(const ripstop_fabric *f, ripstop_stream *random,
                                                   ripstop_change *change, ripstop_schedule *schedule) {
  static const uint32_t gaps[] = {1, 30, 300, 3000, 30000}, spreads[] = {0, 3, 200, 5000};
  uint8_t *dead = calloc(f->nodes + f->links, 1);
  uint32_t count = 1 + ripstop_stream_below(random, HISTORY_CHANGES), gap = gaps[ripstop_stream_below(random, 5)];
  uint64_t cycle = 0;
  for (uint32_t i = 0; i < count; i++) {
    change[i] = history_change(f, random, dead, cycle);
    cycle += ripstop_stream_below(random, gap);
  }
  free(dead);
  *schedule = (ripstop_schedule){.count = count, .change = change};
  ripstop_network_options options = {.schedule = schedule,
                                     .spread = spreads[ripstop_stream_below(random, 4)],
                                     .seed = ripstop_stream_u64(random) >> 1};
  options.reorder = options.spread && ripstop_stream_below(random, 2);
  options.delay = ripstop_stream_below(random, 3) == 0; /* all messages alike, or those of the protocol */
  return options;
}

#endif
