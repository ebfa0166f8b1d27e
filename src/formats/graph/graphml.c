/* graphml.c - reads GraphML (Brandes et al. 2002), as NetworkX, yEd and the Internet Topology Zoo write it.
 *
 * Nodes are routers under their ids; a node whose `type` is "end" or "host" is an end node, whose one edge is its
 * cable. The KEY=VALUE pairs of an edge list are data whose key has that name as attr.name; `speed` may be
 * "100G", `LinkSpeedRaw` is in bits a second, and names of ports are the edge's sourceport and targetport. A key
 * `endpoints` of nodes is that of SST's anytopo (pymerlin-topo-any.py): so many end nodes at each router. Other data
 * are left out. Hyperedges and graphs in nodes are refused, and so are entities, which no such file needs.
 *
 * Nodes may come after their edges: both are collected first. */
#include <expat.h>
#include <inttypes.h>
#include <string.h>

#include "base/growing.h"
#include "formats/graph/named_graph.h"
#include "formats/traces/trace_format.h"

enum { KEYS_MAX = 256, VALUE_MAX = 200 };

typedef struct datum {
  const char *key, *value;
  struct datum *next;
} datum;

/* A node (target is NULL) or an edge. */
typedef struct item {
  const char *id, *target;
  datum *datum;
  uint32_t line;
  uint32_t cables; /* how many an end node has */
} item;

typedef struct key {
  const char *id, *name, *fallback; /* its default; NULL: none */
  bool nodes, edges;
} key;

typedef struct reader {
  ripstop_graph *graph;
  ripstop_error *err;
  XML_Parser parser;
  bool failed, begun;
  bool sst;      /* it is SST's anytopo: nodes have the number of their end nodes */
  bool directed; /* edges have one direction by default */
  item *node, *edge;
  uint32_t nodes, nodes_room, edges, edges_room;
  item *open; /* the node or edge that data belong to; NULL: none */
  key keys[KEYS_MAX];
  uint32_t key_count;
  const char *data_key; /* the key of the data that `text` is of */
  char text[VALUE_MAX];
  size_t length;
  ripstop_text_table ids;
} reader;

/* ------------------------------------------------------------------ memory: as everywhere here */

static void *take(size_t size) { return ripstop_realloc(NULL, size, 1); }
static void *more(void *memory, size_t size) { return ripstop_realloc(memory, size, 1); }

/* ------------------------------------------------------------------ elements */

static uint32_t line_of(const reader *r) { return (uint32_t)XML_GetCurrentLineNumber(r->parser); }

static int stop(reader *r, const char *what, const char *which) {
  if (r->failed) return -1;
  ripstop_fail(r->err, "%s:%u: %s%.100s", r->graph->file, line_of(r), what, which);
  r->failed = true;
  XML_StopParser(r->parser, XML_FALSE);
  return -1;
}

static const char *attribute(const XML_Char **list, const char *name) {
  for (; *list; list += 2)
    if (strcmp(*list, name) == 0) return list[1];
  return NULL;
}

static item *add_item(reader *r, item **list, uint32_t *count, uint32_t *room) {
  RIPSTOP_GROW_IN(r->graph->arena, *list, *count, *room);
  return &(*list)[(*count)++];
}

static void add_datum(reader *r, const char *name, const char *value) {
  if (!r->open || !name) return;
  datum *t = RIPSTOP_NEW(r->graph->arena, datum);
  *t = (datum){name, ripstop_arena_text(r->graph->arena, value), r->open->datum};
  r->open->datum = t;
}

static int begin_key(reader *r, const XML_Char **list) {
  const char *id = attribute(list, "id"), *name = attribute(list, "attr.name"), *kind = attribute(list, "for");
  if (!id) return stop(r, "a key has no id", "");
  if (r->key_count == KEYS_MAX) return stop(r, "more than 256 keys", "");
  bool all = !kind || strcmp(kind, "all") == 0;
  r->sst |= name && strcmp(name, "endpoints") == 0 && (all || strcmp(kind, "node") == 0);
  r->keys[r->key_count++] = (key){.id = ripstop_arena_text(r->graph->arena, id),
                                  .name = ripstop_arena_text(r->graph->arena, name ? name : id),
                                  .nodes = all || strcmp(kind, "node") == 0,
                                  .edges = all || strcmp(kind, "edge") == 0};
  return 0;
}

static int begin_node(reader *r, const XML_Char **list) {
  const char *id = attribute(list, "id");
  if (!id) return stop(r, "a node has no id", "");
  if (r->open) return stop(r, "a graph in a node is not read: ", id);
  r->open = add_item(r, &r->node, &r->nodes, &r->nodes_room);
  *r->open = (item){.id = ripstop_arena_text(r->graph->arena, id), .line = line_of(r)};
  return 0;
}

