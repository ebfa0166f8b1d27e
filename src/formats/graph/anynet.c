/* anynet.c - reads the network files of BookSim 2 (its topology `anynet`), a line for each router or end node:
 *
 *   router N { node M [DELAY] | router N [DELAY] }
 *   node M router N [DELAY] { router N [DELAY] }
 *
 * Words are as BookSim writes them, in lower case or as in its README with a capital. Two routers that a line joins
 * have one cable. Routers and end nodes are called by their numbers.
 *
 * A delay is in cycles and holds for one direction, from the router that begins the line (BookSim's anynet.cpp:
 * `router_list`, its README: "not bi-directional"). The other direction has 1 unless the other router's line gives a
 * delay. A cable has one delay here, so a file in which the two differ is refused with both numbers. A delay of 1
 * counts as none. */
#include <strings.h>

#include "base/growing.h"
#include "formats/graph/named_graph.h"

/* True for the same letters, in lower case or with a capital. */
static bool is(piece word, const char *text) {
  return piece_length(word) == strlen(text) && strncasecmp(word.at, text, piece_length(word)) == 0;
}

bool ripstop_graph_is_anynet(const char *text, size_t length) {
  piece all = piece_of_file(text, length), line;
  if (!piece_next_line(&all, &line)) return false;
  const piece first = ripstop_graph_word(&line);
  if ((!is(first, "router") && !is(first, "node")) || !piece_is_number(ripstop_graph_word(&line))) return false;
  const piece third = ripstop_graph_word(&line);
  return is(third, "router") || (is(first, "router") && (is(third, "node") || third.at == third.end));
}

static int refuse(const ripstop_graph *g, piece word, const char *wanted, ripstop_error *err) {
  const int shown = piece_length(word) > 64 ? 64 : (int)piece_length(word);
  return ripstop_fail(err, "%s:%u: '%.*s' where %s is expected", g->file, g->line, shown, word.at, wanted);
}

/* The input as read: cables of the graph in their order, and for cables between routers the delay of each direction. */
typedef struct network {
  ripstop_graph *graph;
  ripstop_text_table pairs;
  uint32_t (*delay)[2]; /* [cables]: from the router with the lower number, and to it; 0: not given, which means 1 */
  uint32_t *at;         /* [cables]: the line that gave the first */
  uint32_t room;
} network;

static bool same_pair(const void *g, uint32_t index, const char *text, size_t length) {
  return memcmp(((const ripstop_graph *)g)->cable[index].node, text, length) == 0;
}

static void make_room(network *n) {
  if (n->graph->cables < n->room) return;
  n->room = RIPSTOP_MORE_ROOM(n->room);
  n->delay = ripstop_arena_realloc(n->graph->arena, n->delay, n->room, sizeof *n->delay);
  n->at = ripstop_arena_realloc(n->graph->arena, n->at, n->room, sizeof *n->at);
}

/* A cable that the line of the other router has too is one cable. */
static int add_cable(network *n, ripstop_graph_cable *c, uint32_t delay, ripstop_error *err) {
  ripstop_graph *g = n->graph;
  const bool turned = !c->ends && c->node[0] > c->node[1];
  const uint32_t a = c->node[turned], b = c->node[!turned];
  c->node[0] = a, c->node[1] = b;
  const char *key = (const char *)c->node;
  const uint32_t known = c->ends ? RIPSTOP_NONE : ripstop_text_table_find(&n->pairs, key, sizeof c->node, same_pair, g);
  if (known != RIPSTOP_NONE) {
    n->delay[known][turned] = delay;
    return 0;
  }
  make_room(n);
  n->delay[g->cables][0] = n->delay[g->cables][1] = 0;
  n->delay[g->cables][turned] = delay;
  n->at[g->cables] = g->line;
  if (!c->ends) ripstop_text_table_add(&n->pairs, key, sizeof c->node, g->cables);
  return ripstop_graph_add(g, c, err);
}

