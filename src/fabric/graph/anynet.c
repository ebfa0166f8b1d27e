/* anynet.c - the network files of BookSim 2 (its topology `anynet`), a line for each router:
 *
 *   router N { node M [DELAY] | router N [DELAY] }
 *
 * Cables lead both ways, whichever of their routers tells of them; two routers have one. Routers and end nodes are
 * called by their numbers. A delay is in cycles, 1 where none is told, which is no delay of its own here. */
#include <string.h>

#include "fabric/graph/graph.h"

typedef ripstop_graph_line piece;

static piece next_word(piece *line) {
  piece word;
  size_t length = ripstop_graph_word(line, &word.at);
  word.end = word.at + length;
  return word;
}

static bool is(piece word, const char *text) {
  size_t length = strlen(text);
  return (size_t)(word.end - word.at) == length && memcmp(word.at, text, length) == 0;
}

static bool is_number(piece word) {
  for (const char *c = word.at; c < word.end; c++)
    if (*c < '0' || *c > '9') return false;
  return word.end > word.at;
}

static size_t length_of(piece word) { return (size_t)(word.end - word.at); }

bool ripstop_graph_is_anynet(const char *text, size_t length) {
  piece all = {text, text + length};
  const char *stop = memchr(text, '\n', length);
  if (stop) all.end = stop;
  if (!is(next_word(&all), "router") || !is_number(next_word(&all))) return false;
  piece third = next_word(&all);
  return is(third, "node") || is(third, "router");
}

static int refuse(const ripstop_graph *g, piece word, const char *wanted, ripstop_error *err) {
  int shown = length_of(word) > 64 ? 64 : (int)length_of(word);
  return ripstop_fail(err, "%s:%u: '%.*s' where %s is expected", g->file, g->line, shown, word.at, wanted);
}

static bool same_pair(const void *g, uint32_t index, const char *text, size_t length) {
  return memcmp(((const ripstop_graph *)g)->cable[index].node, text, length) == 0;
}

/* A cable that the other router has told of already is not there twice. */
static int add_cable(ripstop_graph *g, ripstop_table *pairs, ripstop_graph_cable *c, ripstop_error *err) {
  const uint32_t a = c->node[0], b = c->node[1];
  const char *key = (const char *)c->node;
  if (!c->ends && a > b) c->node[0] = b, c->node[1] = a;
  if (!c->ends && ripstop_table_find(pairs, key, sizeof c->node, same_pair, g) != RIPSTOP_NONE) return 0;
  if (!c->ends) ripstop_table_add(pairs, key, sizeof c->node, g->cables);
  return ripstop_graph_add(g, c, err);
}

/* "node 3", "router 5 15", behind a router. */
static int read_item(ripstop_graph *g, ripstop_table *pairs, uint32_t router, piece kind, piece *line,
                     ripstop_error *err) {
  piece number = next_word(line), before = *line, delay = next_word(line);
  ripstop_graph_cable c = {.ends = is(kind, "node"), .port = {RIPSTOP_NONE, RIPSTOP_NONE}};
  if (!c.ends && !is(kind, "router")) return refuse(g, kind, "'node' or 'router'", err);
  if (!is_number(number)) return refuse(g, number, "a number", err);
  if (!is_number(delay)) *line = before;
  if (is_number(delay) && !is(delay, "1") &&
      ripstop_graph_tell(g, RIPSTOP_GRAPH_CABLE, NULL, &c, "delay", 5, delay.at, length_of(delay), err) != 0)
    return -1;
  c.node[0] = c.ends ? ripstop_graph_end_of(g, number.at, length_of(number), err) : router;
  c.node[1] = c.ends ? router : ripstop_graph_router_of(g, number.at, length_of(number), err);
  return c.node[0] == RIPSTOP_NONE || c.node[1] == RIPSTOP_NONE ? -1 : add_cable(g, pairs, &c, err);
}

static int read_line(ripstop_graph *g, ripstop_table *pairs, piece line, ripstop_error *err) {
  piece word = next_word(&line), number = next_word(&line);
  if (word.at == word.end) return 0;
  if (!is(word, "router")) return refuse(g, word, "'router'", err);
  if (!is_number(number)) return refuse(g, number, "a router's number", err);
  uint32_t router = ripstop_graph_router_of(g, number.at, length_of(number), err);
  for (word = next_word(&line); router != RIPSTOP_NONE && word.at < word.end; word = next_word(&line))
    if (read_item(g, pairs, router, word, &line, err) != 0) return -1;
  return router == RIPSTOP_NONE ? -1 : 0;
}

int ripstop_graph_read_anynet(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  piece all = {text, text + length};
  ripstop_table pairs = {.arena = g->arena};
  while (all.at < all.end) {
    const char *stop = memchr(all.at, '\n', (size_t)(all.end - all.at));
    g->line++;
    if (read_line(g, &pairs, (piece){all.at, stop ? stop : all.end}, err) != 0) return -1;
    all.at = stop ? stop + 1 : all.end;
  }
  return 0;
}
