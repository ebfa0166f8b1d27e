/* fuzz_history.c - any bytes as dumps one after the other, which form feeds separate, and as the date of a file: what
 * is there, gone and back again adds up. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/infiniband/dump_history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static void check_part(const ib_history *h, const ib_history_part *p) {
  const uint32_t lost = p->down.count + p->with.count + p->moved.count;
  demand(p->first <= p->last && p->last < h->dumps && p->name[0] != '\0');
  demand(lost == p->up.count + !ib_history_is_there(h, p));
}

static void add(ib_history *h, const char *text, size_t length) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_ib_dump dump;
  ripstop_error err = {0};
  char date[IB_HISTORY_DATE];
  RIPSTOP_LOCAL_TEXT(name);
  ripstop_text_add(&name, "%.*s", length > 40 ? 40 : (int)length, text);
  if (ib_history_date(name.data, text, length, date)) demand(strlen(date) == IB_HISTORY_DATE - 1);
  if (ripstop_ib_read(&dump, arena, "input", text, length, &err) == 0) ib_history_add(h, &dump);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ib_history h = {.arena = arena};
  const char *at = (const char *)data, *end = at + size;
  while (at < end) {
    const char *stop = memchr(at, '\f', (size_t)(end - at));
    if (!stop) stop = end;
    add(&h, at, (size_t)(stop - at));
    at = stop < end ? stop + 1 : end;
  }
  ib_history_end(&h);
  for (uint32_t i = 0; i < h.nodes; i++) check_part(&h, &h.node[i]);
  for (uint32_t i = 0; i < h.cables; i++) check_part(&h, &h.cable[i]);
  for (uint32_t i = 0; i < h.groups; i++) demand(h.group[i].parts > 1 && h.group[i].down->count > 0);
  return 0;
}
