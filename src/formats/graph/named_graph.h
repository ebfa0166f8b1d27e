/* named_graph.h - what a file says of a fabric that no definition describes: routers, end nodes, cables, and what else
 * is told of them.
 *
 * Readers fill it, of edge lists (read_lines.c), of GraphML (graphml.c) and of BookSim's files (anynet.c);
 * families/graph.c makes the fabric of it, and edge_list.c writes any fabric as an edge list that is read back as the
 * same nodes, ports, links, names and rates. Routers are numbered as they are first named, cables and end nodes as they
 * come. A file that tells of no end node has one for each router, of its name. */
#ifndef RIPSTOP_FORMATS_GRAPH_NAMED_GRAPH_H
#define RIPSTOP_FORMATS_GRAPH_NAMED_GRAPH_H

#include <stdio.h>

#include "base/text_table.h"
enum {
  RIPSTOP_GRAPH_NAME_LIMIT = 100,      /* bytes: two names and a number fit RIPSTOP_NAME_MAX */
  RIPSTOP_GRAPH_TWINS_MAX = 4096,      /* cables that one line may tell of */
  RIPSTOP_GRAPH_PORTS_MAX = UINT16_MAX /* ports of a router */
};

typedef struct ripstop_graph_router {
  const char *name, *group, *role; /* NULL: not told */
  uint32_t ports;                  /* that it has at least */
  bool told;                       /* by a line of its own */
} ripstop_graph_router;

/* A cable between two routers, or from an end node (node[0]; its router is node[1]). */
typedef struct ripstop_graph_cable {
  uint32_t node[2];
  bool ends;                         /* it is an end node's */
  const char *name, *group, *class_; /* NULL: not told */
  const char *label[2];              /* of the ports at both nodes; NULL: not told */
  uint32_t port[2];                  /* the ports' numbers; RIPSTOP_NONE: the next ones */
  bool numbered[2];                  /* they are told; known when all is read */
  uint32_t speed;                    /* Mb/s; 0: not told */
  uint16_t rate;                     /* thousandths; 0: not told */
  uint16_t delay;                    /* cycles; 0: not told */
  uint32_t twins;                    /* how many cables like this; 0: one */
  uint32_t line;                     /* of the file */
} ripstop_graph_cable;

typedef struct ripstop_graph {
  ripstop_arena *arena;
  const char *file; /* for messages */
  uint32_t line;    /* that is being read */
  bool xml;         /* it is GraphML */
  bool marked;      /* a line has what only edge lists have: '@', a speed, KEY=VALUE */
  ripstop_graph_router *router;
  ripstop_graph_cable *cable; /* in the order of the file */
  const char **end;           /* [ends]: names */
  uint32_t routers, routers_room, cables, cables_room, ends, ends_room;
  uint32_t fastest;                                       /* Mb/s */
  ripstop_text_table router_names, end_names, link_names; /* of links those that are told */
} ripstop_graph;

/* What GraphML and edge lists tell of a part, by the same words. */
typedef enum ripstop_graph_part { RIPSTOP_GRAPH_ROUTER, RIPSTOP_GRAPH_END, RIPSTOP_GRAPH_CABLE } ripstop_graph_part;

/* ------------------------------------------------------------------ reading; -1 or RIPSTOP_NONE: an error */

int ripstop_graph_read_text(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);
bool ripstop_graph_is_anynet(const char *text, size_t length);
int ripstop_graph_read_anynet(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);
bool ripstop_graph_is_xml(const char *text, size_t length);
int ripstop_graph_read_xml(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);

/* The format of a text that is no edge list, by its first lines, and the line that shows it; NULL: no known format. */
const char *ripstop_graph_looks(const char *text, size_t length, uint32_t *line);
/* After an edge list was read: refuses lists of words that are no cables. */
int ripstop_graph_check_list(const ripstop_graph *g, ripstop_error *err);

/* What is left of a line. */
typedef struct ripstop_graph_line {
  const char *at, *end;
} ripstop_graph_line;
/* Splits off its next word; a '#' ends the line. The word's length, 0 when there is none. */
size_t ripstop_graph_word(ripstop_graph_line *line, const char **word);
/* True if a word only joins the two names of a cable: "--", "->" and the like. */
bool ripstop_graph_is_join(const char *word, size_t length);
/* The router of this name, new or known. */
uint32_t ripstop_graph_router_of(ripstop_graph *g, const char *name, size_t length, ripstop_error *err);
/* RIPSTOP_NONE, and no error: there is none. */
uint32_t ripstop_graph_find_router(const ripstop_graph *g, const char *name, size_t length);
uint32_t ripstop_graph_find_end(const ripstop_graph *g, const char *name, size_t length);
/* A new end node; its cable is still to be added. */
uint32_t ripstop_graph_end_of(ripstop_graph *g, const char *name, size_t length, ripstop_error *err);
/* What is told of a part, e.g. "rate" "0.5". One of `router` and `cable` is not NULL. */
int ripstop_graph_tell(ripstop_graph *g, ripstop_graph_part part, ripstop_graph_router *router,
                       ripstop_graph_cable *cable, const char *key, size_t key_length, const char *value, size_t length,
                       ripstop_error *err);
/* "A--B", "A--B#2"; RIPSTOP_NAME_MAX bytes. */
void ripstop_graph_link_name(const char *a, const char *b, uint32_t twin, char *out);
/* "100G" in Mb/s; 0: it is no speed. */
uint32_t ripstop_graph_speed(const char *word, size_t length);
int ripstop_graph_add(ripstop_graph *g, const ripstop_graph_cable *cable, ripstop_error *err);
/* When all is read: end nodes where none are told, and the numbers of all ports. `ports` has [routers]: how many each
 * has; it belongs to the arena. */
int ripstop_graph_finish(ripstop_graph *g, uint32_t **ports, ripstop_error *err);

#endif
