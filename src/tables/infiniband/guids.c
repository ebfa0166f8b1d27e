/* guids.c - the address book of a fabric: finds the nodes of GUIDs and LIDs in tables, by the fabric's dump, or
 * without one by the names that it gets as a subnet (fabric/ib_subnet.h). */
#include "fabric/ib.h"
#include "fabric/ib_subnet.h"
#include "tables/infiniband/lfts.h"

static uint32_t switch_of(const void *fabric, uint64_t guid) { return ripstop_ib_switch_of(fabric, guid); }

/* The end node at the port of an adapter that has the GUID; for an adapter with one cabled port, any port. */
static uint32_t end_of(const ripstop_ib_fabric *ib, uint32_t node, uint64_t guid) {
  const ripstop_ib_node *adapter = &ib->dump->node[node];
  uint32_t only = RIPSTOP_NONE, cabled = 0;
  for (uint32_t i = adapter->first; i < adapter->first + adapter->ports; i++) {
    if (ib->dump->port[i].guid == guid) return ib->end_of[i];
    if (ib->end_of[i] != RIPSTOP_NONE) only = ib->end_of[i], cabled++;
  }
  return cabled == 1 ? only : RIPSTOP_NONE;
}

static uint32_t counted_end(const ripstop_ib_fabric *ib, uint64_t guid) {
  for (uint32_t number = 1; number <= RIPSTOP_IB_PORT_LIMIT && number <= guid; number++) {
    uint32_t node = ripstop_ib_guid(ib->dump, guid - number);
    uint32_t port = node == RIPSTOP_NONE ? RIPSTOP_NONE : ripstop_ib_port_of(ib->dump, node, number);
    if (port != RIPSTOP_NONE && ib->end_of[port] != RIPSTOP_NONE) return ib->end_of[port];
  }
  return RIPSTOP_NONE;
}

static uint32_t node_of_port(const void *fabric, uint64_t guid, bool counted) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(fabric);
  uint32_t node = ripstop_ib_guid(ib->dump, guid);
  if (node != RIPSTOP_NONE && ib->node_of[node] != RIPSTOP_NONE) return ib->node_of[node]; /* a switch's is its own */
  if (counted) return counted_end(ib, guid);
  return node == RIPSTOP_NONE ? RIPSTOP_NONE : end_of(ib, node, guid);
}

static uint32_t node_of_lid(const void *fabric, uint32_t lid) { return ripstop_ib_lid_owner(fabric, lid); }

static bool has_lid(const void *fabric, uint32_t end) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(fabric);
  uint32_t lid = ib->dump->port[ib->end_port[end]].lid;
  return lid > 0 && lid <= RIPSTOP_IB_LID_LIMIT;
}

static uint32_t end_of_node(const void *fabric, uint64_t guid, uint32_t nth, uint32_t *port) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(fabric);
  uint32_t node = ripstop_ib_guid(ib->dump, guid);
  if (node == RIPSTOP_NONE) return RIPSTOP_NONE;
  const ripstop_ib_node *adapter = &ib->dump->node[node];
  for (uint32_t i = adapter->first; i < adapter->first + adapter->ports; i++)
    if (ib->end_of[i] != RIPSTOP_NONE && nth-- == 0) {
      *port = ib->dump->port[i].number;
      return ib->end_of[i];
    }
  return RIPSTOP_NONE;
}

static const char *description(const void *fabric, uint32_t node) { return ripstop_ib_description(fabric, node); }

/* ------------------------------------------------------------------ fabrics without a dump */

static uint32_t made_switch(const void *fabric, uint64_t guid) {
  uint32_t node = ib_subnet_made_node(fabric, guid);
  return node == RIPSTOP_NONE || ripstop_is_end(fabric, node) ? RIPSTOP_NONE : node;
}

static uint32_t made_port(const void *fabric, uint64_t guid, bool counted) {
  (void)counted; /* they are */
  return ib_subnet_made_node(fabric, guid);
}

static uint32_t made_lid(const void *fabric, uint32_t lid) {
  const ripstop_fabric *f = fabric;
  return lid > 0 && lid <= f->nodes ? lid - 1 : RIPSTOP_NONE;
}

static bool made_has_lid(const void *fabric, uint32_t end) { return ripstop_is_end(fabric, end); }

/* An adapter's GUID is one below its port's, which has number 1. */
static uint32_t made_end(const void *fabric, uint64_t guid, uint32_t nth, uint32_t *port) {
  uint32_t node = nth == 0 ? ib_subnet_made_node(fabric, guid + 1) : RIPSTOP_NONE;
  *port = 1;
  return node == RIPSTOP_NONE || !ripstop_is_end(fabric, node) ? RIPSTOP_NONE : node;
}

static const char *no_description(const void *fabric, uint32_t node) {
  (void)fabric;
  (void)node;
  return "";
}

void ripstop_address_book_of(const ripstop_fabric *fabric, ripstop_address_book *out) {
  if (ripstop_ib_of(fabric))
    *out = (ripstop_address_book){.owner = fabric,
                                  .switch_of = switch_of,
                                  .node_of_port = node_of_port,
                                  .node_of_lid = node_of_lid,
                                  .has_lid = has_lid,
                                  .end_of_node = end_of_node,
                                  .description = description};
  else
    *out = (ripstop_address_book){.owner = fabric,
                                  .switch_of = made_switch,
                                  .node_of_port = made_port,
                                  .node_of_lid = made_lid,
                                  .has_lid = made_has_lid,
                                  .end_of_node = made_end,
                                  .description = no_description,
                                  .counted_guids = true};
  out->first_port = ib_subnet_first_port(fabric);
}
