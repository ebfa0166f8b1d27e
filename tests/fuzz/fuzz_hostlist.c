/* fuzz_hostlist.c - any bytes as a list of hosts: an error in one line, or names, each once, that the sets share out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/hostlist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_error err = {0};
  hostlist list;
  ripstop_text_begin(&text);
  ripstop_text_add_bytes(&text, (const char *)data, size);
  if (hostlist_read(&list, arena, text.data, &err)) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    return 0;
  }
  uint32_t next = 0;
  for (uint32_t i = 0; i < list.sets; i++) {
    demand(list.set[i].first == next && list.set[i].count > 0);
    next += list.set[i].count;
  }
  demand(next == list.names && next > 0);
  for (uint32_t i = 0; i < list.names; i++) demand(list.name[i][0] != '\0');
  return 0;
}
