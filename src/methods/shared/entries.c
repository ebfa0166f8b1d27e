/* entries.c - see entries.h. */
#include "methods/shared/entries.h"

const char *const ripstop_entries_losses[] = {
    [ENTRIES_NO_CANDIDATE] = "no way is left", [ENTRIES_CUT_OFF] = "source cut off", NULL};

int ripstop_entries_route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_forwarding *tables = p->data;
  const uint8_t *up = &p->view->port_up[p->fabric->port_base[head->node]];
  uint32_t address = head->destination * p->random_headers + (uint32_t)head->header;
  uint16_t port = 0;
  candidates[0] = (ripstop_candidate){.header = head->header, .channel = head->channel, .space = 1};
  if (ripstop_is_end(p->fabric, head->node)) {
    if (!up[0]) return -(1 + ENTRIES_CUT_OFF);
    candidates[0].channel = (uint8_t)ripstop_forwarding_level(tables, head->source, address);
  } else {
    port = ripstop_forwarding_port(tables, address, head->node);
  }
  candidates[0].port = port;
  return port != RIPSTOP_NO_PORT && up[port] ? 1 : -(1 + ENTRIES_NO_CANDIDATE);
}

const ripstop_forwarding *ripstop_entries_forwarding(const ripstop_plan *p) { return p->data; }
