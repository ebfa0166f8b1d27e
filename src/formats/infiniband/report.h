/* report.h - reports of ports: `ibnetdiscover -p`, and `iblinkinfo` with `-l` or without.
 *
 * They tell less than ibnetdiscover's own form. An adapter is known by the GUID of its port, so that each port of one
 * is an adapter, `H-<port GUID>[number]`; without `-l` iblinkinfo tells peers by their LIDs alone, and with it whether
 * somebody is a switch only by the number of its ports. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_REPORT_H
#define RIPSTOP_FORMATS_INFINIBAND_REPORT_H

#include "formats/infiniband/dump.h"

/* Whether a line of the text is one of a report. */
bool ripstop_ib_is_report(const char *text, size_t length);
/* As ripstop_ib_read_lines. */
int ripstop_ib_read_report(ripstop_ib_dump *dump, const char *text, size_t length, ripstop_error *err);

#endif
