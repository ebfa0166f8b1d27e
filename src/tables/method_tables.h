/* method_tables.h - the forwarding tables that a method makes for a view. */
#ifndef TABLES_METHOD_TABLES_H
#define TABLES_METHOD_TABLES_H

#include "ripstop/kit/judge.h"

/* Tables of at most `limit` entries. NULL: the method has none for this view, or the machine failed (err->machine). */
ripstop_forwarding *method_tables_new(const ripstop_view *view, const char *method, uint64_t limit, ripstop_error *err);
/* The same in place of older ones: repaired, if the method does that. */
ripstop_forwarding *method_tables_after(const ripstop_view *view, const char *method, const ripstop_forwarding *old,
                                        uint64_t limit, ripstop_error *err);

#endif
