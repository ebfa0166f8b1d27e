/* fuzz_hpcc_flows.c - any bytes as flows of HPCC's simulator: an error in one line, or flows in the order of their
 * starts, the first at 0. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/traces/hpcc_flows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  hpcc_flows f;
  if (ripstop_hpcc_flows_read(&f, arena, (const char *)data, size, &err)) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    return 0;
  }
  demand(f.flows == 0 || f.flow[0].start == 0);
  for (uint32_t i = 0; i < f.flows; i++) {
    demand(f.flow[i].source < f.nodes && f.flow[i].destination < f.nodes && f.flow[i].source != f.flow[i].destination);
    demand(i == 0 || f.flow[i].start >= f.flow[i - 1].start);
  }
  return 0;
}
