/* jellyfish.c - Jellyfish (Singla et al. 2012): n routers joined as a random graph in which each has r cables.
 *
 * Cables' ends are paired at random, as in the configuration model. Then each cable from a router to itself, and each
 * second one between the same two, exchanges an end with a random cable until both are good. If more than half of all
 * pairs would be joined, the pairs that are not joined are chosen in this manner. A graph in several pieces, or without
 * a good exchange, is made again from further random numbers. The graph depends on n, r and the seed alone. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/forest.h"
#include "base/sort.h"
#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/wiring.h"

enum { EXCHANGES_TRIED = 1000, GRAPHS_TRIED = 100 }; /* for one bad cable; for one piece */

typedef struct config {
  int64_t n, r, p, seed;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, n, 3, 1 << 24, NULL, "routers"),
    RIPSTOP_INTEGER(config, r, 2, UINT16_MAX, NULL, "cables of a router to others; n x r is even"),
    RIPSTOP_ENDS_EACH(config, "router", "1"),
    RIPSTOP_INTEGER(
        config, seed, 0, 1e15, "1",
        "of the random graph that this program makes; a graph of another program opens by its file (graph:FILE)"),
    {0},
};

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  uint64_t n = (uint64_t)c->n, r = (uint64_t)c->r;
  if (r >= n)
    return ripstop_fail(err, "fabric jellyfish: r=%" PRIu64 " cables to other routers, and there are %" PRIu64, r,
                        n - 1);
  if (n * r % 2)
    return ripstop_fail(err, "fabric jellyfish: %" PRIu64 " routers of %" PRIu64 " cables: n x r is odd", n, r);
  *out = (ripstop_counts){.ends = ripstop_times(n, (uint64_t)c->p), .switches = n};
  out->links = ripstop_plus(out->ends, n * r / 2);
  return 0;
}

/* ------------------------------------------------------------------ a random graph */

typedef struct graph {
  uint32_t n, r, edges;
  uint32_t (*edge)[2]; /* [edges] */
  uint32_t *near; /* [n * r]: routers that a router is joined to, in any order, itself twice by a cable to itself */
} graph;

static uint32_t times_near(const graph *g, uint32_t a, uint32_t b) {
  uint32_t times = 0;
  for (uint32_t i = 0; i < g->r; i++) times += g->near[(size_t)a * g->r + i] == b;
  return times;
}

static void exchange_near(graph *g, uint32_t of, uint32_t from, uint32_t to) {
  uint32_t *near = g->near + (size_t)of * g->r;
  while (*near != from) near++;
  *near = to;
}

static void draw_pairs(graph *g, ripstop_stream *stream) {
  uint32_t *side = g->edge[0], sides = 2 * g->edges; /* the router at each end of each cable */
  for (uint32_t i = 0; i < sides; i++) side[i] = i / g->r;
  for (uint32_t i = sides; i > 1; i--) {
    uint32_t k = ripstop_stream_below(stream, i), kept = side[k];
    side[k] = side[i - 1];
    side[i - 1] = kept;
  }
  uint32_t *used = ripstop_realloc(NULL, g->n, sizeof *used);
  for (uint32_t i = 0; i < g->n; i++) used[i] = i * g->r;
  for (uint32_t i = 0; i < g->edges; i++) {
    g->near[used[g->edge[i][0]]++] = g->edge[i][1];
    g->near[used[g->edge[i][1]]++] = g->edge[i][0];
  }
  ripstop_free(used);
}

static bool is_bad(const graph *g, const uint32_t edge[2]) {
  return edge[0] == edge[1] || times_near(g, edge[0], edge[1]) > 1;
}

/* From a--b and c--d to a--d and c--b. */
static bool exchange(graph *g, uint32_t *one, uint32_t *other) {
  uint32_t a = one[0], b = one[1], c = other[0], d = other[1];
  if (a == d || c == b || (a == b && c == d) || times_near(g, a, d) || times_near(g, c, b)) return false;
  exchange_near(g, a, b, d);
  exchange_near(g, b, a, c);
  exchange_near(g, c, d, b);
  exchange_near(g, d, c, a);
  one[1] = d;
  other[1] = b;
  return true;
}

