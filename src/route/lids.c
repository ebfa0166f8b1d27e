/* lids.c - numbers addresses: with several for a node each has room for a power of two. */
#include "route/lids.h"

#include "base/memory.h"
#include "fabric/ib/net.h"

/* The exponent of the room that the node with most addresses needs. */
static unsigned lmc_of(const ripstop_forwarding *t) {
  uint32_t row = 0, most = 1;
  for (uint32_t a = 0; a < t->addresses; a++) {
    row = a > 0 && t->node[a] == t->node[a - 1] ? row + 1 : 1;
    if (row > most) most = row;
  }
  unsigned lmc = 0;
  while (1u << lmc < most) lmc++;
  return lmc;
}

/* Entries are bytes, and 255 means none. */
static int check_ports(const ripstop_fabric *f, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    if (ripstop_node_ports(f, node) + ripstop_net_first_port(f) <= RIPSTOP_IB_PORT_LIMIT + 1) continue;
    ripstop_node_name(f, node, name);
    return ripstop_fail(err, "%s: switch %s has more ports than the %d of an InfiniBand switch", f->spec, name,
                        RIPSTOP_IB_PORT_LIMIT);
  }
  return 0;
}

int ripstop_lids_of(const ripstop_forwarding *t, ripstop_arena *arena, ripstop_lids *out, ripstop_error *err) {
  *out = (ripstop_lids){.node = RIPSTOP_ARRAY(arena, t->fabric->nodes, uint32_t),
                        .address = RIPSTOP_ARRAY(arena, t->addresses, uint32_t)};
  if (check_ports(t->fabric, err)) return -1;
  if (ripstop_net_lids(t->fabric, lmc_of(t), out->node, err)) return -1;
  for (uint32_t a = 0; a < t->addresses; a++)
    out->address[a] = a > 0 && t->node[a] == t->node[a - 1] ? out->address[a - 1] + 1 : out->node[t->node[a]];
  return 0;
}
