/* csv_subnet.h - reads the fabric in ibdiagnet's tables: the sections NODES, PORTS and LINKS (db_csv.h). */
#ifndef RIPSTOP_FORMATS_INFINIBAND_CSV_SUBNET_H
#define RIPSTOP_FORMATS_INFINIBAND_CSV_SUBNET_H

#include "formats/infiniband/dump.h"
#include "formats/plain_lines.h"

/* True for the first line of a section. */
bool ib_is_csv_line(piece line);
/* The same as ripstop_ib_read_lines. */
int ib_read_csv(ripstop_ib_dump *dump, plain_lines lines, ripstop_error *err);

#endif
