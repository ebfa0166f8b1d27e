/* group_tables.h - multicast groups beside forwarding tables: the masks that switches hold, and what the subnet
 * administrator's records say of the groups. Recognised line by line (formats/infiniband/group_line.h). */
#ifndef TABLES_INFINIBAND_GROUP_TABLES_H
#define TABLES_INFINIBAND_GROUP_TABLES_H

#include "formats/infiniband/table_line.h"
#include "tables/infiniband/lfts.h"

typedef struct group_tables group_tables;

/* All memory is the arena's. */
group_tables *group_tables_new(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_address_book *book);
/* Before the lines of each file. */
void group_tables_file(group_tables *t);
/* Keeps what a line says. `at`: where it stands. -1: it contradicts the fabric or an earlier line. */
int group_tables_take(group_tables *t, const ib_group_line *line, const ib_tables *at, ripstop_error *err);
/* Writes to tables, if any line began the group table of a switch. `counted`: how GUIDs of ports are read, see
 * ripstop_address_book. */
void group_tables_fill(group_tables *t, bool counted, ripstop_forwarding *out, ripstop_lfts_notes *notes);

#endif
