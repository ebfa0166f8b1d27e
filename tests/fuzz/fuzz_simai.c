/* fuzz_simai.c - any bytes as a workload of SimAI: an error in one line, or rows with collectives that are known. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/traces/simai_workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  simai_workload w;
  if (ripstop_simai_read(&w, arena, (const char *)data, size, &err)) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    return 0;
  }
  demand(w.tp > 0 && w.ep > 0);
  for (uint32_t i = 0; i < w.rows; i++)
    for (unsigned k = 0; k < SIMAI_PHASES; k++)
      demand(w.row[i].line > 2 && w.row[i].part[k].collective <= SIMAI_ALL_TO_ALL);
  return 0;
}
