/* fuzz_ptm.c - any bytes as a plan of cables: an error in one line, or cables with two ends. */
#include "ethernet.h"
#include "formats/ethernet/ptm_topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  cabling c;
  cabling_open(&c, arena);
  char *text = memcpy(RIPSTOP_ARRAY(arena, size + 1, char), data, size);
  const piece whole = {text, text + size};
  const int status = ptm_topology_read(&c, "plan", whole, &err);
  if (status)
    demand_line(&err);
  else
    demand_cabling(&c);
  demand(status || ptm_topology_is(whole));
  cabling_close(&c);
  return 0;
}
