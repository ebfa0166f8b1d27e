/* redacted.h - nodes whose ids were redacted: people replace them by one text before they post a dump.
 *
 * Step 1 (redacted.c) decides which listings of one id are one node. Step 2 (peers.c) decides which of these nodes each
 * port names. Step 3 (redacted.c) gives each node an id of its own. Cost of all: O(n log n) for n lines. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_REDACTED_H
#define RIPSTOP_FORMATS_INFINIBAND_REDACTED_H

#include "formats/infiniband/dump.h"

/* After the lines are read, before nodes of one id are joined. Does nothing if every id is of one node. -1: LIDs,
 * GUIDs, descriptions and ports do not decide which node a port names; *err has the lines. */
int ripstop_ib_split_redacted(ripstop_ib_dump *dump, ripstop_error *err);

/* ------------------------------------------------------------------ between the two files */

/* Facts that identify a node among those of its id. */
typedef enum ripstop_ib_mark_kind { RIPSTOP_IB_BY_LID, RIPSTOP_IB_BY_GUID, RIPSTOP_IB_BY_PEER } ripstop_ib_mark_kind;

typedef struct ripstop_ib_mark {
  uint64_t value;  /* LID, GUID, or the peer's id << 32 | its port */
  uint32_t id;     /* the first listing of the id */
  uint32_t number; /* the port's; 0: the node itself */
  uint64_t kind;
} ripstop_ib_mark;

typedef struct ripstop_ib_marked {
  ripstop_ib_mark mark;
  uint32_t node;  /* the first listing of the node */
  bool ambiguous; /* another node has the mark too */
} ripstop_ib_marked;

typedef struct ripstop_ib_splitter {
  ripstop_ib_dump *dump;
  uint32_t *id;            /* [nodes]: of a listing: the first listing of the same id */
  uint32_t *root;          /* [nodes]: of a listing: the first listing of the same node */
  uint32_t *listings;      /* [nodes]: of a first listing: how many have its id */
  uint32_t *members;       /* [nodes]: of a first listing: how many nodes have its id */
  uint32_t *peer_id;       /* [ports]: the first listing of the id that the port names; RIPSTOP_NONE: there is none */
  uint32_t *same;          /* [ports]: the first line of the same port of the same node */
  uint32_t *peer;          /* [ports]: the node that the port names, its first listing; RIPSTOP_NONE: unknown */
  ripstop_text_table ids;  /* to first listings */
  ripstop_text_table ends; /* (root, number) to ports */
  ripstop_text_table marks;
  ripstop_ib_marked *marked; /* the nodes with the marks */
  uint32_t marked_room;
} ripstop_ib_splitter;

/* Index into p->marked; RIPSTOP_NONE: no node has the mark. */
uint32_t ripstop_ib_find_mark(const ripstop_ib_splitter *p, ripstop_ib_mark mark);
/* The port of a node, by its first line; RIPSTOP_NONE: no line is of it. */
uint32_t ripstop_ib_find_end(const ripstop_ib_splitter *p, uint32_t root, uint32_t number);
/* Finds p->peer for all ports. */
int ripstop_ib_find_peers(ripstop_ib_splitter *p, ripstop_error *err);

/* True if a LID is one that identifies a port. */
static inline bool ripstop_ib_is_lid(uint32_t lid) { return lid > 0 && lid <= RIPSTOP_IB_LID_LIMIT; }

#endif
