/* fuzz_chakra.c - any bytes as a Chakra trace of a rank and as a file of groups: an error in one line, or nodes with
 * different ids whose dependencies exist, and an order of all of them or a node that never begins. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "workload/chakra_order.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_message(const ripstop_error *err) {
  demand(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
}

static void demand_list(const chakra_trace *t, chakra_list list) {
  for (uint32_t i = 0; i < list.count; i++) demand(t->number[list.first + i] < t->nodes);
}

static void demand_order(ripstop_arena *arena, const chakra_trace *t) {
  uint32_t stuck;
  const uint32_t *order = chakra_order(arena, t, true, &stuck);
  demand(order || stuck < t->nodes);
  bool *seen = RIPSTOP_ARRAY(arena, (size_t)t->nodes + 1, bool);
  for (uint32_t i = 0; order && i < t->nodes; i++) {
    demand(order[i] < t->nodes && !seen[order[i]]);
    seen[order[i]] = true;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  chakra_trace t;
  char *text = RIPSTOP_ARRAY(arena, size + 1, char);
  if (size) memcpy(text, data, size);
  if (ripstop_chakra_groups(&t, arena, "groups", text, size, &err)) demand_message(&err);
  if (ripstop_chakra_read(&t, arena, "t.0.et", text, size, &err)) {
    demand_message(&err);
    return 0;
  }
  for (uint32_t i = 0; i < t.nodes; i++) {
    demand(i == 0 || t.node[i].id > t.node[i - 1].id);
    demand_list(&t, t.node[i].data);
    demand_list(&t, t.node[i].control);
  }
  demand_order(arena, &t);
  return 0;
}