static int begin_edge(reader *r, const XML_Char **list) {
  static const char *const ports[] = {"sourceport", "targetport", NULL};
  const char *source = attribute(list, "source"), *target = attribute(list, "target");
  if (!source || !target) return stop(r, "an edge needs a source and a target", "");
  if (r->open) return stop(r, "an edge in a node is not read: ", source);
  r->open = add_item(r, &r->edge, &r->edges, &r->edges_room);
  *r->open = (item){.id = ripstop_arena_text(r->graph->arena, source),
                    .target = ripstop_arena_text(r->graph->arena, target),
                    .line = line_of(r)};
  for (unsigned i = 0; ports[i]; i++)
    if (attribute(list, ports[i])) add_datum(r, ports[i], attribute(list, ports[i]));
  return 0;
}

static void begin_data(reader *r, const XML_Char **list) {
  const char *id = attribute(list, "key");
  r->data_key = NULL;
  for (uint32_t i = 0; id && i < r->key_count; i++)
    if (strcmp(r->keys[i].id, id) == 0) r->data_key = r->keys[i].name;
}

static bool is_directed(const XML_Char **list) {
  const char *kind = attribute(list, "edgedefault");
  return kind && strcmp(kind, "directed") == 0;
}

/* Without the prefix of a namespace. */
static const char *local_name(const char *name) {
  const char *colon = strrchr(name, ':');
  return colon ? colon + 1 : name;
}

static void XMLCALL begin(void *reader_, const XML_Char *name, const XML_Char **list) {
  reader *r = reader_;
  name = local_name(name);
  r->length = 0;
  if (!r->begun && strcmp(name, "graphml") != 0)
    stop(r, "this is XML, but no GraphML: <graphml> should be here, not ", name);
  r->begun = true;
  if (strcmp(name, "graph") == 0) r->directed |= is_directed(list);
  if (strcmp(name, "key") == 0) begin_key(r, list);
  if (strcmp(name, "node") == 0) begin_node(r, list);
  if (strcmp(name, "edge") == 0) begin_edge(r, list);
  if (strcmp(name, "data") == 0) begin_data(r, list);
  if (strcmp(name, "hyperedge") == 0) stop(r, "a hyperedge is no cable", "");
}

/* Blanks around it are no part of it; what is too long is cut off, and no word is as long. */
static const char *trimmed(reader *r) {
  char *text = r->text;
  while (r->length > 0 && strchr(" \t\r\n", text[r->length - 1])) r->length--;
  text[r->length] = '\0';
  return text + strspn(text, " \t\r\n");
}

static void XMLCALL end(void *reader_, const XML_Char *name) {
  reader *r = reader_;
  name = local_name(name);
  if (strcmp(name, "data") == 0) add_datum(r, r->data_key, trimmed(r));
  if (strcmp(name, "default") == 0 && r->key_count > 0)
    r->keys[r->key_count - 1].fallback = ripstop_arena_text(r->graph->arena, trimmed(r));
  if (strcmp(name, "node") == 0 || strcmp(name, "edge") == 0) r->open = NULL;
}

static void XMLCALL characters(void *reader_, const XML_Char *text, int length) {
  reader *r = reader_;
  size_t room = VALUE_MAX - 1 - r->length, count = (size_t)length < room ? (size_t)length : room;
  memcpy(r->text + r->length, text, count);
  r->length += count;
}

static void XMLCALL entity(void *reader_, const XML_Char *name, int parameter, const XML_Char *value, int length,
                           const XML_Char *base, const XML_Char *system, const XML_Char *public_,
                           const XML_Char *notation) {
  (void)parameter, (void)value, (void)length, (void)base, (void)system, (void)public_, (void)notation;
  stop(reader_, "entities are not read: ", name);
}

/* ------------------------------------------------------------------ from nodes and edges to the graph */

static bool same_id(const void *owner, uint32_t node, const char *text, size_t length) {
  const char *id = ((const reader *)owner)->node[node].id;
  return strlen(id) == length && memcmp(id, text, length) == 0;
}

static const char *value_of(const reader *r, const item *i, const char *name) {
  for (const datum *t = i->datum; t; t = t->next)
    if (strcmp(t->key, name) == 0) return t->value;
  for (uint32_t k = 0; k < r->key_count; k++)
    if (strcmp(r->keys[k].name, name) == 0 && (i->target ? r->keys[k].edges : r->keys[k].nodes))
      return r->keys[k].fallback;
  return NULL;
}

