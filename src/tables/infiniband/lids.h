/* lids.h - the LIDs of the addresses of forwarding tables. */
#ifndef TABLES_INFINIBAND_LIDS_H
#define TABLES_INFINIBAND_LIDS_H

#include "ripstop/plugin/forwarding.h"

typedef struct ripstop_lids {
  uint32_t *node;  /* [nodes]: the first LID of each */
  uint32_t misfit; /* the first node that makes renumbering necessary; RIPSTOP_NONE: the dump's LIDs stay */
  uint32_t most;   /* LIDs of an end node */
  /* If a dump has more LIDs of a node than it has addresses, these take turns. By address. */
  uint32_t count, *lid, *address; /* [count] */
} ripstop_lids;

/* A node's addresses are consecutive LIDs. -1: there are too few, or a switch has too many ports. */
int ripstop_lids_of(const ripstop_forwarding *tables, ripstop_arena *arena, ripstop_lids *out, ripstop_error *err);

#endif