/* False: there is a bad one left, for which no other cable was found. */
static bool exchange_bad(graph *g, ripstop_stream *stream) {
  for (uint32_t i = 0; i < g->edges; i++)
    for (uint32_t tried = 0; is_bad(g, g->edge[i]); tried++) {
      if (tried == EXCHANGES_TRIED) return false;
      uint32_t *other = g->edge[ripstop_stream_below(stream, g->edges)];
      if (other != g->edge[i]) exchange(g, g->edge[i], other);
    }
  return true;
}

/* ------------------------------------------------------------------ the fabric */

/* In the order of their routers. */
static void add_cables(ripstop_wiring *w, graph *g) {
  for (uint32_t a = 0; a < g->n; a++) {
    uint32_t *near = g->near + (size_t)a * g->r;
    qsort(near, g->r, sizeof *near, ripstop_by_u32);
    for (uint32_t i = 0; i < g->r; i++)
      if (near[i] > a) ripstop_wiring_cable(w, a, near[i]);
  }
}

/* Between all that the graph does not join. */
static void add_others(ripstop_wiring *w, const graph *g) {
  for (uint32_t a = 0; a < g->n; a++)
    for (uint32_t b = a + 1; b < g->n; b++)
      if (!times_near(g, a, b)) ripstop_wiring_cable(w, a, b);
}

static bool in_one_piece(const ripstop_wiring *w) {
  uint32_t *of = ripstop_realloc(NULL, w->switches, sizeof *of), pieces = w->switches;
  for (uint32_t i = 0; i < w->switches; i++) of[i] = i;
  for (uint32_t i = 0; i < w->cables; i++) {
    uint32_t a = ripstop_root(of, w->cable[i].at[0]), b = ripstop_root(of, w->cable[i].at[1]);
    pieces -= a != b;
    of[a] = b;
  }
  ripstop_free(of);
  return pieces == 1;
}

/* False: no graph was in one piece. With three cables or more nearly all are. */
static bool draw_cables(ripstop_wiring *w, const config *c, ripstop_arena *scratch) {
  uint32_t n = (uint32_t)c->n, r = (uint32_t)c->r;
  bool others = r > (n - 1) / 2;
  graph g = {.n = n, .r = others ? n - 1 - r : r};
  g.edges = (uint32_t)((uint64_t)n * g.r / 2);
  g.edge = (uint32_t(*)[2])RIPSTOP_ARRAY(scratch, 2 * (size_t)g.edges + 1, uint32_t);
  g.near = RIPSTOP_ARRAY(scratch, (size_t)n * g.r + 1, uint32_t);
  for (uint64_t try = 0; try < GRAPHS_TRIED; try++) {
    ripstop_stream stream = ripstop_stream_open((uint64_t)c->seed, RIPSTOP_RANDOM_WIRING, try);
    w->cables = 0;
    draw_pairs(&g, &stream);
    if (exchange_bad(&g, &stream)) others ? add_others(w, &g) : add_cables(w, &g);
    if (in_one_piece(w)) return true;
  }
  return false;
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  const config *c = config_;
  ripstop_wiring w = {.coords = 0};
  ripstop_arena *scratch = ripstop_arena_new();
  for (uint32_t i = 0; i < (uint32_t)c->n; i++) ripstop_wiring_switch(&w, (uint32_t)c->p, NULL);
  bool drawn = draw_cables(&w, c, scratch);
  ripstop_wiring_build(&w, builder);
  ripstop_arena_free(scratch);
  if (drawn) return 0;
  return ripstop_fail(err,
                      "fabric jellyfish: of %d random graphs none is in one piece; take more cables or another seed",
                      GRAPHS_TRIED);
}

/* A router is its number. */
static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  bool end = ripstop_is_end(fabric, node);
  uint32_t router = end ? ripstop_link_node(fabric, node, 1) : node;
  size_t length = ripstop_name_number(out, 0, "", router - fabric->ends);
  if (end) ripstop_name_number(out, length, ":", ripstop_wired_place(fabric, node));
}

const ripstop_family ripstop_family_jellyfish = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "jellyfish",
    .summary = "Jellyfish: a random graph in which all routers have as many cables",
    .source = "Singla, Hong, Popa and Godfrey 2012, section 3",
    .options = options,
    .config_size = sizeof(config),
    .example = "jellyfish:n=8,r=3",
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = ripstop_wired_link_name,
};
