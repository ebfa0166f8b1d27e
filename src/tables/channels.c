/* channels.c - one pass over the ports. */
#include "tables/channels.h"

#include "base/memory.h"

static bool joins_switches(const ripstop_fabric *f, uint32_t port) {
  return f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[port]]);
}

static void number_channels(channels *c) {
  const ripstop_fabric *f = c->fabric;
  for (uint32_t s = 0; s < c->switches; s++) {
    c->first[s] = c->count;
    for (uint32_t port = f->port_base[f->ends + s]; port < f->port_base[f->ends + s + 1]; port++) {
      if (!joins_switches(f, port)) continue;
      c->port[c->count] = port;
      c->local[c->count] = (uint16_t)(port - f->port_base[f->ends + s]);
      c->of_port[port] = c->count++;
    }
  }
  c->first[c->switches] = c->count;
  for (uint32_t i = 0; i < c->count; i++) {
    c->to[i] = f->port_node[f->peer[c->port[i]]] - f->ends;
    c->back[i] = c->of_port[f->peer[c->port[i]]];
  }
}

static void list_ends(channels *c) {
  const ripstop_fabric *f = c->fabric;
  for (uint32_t end = 0; end < f->ends; end++) c->end_first[ripstop_end_switch(f, end) - f->ends + 1]++;
  for (uint32_t s = 0; s < c->switches; s++) c->end_first[s + 1] += c->end_first[s];
  for (uint32_t end = f->ends; end-- > 0;) { /* each list is filled from its end, where the next one begins */
    uint32_t s = ripstop_end_switch(f, end) - f->ends;
    c->end[--c->end_first[s + 1]] = end;
  }
  for (uint32_t s = 0; s < c->switches; s++) c->end_first[s] = c->end_first[s + 1];
  c->end_first[c->switches] = f->ends;
}

void channels_open(channels *c, ripstop_arena *arena, const ripstop_fabric *fabric) {
  uint32_t most = 2 * (fabric->links - fabric->link_ends);
  *c = (channels){.fabric = fabric, .switches = ripstop_fabric_switches(fabric)};
  c->first = RIPSTOP_ARRAY(arena, c->switches + 1, uint32_t);
  c->end_first = RIPSTOP_ARRAY(arena, c->switches + 1, uint32_t);
  c->end = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t);
  c->of_port = RIPSTOP_ARRAY(arena, fabric->ports, uint32_t);
  c->port = RIPSTOP_ARRAY(arena, most, uint32_t);
  c->local = RIPSTOP_ARRAY(arena, most, uint16_t);
  c->to = RIPSTOP_ARRAY(arena, most, uint32_t);
  c->back = RIPSTOP_ARRAY(arena, most, uint32_t);
  for (uint32_t port = 0; port < fabric->ports; port++) c->of_port[port] = RIPSTOP_NONE;
  number_channels(c);
  list_ends(c);
}
