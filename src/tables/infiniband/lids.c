/* lids.c - numbers addresses: as in a dump; otherwise, with several for a node, each has room for a power of two. */
#include "tables/infiniband/lids.h"

#include "base/memory.h"
#include "fabric/ib_subnet.h"
#include "tables/addresses.h"

/* Entries are bytes, and 255 means none. */
static int check_ports(const ripstop_fabric *f, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    if (ripstop_node_ports(f, node) + ib_subnet_first_port(f) <= RIPSTOP_IB_PORT_LIMIT + 1) continue;
    ripstop_node_name(f, node, name);
    return ripstop_fail(err, "%s: switch %s has more ports than the %d of an InfiniBand switch", f->spec, name,
                        RIPSTOP_IB_PORT_LIMIT);
  }
  return 0;
}

/* Counts the addresses of each node, to `count`. */
static void count_addresses(const ripstop_forwarding *t, uint32_t *count) {
  for (uint32_t a = 0; a < t->addresses; a++) count[t->node[a]]++;
}

int ripstop_lids_of(const ripstop_forwarding *t, ripstop_arena *arena, ripstop_lids *out, ripstop_error *err) {
  uint32_t *own = RIPSTOP_ARRAY(arena, t->fabric->nodes, uint32_t),
           *room = RIPSTOP_ARRAY(arena, t->fabric->nodes, uint32_t);
  size_t most = 0;
  *out = (ripstop_lids){.node = RIPSTOP_ARRAY(arena, t->fabric->nodes, uint32_t)};
  count_addresses(t, own);
  if (forwarding_check_simple(t, "InfiniBand's tables", err) || check_ports(t->fabric, err)) return -1;
  if (ib_subnet_lids(t->fabric, own, out->node, room, &out->misfit, err)) return -1;
  for (uint32_t node = 0; node < t->fabric->nodes; node++) {
    most += own[node] ? room[node] : 0;
    if (ripstop_is_end(t->fabric, node) && room[node] > out->most) out->most = room[node];
  }
  out->lid = RIPSTOP_ARRAY(arena, most, uint32_t);
  out->address = RIPSTOP_ARRAY(arena, most, uint32_t);
  for (uint32_t a = 0, node; a < t->addresses; a += own[node]) {
    node = t->node[a];
    for (uint32_t i = 0; i < room[node]; i++, out->count++) {
      out->lid[out->count] = out->node[node] + i;
      out->address[out->count] = a + i % own[node];
    }
  }
  return 0;
}
