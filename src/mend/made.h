/* made.h - tables of `mend` in memory of whoever wants them, without a copy. */
#ifndef MEND_MADE_H
#define MEND_MADE_H

#include "ripstop/mend.h"

/* As ripstop_mend_open. The tables are in memory of the arena and go with it, so that they are to be taken out of what
 * is returned before that is freed; NULL: in their own. */
ripstop_mend *mend_open_in(ripstop_arena *tables, const ripstop_view *view, const ripstop_mend_options *options,
                           ripstop_error *err);

#endif
