/* entry_log.c - see entry_log.h. */
#include "tables/entry_log.h"

#include "base/growing.h"

void entry_log_write(entry_log *log, uint32_t address, uint32_t switch_, uint16_t port) {
  RIPSTOP_GROW_IN(log->arena, log->entry, log->entries, log->room);
  log->entry[log->entries++] =
      (ripstop_mended_entry){address, switch_, ripstop_forwarding_port(log->tables, address, switch_)};
  ripstop_forwarding_set(log->tables, address, switch_, port);
}

void entry_log_undo(entry_log *log, uint32_t entries) {
  while (log->entries > entries) {
    const ripstop_mended_entry *e = &log->entry[--log->entries];
    ripstop_forwarding_set(log->tables, e->address, e->switch_, e->was);
  }
}

void entry_log_mark(const entry_log *log, uint8_t *marked) {
  for (uint32_t i = 0; i < log->entries; i++) marked[log->entry[i].address] = 1;
}
