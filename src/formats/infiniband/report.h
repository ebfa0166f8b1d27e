/* report.h - reads reports of ports: `ibnetdiscover -p`, and `iblinkinfo` with `-l` or without.
 *
 * They contain less than ibnetdiscover's own form. An adapter is known by the GUID of its port, so each port of one is
 * an adapter, `H-<port GUID>[number]`. Without `-l` iblinkinfo names peers by their LIDs alone; with `-l` only the
 * number of its ports shows that a node is a switch. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_REPORT_H
#define RIPSTOP_FORMATS_INFINIBAND_REPORT_H

#include "formats/infiniband/dump.h"
#include "formats/plain_lines.h"

/* True if a line is one of a report, or begins as one. */
bool ripstop_ib_is_port_line(piece line);
bool ripstop_ib_begins_port_line(piece line);
bool ripstop_ib_is_link_line(piece line);
/* The same as ripstop_ib_read_lines. */
int ripstop_ib_read_report(ripstop_ib_dump *dump, plain_lines lines, ripstop_error *err);

#endif
