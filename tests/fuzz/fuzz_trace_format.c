/* fuzz_trace_format.c - any bytes as a file of another simulator: it is of no known format, or a job refuses it by name
 * in one line. */
#include <stdlib.h>
#include <string.h>

#include "formats/traces/trace_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ripstop_error err = {0};
  const trace_format *format = trace_format_of((const char *)data, size);
  const int status = ripstop_trace_refuse_other((const char *)data, size, "none", &err);
  demand((status != 0) == (format != NULL));
  demand(status == 0 || (strstr(err.text, format->name) && strchr(err.text, '\n') == NULL));
  return 0;
}
