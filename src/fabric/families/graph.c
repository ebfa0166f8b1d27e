/* graph.c - any fabric as an edge list: two router names a line and, where it matters, the link's speed; '#' starts a
 * comment; one end node a router.
 *
 * Routers are numbered in the order in which they are first named; a router's ports follow the order of its lines, and
 * the last one leads to its end node, which has the router's name. A link is "A--B", A the router that was named first
 * in the file; a second link between the same two is "A--B#2", and so on. Therefore names have no "--" inside and no
 * '-' at either end. */
#include <stdlib.h>
#include <string.h>

#include "fabric/content.h"
#include "fabric/digits.h"
#include "fabric/graph.h"
#include "fabric/table.h"
#include "ripstop/plugin/family.h"

enum { NAME_LIMIT = 100 }; /* bytes: two names and a number fit RIPSTOP_NAME_MAX */

static const ripstop_option options[] = {
    RIPSTOP_CONTENT_OPTIONS(
        "path of an edge list: two router names a line, then a speed such as 100G or none; '#' starts a comment"),
    {0}};

typedef struct edge {
  uint32_t node[2]; /* routers, the one that was named first before the other */
} edge;

/* An edge list as read; the names lie in the text itself. */
typedef struct graph {
  const char *file; /* for messages */
  uint32_t line;
  uint32_t routers, routers_room;
  uint32_t edges, edges_room;
  const char **name; /* [routers], not terminated */
  uint8_t *length;   /* [routers] */
  edge *edge;
  uint32_t *speed; /* [edges]: Mb/s; 0: not told */
  uint32_t fastest;
  ripstop_table table;
} graph;

typedef struct detail {
  const char *const *name; /* [routers] */
  const uint32_t *twin;    /* [edges]: 1 for the first link between two routers, 2 for the second, ... */
} detail;

static void graph_free(graph *g) {
  ripstop_free(g->name);
  ripstop_free(g->length);
  ripstop_free(g->edge);
  ripstop_free(g->speed);
  ripstop_table_free(&g->table);
}

static bool same_name(const void *owner, uint32_t router, const char *text, size_t length) {
  const graph *g = owner;
  return g->length[router] == length && memcmp(g->name[router], text, length) == 0;
}

static bool starts_with(const char *text, size_t length, const char *prefix) {
  size_t count = strlen(prefix);
  return length >= count && memcmp(text, prefix, count) == 0;
}

static int check_name(const graph *g, const char *text, size_t length, ripstop_error *err) {
  int shown = length > NAME_LIMIT ? NAME_LIMIT : (int)length;
  if (length > NAME_LIMIT)
    return ripstop_fail(err, "%s:%u: name '%.*s...' is longer than %d bytes", g->file, g->line, shown, text,
                        NAME_LIMIT);
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                (c != '\0' && strchr("_.:-", c) != NULL);
    if (!fine)
      return ripstop_fail(err, "%s:%u: name '%.*s': only letters, digits and _ . : - can be in a name", g->file,
                          g->line, shown, text);
    if (c == '-' && (i == 0 || i + 1 == length || text[i + 1] == '-'))
      return ripstop_fail(err, "%s:%u: name '%.*s': '-' stands alone between other characters", g->file, g->line, shown,
                          text);
  }
  if (starts_with(text, length, "end:") || starts_with(text, length, "switch:"))
    return ripstop_fail(err, "%s:%u: name '%.*s': 'end:' and 'switch:' have a meaning of their own", g->file, g->line,
                        shown, text);
  return 0;
}

/* The router with this name, new or known; RIPSTOP_NONE on error. */
static uint32_t router_of(graph *g, const char *text, size_t length, ripstop_error *err) {
  if (check_name(g, text, length, err) != 0) return RIPSTOP_NONE;
  uint32_t router = ripstop_table_find(&g->table, text, length, same_name, g);
  if (router != RIPSTOP_NONE) return router;
  if (g->routers == g->routers_room) {
    g->routers_room = g->routers_room == 0 ? 64 : 2 * g->routers_room;
    g->name = ripstop_realloc(g->name, g->routers_room, sizeof *g->name);
    g->length = ripstop_realloc(g->length, g->routers_room, sizeof *g->length);
  }
  router = g->routers++;
  g->name[router] = text;
  g->length[router] = (uint8_t)length;
  ripstop_table_add(&g->table, text, length, router);
  return router;
}

