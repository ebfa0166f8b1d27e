/* made.h - tables of `mend` in the caller's memory, without a copy. */
#ifndef MEND_MADE_H
#define MEND_MADE_H

#include "mend/mend_tables.h"

/* Like ripstop_mend_open, but the tables are in the memory of `tables` and are freed with it, so take them out of the
 * result before it is freed. NULL: in memory of their own. */
ripstop_mend *mend_open_in(ripstop_arena *tables, const ripstop_view *view, const ripstop_mend_options *options,
                           ripstop_error *err);

#endif
