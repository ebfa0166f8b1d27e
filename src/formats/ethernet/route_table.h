/* route_table.h - the routes of one switch, as FRR prints them: `vtysh -c 'show ip route json'`, also `show ipv6 route
 * json` and `vrf all`; SONiC and Cumulus print the same.
 *
 * What counts is what the switch forwards by: of each prefix the selected entry, of that the next hops that the kernel
 * has
 * ("fib"), and of recursive ones those that they stand for. A set of next hops is kept once. */
#ifndef RIPSTOP_FORMATS_ETHERNET_ROUTE_TABLE_H
#define RIPSTOP_FORMATS_ETHERNET_ROUTE_TABLE_H

#include "base/text_table.h"
#include "formats/ethernet/ip_prefix.h"
#include "formats/ethernet/json_tokens.h"

typedef enum route_kind {
  ROUTE_FORWARDS,
  ROUTE_CONNECTED, /* its addresses are behind a port of the switch */
  ROUTE_LOCAL,     /* it is an address of the switch itself */
  ROUTE_DROPS      /* blackhole, or rejected, or without a usable next hop */
} route_kind;

/* No padding: sets are compared by their bytes. */
typedef struct route_hop {
  uint32_t interface; /* in `interface`; RIPSTOP_NONE: packets end here */
  uint32_t gateway;   /* in `gateway`; RIPSTOP_NONE: it has no address */
  uint32_t weight;    /* at least 1 */
  uint32_t on_link;   /* 1: the gateway may be any address of the neighbour */
} route_hop;

typedef struct route_set {
  uint32_t first, count; /* in `hop`, by interface and gateway */
} route_set;

typedef struct route {
  ip_prefix prefix;
  uint8_t kind; /* route_kind */
  uint32_t set; /* in `set`; RIPSTOP_NONE: it has no next hops */
} route;

typedef struct route_table {
  ripstop_arena *arena;
  route *route; /* after route_table_sort by ip_prefix_order */
  route_set *set;
  route_hop *hop;
  const char **interface;
  ip_prefix *gateway; /* whole addresses */
  uint32_t routes, sets, hops, interfaces, gateways;
  uint32_t other_vrfs; /* with routes, which are left out */
  size_t route_room, set_room, hop_room, interface_room, gateway_room;
  ripstop_text_table set_by_hops, interface_by_name, gateway_by_address;
} route_table;

/* True if the text may be one: an object of prefixes or of VRFs, also an empty one. */
bool route_table_is(const jt_doc *doc);
/* A table without routes, in the arena. */
void route_table_open(route_table *table, ripstop_arena *arena);
/* Adds the routes of the text. Errors name the file and the line. */
int route_table_read(route_table *table, const jt_doc *doc, ripstop_error *err);
/* After all texts: sorts the routes. -1: a prefix stands there twice. */
int route_table_sort(route_table *table, const char *name, ripstop_error *err);
/* The route of exactly this prefix; NULL: none. */
const route *route_table_find(const route_table *table, const ip_prefix *prefix);

#endif
