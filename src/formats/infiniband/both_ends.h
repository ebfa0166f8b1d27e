/* both_ends.h - builds a dump of files that list cables with both ends, in any order: OpenSM's list of links and
 * ibdiagnet's tables. A cable that is there twice, once from each end, is one cable. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_BOTH_ENDS_H
#define RIPSTOP_FORMATS_INFINIBAND_BOTH_ENDS_H

#include "base/piece.h"
#include "formats/infiniband/dump.h"

typedef struct ib_nodes {
  ripstop_ib_dump *dump;
  ripstop_text_table keys; /* to nodes of the dump */
  const char **key;        /* [nodes] */
  uint32_t room;
} ib_nodes;

typedef struct ib_end {
  uint32_t node, number;
  uint64_t guid; /* the port's; 0: unknown */
  uint32_t lid, lmc;
  uint32_t width;    /* serial lanes; 0: unknown */
  const char *speed; /* "EDR"; empty: unknown */
} ib_end;

/* `S-`, `H-` or `R-` and what stands for a GUID, sixteen digits if it is one: as ibnetdiscover writes it. NULL: it is
 * empty or too long. */
const char *ib_node_id(ripstop_ib_dump *dump, ripstop_ib_kind kind, piece guid);
/* The node of a key; RIPSTOP_NONE: there is none yet. */
uint32_t ib_find_node(const ib_nodes *nodes, const char *key);
uint32_t ib_put_node(ib_nodes *nodes, const char *key, const ripstop_ib_node *node);
/* Adds a cable, seen from one end, and from both. */
ripstop_ib_port *ib_put_port(ripstop_ib_dump *dump, const ib_end *own, const ib_end *peer, uint32_t line);
void ib_put_cable(ripstop_ib_dump *dump, const ib_end end[2], uint32_t line);
/* When all is there: puts the ports of each node together. */
void ib_end_cables(ripstop_ib_dump *dump);

#endif
