/* diff.h - compares two dumps of one fabric, an older and a newer: which nodes and cables failed, came back, moved, or
 * run at another speed. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_DIFF_H
#define RIPSTOP_FORMATS_INFINIBAND_DIFF_H

#include "formats/infiniband/dump.h"

typedef enum ripstop_ib_change_kind {
  RIPSTOP_IB_DIED,      /* there before, not there now */
  RIPSTOP_IB_MOVED,     /* a cable that keeps one end and has another one now */
  RIPSTOP_IB_SLOWED,    /* the same cable, slower */
  RIPSTOP_IB_RETURNED,  /* there now, not there before */
  RIPSTOP_IB_FASTER,    /* the same cable, faster */
  RIPSTOP_IB_RENAMED,   /* the same node under another description */
  RIPSTOP_IB_RELABELED, /* the same node or port with another LID */
  RIPSTOP_IB_CHANGES
} ripstop_ib_change_kind;

/* A change of a cable has its ports too, a change of a node the nodes alone. The old ones are in the old dump, the new
 * ones in the new dump. RIPSTOP_NONE: not there, or no cable. */
typedef struct ripstop_ib_change {
  ripstop_ib_change_kind kind;
  uint32_t old_node, new_node, old_port, new_port;
  uint32_t cables; /* a node that died or came back: how many cables went or came with it */
} ripstop_ib_change;

typedef struct ripstop_ib_diff {
  const ripstop_ib_dump *old_dump, *new_dump;
  ripstop_ib_change *list; /* by kind, then in the order of the dumps */
  uint32_t count, room;
  uint32_t times[RIPSTOP_IB_CHANGES];
} ripstop_ib_diff;

/* Everything belongs to the arena; the dumps stay with their owner. Nodes are the same by id, or by
 * description where an id was redacted and just one node of each dump has the description. Cables are so by both ends.
 */
void ripstop_ib_compare(ripstop_ib_diff *diff, ripstop_arena *arena, const ripstop_ib_dump *old_dump,
                        const ripstop_ib_dump *new_dump);

#endif
