/* service_levels.h - service levels and VLs beside forwarding tables: the service level of each source and address,
 * and the VL that each switch derives from it. Recognised line by line:
 *
 *   path levels   opensm-path-records.dump, `saquery PR`, ibdmchk's file of path SLs
 *   VLs           opensm-sl2vl.dump, `smpquery sl2vl`, ibdmchk's file of SL2VL tables */
#ifndef TABLES_INFINIBAND_SERVICE_LEVELS_H
#define TABLES_INFINIBAND_SERVICE_LEVELS_H

#include "formats/infiniband/table_line.h"
#include "tables/infiniband/lfts.h"

enum { LEVELS_LIDS = 0xC000 }; /* unicast LIDs are below (InfiniBand Architecture Specification, 4.1.1) */

typedef struct levels levels;

/* All memory is the arena's. */
levels *levels_new(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_address_book *book);
/* Keeps what a line says about service levels and VLs. `at`: where it stands. -1: it contradicts itself. */
int levels_take(levels *l, const ib_table_line *line, const ib_tables *at, ripstop_error *err);
/* Writes to tables. `next_node`: 1 more than the owner of each LID ([LEVELS_LIDS], 0: none); `lid`: of each of their
 * addresses. */
int levels_fill(const levels *l, const uint32_t *next_node, const uint32_t *lid, ripstop_forwarding *out,
                ripstop_lfts_notes *notes, ripstop_error *err);

#endif
