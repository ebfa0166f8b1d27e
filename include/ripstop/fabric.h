/* fabric.h - what is wired: nodes, ports and links in flat arrays. Immutable once built.
 *
 * Nodes 0 .. ends-1 are end nodes (each with one port), nodes ends .. nodes-1 are switches (a router is a switch).
 * Node v owns the ports port_base[v] .. port_base[v+1]-1; a port's number on its node ("local port", the number that
 * the papers use) is its index less port_base[v]. A link joins two ports; each of its two directions is a channel,
 * named by the port that sends into it. Parallel links stay apart: they are different ports. */
#ifndef RIPSTOP_FABRIC_H
#define RIPSTOP_FABRIC_H

#include "ripstop/base.h"

RIPSTOP_BEGIN

typedef struct ripstop_family ripstop_family;

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
  const void *detail;     /* what else the family keeps (graph: the nodes' names) */
  ripstop_arena *arena;
} ripstop_fabric;

/* "family:parameters". NULL on error. */
ripstop_fabric *ripstop_fabric_open(const char *spec, ripstop_error *err);
/* The same for a spec that stands in the file `beside`: a relative path in it starts at that file's folder, and the
 * canonical spec names the file without folders (and by its content). NULL: as ripstop_fabric_open. */
ripstop_fabric *ripstop_fabric_open_beside(const char *spec, const char *beside, ripstop_error *err);
void ripstop_fabric_free(ripstop_fabric *fabric);
/* Everything that must hold of the arrays (peers mutual, links named once, end nodes with one port, names unique,
 * counts as the family's closed forms say). 0 or -1 with the first thing that does not hold. */
int ripstop_fabric_check(const ripstop_fabric *fabric, ripstop_error *err);

static inline uint32_t ripstop_fabric_switches(const ripstop_fabric *f) { return f->nodes - f->ends; }
static inline uint32_t ripstop_node_ports(const ripstop_fabric *f, uint32_t node) {
  return f->port_base[node + 1] - f->port_base[node];
}
static inline bool ripstop_is_end(const ripstop_fabric *f, uint32_t node) { return node < f->ends; }
static inline uint32_t ripstop_link_node(const ripstop_fabric *f, uint32_t link, unsigned side) {
  return f->port_node[f->link_port[2 * link + side]];
}
/* True if a port has a cable that it may send into. */
static inline bool ripstop_port_sends(const ripstop_fabric *f, uint32_t port) {
  uint32_t link = f->port_link[port];
  return link != RIPSTOP_NONE && (f->one_way == NULL || !f->one_way[link] || f->link_port[2 * (size_t)link] == port);
}
/* The switch that an end node hangs from, and the local port of that switch. */
static inline uint32_t ripstop_end_switch(const ripstop_fabric *f, uint32_t end) {
  return f->port_node[f->peer[f->port_base[end]]];
}
static inline uint32_t ripstop_end_switch_port(const ripstop_fabric *f, uint32_t end) {
  uint32_t port = f->peer[f->port_base[end]];
  return port - f->port_base[f->port_node[port]];
}

/* Links from `node` to every node (RIPSTOP_NONE: cannot be reached) over the whole fabric, one-way links in their
 * direction alone; `distance` has [nodes]. As
 * with all functions without ripstop_error, -1: no memory. */
int ripstop_fabric_distances(const ripstop_fabric *fabric, uint32_t node, uint32_t *distance);

/* Distances between distinct end nodes, in links, the two links to the end nodes included. */
typedef struct ripstop_span {
  uint32_t diameter;    /* the longest */
  double mean;          /* over all ordered pairs that were looked at and have a path */
  uint32_t sources;     /* end nodes from which was searched; less than all: the rest was left out */
  uint64_t unreachable; /* pairs without a path among those looked at */
} ripstop_span;
/* Searches from all end nodes, from one where the family is symmetric, or from `limit` evenly spread ones when there
 * are more. Cost: O(ports) for each. */
int ripstop_fabric_span(const ripstop_fabric *fabric, uint32_t limit, ripstop_span *out);

static inline uint16_t ripstop_fabric_rate(const ripstop_fabric *f, uint32_t link) {
  return f->rate != NULL ? f->rate[link] : (uint16_t)RIPSTOP_RATE_FULL;
}

/* Names as in the user's files; `out` has RIPSTOP_NAME_MAX bytes. A link to an end node is "end:NAME" where the family
 * has no name of its own for it. */
void ripstop_node_name(const ripstop_fabric *fabric, uint32_t node, char *out);
void ripstop_link_name(const ripstop_fabric *fabric, uint32_t link, char *out);

/* The group of a link or a switch: the one that a graph's file names, or for a link between switches the one of its
 * family ("global", "level-0"). `out` has RIPSTOP_NAME_MAX bytes. False: it is in no group, and `out` is as before.
 * Nothing else can fail; a number that the fabric does not have is the caller's mistake. */
bool ripstop_link_group_of(const ripstop_fabric *fabric, uint32_t link, char *out);
bool ripstop_switch_group_of(const ripstop_fabric *fabric, uint32_t node, char *out);
/* All groups of a fabric, shorter names first, so that numbered ones are in order; memory from the arena. -1: memory
 * ran out, and the list is empty. */
typedef struct ripstop_group_size {
  const char *name;
  uint32_t links, switches; /* in the group */
} ripstop_group_size;
int ripstop_fabric_groups(ripstop_arena *arena, const ripstop_fabric *fabric, ripstop_group_size **out,
                          uint32_t *count);

/* From names to numbers: an index built once per fabric by whoever reads names. Of parts with the same name, which no
 * family has (ripstop_fabric_check), it knows the first. */
typedef struct ripstop_names ripstop_names;
ripstop_names *ripstop_names_new(const ripstop_fabric *fabric);
void ripstop_names_free(ripstop_names *names);
const ripstop_fabric *ripstop_names_fabric(const ripstop_names *names);
/* A link, and a switch's or an end node's number; RIPSTOP_NONE: there is none of the name. */
uint32_t ripstop_names_link(const ripstop_names *names, const char *name, size_t length);
uint32_t ripstop_names_switch(const ripstop_names *names, const char *name, size_t length);
uint32_t ripstop_names_end(const ripstop_names *names, const char *name, size_t length);
/* The most similar name of the same kind, for error messages; NULL when there is none near. It belongs to `names` and
 * lives until the next such question. */
const char *ripstop_names_nearest_link(const ripstop_names *names, const char *name, size_t length);
const char *ripstop_names_nearest_switch(const ripstop_names *names, const char *name, size_t length);
const char *ripstop_names_nearest_end(const ripstop_names *names, const char *name, size_t length);

RIPSTOP_END

#endif
