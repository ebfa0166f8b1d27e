/* table_print.c - see table_print.h. */
#include "formats/infiniband/table_print.h"
#include "ripstop/plugin/base.h"

#include <inttypes.h>

enum { PORT_AT = 7, PORT_DIGITS = 3, LINE_MAX_BYTES = 400 }; /* "0x0001 005 # ..." */

void ib_print_table_begin(uint32_t highest_lid, uint32_t lid, uint64_t guid, const char *name, FILE *file) {
  fprintf(file, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " ('%s'):\n", highest_lid, lid, guid, name);
}

void ib_print_table_end(uint32_t entries, FILE *file) { fprintf(file, "%u lids dumped\n", entries); }

const char *ib_entry_line(ripstop_arena *arena, uint32_t lid, bool is_switch, uint64_t port_guid, const char *name) {
  return ripstop_arena_printf(arena, "0x%04x 000 # %s portguid 0x%016" PRIx64 ": '%.*s'\n", lid,
                              is_switch ? "Switch" : "Channel Adapter", port_guid, LINE_MAX_BYTES / 2, name);
}

void ib_print_entry(const char *line, size_t length, uint32_t port, FILE *file) {
  char text[LINE_MAX_BYTES];
  memcpy(text, line, length);
  for (unsigned i = PORT_DIGITS; i-- > 0; port /= 10) text[PORT_AT + i] = (char)('0' + port % 10);
  fwrite(text, 1, length, file);
}

void ib_print_levels_title(FILE *file) { fputs("# source GUID, destination LID, service level\n", file); }

void ib_print_level(uint64_t source_guid, uint32_t lid, unsigned level, FILE *file) {
  fprintf(file, "0x%016" PRIx64 " %u %u\n", source_guid, lid, level);
}

void ib_print_vls_title(FILE *file) {
  fputs("# GUID, input port, output port, virtual lane of each service level\n", file);
}

void ib_print_vls(uint64_t guid, uint32_t in, uint32_t out, const uint8_t vl[IB_SERVICE_LEVELS], FILE *file) {
  fprintf(file, "0x%016" PRIx64 " %u %u", guid, in, out);
  for (unsigned level = 0; level < IB_SERVICE_LEVELS; level += 2) fprintf(file, " 0x%x%x", vl[level], vl[level + 1]);
  fputc('\n', file);
}
