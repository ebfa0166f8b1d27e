/* transport.c - packets of flows, and their notifications. flow.h has the data; sender.c and receiver.c the two
 * ends. */
#include "base/growing.h"
#include "ripstop/plugin/faults.h"
#include "workload/flow.h"

/* ------------------------------------------------------------------ packets */

static uint32_t place_record(transport *t) {
  const uint32_t at = t->spare;
  if (at != RIPSTOP_NONE) {
    t->spare = t->record[at].flow;
    return at;
  }
  RIPSTOP_GROW_IN(t->arena, t->record, t->records, t->record_room);
  return t->records++;
}

void record_send(transport *t, ripstop_agent_context *on, packet_record p, uint32_t flits, bool back) {
  const uint32_t at = place_record(t);
  const flow *f = &t->flow[p.flow];
  const ripstop_agent_packet l = {.source = back ? f->destination : f->source,
                                  .destination = back ? f->source : f->destination,
                                  .class_ =
                                      back && t->config->ack_class == RIPSTOP_ACKS_SEPARATE ? t->classes : f->class_,
                                  .flits = flits,
                                  .tag = at,
                                  .message = back ? 0 : message_of(f, p.number)->first};
  t->record[at] = p;
  t->flow[p.flow].in_progress += p.kind == RECORD_DATA;
  ripstop_agent_send(on, &l);
}

/* Ends the record of a packet that was delivered or lost. */
static packet_record end_record(transport *t, const ripstop_agent_packet *packet) {
  const uint32_t at = (uint32_t)packet->tag;
  const packet_record p = t->record[at];
  t->flow[p.flow].in_progress -= p.kind == RECORD_DATA;
  t->record[at].flow = t->spare;
  t->spare = at;
  return p;
}

/* ------------------------------------------------------------------ notifications to the agent */

uint64_t link_cycles(const transport *t, uint32_t end, uint32_t flits) {
  const ripstop_fabric *f = t->view->fabric;
  return ripstop_cycles_at(ripstop_view_rate(t->view, f->port_link[f->port_base[end]]), flits);
}

/* A packet or an answer left its NIC in this cycle; the next one can when the link is free. */
static void nic_left(transport *t, const ripstop_agent_packet *packet, uint64_t cycle) {
  nic *g = &t->nic[packet->source];
  if (g->put != g->taken && cycle > g->waits) g->stalled += cycle - g->waits;
  g->waits = cycle + link_cycles(t, packet->source, packet->flits);
}

bool transport_taken(transport *t, ripstop_agent_context *on, const ripstop_agent_packet *packet,
                     transport_message *started) {
  const packet_record p = t->record[packet->tag];
  nic_left(t, packet, ripstop_agent_now(on) - 1);
  if (p.kind != RECORD_DATA) return false;
  t->nic[packet->source].taken++;
  const bool starts = sender_left(t, on, &p, started);
  sender_feed(t, on, packet->source);
  return starts;
}

bool transport_delivered(transport *t, ripstop_agent_context *on, const ripstop_agent_packet *packet,
                         transport_message *there) {
  const packet_record p = end_record(t, packet);
  if (p.kind == RECORD_DATA) return receiver_takes(t, on, &p, packet, there);
  sender_answered(t, on, &p);
  return false;
}

/* A loss is not reported to the flow, but the packet is in its NIC no more: a failed switch discards those in it,
 * too. If the method's switches inform sources, the source is notified of packets that a switch discarded. */
void transport_lost(transport *t, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  const packet_record p = end_record(t, packet);
  if (p.kind == RECORD_DATA) t->flow[p.flow].losing = true;
  if (p.kind == RECORD_DATA && packet->informs) sender_informed(t, on, &p, packet->informs);
  nic *g = &t->nic[packet->source];
  if (p.kind != RECORD_DATA || (uint16_t)(p.order - g->taken) >= (uint16_t)(g->put - g->taken)) return;
  g->taken++;
  g->waits = ripstop_agent_now(on);
  sender_gone(t, on, &p);
  sender_feed(t, on, packet->source);
}

/* ------------------------------------------------------------------ opening */

static uint32_t place_of(const transport *t, transport_pair pair) {
  const uint64_t word = ((uint64_t)pair.source << 32 | pair.destination) * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t at = (uint32_t)(word >> 32) & (t->places - 1);
  for (; t->place[at]; at = (at + 1) & (t->places - 1)) {
    const flow *f = &t->flow[t->place[at] - 1];
    if (f->source == pair.source && f->destination == pair.destination) break;
  }
  return at;
}

/* The table stays at most half full. */
static void make_places(transport *t) {
  t->places = t->places ? 2 * t->places : 64;
  t->place = RIPSTOP_ARRAY(t->arena, t->places, uint32_t);
  for (uint32_t i = 0; i < t->flows; i++)
    t->place[place_of(t, (transport_pair){t->flow[i].source, t->flow[i].destination, t->flow[i].class_})] = i + 1;
}

static flow *add_flow(transport *t, transport_pair pair) {
  if (2 * (t->flows + 1) > t->places) make_places(t);
  RIPSTOP_GROW_IN(t->arena, t->flow, t->flows, t->flow_room);
  t->place[place_of(t, pair)] = t->flows + 1;
  t->flow[t->flows] = (flow){.source = pair.source,
                             .destination = pair.destination,
                             .class_ = pair.class_,
                             .rings = FLOW_NEVER,
                             .rate = rate_open(t->config)};
  return &t->flow[t->flows++];
}