static void add_edge(graph *g, uint32_t a, uint32_t b, uint32_t speed) {
  if (g->edges == g->edges_room) {
    g->edges_room = g->edges_room == 0 ? 64 : 2 * g->edges_room;
    g->edge = ripstop_realloc(g->edge, g->edges_room, sizeof *g->edge);
    g->speed = ripstop_realloc(g->speed, g->edges_room, sizeof *g->speed);
  }
  if (speed > g->fastest) g->fastest = speed;
  g->speed[g->edges] = speed;
  g->edge[g->edges++] = (edge){{a < b ? a : b, a < b ? b : a}};
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Splits off the next word of a line; a '#' ends the line. Returns its length, 0 when there is none. */
static size_t next_word(const char **at, const char *end, const char **word) {
  while (*at < end && is_blank(**at)) (*at)++;
  *word = *at;
  while (*at < end && !is_blank(**at) && **at != '#') (*at)++;
  return (size_t)(*at - *word);
}

/* "100G" in Mb/s; 0: it is no speed. */
static uint32_t speed_of(const char *word, size_t length) {
  uint64_t speed = 0;
  if (length < 2 || length > 6) return 0;
  for (size_t i = 0; i + 1 < length; i++) {
    if (word[i] < '0' || word[i] > '9') return 0;
    speed = 10 * speed + (uint64_t)(word[i] - '0');
  }
  speed *= word[length - 1] == 'M' ? 1 : word[length - 1] == 'G' ? 1000 : word[length - 1] == 'T' ? 1000000 : 0;
  return speed <= UINT32_MAX ? (uint32_t)speed : 0;
}

static int read_line(graph *g, const char *at, const char *end, ripstop_error *err) {
  const char *word[2], *more;
  size_t length[2];
  uint32_t node[2];
  for (unsigned i = 0; i < 2; i++) {
    length[i] = next_word(&at, end, &word[i]);
    if (length[i] == 0 && i == 0) return 0;
    if (length[i] == 0) return ripstop_fail(err, "%s:%u: a link needs two router names", g->file, g->line);
    node[i] = router_of(g, word[i], length[i], err);
    if (node[i] == RIPSTOP_NONE) return -1;
  }
  size_t extra = next_word(&at, end, &more);
  const uint32_t speed = speed_of(more, extra);
  if (speed) extra = next_word(&at, end, &more);
  if (extra > 0)
    return ripstop_fail(err, "%s:%u: '%.*s' after two router names%s", g->file, g->line, extra > 64 ? 64 : (int)extra,
                        more, speed ? " and a speed" : "; a speed is a number of M, G or T, such as 100G");
  if (node[0] == node[1])
    return ripstop_fail(err, "%s:%u: a link from '%.*s' to itself", g->file, g->line, (int)length[0], word[0]);
  add_edge(g, node[0], node[1], speed);
  return 0;
}

static int read_text(graph *g, const char *text, size_t length, ripstop_error *err) {
  const char *at = text, *end = text + length;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    g->line++;
    if (read_line(g, at, stop, err) != 0) return -1;
    at = stop + 1;
  }
  return g->edges > 0 ? 0 : ripstop_fail(err, "%s: no link in it", g->file);
}

/* Reads the edge list; `arena` keeps the text that the names lie in. */
static int load(ripstop_arena *arena, const ripstop_content *c, graph *g, ripstop_loaded *loaded, ripstop_error *err) {
  if (ripstop_content_load(arena, c, loaded, err) != 0) return -1;
  *g = (graph){.file = loaded->path};
  if (read_text(g, loaded->text, loaded->length, err) == 0) return 0;
  graph_free(g);
  return -1;
}

static int count(const void *c, ripstop_counts *out, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  graph g;
  ripstop_loaded loaded;
  int status = load(scratch, c, &g, &loaded, err);
  if (status == 0) {
    *out = (ripstop_counts){.ends = g.routers, .switches = g.routers, .links = (uint64_t)g.routers + g.edges};
    graph_free(&g);
  }
  ripstop_arena_free(scratch);
  return status;
}

static bool same_pair(const void *owner, uint32_t index, const char *text, size_t length) {
  (void)length; /* of an edge, always */
  return memcmp(&((const graph *)owner)->edge[index], text, sizeof(edge)) == 0;
}

