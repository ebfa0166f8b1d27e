/* held_tables.h - the tables that the switches of a fabric hold, as a subnet manager read them: ports by LID. */
#ifndef MEND_HELD_TABLES_H
#define MEND_HELD_TABLES_H

#include "ripstop/plugin/forwarding.h"

typedef struct held_table {
  uint64_t guid;
  const uint8_t *port; /* [lids]; 255: none. The caller's */
  size_t lids;
} held_table;

typedef struct held_tables {
  held_table *table;
  size_t count, room;
  uint64_t entries; /* that lead somewhere */
} held_tables;

void held_add(held_tables *held, ripstop_arena *arena, const held_table *table);
/* Makes tables of a fabric from a dump, without service levels; each end node has `several` addresses. */
ripstop_forwarding *held_lay(const held_tables *held, const ripstop_fabric *fabric, uint32_t several);
/* Entries, beside a switch's own, that differ between two tables of a fabric with the same addresses. */
uint64_t held_differences(const ripstop_forwarding *x, const ripstop_forwarding *y);

#endif
