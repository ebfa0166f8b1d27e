/* anynet.c - the network files of BookSim 2 (its topology `anynet`), a line for each router or end node:
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
#include "base/growing.h"
#include "formats/graph/word_compare.h"

static piece next_word(piece *line) {
  piece word;
  size_t length = ripstop_graph_word(line, &word.at);
  word.end = word.at + length;
  return word;
}

bool ripstop_graph_is_anynet(const char *text, size_t length) {
  piece all = {text, text + length};
  const char *stop = memchr(text, '\n', length);
  if (stop) all.end = stop;
  const piece first = next_word(&all);
  if ((!is(first, "router") && !is(first, "node")) || !is_number(next_word(&all))) return false;
  const piece third = next_word(&all);
  return is(third, "router") || (is(first, "router") && (is(third, "node") || third.at == third.end));
}

static int refuse(const ripstop_graph *g, piece word, const char *wanted, ripstop_error *err) {
  int shown = length_of(word) > 64 ? 64 : (int)length_of(word);
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

/* A cable that the other router has told of already is not there twice. */
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

static uint32_t end_of(ripstop_graph *g, piece number, ripstop_error *err) {
  return ripstop_graph_end_of(g, number.at, length_of(number), err);
}

static uint32_t router_of(ripstop_graph *g, piece number, ripstop_error *err) {
  return ripstop_graph_router_of(g, number.at, length_of(number), err);
}

/* "node 3", "router 5 15", behind a router or an end node. */
static int read_item(network *n, bool end_first, piece head, piece kind, piece *line, ripstop_error *err) {
  ripstop_graph *g = n->graph;
  const bool end = is(kind, "node");
  piece number = next_word(line), before = *line, delay = next_word(line);
  ripstop_graph_cable c = {.ends = end || end_first, .port = {RIPSTOP_NONE, RIPSTOP_NONE}, .line = g->line}, told = c;
  if ((end && end_first) || (!end && !is(kind, "router")))
    return refuse(g, kind, end_first ? "'router'" : "'node' or 'router'", err);
  if (!is_number(number)) return refuse(g, number, "a number", err);
  if (!is_number(delay)) *line = before;
  if (is_number(delay) && !is(delay, "1") &&
      ripstop_graph_tell(g, RIPSTOP_GRAPH_CABLE, NULL, &told, "delay", 5, delay.at, length_of(delay), err) != 0)
    return -1;
  if (c.ends) c.delay = told.delay; /* in both directions */
  c.node[0] = c.ends ? end_of(g, end ? number : head, err) : router_of(g, head, err);
  if (c.node[0] != RIPSTOP_NONE) c.node[1] = router_of(g, end ? head : number, err);
  if (c.node[0] == RIPSTOP_NONE || c.node[1] == RIPSTOP_NONE) return -1;
  return add_cable(n, &c, told.delay, err);
}

static int read_line(network *n, piece line, ripstop_error *err) {
  ripstop_graph *g = n->graph;
  piece word = next_word(&line), number = next_word(&line);
  const bool end = is(word, "node");
  if (word.at == word.end) return 0;
  if (!end && !is(word, "router")) return refuse(g, word, "'router'", err);
  if (!is_number(number)) return refuse(g, number, end ? "a node's number" : "a router's number", err);
  if (!end && router_of(g, number, err) == RIPSTOP_NONE) return -1;
  piece kind = next_word(&line);
  if (end && kind.at == kind.end) return refuse(g, kind, "the router of a node", err);
  for (; kind.at < kind.end; kind = next_word(&line))
    if (read_item(n, end, number, kind, &line, err) != 0) return -1;
  return 0;
}

/* BookSim numbers its end nodes and its routers from 0 without a gap. */
static int check_numbers(const ripstop_graph *g, bool ends, ripstop_error *err) {
  const uint32_t count = ends ? g->ends : g->routers;
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    const int length = snprintf(name, sizeof name, "%u", i);
    const uint32_t at = (ends ? ripstop_graph_find_end : ripstop_graph_find_router)(g, name, (size_t)length);
    if (at == RIPSTOP_NONE)
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
  piece all = {text, text + length};
  network n = {.graph = g, .pairs = {.arena = g->arena}};
  while (all.at < all.end) {
    const char *stop = memchr(all.at, '\n', (size_t)(all.end - all.at));
    g->line++;
    if (read_line(&n, (piece){all.at, stop ? stop : all.end}, err) != 0) return -1;
    all.at = stop ? stop + 1 : all.end;
  }
  return check_numbers(g, true, err) || check_numbers(g, false, err) ? -1 : settle_delays(&n, err);
}
