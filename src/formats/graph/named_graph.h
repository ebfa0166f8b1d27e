/* named_graph.h - a graph as files have it: routers, end nodes and cables by name, and their rates, delays, groups and
 * ports.
 *
 * Readers of edge lists (read_lines.c), GraphML (graphml.c) and BookSim's files (anynet.c) fill it; read_graph.c picks
 * the reader. The family `graph` makes a fabric of it (src/fabric/families/graph.c), and print_lines.c writes it as an
 * edge list. Routers are numbered as the file first names them, cables and end nodes as they come. In a file without
 * end nodes each router gets one of its name. */
#ifndef RIPSTOP_FORMATS_GRAPH_NAMED_GRAPH_H
#define RIPSTOP_FORMATS_GRAPH_NAMED_GRAPH_H

#include <stdio.h>

#include "base/piece.h"
#include "base/text_table.h"
enum {
  RIPSTOP_GRAPH_NAME_LIMIT = 100,      /* bytes: two names and a number fit RIPSTOP_NAME_MAX */
  RIPSTOP_GRAPH_TWINS_MAX = 4096,      /* cables that one line may stand for */
  RIPSTOP_GRAPH_PORTS_MAX = UINT16_MAX /* ports of a router */
};

typedef struct ripstop_graph_router {
  const char *name, *group, *role; /* NULL: unknown */
  uint32_t ports;                  /* at least; when all is read, as many as it has */
  bool listed;                     /* it has a line of its own */
} ripstop_graph_router;

/* A cable between two routers, or from an end node (node[0]; its router is node[1]). */
typedef struct ripstop_graph_cable {
  uint32_t node[2];
  bool ends;                         /* it is an end node's */
  const char *name, *group, *class_; /* NULL: unknown */
  const char *label[2];              /* the names of the ports at both nodes; NULL: unknown */
  uint32_t port[2];                  /* the ports' numbers; RIPSTOP_NONE: the next ones */
  bool numbered[2];                  /* the file has the number; valid when all is read */
  uint32_t speed;                    /* Mb/s; 0: unknown */
  uint16_t rate;                     /* thousandths; 0: unknown */
  uint16_t delay;                    /* cycles; 0: unknown */
  uint64_t delay_ps;                 /* picoseconds, in files of simulators; 0: none */
  uint32_t twins;                    /* how many cables like this; 0: one */
  uint32_t line;                     /* in the file */
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
  ripstop_text_table router_names, end_names, link_names; /* link_names: only names that the file has */
} ripstop_graph;

/* The parts that GraphML and edge lists describe by the same keys. */
typedef enum ripstop_graph_part { RIPSTOP_GRAPH_ROUTER, RIPSTOP_GRAPH_END, RIPSTOP_GRAPH_CABLE } ripstop_graph_part;

/* ------------------------------------------------------------------ reading; -1 or RIPSTOP_NONE: an error */

/* Reads a text of any format here. Everything belongs to the arena; `file`, for messages, must stay. */
int ripstop_graph_read(ripstop_graph *g, ripstop_arena *arena, const char *file, const char *text, size_t length,
                       ripstop_error *err);
/* An empty graph. */
void ripstop_graph_open(ripstop_graph *g, ripstop_arena *arena, const char *file);

/* One format each. */
int ripstop_graph_read_text(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);
bool ripstop_graph_is_anynet(const char *text, size_t length);
int ripstop_graph_read_anynet(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);
bool ripstop_graph_is_xml(const char *text, size_t length);
int ripstop_graph_read_xml(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);
/* A plan of Ethernet cables: a topology.dot, whose edges name ports, or a topology of containerlab. */
bool ripstop_graph_is_plan(const char *text, size_t length);
int ripstop_graph_read_plan(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);

/* The format of a text that is no edge list, by its first lines, and the line that shows it; NULL: no known format. */
const char *ripstop_graph_looks(const char *text, size_t length, uint32_t *line);
/* After an edge list was read: refuses lists of words that are no cables. */
int ripstop_graph_check_list(const ripstop_graph *g, ripstop_error *err);

/* Splits off the next word of a line; a '#' ends the line. Empty: there is none. */
piece ripstop_graph_word(piece *line);
/* True if a word only joins the two names of a cable: "--", "->" and the like. */
bool ripstop_graph_is_join(piece word);
/* The router of this name, new or known. */
uint32_t ripstop_graph_router_of(ripstop_graph *g, piece name, ripstop_error *err);
/* RIPSTOP_NONE, and no error: there is none. */
uint32_t ripstop_graph_find_router(const ripstop_graph *g, piece name);
uint32_t ripstop_graph_find_end(const ripstop_graph *g, piece name);
/* A new end node; its cable is still to be added. */
uint32_t ripstop_graph_end_of(ripstop_graph *g, piece name, ripstop_error *err);
/* Sets a value of a part by its key, e.g. "rate" "0.5". One of `router` and `cable` is not NULL. */
int ripstop_graph_set(ripstop_graph *g, ripstop_graph_part part, ripstop_graph_router *router,
                      ripstop_graph_cable *cable, piece key, piece value, ripstop_error *err);
/* "A--B", "A--B#2"; RIPSTOP_NAME_MAX bytes. */
void ripstop_graph_link_name(const char *a, const char *b, uint32_t twin, char *out);
/* "100G" in Mb/s; 0: it is no speed. */
uint32_t ripstop_graph_speed(piece word);
int ripstop_graph_add(ripstop_graph *g, const ripstop_graph_cable *cable, ripstop_error *err);
/* When all is read: adds end nodes where the file has none, and the numbers of all ports. */
int ripstop_graph_finish(ripstop_graph *g, ripstop_error *err);
/* Prints an edge list. */
void ripstop_graph_print_lines(const ripstop_graph *g, FILE *file);

#endif
