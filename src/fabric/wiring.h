/* wiring.h - switches, end nodes and cables in any order, from which a fabric is built. A switch's first ports lead to
 * its end nodes; the next ones to its cables, in their order, or where the family says.
 *
 * Nodes get the switch's coordinates and one more: for an end node its number at the switch, for a switch 0. An end
 * node is named after its switch, with ":0", ":1" behind it, a link "A--B", the second between the same two "A--B#2".
 */
#ifndef RIPSTOP_FABRIC_WIRING_H
#define RIPSTOP_FABRIC_WIRING_H

#include "ripstop/plugin/family.h"

/* The option `p` of a config that has an int64_t of that name; without a fallback it must be given. */
#define RIPSTOP_ENDS_EACH(config, place, otherwise)                                                          \
  {                                                                                                          \
    .name = "p", .type = RIPSTOP_OPTION_INTEGER, .offset = offsetof(config, p), .min = 1, .max = UINT16_MAX, \
    .fallback = (otherwise), .help = "end nodes at each " place                                              \
  }

typedef struct ripstop_wiring {
  uint32_t coords; /* a switch has */
  uint32_t switches, switches_room, ends, ends_room, cables, cables_room;
  uint16_t *coord; /* [switches * coords] */
  uint32_t *end;   /* [ends]: the switch of an end node */
  struct ripstop_wiring_cable {
    uint32_t at[2];   /* switches; the first names the link */
    uint32_t port[2]; /* from the first that leads to no end node; RIPSTOP_NONE: the next one */
  } * cable;          /* [cables] */
} ripstop_wiring;

/* A switch with end nodes and coordinates, which may be NULL if there are none; returns its number, from 0. */
uint32_t ripstop_wiring_switch(ripstop_wiring *w, uint32_t ends, const uint16_t *coord);
/* One more end node. They are numbered in the order in which they come. */
void ripstop_wiring_end(ripstop_wiring *w, uint32_t at);
void ripstop_wiring_cable(ripstop_wiring *w, uint32_t a, uint32_t b);
/* At ports of its own, from 0 for the first that leads to no end node; a switch has all its cables in this way, or
 * none. */
void ripstop_wiring_cable_at(ripstop_wiring *w, uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b);
/* Gives all of it to the builder, and frees what `w` holds. */
void ripstop_wiring_build(ripstop_wiring *w, ripstop_builder *builder);

/* An end node's number at its switch. */
static inline uint32_t ripstop_wired_place(const ripstop_fabric *fabric, uint32_t end) {
  return fabric->coord[(size_t)end * fabric->coords + fabric->coords - 1];
}
void ripstop_wired_node_name(const ripstop_fabric *fabric, uint32_t node, char *out);
void ripstop_wired_link_name(const ripstop_fabric *fabric, uint32_t link, char *out);

#endif
