/* entry_log.h - entries that have been written to forwarding tables, with the ports before, so that they can be taken
 * back. */
#ifndef TABLES_ENTRY_LOG_H
#define TABLES_ENTRY_LOG_H

#include "ripstop/kit/repair.h"

typedef struct entry_log {
  ripstop_forwarding *tables;
  ripstop_mended_entry *entry; /* in the order of writing; an entry may come twice */
  uint32_t entries, room;
  ripstop_arena *arena;
} entry_log;

void entry_log_write(entry_log *log, uint32_t address, uint32_t switch_, uint16_t port);
/* Takes back all but the first `entries`. */
void entry_log_undo(entry_log *log, uint32_t entries);
/* Sets the bytes of their addresses in `marked` ([addresses]). */
void entry_log_mark(const entry_log *log, uint8_t *marked);

#endif
