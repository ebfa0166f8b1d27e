/* table_print.h - writes the lines that table_line.h reads: forwarding tables as OpenSM dumps and loads them, service
 * levels and VLs as ibdmchk reads them. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_TABLE_PRINT_H
#define RIPSTOP_FORMATS_INFINIBAND_TABLE_PRINT_H

#include "formats/infiniband/table_line.h"

void ib_print_table_begin(uint32_t highest_lid, uint32_t lid, uint64_t guid, const char *name, FILE *file);
void ib_print_table_end(uint32_t entries, FILE *file);
/* The line of an entry but for its port: tables of ten thousand adapters are copied rather than formatted. */
const char *ib_entry_line(ripstop_arena *arena, uint32_t lid, bool is_switch, uint64_t port_guid, const char *name);
/* Prints such a line of `length` bytes with a port, 0 to 255. */
void ib_print_entry(const char *line, size_t length, uint32_t port, FILE *file);

void ib_print_levels_title(FILE *file);
void ib_print_level(uint64_t source_guid, uint32_t lid, unsigned level, FILE *file);
void ib_print_vls_title(FILE *file);
void ib_print_vls(uint64_t guid, uint32_t in, uint32_t out, const uint8_t vl[IB_SERVICE_LEVELS], FILE *file);

#endif
