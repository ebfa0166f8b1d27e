/* forwarding.c - room for forwarding tables; readers and engines fill them. */
#include "ripstop/forwarding.h"

#include <string.h>

#include "base/memory.h"

ripstop_forwarding *ripstop_forwarding_in(ripstop_arena *arena, const ripstop_fabric *fabric, const uint32_t *node,
                                          uint32_t addresses) {
  RIPSTOP_GUARD(NULL, NULL);
  size_t entries = (size_t)addresses * ripstop_fabric_switches(fabric);
  ripstop_forwarding *f = RIPSTOP_NEW(arena, ripstop_forwarding);
  *f = (ripstop_forwarding){.fabric = fabric, .addresses = addresses, .lanes = 1, .arena = arena};
  f->node = RIPSTOP_ARRAY(arena, addresses, uint32_t);
  f->port = RIPSTOP_ARRAY(arena, entries, uint16_t);
  if (addresses > 0) memcpy(f->node, node, addresses * sizeof *node);
  for (size_t i = 0; i < entries; i++) f->port[i] = RIPSTOP_NO_PORT;
  return f;
}

ripstop_forwarding *ripstop_forwarding_new(const ripstop_fabric *fabric, const uint32_t *node, uint32_t addresses) {
  RIPSTOP_GUARD(NULL, NULL);
  return ripstop_forwarding_in(ripstop_arena_new(), fabric, node, addresses);
}

void ripstop_forwarding_free(ripstop_forwarding *f) {
  if (f != NULL) ripstop_arena_free(f->arena);
}
