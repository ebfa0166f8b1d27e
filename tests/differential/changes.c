/* changes.c - the first step of a cycle: what fails and what comes back, and what is lost by it. */
#include "simulate/run_result.h"
#include "things.h"

#include <string.h>

static void note_loss(model *m, uint32_t packet, uint32_t cause) {
  slow_must(m, m->packet[packet].delivered == MODEL_NEVER, "a delivered packet is lost");
  m->packet[packet].cause = cause;
  m->lost[cause < MODEL_CAUSES ? cause : MODEL_CAUSES - 1]++;
  slow_story(m, packet, "lost", m->packet[packet].source, RIPSTOP_NONE, 0);
}

void slow_lose(model *m, uint32_t packet, uint32_t cause) {
  if (slow_is_lost(m, packet) || m->packet[packet].control) return;
  note_loss(m, packet, cause);
  if (m->game) slow_game_lost(m, packet);
}

/* The packet is lost to its sender's surprise: the agent of the receiver has it as a delivery. */
void slow_header_arrives(model *m, uint32_t packet) {
  note_loss(m, packet, RIPSTOP_LOST_TRIMMED);
  if (m->game) slow_game_delivered(m, packet);
}

static void lose_flit(model *m, flit f, uint32_t cause) {
  if (f.packet != RIPSTOP_NONE && !slow_is_cut_off(m, f)) slow_lose(m, f.packet, cause);
}

static void lose_line(model *m, const line *l, uint32_t cause) {
  for (size_t i = 0; i < l->count; i++) lose_flit(m, l->at[l->first + i], cause);
}

static void lose_row(model *m, const row *r, uint32_t cause) {
  for (uint32_t i = 0; i < r->places; i++) lose_flit(m, r->place[i], cause);
}

/* The packet that a link was sending when this cycle began, of which there may be no flit on the wire of a slow one;
 * RIPSTOP_NONE: none. What goes nowhere is on no link. */
static uint32_t being_sent(const model *m, uint32_t v, uint32_t port) {
  const node *n = &m->node[v];
  const output *o = &n->output[port];
  if (slow_is_bound(m, v)) return slow_occupant_on(m, v, port);
  if (slow_has_output_queues(m, v))
    return o->link_busy && !o->talking && !o->sending_nowhere ? slow_line_front(&o->queue[o->sending]).packet
                                                              : RIPSTOP_NONE;
  for (uint32_t i = 0; i < n->sides; i++)
    if (n->side[i].busy && n->side[i].to == TO_LINK && n->side[i].port == port)
      return slow_is_cut_off(m, slow_line_front(&n->queue[n->side[i].queue].line)) ? RIPSTOP_NONE : n->side[i].packet;
  return RIPSTOP_NONE;
}

/* One direction of a link has died: what is on it, and what waits for it, is lost. */
static void lose_port(model *m, uint32_t port, uint32_t cause) {
  uint32_t v = m->fabric->port_node[port], sent = being_sent(m, v, port - m->fabric->port_base[v]);
  output *o = &m->node[v].output[port - m->fabric->port_base[v]];
  lose_row(m, &o->wire, cause);
  if (sent != RIPSTOP_NONE) slow_lose(m, sent, cause);
  lose_line(m, &o->slow, cause);
  for (uint32_t c = 0; c < m->channels; c++) lose_line(m, &o->queue[c], cause);
}

static void forget(model *m, uint32_t end, input *in, uint32_t packet) {
  in->stalled -= slow_units(m, packet);
  if (m->packet[packet].transit_packet) slow_transit_packet_is_gone(m, end, m->now);
}

/* A switch has failed, and with it the network interfaces behind it: packets that wait in them are lost. Only
 * the packet at the head of a queue is in the interface itself and keeps its place; of those behind it nothing remains.
 * A packet that leaves in this cycle is still the head. */
static void lose_interface(model *m, uint32_t end) {
  for (uint32_t q = 0; q < m->node[end].queues; q++) {
    input *in = &m->node[end].queue[q];
    uint32_t head = slow_line_front(&in->line).packet;
    size_t kept = 0;
    lose_line(m, &in->line, RIPSTOP_LOST_SWITCH);
    if (head == RIPSTOP_NONE || in->left == m->now) head = RIPSTOP_NONE;
    while (kept < in->line.count && head != RIPSTOP_NONE && in->line.at[in->line.first + kept].packet == head) kept++;
    for (size_t i = kept; i < in->line.count; i++)
      if (in->line.at[in->line.first + i].number == 0) forget(m, end, in, in->line.at[in->line.first + i].packet);
    in->line.count = kept;
  }
}

/* A switch has failed: packets in its queues and pipelines and in its end nodes' network interfaces are lost. */
static void lose_switch(model *m, uint32_t v) {
  for (uint32_t q = 0; q < m->node[v].queues; q++) lose_line(m, &m->node[v].queue[q].line, RIPSTOP_LOST_SWITCH);
  slow_occupants_lost(m, v);
  for (uint32_t p = 0; p < m->node[v].outputs; p++) {
    lose_row(m, &m->node[v].pipeline[p], RIPSTOP_LOST_SWITCH);
    lose_line(m, &m->node[v].waiting[p], RIPSTOP_LOST_SWITCH);
    for (uint32_t c = 0; c < m->channels; c++) lose_line(m, &m->node[v].output[p].queue[c], RIPSTOP_LOST_SWITCH);
  }
  for (uint32_t e = 0; e < m->fabric->ends; e++)
    if (ripstop_end_switch(m->fabric, e) == v) lose_interface(m, e);
}

/* True if it changes anything. */
static bool change_part(model *m, const ripstop_change *c) {
  uint8_t *before = ripstop_realloc(NULL, m->fabric->ports, 1);
  bool there = c->is_switch ? m->view->node_up[c->id] : m->view->link_up[c->id];
  memcpy(before, m->view->port_up, m->fabric->ports);
  ripstop_view_apply(m->view, c);
  for (uint32_t p = 0; p < m->fabric->ports; p++)
    if (before[p] && !m->view->port_up[p]) lose_port(m, p, c->is_switch ? RIPSTOP_LOST_SWITCH : RIPSTOP_LOST_LINK);
  if (c->is_switch && !c->up) lose_switch(m, c->id);
  if (m->talk && there != c->up) slow_talk_change(m, c, before);
  ripstop_free(before);
  return there != c->up;
}

/* The schedule's changes for this cycle, then those that agents requested. */
int slow_changes(model *m) {
  const ripstop_schedule *schedule = m->sim->schedule;
  bool changed = false;
  ripstop_change asked;
  for (; schedule && m->change < schedule->count && schedule->change[m->change].cycle == m->now;)
    changed |= change_part(m, &schedule->change[m->change++]);
  while (slow_game_change(m, &asked)) changed |= change_part(m, &asked);
  if (m->stop) return slow_stop_step(m, changed);
  return changed ? slow_compile(m) : 0;
}