static bool is_end(const reader *r, const item *node) {
  const char *type = value_of(r, node, "type");
  return type && (strcmp(type, "end") == 0 || strcmp(type, "host") == 0);
}

static int set(reader *r, const item *i, ripstop_graph_part part, const char *const *words,
               ripstop_graph_router *router, ripstop_graph_cable *cable) {
  for (; *words; words++) {
    const char *value = value_of(r, i, *words);
    if (value && ripstop_graph_set(r->graph, part, router, cable, piece_of(*words), piece_of(value), r->err)) return -1;
  }
  return 0;
}

/* "100G", or bits a second. */
static int set_speed(reader *r, const item *i, ripstop_graph_cable *cable) {
  const char *speed = value_of(r, i, "speed"), *raw = value_of(r, i, "LinkSpeedRaw");
  double bits;
  ripstop_error why;
  if (speed && !(cable->speed = ripstop_graph_speed(piece_of(speed))))
    return ripstop_fail(r->err, "%s:%u: speed %s: it is a number of M, G or T, such as 100G", r->graph->file, i->line,
                        speed);
  if (speed || !raw || ripstop_parse_real(raw, &bits, &why) || bits < 1e6 || bits > 4e15) return 0;
  cable->speed = (uint32_t)(bits / 1e6);
  return 0;
}

static int add_node(reader *r, uint32_t number) {
  static const char *const words[] = {"group", "role", "ports", NULL};
  item *i = &r->node[number];
  const size_t length = strlen(i->id);
  r->graph->line = i->line;
  if (ripstop_text_table_find(&r->ids, i->id, length, same_id, r) != RIPSTOP_NONE)
    return ripstop_fail(r->err, "%s:%u: the node '%.100s' is there twice", r->graph->file, i->line, i->id);
  ripstop_text_table_add(&r->ids, i->id, length, number);
  if (is_end(r, i)) return 0;
  uint32_t router = ripstop_graph_router_of(r->graph, piece_of(i->id), r->err);
  if (router == RIPSTOP_NONE) return -1;
  return set(r, i, RIPSTOP_GRAPH_ROUTER, words, &r->graph->router[router], NULL);
}

static item *node_of(reader *r, const char *id) {
  uint32_t node = ripstop_text_table_find(&r->ids, id, strlen(id), same_id, r);
  if (node != RIPSTOP_NONE) return &r->node[node];
  ripstop_fail(r->err, "%s:%u: there is no node '%.100s'", r->graph->file, r->graph->line, id);
  return NULL;
}

/* The cable of an end node. The port at its router is the one at the edge's other side. */
static int add_end(reader *r, const item *edge, item *end, const item *router, bool turned) {
  static const char *const words[] = {"rate", "delay", "group", "name", "class", NULL};
  const char *port = value_of(r, edge, turned ? "sourceport" : "targetport");
  if (is_end(r, router))
    return ripstop_fail(r->err, "%s:%u: the end nodes '%.100s' and '%.100s' are joined", r->graph->file, edge->line,
                        end->id, router->id);
  if (end->cables++ > 0)
    return ripstop_fail(r->err, "%s:%u: a second cable of the end node '%.100s'", r->graph->file, edge->line, end->id);
  ripstop_graph_cable cable = {.ends = true, .port = {RIPSTOP_NONE, RIPSTOP_NONE}};
  cable.node[0] = ripstop_graph_end_of(r->graph, piece_of(end->id), r->err);
  if (cable.node[0] == RIPSTOP_NONE) return -1;
  cable.node[1] = ripstop_graph_router_of(r->graph, piece_of(router->id), r->err);
  if (set(r, edge, RIPSTOP_GRAPH_END, words, NULL, &cable) || set_speed(r, edge, &cable)) return -1;
  if (port && ripstop_graph_set(r->graph, RIPSTOP_GRAPH_END, NULL, &cable, piece_of("port"), piece_of(port), r->err))
    return -1;
  return ripstop_graph_add(r->graph, &cable, r->err);
}

static int add_edge(reader *r, const item *edge) {
  static const char *const words[] = {"rate", "delay", "group", "class", "n", "name", "sourceport", "targetport", NULL};
  r->graph->line = edge->line;
  item *a = node_of(r, edge->id), *b = a ? node_of(r, edge->target) : NULL;
  if (!b) return -1;
  if (is_end(r, a) || is_end(r, b)) return is_end(r, a) ? add_end(r, edge, a, b, false) : add_end(r, edge, b, a, true);
  ripstop_graph_cable cable = {.port = {RIPSTOP_NONE, RIPSTOP_NONE}};
  cable.node[0] = ripstop_graph_router_of(r->graph, piece_of(edge->id), r->err);
  cable.node[1] = ripstop_graph_router_of(r->graph, piece_of(edge->target), r->err);
  if (set(r, edge, RIPSTOP_GRAPH_CABLE, words, NULL, &cable) || set_speed(r, edge, &cable)) return -1;
  return ripstop_graph_add(r->graph, &cable, r->err);
}

