/* mender_trees.h - the tables of a mender as trees beside each other (trees.h), whose branches move. */
#ifndef MEND_MENDER_TREES_H
#define MEND_MENDER_TREES_H

#include "mend/mender.h"
#include "mend/trees.h"

/* Reads them, with their paths. `row`: by address. *regular: how many have no turn against the order; they come first.
 * Such turns are those of switches without end nodes, or of tables that come from elsewhere. NULL: there must be none.
 * False: there are, or the tables do not serve all switches. */
bool mender_trees_read(ripstop_mender *m, mend_trees *t, uint32_t *regular, ripstop_arena *scratch);
/* Writes the entries that differ. */
void mender_trees_write(ripstop_mender *m, const mend_trees *t);

#endif