/* Numbers parallel links in the order of the file. */
static const uint32_t *number_twins(ripstop_arena *arena, const graph *g) {
  uint32_t *twin = RIPSTOP_ARRAY(arena, g->edges, uint32_t);
  uint32_t *last = ripstop_realloc(NULL, g->edges, sizeof *last); /* of the first edge of a pair: twins so far */
  ripstop_table pairs = {0};
  for (uint32_t i = 0; i < g->edges; i++) {
    const char *key = (const char *)&g->edge[i];
    uint32_t first = ripstop_table_find(&pairs, key, sizeof(edge), same_pair, g);
    if (first == RIPSTOP_NONE) {
      ripstop_table_add(&pairs, key, sizeof(edge), i);
      first = i;
      last[i] = 0;
    }
    twin[i] = ++last[first];
  }
  ripstop_table_free(&pairs);
  ripstop_free(last);
  return twin;
}

static const detail *keep_detail(ripstop_arena *arena, const graph *g) {
  const char **name = RIPSTOP_ARRAY(arena, g->routers, const char *);
  for (uint32_t i = 0; i < g->routers; i++) name[i] = ripstop_arena_printf(arena, "%.*s", g->length[i], g->name[i]);
  detail *d = RIPSTOP_NEW(arena, detail);
  *d = (detail){.name = name, .twin = number_twins(arena, g)};
  return d;
}

static void wire(ripstop_builder *builder, const graph *g) {
  uint32_t *degree = ripstop_realloc(NULL, g->routers, sizeof *degree);
  for (uint32_t i = 0; i < g->routers; i++) degree[i] = 0;
  for (uint32_t i = 0; i < g->edges; i++)
    for (unsigned side = 0; side < 2; side++) degree[g->edge[i].node[side]]++;
  for (uint32_t i = 0; i < g->routers; i++) ripstop_builder_end(builder, NULL);
  for (uint32_t i = 0; i < g->routers; i++) ripstop_builder_switch(builder, degree[i] + 1, NULL);
  for (uint32_t i = 0; i < g->routers; i++) ripstop_builder_cable(builder, i, 0, g->routers + i, degree[i]);
  for (uint32_t i = 0; i < g->routers; i++) degree[i] = 0; /* from here on: ports wired so far */
  for (uint32_t i = 0; i < g->edges; i++) {
    uint32_t a = g->edge[i].node[0], b = g->edge[i].node[1];
    ripstop_builder_cable(builder, g->routers + a, degree[a]++, g->routers + b, degree[b]++);
    if (g->speed[i]) ripstop_builder_speed(builder, g->speed[i], g->fastest);
  }
  ripstop_free(degree);
}

static int build(ripstop_builder *builder, const void *c, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  graph g;
  ripstop_loaded loaded;
  int status = load(scratch, c, &g, &loaded, err);
  if (status == 0) {
    ripstop_arena *arena = ripstop_builder_arena(builder);
    ripstop_builder_spec(builder, ripstop_content_spec(arena, "graph", c, &loaded));
    ripstop_builder_detail(builder, keep_detail(arena, &g));
    wire(builder, &g);
    graph_free(&g);
  }
  ripstop_arena_free(scratch);
  return status;
}

static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  const detail *d = fabric->detail;
  snprintf(out, RIPSTOP_NAME_MAX, "%s", d->name[node % fabric->ends]);
}

static void link_name(const ripstop_fabric *fabric, uint32_t link, char *out) {
  const detail *d = fabric->detail;
  uint32_t a = ripstop_link_node(fabric, link, 0) - fabric->ends, b = ripstop_link_node(fabric, link, 1) - fabric->ends;
  uint32_t twin = d->twin[link - fabric->link_ends];
  if (twin == 1)
    snprintf(out, RIPSTOP_NAME_MAX, "%s--%s", d->name[a], d->name[b]);
  else
    snprintf(out, RIPSTOP_NAME_MAX, "%s--%s#%u", d->name[a], d->name[b], twin);
}

const ripstop_family ripstop_family_graph = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "graph",
    .summary = "any graph from a file of edges, one end node a router",
    .source = "edge list, two router names a line",
    .options = options,
    .config_size = sizeof(ripstop_content),
    .example = "graph:tests/data/petersen.edges",
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = link_name,
};

ripstop_fabric *ripstop_graph_from_text(const char *name, const char *text, size_t length, ripstop_error *err) {
  return ripstop_content_fabric(&ripstop_family_graph, name, text, length, err);
}
