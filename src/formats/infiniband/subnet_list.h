/* subnet_list.h - reads OpenSM's list of links (opensm-subnet.lst). */
#ifndef RIPSTOP_FORMATS_INFINIBAND_SUBNET_LIST_H
#define RIPSTOP_FORMATS_INFINIBAND_SUBNET_LIST_H

#include "formats/infiniband/dump.h"
#include "formats/plain_lines.h"

/* True for a line of it, or one that begins so. */
bool ib_is_list_line(piece line);
bool ib_begins_list_line(piece line);
/* The same as ripstop_ib_read_lines. */
int ib_read_list(ripstop_ib_dump *dump, plain_lines lines, ripstop_error *err);

#endif