flow *flow_of(transport *t, transport_pair pair) {
  const uint32_t number = t->places ? t->place[place_of(t, pair)] : 0;
  return number ? &t->flow[number - 1] : add_flow(t, pair);
}

transport *transport_open(const ripstop_workload_config *config, const ripstop_view *view, uint32_t classes,
                          uint64_t alarms, ripstop_arena *arena) {
  const uint32_t ends = view->fabric->ends;
  transport *t = RIPSTOP_NEW(arena, transport);
  *t = (transport){.config = config,
                   .view = view,
                   .classes = classes,
                   .alarms = alarms,
                   .spare = RIPSTOP_NONE,
                   .cut_off = RIPSTOP_NONE,
                   .arena = arena};
  t->nic = RIPSTOP_ARRAY(arena, ends, nic);
  for (uint32_t i = 0; i < ends; i++) t->nic[i].first = RIPSTOP_NONE;
  return t;
}

void transport_inform(transport *t, uint32_t cycles) { t->hop = cycles; }

void transport_bound(transport *t, uint64_t cycles) { t->least = cycles; }

void transport_pull(transport *t, uint32_t packets) {
  const uint32_t ends = t->view->fabric->ends, window = (uint32_t)t->config->window;
  t->first_window = packets < window ? packets : window;
  t->puller = RIPSTOP_ARRAY(t->arena, ends, puller);
  for (uint32_t i = 0; i < ends; i++) t->puller[i].first = RIPSTOP_NONE;
}

bool transport_informs(const transport *t) { return t->hop > 0; }

void transport_widen(const ripstop_workload_config *config, ripstop_agent *agent) {
  const uint32_t ack = (uint32_t)config->ack;
  if (config->ack_class == RIPSTOP_ACKS_SEPARATE) agent->classes++;
  agent->urgent = config->ack_class == RIPSTOP_ACKS_SEPARATE &&
                  (config->congestion.kind == RIPSTOP_CONGESTION_DCQCN || config->transport == RIPSTOP_TRANSPORT_TRIM);
  if (ack < agent->shortest) agent->shortest = ack;
  if (ack > agent->longest) agent->longest = ack;
}

/* ------------------------------------------------------------------ result */

void transport_know(transport *t, const uint32_t *part, uint64_t settled) {
  t->part = part;
  t->settled = settled;
}

bool transport_gave_up(const transport *t) { return t->given_up; }

bool transport_cut_off(const transport *t, transport_message *message) {
  if (t->cut_off == RIPSTOP_NONE) return false;
  const flow *f = &t->flow[t->cut_off];
  for (uint32_t i = f->oldest; i < f->messages; i++)
    if (f->message[i].missing) {
      *message = f->message[i].message;
      return true;
    }
  return false;
}
transport_counts transport_count(const transport *t) { return t->counts; }

bool transport_is_right(const transport *t) {
  if (t->disordered) return false;
  for (uint32_t i = 0; i < t->flows; i++) {
    const flow *f = &t->flow[i];
    if (f->handovers != f->end || f->cut != f->handed || f->cut_flits != f->handed_flits) return false;
  }
  return true;
}

bool transport_is_right_so_far(const transport *t) {
  if (t->disordered) return false;
  for (uint32_t i = 0; i < t->flows; i++) {
    const flow *f = &t->flow[i];
    if (f->handovers == f->most && (f->cut != f->handed || f->cut_flits != f->handed_flits)) return false;
  }
  return true;
}

void transport_outstanding(const transport *t, uint64_t *sent, uint64_t *unsent) {
  *sent = *unsent = 0;
  for (uint32_t i = 0; i < t->flows; i++) {
    *sent += t->flow[i].most - t->flow[i].handovers;
    *unsent += t->flow[i].end - t->flow[i].most;
  }
}

static uint64_t oldest_of(const flow *f) {
  for (uint32_t i = f->oldest; i < f->messages; i++)
    if (f->message[i].missing) return f->message[i].message.job_run;
  return UINT64_MAX;
}

uint64_t transport_oldest(const transport *t) {
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < t->flows; i++) {
    const uint64_t own = oldest_of(&t->flow[i]);
    if (own < least) least = own;
  }
  return least;
}

bool transport_gave_up_on(const transport *t, transport_pair *found) {
  for (uint32_t i = 0; i < t->flows && t->given_up; i++)
    if (t->flow[i].expiries > (uint32_t)t->config->tries) {
      *found = (transport_pair){t->flow[i].source, t->flow[i].destination, t->flow[i].class_};
      return true;
    }
  return false;
}

bool transport_loses_all(const transport *t, transport_pair *found) {
  for (uint32_t i = 0; i < t->flows; i++) {
    const flow *f = &t->flow[i];
    if (f->handovers == f->end || !f->losing || !f->expiries) continue;
    *found = (transport_pair){f->source, f->destination, f->class_};
    return true;
  }
  return false;
}

bool transport_finds_apart(const transport *t, const uint32_t *part, transport_pair *found) {
  for (uint32_t i = 0; i < t->flows; i++) {
    const flow *f = &t->flow[i];
    if (f->handovers == f->end || part[f->source] == part[f->destination]) continue;
    *found = (transport_pair){f->source, f->destination, f->class_};
    return true;
  }
  return false;
}

flow_message *message_of(const flow *f, uint32_t number) {
  uint32_t low = f->oldest, high = f->messages;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    *(f->message[middle].first <= number ? &low : &high) = middle;
  }
  return &f->message[low];
}
