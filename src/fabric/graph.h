/* graph.h - maps a fabric of the family `graph` to the file that it was made of: routers, end nodes and cables
 * (formats/graph/named_graph.h). */
#ifndef RIPSTOP_FABRIC_GRAPH_H
#define RIPSTOP_FABRIC_GRAPH_H

#include "formats/graph/named_graph.h"
#include "ripstop/plugin/family.h"

extern const ripstop_family ripstop_family_graph;

/* The parts of a graph that its wiring does not contain. */
typedef struct ripstop_graph_detail {
  ripstop_graph graph;
  const uint32_t *cable; /* [links]: the cable of a link */
  const uint32_t *twin;  /* [cables]: 1 for the first cable between two routers, 2 for the second, ... */
} ripstop_graph_detail;

/* NULL for fabrics of other families. */
const ripstop_graph_detail *ripstop_graph_of(const ripstop_fabric *fabric);
/* Which of the cables between its two switches a link is, from 1, in a fabric of any family. */
uint32_t ripstop_graph_twin(const ripstop_fabric *fabric, uint32_t link);
/* The group of a link or switch; NULL: it has none. */
const char *ripstop_graph_group(const ripstop_fabric *fabric, ripstop_part_kind what, uint32_t part);
/* The name of the port at a side of a link; NULL: it has none. */
const char *ripstop_graph_port(const ripstop_fabric *fabric, uint32_t link, unsigned side);
/* An edge list that is in memory already; `name` stands for the file. NULL on error. */
ripstop_fabric *ripstop_graph_from_text(const char *name, const char *text, size_t length, ripstop_error *err);
/* Writes a fabric of any family as an edge list. -1: a name in it that an edge list cannot carry. */
int ripstop_graph_print(const ripstop_fabric *fabric, FILE *file, ripstop_error *err);

#endif
