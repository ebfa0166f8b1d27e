/* fabric.h - what is wired: nodes, ports and links in flat arrays. Immutable once built.
 *
 * Nodes 0 .. ends-1 are end nodes (each with one port), nodes ends .. nodes-1 are switches (a router is a switch).
 * Node v owns the ports port_base[v] .. port_base[v+1]-1; a port's number on its node ("local port", the number that
 * the papers use) is its index less port_base[v]. A link joins two ports; each of its two directions is a channel,
 * named by the port that sends into it. Parallel links are separate links, at different ports. */
#ifndef RIPSTOP_FABRIC_H
#define RIPSTOP_FABRIC_H

#include "ripstop/error.h"

RIPSTOP_BEGIN

typedef struct ripstop_family ripstop_family; /* plugin/family.h */
typedef struct ripstop_arena ripstop_arena;   /* plugin/base.h */

typedef struct ripstop_fabric {
  const ripstop_family *family;
  const void *config; /* the family's own parameters */
  const char *spec;   /* canonical, e.g. "kary-ntree:k=4,n=3"; for graphs the file's content names the fabric too */
  uint32_t ends, nodes, ports, links;
  uint32_t link_ends;        /* links that lead to an end node; they are the links 0 .. link_ends-1 */
  const uint32_t *port_base; /* [nodes + 1] */
  const uint32_t *port_node; /* [ports] */
  const uint32_t *port_link; /* [ports]; RIPSTOP_NONE for a port without cable */
  const uint32_t *peer;      /* [ports]: the port at the other end; RIPSTOP_NONE for a port without cable */
  const uint32_t *link_port; /* [2 * links]: the port that names the link first (see the family), then its peer */
  const uint16_t *rate;      /* [links]; NULL: every link carries a flit a cycle */
  const uint16_t
      *delay; /* [links]: cycles that a flit is on the link, 0: as long as the run says; NULL: 0 everywhere */
  const uint8_t *one_way; /* [links]; 1: of the link's two ports only the one that names it sends; NULL: all links carry
                             packets in both directions */
  uint32_t coords;        /* coordinates per node, 0 for graphs */
  const uint16_t *coord;  /* [nodes * coords]: digit i of node v at v * coords + i, least significant first; what the
                             digits mean is the family's business (trees: an end node's p_i; a switch's c_i, then its
                             level as the last one) */
  const void *detail;     /* other data of the family (graph: the nodes' names) */
  ripstop_arena *arena;
} ripstop_fabric;

/* "family:parameters", or the path of a file (docs/fabrics.md). NULL on error. The caller frees it. */
ripstop_fabric *ripstop_fabric_open(const char *spec, ripstop_error *err);
void ripstop_fabric_free(ripstop_fabric *fabric); /* NULL is fine */

/* The number of switches; of ports of a node; whether a node is an end node; the node at the first (0) or second (1)
 * end of a link. */
static inline uint32_t ripstop_fabric_switches(const ripstop_fabric *f) { return f->nodes - f->ends; }
static inline uint32_t ripstop_node_ports(const ripstop_fabric *f, uint32_t node) {
  return f->port_base[node + 1] - f->port_base[node];
}
static inline bool ripstop_is_end(const ripstop_fabric *f, uint32_t node) { return node < f->ends; }
static inline uint32_t ripstop_link_node(const ripstop_fabric *f, uint32_t link, unsigned side) {
  return f->port_node[f->link_port[2 * link + side]];
}
/* The switch of an end node, and the local port of that switch. */
static inline uint32_t ripstop_end_switch(const ripstop_fabric *f, uint32_t end) {
  return f->port_node[f->peer[f->port_base[end]]];
}
static inline uint32_t ripstop_end_switch_port(const ripstop_fabric *f, uint32_t end) {
  uint32_t port = f->peer[f->port_base[end]];
  return port - f->port_base[f->port_node[port]];
}

/* The rate of a link, in thousandths of a flit per cycle. */ static inline uint16_t
ripstop_fabric_rate(const ripstop_fabric *f, uint32_t link) {
  return f->rate != NULL ? f->rate[link] : (uint16_t)RIPSTOP_RATE_FULL;
}

/* Names as in the user's files; `out` has RIPSTOP_NAME_MAX bytes. A link to an end node is "end:NAME" where the family
 * has no name of its own for it. */
void ripstop_node_name(const ripstop_fabric *fabric, uint32_t node, char *out);
void ripstop_link_name(const ripstop_fabric *fabric, uint32_t link, char *out);

/* From names to numbers: an index, built once per fabric. If parts have the same name, which no family allows, it knows
 * the first one. NULL: no memory. The fabric must outlive it. */
typedef struct ripstop_names ripstop_names;
ripstop_names *ripstop_names_new(const ripstop_fabric *fabric);
void ripstop_names_free(ripstop_names *names); /* NULL is fine */
/* A link, and a switch's or an end node's number; RIPSTOP_NONE: there is none of the name. */
uint32_t ripstop_names_link(const ripstop_names *names, const char *name, size_t length);
uint32_t ripstop_names_switch(const ripstop_names *names, const char *name, size_t length);
uint32_t ripstop_names_end(const ripstop_names *names, const char *name, size_t length);

RIPSTOP_END

#endif
