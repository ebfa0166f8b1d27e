/* group_tree.h - one spanning tree for all multicast groups. Groups whose trees are parts of one tree never wait for
 * each other. If the tree's dependencies close no cycle with those of unicast packets on the same VL, neither do groups
 * and unicast packets. */
#ifndef MEND_GROUP_TREE_H
#define MEND_GROUP_TREE_H

#include "tables/depend.h"

typedef struct group_tree {
  uint8_t *cable; /* [links]: the tree has it */
  uint32_t *up;   /* [switches]: the port towards the root of its component, RIPSTOP_NONE: it is the root, or alone */
  uint16_t lanes; /* a bit for each VL on which the tree closes no cycle with unicast packets; bit 0 unset: there is no
                   * such tree, and `cable` and `up` are a tree that does */
} group_tree;

/* A tree for VL 0 that reaches all switches of each component, or, if there is none, all that have end nodes. It keeps
 * the cables of `last` ([links]; NULL: none) that are alive, if it can. `known`: a logged graph without a cycle that
 * has all dependencies of the unicast packets, and more; it saves time, and stays as it is. NULL: none. Memory from the
 * arena. */
group_tree *group_tree_find(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                            const uint8_t *last, depend *known);
/* The cables between switches that are alive, in the order in which a tree takes them: those of `first` ([links]; NULL:
 * none), then those of a breadth-first tree from the centre of each component, then all others. */
const uint32_t *group_cables_list(ripstop_arena *arena, const ripstop_view *view, const uint8_t *first,
                                  uint32_t *cables);
/* True if these cables ([links]) close no cycle with the known dependencies, on any VL. */
bool group_cables_fit(const ripstop_view *view, uint8_t *cable, depend *known);
/* True if the cables of two trees together, those that are alive, have a cycle: while one replaces the other packets
 * could be copied forever. */
bool group_trees_clash(const ripstop_view *view, const uint8_t *one, const uint8_t *other);

#endif
