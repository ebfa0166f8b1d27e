/* fuzz_ib.c - any bytes as a dump of an InfiniBand fabric, packed by gzip or not.
 *
 * What is accepted passes the checker, its look-ups agree with its arrays, and every oddity has a sentence and a place.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/ib.h"
#include "ripstop/kit/fabrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static void check_dump(const ripstop_ib_dump *dump) {
  uint32_t cabled = 0;
  for (uint32_t i = 0; i < dump->nodes; i++) {
    demand(ripstop_ib_node_of(dump, dump->node[i].id, strlen(dump->node[i].id)) == i);
    demand(dump->node[i].guid == 0 || ripstop_ib_guid(dump, dump->node[i].guid) != RIPSTOP_NONE);
  }
  for (uint32_t p = 0; p < dump->ports; p++) {
    const ripstop_ib_port *port = &dump->port[p];
    demand(ripstop_ib_port_of(dump, port->node, port->number) == p);
    demand(port->mate == RIPSTOP_NONE || dump->port[port->mate].mate == p);
    cabled += port->mate != RIPSTOP_NONE;
  }
  demand(cabled == 2 * dump->cables);
  for (uint32_t i = 0; i < dump->odd.count; i++) {
    const ripstop_odd *odd = &dump->odd.list[i];
    demand(odd->places > 0 && odd->text[0] != '\0' && odd->where[0][0] != '\0');
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ripstop_error err = {0};
  (void)ripstop_ib_is_dump((const char *)data, size);
  ripstop_fabric *fabric = ripstop_ib_from_text("input", (const char *)data, size, &err);
  if (fabric == NULL) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    return 0;
  }
  demand(ripstop_fabric_check(fabric, &err) == 0);
  check_dump(ripstop_ib_of(fabric)->dump);
  ripstop_fabric_free(fabric);
  return 0;
}
