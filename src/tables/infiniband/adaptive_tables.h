/* adaptive_tables.h - groups of ports for adaptive routing, and the entries that use them (adaptive_line.h). An entry
 * with a group gets several next hops: the port of its forwarding table, which switches take for packets whose service
 * level has no adaptive routing, and all ports of the group. */
#ifndef TABLES_INFINIBAND_ADAPTIVE_TABLES_H
#define TABLES_INFINIBAND_ADAPTIVE_TABLES_H

#include "formats/infiniband/table_line.h"
#include "tables/infiniband/lfts.h"

typedef struct adaptive_tables adaptive_tables;

/* All memory is the arena's. */
adaptive_tables *adaptive_tables_new(ripstop_arena *arena, const ripstop_fabric *fabric, uint32_t first_port);
/* Begins the table of a switch; RIPSTOP_NONE: of one that the fabric does not have. */
void adaptive_tables_begin(adaptive_tables *t, uint32_t switch_);
/* Keeps the ports of a group. -1: the switch does not have them. */
int adaptive_tables_ports(adaptive_tables *t, const ib_adaptive_line *line, const ib_tables *at, ripstop_error *err);
/* Keeps the group of an entry, if it has one. -1: the switch has no such group. */
int adaptive_tables_entry(adaptive_tables *t, const ib_adaptive_line *line, const ib_tables *at, ripstop_error *err);
/* Gives the entries their next hops. `address`: [LIDs]; `node`: the owner of each LID, RIPSTOP_NONE: none. */
int adaptive_tables_fill(const adaptive_tables *t, const uint32_t *address, uint32_t (*owner)(const void *, uint32_t),
                         const void *owners, ripstop_forwarding *out, ripstop_error *err);

#endif
