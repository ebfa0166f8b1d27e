/* fabric.h - what is wired: nodes, ports and links in flat arrays. Immutable once built.
 *
 * Nodes 0 .. ends-1 are end nodes (each with one port), nodes ends .. nodes-1 are switches (a router is a switch).
 * Node v owns the ports port_base[v] .. port_base[v+1]-1; a port's number on its node ("local port", the number that
 * the papers use) is its index less port_base[v]. A link joins two ports; each of its two directions is a channel,
 * named by the port that sends into it. Parallel links stay apart: they are different ports. */
#ifndef RIPSTOP_FABRIC_H
#define RIPSTOP_FABRIC_H

#include "ripstop/base.h"

#define RS_FABRIC_MAX_PORTS (1u << 26) /* every count that follows from it fits 32 bits with room for channels */
#define RS_NAME_MAX         256        /* bytes that any node's or link's name needs, terminator included */

typedef struct rs_family rs_family;

typedef struct rs_fabric {
  const rs_family *family;
  const void *config; /* the family's own parameters */
  const char *spec;   /* canonical, e.g. "kary-ntree:k=4,n=3"; for graphs the file's content names the fabric too */
  uint32_t ends, nodes, ports, links;
  uint32_t link_ends;        /* links that lead to an end node; they are the links 0 .. link_ends-1 */
  const uint32_t *port_base; /* [nodes + 1] */
  const uint32_t *port_node; /* [ports] */
  const uint32_t *port_link; /* [ports]; RS_NONE for a port without cable */
  const uint32_t *peer;      /* [ports]: the port at the other end; RS_NONE for a port without cable */
  const uint32_t *link_port; /* [2 * links]: the port that names the link first (see the family), then its peer */
  uint32_t coords;           /* coordinates per node, 0 for graphs */
  const uint16_t *coord;     /* [nodes * coords]: digit i of node v at v * coords + i, least significant first; what the
                                digits mean is the family's business (trees: an end node's p_i; a switch's c_i, then its
                                level as the last one) */
  const void *detail;        /* what else the family keeps (graph: the nodes' names) */
  rs_arena *arena;
} rs_fabric;

/* "family:parameters". NULL on error. */
rs_fabric *rs_fabric_open(const char *spec, rs_error *err);
/* The same for a spec that stands in the file `beside`: a relative path in it starts at that file's folder, and the
 * canonical spec names the file without folders (and by its content). NULL: as rs_fabric_open. */
rs_fabric *rs_fabric_open_beside(const char *spec, const char *beside, rs_error *err);
void rs_fabric_free(rs_fabric *fabric);
/* Everything that must hold of the arrays (peers mutual, links named once, end nodes with one port, names unique,
 * counts as the family's closed forms say). 0 or -1 with the first thing that does not hold. */
int rs_fabric_check(const rs_fabric *fabric, rs_error *err);

static inline uint32_t rs_fabric_switches(const rs_fabric *f) { return f->nodes - f->ends; }
static inline uint32_t rs_node_ports(const rs_fabric *f, uint32_t node) {
  return f->port_base[node + 1] - f->port_base[node];
}
static inline bool rs_is_end(const rs_fabric *f, uint32_t node) { return node < f->ends; }
static inline uint32_t rs_link_node(const rs_fabric *f, uint32_t link, unsigned side) {
  return f->port_node[f->link_port[2 * link + side]];
}
/* The switch that an end node hangs from, and the local port of that switch. */
static inline uint32_t rs_end_switch(const rs_fabric *f, uint32_t end) {
  return f->port_node[f->peer[f->port_base[end]]];
}
static inline uint32_t rs_end_switch_port(const rs_fabric *f, uint32_t end) {
  uint32_t port = f->peer[f->port_base[end]];
  return port - f->port_base[f->port_node[port]];
}

/* Links from `node` to every node (RS_NONE: cannot be reached) over the whole fabric; `distance` has [nodes]. */
void rs_fabric_distances(const rs_fabric *fabric, uint32_t node, uint32_t *distance);

/* Distances between distinct end nodes, in links, the two links to the end nodes included. */
typedef struct rs_span {
  uint32_t diameter;    /* the longest */
  double mean;          /* over all ordered pairs that were looked at and have a path */
  uint32_t sources;     /* end nodes from which was searched; less than all: the rest was left out */
  uint64_t unreachable; /* pairs without a path among those looked at */
} rs_span;
/* Searches from all end nodes, from one where the family is symmetric, or from `limit` evenly spread ones when there
 * are more. Cost: O(ports) for each. */
