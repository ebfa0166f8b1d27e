/* fuzz_clab.c - any bytes as a topology of containerlab: an error in one line, or cables with two ends. */
#include "ethernet.h"
#include "formats/ethernet/clab_links.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  cabling c;
  cabling_open(&c, arena);
  char *text = memcpy(RIPSTOP_ARRAY(arena, size + 1, char), data, size);
  const piece whole = {text, text + size};
  (void)clab_links_is(whole);
  if (clab_links_read(&c, "plan", whole, &err))
    demand_line(&err);
  else
    demand_cabling(&c);
  cabling_close(&c);
  return 0;
}
