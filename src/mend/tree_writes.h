/* tree_writes.h - the writes by which tables become others while the tree of all multicast groups does, too: old and
 * new entries then meet multicast packets on either tree. */
#ifndef MEND_TREE_WRITES_H
#define MEND_TREE_WRITES_H

#include "mend/common_tree.h"
#include "ripstop/kit/judge.h"

/* Like ripstop_judge_update, with both trees. *clear: all masks are cleared with the first write, and set after the
 * last: given if they are in any case, and set if only that is safe. A tree that closes a cycle with its own tables
 * does not count, since no order of writes helps. If it is the trees for which no order is safe, `between` serves
 * unicast packets. */
int tree_writes_judge(const ripstop_view *view, const common_tree *last, const common_tree *next,
                      const ripstop_forwarding *before, const ripstop_forwarding *after, bool *clear,
                      ripstop_update *out, ripstop_error *err);
/* True if one write is safe, by a graph of the old and new entries together (rejudge_mix), of which it undoes what is
 * not settled; false: not known. */
bool tree_writes_fit(const ripstop_view *view, const common_tree *last, const common_tree *next, depend *known);
/* True if two writes are safe, whatever the entries, if these were judged with their trees and no service level
 * changes: the first meets no other cables than the last tree's, or masks are cleared. False: not known. */
bool tree_writes_fit_two(const ripstop_view *view, const common_tree *last, const common_tree *next);

#endif
