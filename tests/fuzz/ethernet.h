/* ethernet.h - shared by the fuzzers of Ethernet's files. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/ethernet/cabling.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

/* A refusal is one line. */
static __attribute__((unused)) void demand_line(const ripstop_error *err) {
  demand(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
}

/* Each cable has two ends at two nodes, and all names are found again. */
static __attribute__((unused)) void demand_cabling(const cabling *c) {
  uint32_t ends = 0;
  for (uint32_t n = 0; n < c->nodes; n++) demand(cabling_find_node(c, piece_of(c->node[n].name)) <= n);
  for (uint32_t p = 0; p < c->ports; p++) {
    const cabling_port *port = &c->port[p];
    demand(port->node < c->nodes && *port->name);
    if (port->peer == RIPSTOP_NONE) continue;
    demand(port->peer < c->ports && c->port[port->peer].peer == p && c->port[port->peer].node != port->node);
    ends++;
  }
  demand(ends == 2 * c->cables);
}
