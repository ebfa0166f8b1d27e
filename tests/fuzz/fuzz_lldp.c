/* fuzz_lldp.c - any bytes as the neighbours of a switch: an error in one line, or cables with two ends. */
#include "ethernet.h"
#include "formats/ethernet/lldp_neighbors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  jt_doc doc = {0};
  cabling c;
  cabling_open(&c, arena);
  char *text = memcpy(RIPSTOP_ARRAY(arena, size + 1, char), data, size);
  if (jt_read(&doc, arena, "lldp", text, size, &err)) {
    demand_line(&err);
  } else if (lldp_neighbors_read(&c, &doc, "leaf1", &err)) {
    demand_line(&err);
  } else {
    demand_cabling(&c);
    const uint32_t cables = c.cables;
    demand(lldp_neighbors_read(&c, &doc, "leaf1", &err) == 0 && c.cables == cables);
  }
  cabling_close(&c);
  return 0;
}
