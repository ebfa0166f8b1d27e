/* fuzz_rows.c - files of numbers: any bytes are refused with a line that says why, or give rows that lie one behind the
 * other. */
#include <stdlib.h>
#include <string.h>

#include "workload/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  rows r;
  if (rows_from_text(arena, (const char *)data, size, &r, &err)) {
    demand(strncmp(err.text, "line ", 5) == 0 && strchr(err.text, '\n') == NULL);
  } else {
    for (size_t i = 0; i < r.count; i++) {
      demand(rows_length(&r, i) > 0 && r.first[i] == (i ? r.first[i - 1] + rows_length(&r, i - 1) : 0));
      demand(r.line[i] > (i ? r.line[i - 1] : 0));
      for (size_t n = 0; n < rows_length(&r, i); n++) demand(rows_at(&r, i)[n] <= INT64_MAX);
    }
    demand(r.numbers == (r.count ? r.first[r.count] : 0));
  }
  ripstop_arena_free(arena);
  return 0;
}
