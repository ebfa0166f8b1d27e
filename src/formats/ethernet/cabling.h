/* cabling.h - nodes, ports and cables by their names, as LLDP, plans of cables and configurations list them.
 *
 * What a file says of a cable is a claim of one of its ends or of both. A port has one cable: a second one means two
 * nodes of one name, or a hub in between, and is refused. */
#ifndef RIPSTOP_FORMATS_ETHERNET_CABLING_H
#define RIPSTOP_FORMATS_ETHERNET_CABLING_H

#include "base/piece.h"
#include "base/text_table.h"

enum { CABLING_NAME_MOST = 255 }; /* bytes of the name of a node or a port */

typedef struct cabling_node {
  const char *name;
  bool own;        /* a file of its own says what it is cabled to: it is a switch */
  uint32_t cables; /* to other nodes */
} cabling_node;

typedef struct cabling_port {
  uint32_t node;
  const char *name;
  uint32_t peer;      /* RIPSTOP_NONE: no cable */
  bool claimed;       /* this end, or a file about both ends, says so */
  const char *bundle; /* the link aggregate of which it is a member; NULL: none */
} cabling_port;

typedef struct cabling {
  ripstop_arena *arena;
  cabling_node *node;
  cabling_port *port;
  uint32_t nodes, ports, cables, self_loops;
  bool planned; /* a file about all cables, not what single nodes say */
  size_t node_room, port_room;
  ripstop_text_table by_name, by_port;
  ripstop_text loops; /* "leaf1[swp49]-leaf1[swp49]", each ended by a newline */
} cabling;

void cabling_open(cabling *c, ripstop_arena *arena);
void cabling_close(cabling *c);
/* The node of this name, made where it is new. RIPSTOP_NONE: the name is empty or too long. */
uint32_t cabling_add_node(cabling *c, piece name);
uint32_t cabling_find_node(const cabling *c, piece name); /* RIPSTOP_NONE: there is none */
uint32_t cabling_add_port(cabling *c, uint32_t node, piece name);
uint32_t cabling_find_port(const cabling *c, uint32_t node, piece name);
/* Says that a cable joins the ports. `both`: the file speaks for both ends, else for `a`. A cable from a node to itself
 * is counted and left out. */
int cabling_join(cabling *c, uint32_t a, uint32_t b, bool both, ripstop_error *err);
/* "leaf1[swp1]" */
void cabling_port_name(const cabling *c, uint32_t port, ripstop_text *out);
/* "leaf1[swp1]-spine1[swp1]", the ends in the order of their bytes. */
const char *cabling_cable_name(const cabling *c, uint32_t port, ripstop_arena *arena);

#endif
