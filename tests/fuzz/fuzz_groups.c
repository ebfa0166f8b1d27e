/* fuzz_groups.c - any lines as multicast tables and records of groups, beside good tables of a small fabric, in every
 * dialect: an error in one line, or tables that can be judged. */
#include "tables.h"

static const char tables[] = "Unicast lids [0-6] of switch Lid 1 guid 0x00000000000000a0 ('one'):\n"
                             "0x0001 000\n0x0002 003\n0x0003 001\n0x0004 002\n0x0005 003\n0x0006 004\n"
                             "Unicast lids [0-6] of switch Lid 2 guid 0x00000000000000b0 ('two'):\n"
                             "0x0001 003\n0x0002 000\n0x0003 003\n0x0004 004\n0x0005 001\n0x0006 002\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_and_judge(tables, data, size);
  return 0;
}
