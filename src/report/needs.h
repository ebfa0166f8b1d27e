/* needs.h - which numbers of a run tables and pages look at (needs.c). */
#ifndef REPORT_NEEDS_H
#define REPORT_NEEDS_H

#include "ripstop/kit/report.h"

/* True if figures, tables and claims, or with `page` the page about them, look at this value of a run; CSV has all. An
 * outcome without the others shows the same, and so does one without reason and faults that is not the first with its
 * verdict. */
bool report_needs(const ripstop_spec *spec, bool page, const char *value);
/* True if figures look at windows; the page does always. */
bool report_needs_windows(const ripstop_spec *spec);

#endif
