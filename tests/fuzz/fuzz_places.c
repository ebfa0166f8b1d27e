/* fuzz_places.c - files of end nodes: any bytes are refused with a line that says why, or give end nodes that are
 * there, each once. */
#include <stdlib.h>
#include <string.h>

#include "fabric/inner.h"
#include "workload/jobs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JOB = 3 };

static void demand(bool holds) {
  if (!holds) abort();
}

/* Built once; the fuzzer's process owns them to its end. */
static const ripstop_names *names_of_all(void) {
  static const ripstop_names *names;
  ripstop_error err = {0};
  if (!names) names = ripstop_names_new(ripstop_fabric_open("kary-ntree:k=4,n=2", &err));
  return names;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ripstop_names *names = names_of_all();
  const uint32_t ends = ripstop_names_fabric(names)->ends;
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  uint32_t *busy = RIPSTOP_ARRAY(arena, ends, uint32_t), *list, count, owned = 0;
  if (places_from_text(arena, names, (const char *)data, size, JOB, busy, &list, &count, &err)) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
  } else {
    for (uint32_t end = 0; end < ends; end++) owned += busy[end] == JOB;
    demand(count > 0 && count == owned);
    for (uint32_t i = 0; i < count; i++) demand(list[i] < ends && busy[list[i]] == JOB);
  }
  ripstop_arena_free(arena);
  return 0;
}