/* "node 3", "router 5 15", behind a router or an end node. */
static int read_item(network *n, bool end_first, piece head, piece kind, piece *line, ripstop_error *err) {
  ripstop_graph *g = n->graph;
  const bool end = is(kind, "node");
  piece number = ripstop_graph_word(line), before = *line, delay = ripstop_graph_word(line);
  ripstop_graph_cable c = {.ends = end || end_first, .port = {RIPSTOP_NONE, RIPSTOP_NONE}, .line = g->line},
                      with_delay = c;
  if ((end && end_first) || (!end && !is(kind, "router")))
    return refuse(g, kind, end_first ? "'router'" : "'node' or 'router'", err);
  if (!piece_is_number(number)) return refuse(g, number, "a number", err);
  if (!piece_is_number(delay)) *line = before;
  if (piece_is_number(delay) && !is(delay, "1") &&
      ripstop_graph_set(g, RIPSTOP_GRAPH_CABLE, NULL, &with_delay, piece_of("delay"), delay, err) != 0)
    return -1;
  if (c.ends) c.delay = with_delay.delay; /* in both directions */
  c.node[0] = c.ends ? ripstop_graph_end_of(g, end ? number : head, err) : ripstop_graph_router_of(g, head, err);
  if (c.node[0] != RIPSTOP_NONE) c.node[1] = ripstop_graph_router_of(g, end ? head : number, err);
  if (c.node[0] == RIPSTOP_NONE || c.node[1] == RIPSTOP_NONE) return -1;
  return add_cable(n, &c, with_delay.delay, err);
}

static int read_line(network *n, piece line, ripstop_error *err) {
  ripstop_graph *g = n->graph;
  piece word = ripstop_graph_word(&line), number = ripstop_graph_word(&line);
  const bool end = is(word, "node");
  if (word.at == word.end) return 0;
  if (!end && !is(word, "router")) return refuse(g, word, "'router'", err);
  if (!piece_is_number(number)) return refuse(g, number, end ? "a node's number" : "a router's number", err);
  if (!end && ripstop_graph_router_of(g, number, err) == RIPSTOP_NONE) return -1;
  piece kind = ripstop_graph_word(&line);
  if (end && kind.at == kind.end) return refuse(g, kind, "the router of a node", err);
  for (; kind.at < kind.end; kind = ripstop_graph_word(&line))
    if (read_item(n, end, number, kind, &line, err) != 0) return -1;
  return 0;
}

/* BookSim numbers its end nodes and its routers from 0 without a gap. */
static int check_numbers(const ripstop_graph *g, bool ends, ripstop_error *err) {
  const uint32_t count = ends ? g->ends : g->routers;
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "%u", i);
    if ((ends ? ripstop_graph_find_end : ripstop_graph_find_router)(g, piece_of(name)) == RIPSTOP_NONE)
      return ripstop_fail(err, "%s: there are %u %s, numbered from 0 without a gap, but no number %u", g->file, count,
                          ends ? "nodes" : "routers", i);
  }
  return 0;
}

static unsigned cycles(uint32_t delay) { return delay ? delay : 1; }

static int settle_delays(network *n, ripstop_error *err) {
  ripstop_graph *g = n->graph;
  if (!n->delay) return 0; /* no cables */
  for (uint32_t i = 0; i < g->cables; i++) {
    ripstop_graph_cable *c = &g->cable[i];
    const char *a = g->router[c->ends ? 0 : c->node[0]].name, *b = g->router[c->node[1]].name;
    if (c->ends) continue;
    if (n->delay[i][0] != n->delay[i][1])
      return ripstop_fail(
          err,
          "%s:%u: router %s to router %s takes %u cycles and back %u: a BookSim delay holds for one direction, but a "
          "cable has one delay here; write the same delay in both routers' lines",
          g->file, n->at[i], a, b, cycles(n->delay[i][0]), cycles(n->delay[i][1]));
    c->delay = (uint16_t)n->delay[i][0];
  }
  return 0;
}

int ripstop_graph_read_anynet(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  piece all = piece_of_file(text, length), line;
  network n = {.graph = g, .pairs = {.arena = g->arena}};
  while (piece_next_line(&all, &line)) {
    g->line++;
    if (read_line(&n, line, err) != 0) return -1;
  }
  return check_numbers(g, true, err) || check_numbers(g, false, err) ? -1 : settle_delays(&n, err);
}