/* SST's anytopo: so many end nodes at a router, 0 too. They are numbered in the order of the routers. */
static int add_endpoints(reader *r, const item *i) {
  const char *value = value_of(r, i, "endpoints");
  uint32_t count;
  r->graph->line = i->line;
  if (!value)
    return ripstop_fail(r->err, "%s:%u: the router '%.100s' has no data 'endpoints', the number of its end nodes",
                        r->graph->file, i->line, i->id);
  if (!piece_is_count(piece_of(value), RIPSTOP_GRAPH_PORTS_MAX, &count))
    return ripstop_fail(r->err, "%s:%u: endpoints of '%.100s' are '%.60s': a whole number up to %d must stand here",
                        r->graph->file, i->line, i->id, value, RIPSTOP_GRAPH_PORTS_MAX);
  ripstop_graph_cable cable = {.ends = true, .port = {RIPSTOP_NONE, RIPSTOP_NONE}};
  cable.node[1] = ripstop_graph_router_of(r->graph, piece_of(i->id), r->err);
  while (count-- > 0) {
    cable.node[0] = trace_graph_end(r->graph, 'e', r->graph->ends, r->err);
    if (cable.node[0] == RIPSTOP_NONE || ripstop_graph_add(r->graph, &cable, r->err)) return -1;
  }
  return 0;
}

/* SST refuses directed graphs, and a node that is an end node by its type has no meaning there. */
static int add_all_endpoints(reader *r) {
  if (r->directed)
    return ripstop_fail(r->err, "%s: a directed graph with 'endpoints' (SST anytopo), which needs an undirected one",
                        r->graph->file);
  for (uint32_t i = 0; i < r->nodes; i++) {
    if (is_end(r, &r->node[i]))
      return ripstop_fail(r->err, "%s:%u: '%.100s' is an end node by its type, beside 'endpoints' (SST anytopo)",
                          r->graph->file, r->node[i].line, r->node[i].id);
    if (add_endpoints(r, &r->node[i])) return -1;
  }
  return r->graph->ends ? 0 : ripstop_fail(r->err, "%s: all 'endpoints' are 0", r->graph->file);
}

static int make_graph(reader *r) {
  r->ids.arena = r->graph->arena;
  for (uint32_t i = 0; i < r->nodes; i++)
    if (add_node(r, i) != 0) return -1;
  if (r->sst && add_all_endpoints(r)) return -1;
  for (uint32_t i = 0; i < r->edges; i++)
    if (add_edge(r, &r->edge[i]) != 0) return -1;
  for (uint32_t i = 0; i < r->nodes; i++)
    if (is_end(r, &r->node[i]) && r->node[i].cables == 0)
      return ripstop_fail(r->err, "%s:%u: the end node '%.100s' has no cable", r->graph->file, r->node[i].line,
                          r->node[i].id);
  return 0;
}

/* ------------------------------------------------------------------ the file */

bool ripstop_graph_is_xml(const char *text, size_t length) {
  piece p = piece_of_file(text, length);
  while (p.at < p.end && (piece_blank(*p.at) || *p.at == '\n')) p.at++;
  return piece_begins(p, "<");
}

static int parse(reader *r, const char *text, size_t length) {
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, begin, end);
  XML_SetCharacterDataHandler(r->parser, characters);
  XML_SetEntityDeclHandler(r->parser, entity);
  if (XML_Parse(r->parser, text, (int)length, 1) == XML_STATUS_OK) return 0;
  if (!r->failed)
    ripstop_fail(r->err, "%s:%u: as XML: %s", r->graph->file, line_of(r), XML_ErrorString(XML_GetErrorCode(r->parser)));
  return -1;
}

int ripstop_graph_read_xml(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  static const XML_Memory_Handling_Suite memory = {take, more, ripstop_free};
  reader *r = RIPSTOP_NEW(g->arena, reader);
  *r = (reader){.graph = g, .err = err, .parser = XML_ParserCreate_MM(NULL, &memory, NULL)};
  g->xml = true;
  if (!r->parser) return ripstop_fail(err, "%s: no memory for XML", g->file);
  int status = parse(r, text, length);
  XML_ParserFree(r->parser);
  return status ? -1 : make_graph(r);
}
