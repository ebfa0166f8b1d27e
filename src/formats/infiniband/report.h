/* report.h - reads reports of ports: `ibnetdiscover -p`, and `iblinkinfo` with `-l` or without.
 *
 * They contain less than ibnetdiscover's own form. An adapter is known by the GUID of its port, so each port of one is
 * an adapter, `H-<port GUID>[number]`. Without `-l` iblinkinfo names peers by their LIDs alone; with `-l` only the
 * number of its ports shows that a node is a switch. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_REPORT_H
#define RIPSTOP_FORMATS_INFINIBAND_REPORT_H

#include "formats/infiniband/dump.h"

/* True if a line of the text is one of a report. */
bool ripstop_ib_is_report(const char *text, size_t length);
/* The same as ripstop_ib_read_lines. */
int ripstop_ib_read_report(ripstop_ib_dump *dump, const char *text, size_t length, ripstop_error *err);

#endif
