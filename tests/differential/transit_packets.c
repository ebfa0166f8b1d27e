/* transit_packets.c - packets that stay at end nodes that they are not for (docs/model.md, "In-transit packets"). */
#include "things.h"

#include <string.h>

static uint32_t peer_node(const model *m, uint32_t port) { return m->fabric->port_node[m->fabric->peer[port]]; }

/* True if the candidate through this port of the fabric makes the packet an in-transit packet. */
bool slow_is_transit_packet_candidate(const model *m, const output *o, uint32_t port, uint32_t packet) {
  return o->endless && peer_node(m, port) != m->packet[packet].destination;
}

static output *output_to(const model *m, uint32_t end) {
  return slow_output_of(m, m->fabric->peer[m->fabric->port_base[end]]);
}

void slow_transit_packet_is_gone(model *m, uint32_t end, uint64_t cycle) {
  output_to(m, end)->leave[slow_ring_place(m, 0, cycle + (uint64_t)m->sw->credit)]++;
}

void slow_transit_packets_leave(model *m, output *o) {
  uint64_t here = slow_ring_place(m, 0, m->now);
  o->room += o->leave[here];
  o->leave[here] = 0;
  slow_must(m, o->room <= (int64_t)m->plan->transit_packets, "more places for in-transit packets than there are");
}

/* Behind the packet that is leaving and the in-transit packets that are there, before all others. */
static size_t place_of_transit_packet(const model *m, uint32_t end, const input *in) {
  size_t i = 0;
  uint32_t leaving = m->node[end].side[in->side].busy ? slow_line_front(&in->line).packet : RIPSTOP_NONE;
  while (i < in->line.count) {
    uint32_t packet = in->line.at[in->line.first + i].packet;
    if (packet != leaving && !m->packet[packet].transit_packet) break;
    i++;
  }
  return i;
}

/* A flit of an in-transit packet has come by the link; with the last one the whole packet is in the interface. */
void slow_transit_packet_arrives(model *m, uint32_t end, flit f) {
  model_packet *p = &m->packet[f.packet];
  if (!slow_is_tail(m, f)) return;
  if (slow_is_lost(m, f.packet)) {
    slow_transit_packet_is_gone(m, end, m->now);
    return;
  }
  input *in = &m->node[end].queue[p->class_];
  size_t at = place_of_transit_packet(m, end, in), before = in->line.count;
  p->transit_packet = true;
  for (uint16_t i = 0; i < p->flits; i++)
    slow_line_add(&in->line, (flit){.packet = f.packet, .number = i, .came = m->now});
  flit *flits = in->line.at + in->line.first, *own = ripstop_realloc(NULL, before + 1, sizeof *own);
  memcpy(own, flits + at, (before - at) * sizeof *own);
  memmove(flits + at, flits + before, p->flits * sizeof *own);
  memcpy(flits + at + p->flits, own, (before - at) * sizeof *own);
  ripstop_free(own);
  in->stalled += slow_units(m, f.packet);
  slow_story(m, f.packet, "an in-transit packet", end, RIPSTOP_NONE, 0);
}
