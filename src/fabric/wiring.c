/* wiring.c - collects cables first and numbers ports afterwards: the ports of a switch are known when all its cables
 * are. */
#include "fabric/wiring.h"

#include <string.h>

#include "base/growing.h"
#include "fabric/digits.h"

uint32_t ripstop_wiring_switch(ripstop_wiring *w, uint32_t ends, const uint16_t *coord) {
  if (w->switches == w->switches_room) {
    w->switches_room = RIPSTOP_MORE_ROOM(w->switches_room);
    w->coord = ripstop_realloc(w->coord, (size_t)w->switches_room * w->coords + 1, sizeof *w->coord);
  }
  uint32_t number = w->switches++;
  if (w->coords) memcpy(w->coord + (size_t)number * w->coords, coord, w->coords * sizeof *coord);
  for (uint32_t e = 0; e < ends; e++) ripstop_wiring_end(w, number);
  return number;
}

void ripstop_wiring_end(ripstop_wiring *w, uint32_t at) {
  RIPSTOP_GROW(w->end, w->ends, w->ends_room);
  w->end[w->ends++] = at;
}

void ripstop_wiring_cable_at(ripstop_wiring *w, uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b) {
  RIPSTOP_GROW(w->cable, w->cables, w->cables_room);
  w->cable[w->cables++] = (struct ripstop_wiring_cable){.at = {a, b}, .port = {port_a, port_b}};
}

void ripstop_wiring_cable(ripstop_wiring *w, uint32_t a, uint32_t b) {
  ripstop_wiring_cable_at(w, a, RIPSTOP_NONE, b, RIPSTOP_NONE);
}

/* Counts them, too. */
static void add_end_nodes(const ripstop_wiring *w, ripstop_builder *builder, uint32_t *ends) {
  uint16_t digit[RIPSTOP_DIGITS_MAX + 1];
  for (uint32_t i = 0; i < w->ends; i++) {
    memcpy(digit, w->coord + (size_t)w->end[i] * w->coords, w->coords * sizeof *digit);
    digit[w->coords] = (uint16_t)ends[w->end[i]]++;
    ripstop_builder_end(builder, digit);
  }
}

/* Puts numbers in place of "the next one", from the first port behind the end nodes', and counts all ports. */
static void number_ports(ripstop_wiring *w, const uint32_t *ends, uint32_t *ports) {
  memcpy(ports, ends, w->switches * sizeof *ports);
  for (uint32_t i = 0; i < w->cables; i++)
    for (unsigned side = 0; side < 2; side++) {
      uint32_t at = w->cable[i].at[side], *port = &w->cable[i].port[side];
      *port = *port == RIPSTOP_NONE ? ports[at] : ends[at] + *port;
      if (*port >= ports[at]) ports[at] = *port + 1;
    }
}

static void add_switches(const ripstop_wiring *w, ripstop_builder *builder, const uint32_t *ports) {
  uint16_t digit[RIPSTOP_DIGITS_MAX + 1];
  for (uint32_t s = 0; s < w->switches; s++) {
    memcpy(digit, w->coord + (size_t)s * w->coords, w->coords * sizeof *digit);
    digit[w->coords] = 0;
    ripstop_builder_switch(builder, ports[s], digit);
  }
}

static void add_cables(const ripstop_wiring *w, ripstop_builder *builder, uint32_t *ends) {
  for (uint32_t i = w->ends; i-- > 0;) ripstop_builder_cable(builder, i, 0, w->ends + w->end[i], --ends[w->end[i]]);
  for (uint32_t i = 0; i < w->cables; i++) {
    const struct ripstop_wiring_cable *c = &w->cable[i];
    ripstop_builder_cable(builder, w->ends + c->at[0], c->port[0], w->ends + c->at[1], c->port[1]);
  }
}

void ripstop_wiring_build(ripstop_wiring *w, ripstop_builder *builder) {
  uint32_t *ends = ripstop_realloc(NULL, w->switches, sizeof *ends); /* at each switch */
  uint32_t *ports = ripstop_realloc(NULL, w->switches, sizeof *ports);
  memset(ends, 0, w->switches * sizeof *ends);
  ripstop_builder_coords(builder, w->coords + 1);
  add_end_nodes(w, builder, ends);
  number_ports(w, ends, ports);
  add_switches(w, builder, ports);
  add_cables(w, builder, ends);
  ripstop_free(ends);
  ripstop_free(ports);
  ripstop_free(w->coord);
  ripstop_free(w->end);
  ripstop_free(w->cable);
  *w = (ripstop_wiring){0};
}

/* ------------------------------------------------------------------ names */

void ripstop_wired_node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  size_t length = ripstop_digits_print(out, 0, ripstop_coords(fabric, node), fabric->coords - 1, RIPSTOP_NONE);
  if (ripstop_is_end(fabric, node)) ripstop_name_number(out, length, ":", ripstop_wired_place(fabric, node));
}

/* The number of a link among the cables between its two nodes, from 1. */
static uint32_t twin(const ripstop_fabric *fabric, uint32_t link) {
  uint32_t number = 1, port = fabric->link_port[2 * (size_t)link], other = ripstop_link_node(fabric, link, 1);
  for (uint32_t p = fabric->port_base[fabric->port_node[port]]; p < port; p++)
    number += fabric->peer[p] != RIPSTOP_NONE && fabric->port_node[fabric->peer[p]] == other;
  return number;
}

void ripstop_wired_link_name(const ripstop_fabric *fabric, uint32_t link, char *out) {
  char other[RIPSTOP_NAME_MAX];
  uint32_t number = twin(fabric, link);
  fabric->family->node_name(fabric, ripstop_link_node(fabric, link, 0), out);
  fabric->family->node_name(fabric, ripstop_link_node(fabric, link, 1), other);
  size_t length = strlen(out);
  snprintf(out + length, RIPSTOP_NAME_MAX - length, "--%s", other);
  if (number > 1) ripstop_name_number(out, strlen(out), "#", number);
}
