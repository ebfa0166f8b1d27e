/* fib.h - the forwarding state of an Ethernet fabric: for each switch and each class of addresses a set of next hops
 * with weights, made of the switches' routes and of how they are cabled.
 *
 * A host is a port of a switch with prefixes behind it. Its addresses are a class for each of its prefixes, and one for
 * each longer prefix inside that some switch has a route for, because such packets may be forwarded differently. A
 * class takes the longest route that covers it. Ports are those of the cabling, by number; switches are numbered in the
 * order of their names. Everything belongs to the arena. */
#ifndef RIPSTOP_TABLES_ETHERNET_FIB_H
#define RIPSTOP_TABLES_ETHERNET_FIB_H

#include "formats/ethernet/cabling.h"
#include "formats/ethernet/route_table.h"

/* Entries that are not the number of a set. */
#define FIB_NO_ROUTE UINT32_MAX
#define FIB_DELIVERS (UINT32_MAX - 1) /* the prefix is connected here */
#define FIB_DROPS    (UINT32_MAX - 2) /* a blackhole, or no usable next hop */

#define FIB_LOST UINT32_MAX /* a next hop that leads to no switch which forwards */

static inline bool fib_is_set(uint32_t entry) { return entry < FIB_DROPS; }

typedef struct fib_hop {
  uint32_t port;   /* its number in the cabling; RIPSTOP_NONE: packets end at the switch */
  uint32_t to;     /* the switch behind it, or FIB_LOST */
  uint64_t weight; /* at least 1 */
} fib_hop;

typedef struct fib_set {
  uint32_t first, count; /* in `hop`, by port */
  uint64_t weight;       /* the sum */
  bool about;            /* the weights are rounded */
} fib_set;

/* The routes of a switch. */
typedef struct fib_source {
  const char *file; /* for messages */
  uint32_t node;
  route_table *routes;
} fib_source;

/* Names for messages, each once, in the order of their bytes. */
typedef struct fib_names {
  const char **name;
  uint32_t count;
  size_t room;
} fib_names;

typedef struct fib_host {
  const char *name;
  uint32_t switch_, group;
  uint32_t port; /* the switch's */
} fib_host;

/* Hosts with the same prefixes. */
typedef struct fib_group {
  uint32_t first, count; /* classes */
  uint32_t hosts;
} fib_group;

typedef struct fib_class {
  ip_prefix prefix;
  ip_prefix owner; /* the host's prefix in which it lies */
  uint32_t group;
} fib_class;

/* Entries of one age. */
typedef struct fib_state {
  uint32_t *entry;      /* [classes * switches]: FIB_..., or a set */
  route_table **routes; /* [switches]; NULL: the switch has none of this age */
} fib_state;

typedef struct fib {
  ripstop_arena *arena;
  cabling *c;
  uint32_t switches;
  uint32_t *node;      /* [switches] */
  uint32_t *switch_of; /* by node; RIPSTOP_NONE: it has no table */
  fib_host *host;
  fib_group *group;
  fib_class *class_;
  uint32_t hosts, groups, classes;
  size_t host_room, group_room, class_room;
  uint32_t *hosts_at; /* [switches]: hosts with prefixes */
  bool *is_edge;      /* [switches]: with hosts, of whatever kind */
  fib_set *set;
  fib_hop *hop;
  uint32_t sets, hops;
  size_t set_room, hop_room;
  ripstop_text_table set_by_hops;
  fib_state now, before; /* before.entry NULL: there are no older tables */
  bool planned_hosts;    /* hosts are nodes of the cabling, not prefixes */
  fib_names unknown_interfaces, nobody, several, no_table, no_prefix, out_of_band, no_before;
  fib_names no_now; /* files of older routes of switches that have no present ones */
} fib;

/* `before` may be empty. The cabling gets the ports that only routes name. */
int fib_open(fib *f, ripstop_arena *arena, cabling *c, const fib_source *now, uint32_t count, const fib_source *before,
             uint32_t before_count, ripstop_error *err);
/* The set of these hops ([count], which it sorts), made where it is new. */
uint32_t fib_set_of(fib *f, fib_hop *hop, uint32_t count);
void fib_note(fib *f, fib_names *names, const char *name);
/* "leaf1[swp1]"; in the arena. */
const char *fib_port_name(const fib *f, uint32_t port);
const char *fib_prefix_name(const fib *f, const ip_prefix *prefix);
/* Entries that have next hops, once for each host that they lead to; the distinct sets of ports among them; the size of
 * the largest. */
typedef struct fib_census {
  uint64_t entries;
  uint32_t sets, largest;
} fib_census;
fib_census fib_count(const fib *f);

static inline uint32_t fib_entry(const fib *f, const fib_state *state, uint32_t class_, uint32_t switch_) {
  return state->entry[(size_t)class_ * f->switches + switch_];
}

#endif
