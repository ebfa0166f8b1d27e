/* common_tree.h - the tree of all multicast groups from sweep to sweep: cables that are alive stay in it, by the GUIDs
 * of their switches. */
#ifndef MEND_COMMON_TREE_H
#define MEND_COMMON_TREE_H

#include "tables/depend.h"

/* A switch that has a parent, and the port by which it reaches it. */
typedef struct common_branch {
  uint64_t guid, parent;
  uint8_t port;
} common_branch;

/* Zeroed: there is no tree. */
typedef struct common_tree {
  common_branch *branch; /* [branches]: ascending by GUID; in `arena` */
  uint32_t branches;
  uint16_t lanes; /* a bit for each VL on which it closes no cycle with unicast packets */
  bool clashes;   /* the last tree and this one together have a cycle */
  ripstop_arena *arena;
} common_tree;

/* Finds the tree for new tables of a fabric made of a dump, to `out`, from the last one, or, if it fits, with the
 * cables `wanted` ([links]; NULL: none). `known`: see group_tree.h. */
void common_tree_find(common_tree *out, const common_tree *last, const ripstop_view *view,
                      const ripstop_forwarding *tables, const uint8_t *wanted, depend *known);
/* Marks its cables that are alive in `cable` ([links]). */
void common_tree_mark(const common_tree *t, const ripstop_view *view, uint8_t *cable);
/* The new tree takes the place of the old one; takes no memory. */
void common_tree_replace(common_tree *old, common_tree *new);
void common_tree_free(common_tree *t);
/* The branch of a switch; NULL: it is a root, or unknown. */
const common_branch *common_tree_branch(const common_tree *t, uint64_t guid);

#endif