void rs_fabric_span(const rs_fabric *fabric, uint32_t limit, rs_span *out);

/* Names as in the user's files; `out` has RS_NAME_MAX bytes. A link to an end node is "end:NAME". */
void rs_node_name(const rs_fabric *fabric, uint32_t node, char *out);
void rs_link_name(const rs_fabric *fabric, uint32_t link, char *out);

/* From names to numbers: an index built once per fabric by whoever reads names. */
typedef struct rs_names rs_names;
rs_names *rs_names_new(const rs_fabric *fabric);
void rs_names_free(rs_names *names);
const rs_fabric *rs_names_fabric(const rs_names *names);
uint32_t rs_names_link(const rs_names *names, const char *name, size_t length);   /* RS_NONE: no such link */
uint32_t rs_names_switch(const rs_names *names, const char *name, size_t length); /* RS_NONE: no such switch */
uint32_t rs_names_end(const rs_names *names, const char *name, size_t length);    /* RS_NONE: no such end node */
/* The most similar name of the same kind, for error messages; NULL when there is none near. It belongs to `names` and
 * lives until the next such question. */
const char *rs_names_nearest_link(const rs_names *names, const char *name, size_t length);
const char *rs_names_nearest_switch(const rs_names *names, const char *name, size_t length);

/* ------------------------------------------------------------------ families: one file each in src/fabric/families/ */

typedef struct rs_builder rs_builder;

typedef struct rs_counts {
  uint64_t ends, switches, links; /* links to end nodes included */
} rs_counts;

/* One of the symbols that a link is a tuple of. The values of an alphabet may be permuted, independently of all other
 * alphabets, and the wiring comes out as it was; those of RS_FIXED_ALPHABET stay. */
enum { RS_FIXED_ALPHABET = 0, RS_SYMBOLS_MAX = 66, RS_ALPHABETS_MAX = 2 * RS_SYMBOLS_MAX };
typedef struct rs_symbol {
  uint32_t alphabet, value;
} rs_symbol;

#define RS_FAMILY_ABI 1

struct rs_family {
  uint32_t abi;
  const char *name;    /* as in "name:parameters" */
  const char *summary; /* one line */
  const char *source;  /* paper and definition that the wiring follows */
  const rs_option *options;
  size_t config_size;
  const char *example; /* a small spec, used by the tests and the manual */
  bool symmetric;      /* every end node sees the same number of end nodes at each distance */
  /* The closed forms; also the guard against impossible sizes, called before anything is built. */
  int (*count)(const void *config, rs_counts *out, rs_error *err);
  /* Adds the nodes and wires them. */
  int (*build)(rs_builder *builder, const void *config, rs_error *err);
  void (*node_name)(const rs_fabric *fabric, uint32_t node, char *out);
  void (*link_name)(const rs_fabric *fabric, uint32_t link, char *out); /* switch-switch links only */
  /* NULL: no symmetry is known. The tuple that a switch-switch link is, the fixed symbols that tell its kind first;
   * returns how many symbols (at most RS_SYMBOLS_MAX; alphabets are below RS_ALPHABETS_MAX, each but the fixed one once
   * in a tuple). Links of one kind have the same alphabets in the same order, and are all tuples of their values. */
  uint32_t (*symbols)(const rs_fabric *fabric, uint32_t link, rs_symbol *out);
};

extern const rs_family *const rs_families[]; /* generated from the folder, sorted by name, NULL-terminated */

/* For families: all end nodes first, then all switches, then the cables. */
void rs_builder_coords(rs_builder *builder, uint32_t coords);        /* once, before any node */
uint32_t rs_builder_end(rs_builder *builder, const uint16_t *coord); /* returns the node */
uint32_t rs_builder_switch(rs_builder *builder, uint32_t ports, const uint16_t *coord);
/* A cable between two local ports; the first side names the link. Both ports must be free. */
void rs_builder_cable(rs_builder *builder, uint32_t node_a, uint32_t port_a, uint32_t node_b, uint32_t port_b);
rs_arena *rs_builder_arena(rs_builder *builder);
void rs_builder_detail(rs_builder *builder, const void *detail);
void rs_builder_spec(rs_builder *builder,
                     const char *spec); /* replaces the canonical spec (graphs: adds a content hash) */

#endif
