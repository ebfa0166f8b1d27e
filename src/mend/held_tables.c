/* held_tables.c - maps what switches hold to the addresses of a fabric. */
#include "mend/held_tables.h"

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "fabric/ib.h"
#include "fabric/ib_subnet.h"

enum { NO_ENTRY = 255 };

void held_add(held_tables *held, ripstop_arena *arena, const held_table *table) {
  RIPSTOP_GROW_IN(arena, held->table, held->count, held->room);
  held->table[held->count++] = *table;
  for (size_t lid = 0; lid < table->lids; lid++) held->entries += table->port[lid] != NO_ENTRY;
}

/* Takes a switch's entries for the LIDs of one node, whose first address is `address`. */
static void take_entries(const held_table *held, ripstop_forwarding *t, uint32_t switch_, uint32_t address,
                         uint32_t addresses) {
  ib_subnet_node n;
  ib_subnet_node_of(t->fabric, t->node[address], &n);
  for (uint32_t i = 0; i < addresses && i < 1u << n.lmc; i++) {
    uint32_t port = n.lid > 0 && n.lid + i < held->lids ? held->port[n.lid + i] : NO_ENTRY;
    bool leads = port != NO_ENTRY && port > 0 && port < ripstop_node_ports(t->fabric, switch_);
    if (leads && t->node[address] != switch_) ripstop_forwarding_set(t, address + i, switch_, (uint16_t)port);
  }
}

ripstop_forwarding *held_lay(const held_tables *held, const ripstop_fabric *f, uint32_t several) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *node = RIPSTOP_ARRAY(scratch, (size_t)f->nodes * several, uint32_t), count = 0;
  for (uint32_t n = 0; n < f->nodes; n++)
    for (uint32_t i = 0; i < (ripstop_is_end(f, n) ? several : 1); i++) node[count++] = n;
  ripstop_forwarding *t = ripstop_forwarding_new(f, node, count);
  for (size_t i = 0; i < held->count; i++) {
    uint32_t switch_ = ripstop_ib_switch_of(f, held->table[i].guid);
    for (uint32_t a = 0, addresses; switch_ != RIPSTOP_NONE && a < count; a += addresses) {
      addresses = ripstop_is_end(f, node[a]) ? several : 1;
      take_entries(&held->table[i], t, switch_, a, addresses);
    }
  }
  return t;
}

uint64_t held_differences(const ripstop_forwarding *x, const ripstop_forwarding *y) {
  const ripstop_fabric *f = x->fabric;
  uint64_t differs = 0;
  for (uint32_t a = 0; a < x->addresses; a++)
    for (uint32_t node = f->ends; node < f->nodes; node++)
      differs += x->node[a] != node && ripstop_forwarding_port(x, a, node) != ripstop_forwarding_port(y, a, node);
  return differs;
}
