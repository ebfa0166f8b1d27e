/* kept_tree.h - a mender that keeps room for the tree of all multicast groups (group_tree.h) while it repairs and
 * balances tables: the tree's turns are required on VL 0, beside those of unicast packets. */
#ifndef MEND_KEPT_TREE_H
#define MEND_KEPT_TREE_H

#include "mend/mend_tables.h"

/* Like ripstop_mender_open, and finds a tree whose turns close no cycle with those of the tables on VL 0. It takes the
 * cables of `prefer` ([links]; NULL: none) first. When cables of the tree fail, others take their place, and if service
 * levels depend on the destination alone, entries of VL 0 move for them where that is necessary. */
ripstop_mender *mender_open_with_tree(const ripstop_view *view, ripstop_forwarding *tables, uint64_t seed,
                                      const uint8_t *prefer, ripstop_answer *answer, ripstop_error *err);
/* Its cables, [links]; NULL: no tree was found that joins all end nodes of each component. Valid until the next call.
 */
const uint8_t *mender_tree(const ripstop_mender *m);
/* Keeps another tree from now on, as far as it closes no cycle. */
void mender_keep_tree(ripstop_mender *m, const uint8_t *cable);

#endif
