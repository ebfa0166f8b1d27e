/* forwarding.h - forwarding tables as switches hold them: for each switch and each address the next hop, or a set of
 * them, and which virtual lane a packet takes. What subnet managers write, and what `ripstop judge` walks through.
 *
 * An address is what packets are sent to (InfiniBand: a LID). An end node may have several, a switch one for messages
 * of management. Packets carry a service level (SL), which follows from source and address and never changes; from it
 * and from both ports each switch reads the virtual lane (VL) of the next link (SL2VL). Files know all three:
 * opensm-lfts.dump, opensm-path-records.dump, opensm-sl2vl.dump. Arrays belong to `arena`. */
#ifndef RIPSTOP_FORWARDING_H
#define RIPSTOP_FORWARDING_H

#include "ripstop/plugin/base.h"
#include "ripstop/routes.h"

RIPSTOP_BEGIN

#define RIPSTOP_NO_PORT UINT16_MAX /* the switch has no entry for the address */

enum { RIPSTOP_LEVELS = 16, RIPSTOP_LANES = 15 }; /* service levels, and virtual lanes for data */

/* One of the next hops of an entry that has several: a switch shares packets among them by weight. */
typedef struct ripstop_next_hop {
  uint16_t port, weight;
} ripstop_next_hop;

typedef struct ripstop_hop_set {
  uint32_t first, count; /* in ripstop_hop_sets.hop */
} ripstop_hop_set;

/* The sets of next hops of one switch, each once; ripstop_forwarding_set_hops makes them. */
typedef struct ripstop_hop_sets {
  ripstop_hop_set *set;
  ripstop_next_hop *hop;
  uint32_t sets, set_room, hops, hop_room;
} ripstop_hop_sets;

/* The multicast group of one MLID (a LID from 0xC000 on). A switch sends a copy of each packet to every port of its
 * mask but the one by which the packet came. */
typedef struct ripstop_group {
  uint32_t mlid;
  const char *mgid; /* its addresses as the subnet administrator names them, ", " between several; NULL: unknown */
  uint16_t levels;  /* a bit for each service level of these */
  bool assumed;     /* they are unknown, and level 0 is assumed */
  uint64_t *mask;   /* [fabric->ports]: a bit for each port of a switch that gets copies */
  bool *own;        /* [switches]: the switch itself gets one (port 0) */
  uint32_t members; /* end nodes and switches that joined to receive */
  uint32_t *member; /* [members]; NULL: unknown */
} ripstop_group;

typedef struct ripstop_groups {
  ripstop_group *group; /* [groups]: ascending by MLID */
  uint32_t groups;
} ripstop_groups;

struct ripstop_forwarding {
  const ripstop_fabric *fabric;
  uint32_t addresses;
  uint32_t *node;    /* [addresses]: an end node, or a switch; ascending */
  uint16_t *port;    /* [addresses * switches]: local output port at address * switches + (node - ends); the number of
                      * the switch's ports + i: its set i */
  uint32_t lanes;    /* in use: 1 .. RIPSTOP_LANES */
  uint8_t *level;    /* [ends * addresses]: of a packet, at source * addresses + address; NULL: 0 for all */
  bool level_shared; /* `level` is [addresses], the same for all sources */
  /* By input port (0: the switch's own packets), output port and level, see ripstop_forwarding_lane; RIPSTOP_LANES or
   * more: the packet is dropped. NULL: the VL is the level modulo `lanes`. */
  uint8_t *lane;
  size_t *lane_first; /* [switches]: the first entry of each in `lane` */
  uint8_t *end_lane;  /* [ends * RIPSTOP_LEVELS]: the VL on the first link; NULL: the level modulo `lanes` */
  /* InfiniBand's tables have none of these. */
  ripstop_hop_sets *sets;       /* [switches]; NULL: no entry has several next hops */
  uint8_t *next_level;          /* the service level after the switch, indexed like `lane`; NULL: packets keep theirs */
  uint16_t drops;               /* a bit for each VL whose packets are dropped where there is no room, and never wait */
  const ripstop_groups *groups; /* multicast; NULL: unknown */
  ripstop_arena *arena;
};

/* Tables without entries for the addresses at `node` ([addresses], ascending); one VL. NULL: no memory. */
ripstop_forwarding *ripstop_forwarding_new(const ripstop_fabric *fabric, const uint32_t *node, uint32_t addresses);
/* The same in memory of an arena, with which they go. */
ripstop_forwarding *ripstop_forwarding_in(ripstop_arena *arena, const ripstop_fabric *fabric, const uint32_t *node,
                                          uint32_t addresses);
/* All of it once more, in memory of an arena, with which it goes. NULL: no memory. */
ripstop_forwarding *ripstop_forwarding_copy(ripstop_arena *arena, const ripstop_forwarding *forwarding);
/* The same entries and levels with addresses for all nodes: those that were missing have no entries; an end node gets
 * as many of them as others have. The VLs follow from service levels. NULL: no memory. */
ripstop_forwarding *ripstop_forwarding_cover(const ripstop_forwarding *forwarding);
/* If all addresses of each node have the same entries and levels, one for each node remains. false: nothing is changed,
 * or there is no memory. */
bool ripstop_forwarding_fold(ripstop_forwarding *forwarding);
/* The most addresses of one node; 1 where there is none. */
uint32_t ripstop_forwarding_most(const ripstop_forwarding *forwarding);
/* True if the level to some address depends on the source; levels from a node to itself do not count. */
bool ripstop_forwarding_by_pair(const ripstop_forwarding *forwarding);
/* True if the VL of each level that a path uses is `level % lanes` at every port, as when `lane` is NULL. */
bool ripstop_forwarding_plain(const ripstop_forwarding *forwarding);

static inline uint16_t ripstop_forwarding_port(const ripstop_forwarding *f, uint32_t address, uint32_t switch_) {
  return f->port[(size_t)address * ripstop_fabric_switches(f->fabric) + (switch_ - f->fabric->ends)];
}
static inline void ripstop_forwarding_set(ripstop_forwarding *f, uint32_t address, uint32_t switch_, uint16_t port) {
  f->port[(size_t)address * ripstop_fabric_switches(f->fabric) + (switch_ - f->fabric->ends)] = port;
}
static inline unsigned ripstop_forwarding_level(const ripstop_forwarding *f, uint32_t source, uint32_t address) {
  return f->level ? f->level[(f->level_shared ? 0 : (size_t)source) * f->addresses + address] : 0;
}
/* A bit for each service level of multicast packets. */
static inline unsigned ripstop_forwarding_group_levels(const ripstop_forwarding *f) {
  unsigned levels = 0;
  for (uint32_t i = 0; f->groups && i < f->groups->groups; i++) levels |= f->groups->group[i].levels;
  return levels;
}
/* The rows of `level`, each of all addresses: one for each source, or for all. */
static inline uint32_t ripstop_forwarding_level_rows(const ripstop_forwarding *f) {
  return !f->level ? 0 : f->level_shared ? 1 : f->fabric->ends;
}
/* The number of addresses of end nodes; these come first. */
static inline uint32_t ripstop_forwarding_ends(const ripstop_forwarding *f) {
  uint32_t count = 0;
  while (count < f->addresses && ripstop_is_end(f->fabric, f->node[count])) count++;
  return count;
}
/* The i-th next hop of an entry; RIPSTOP_NO_PORT: there are no more. A port may not exist: see ripstop_node_ports. */
static inline ripstop_next_hop ripstop_forwarding_hop(const ripstop_forwarding *f, uint32_t address, uint32_t switch_,
                                                      uint32_t i) {
  const uint16_t port = ripstop_forwarding_port(f, address, switch_);
  const ripstop_next_hop one = {port, 1}, none = {RIPSTOP_NO_PORT, 0};
  uint32_t ports = ripstop_node_ports(f->fabric, switch_);
  if (!f->sets || port < ports) return i == 0 ? one : none;
  const ripstop_hop_sets *own = &f->sets[switch_ - f->fabric->ends];
  if (port - ports >= own->sets || i >= own->set[port - ports].count) return none;
  return own->hop[own->set[port - ports].first + i];
}
/* Gives an entry several next hops. Their order does not matter, and weights are at least 1. -1: there is no memory, or
 * the switch has more sets than an entry can name. */
int ripstop_forwarding_set_hops(ripstop_forwarding *forwarding, uint32_t address, uint32_t switch_,
                                const ripstop_next_hop *hops, uint32_t count, ripstop_error *err);
/* The VL on a switch's output port for a packet that came in on `in`; both ports are local. */
static inline unsigned ripstop_forwarding_lane(const ripstop_forwarding *f, uint32_t switch_, uint32_t in, uint32_t out,
                                               unsigned level) {
  if (!f->lane) return level % f->lanes;
  size_t row = (size_t)in * ripstop_node_ports(f->fabric, switch_) + out;
  return f->lane[f->lane_first[switch_ - f->fabric->ends] + row * RIPSTOP_LEVELS + level];
}
/* The service level with which such a packet goes on. */
static inline unsigned ripstop_forwarding_next_level(const ripstop_forwarding *f, uint32_t switch_, uint32_t in,
                                                     uint32_t out, unsigned level) {
  if (!f->next_level) return level;
  size_t row = (size_t)in * ripstop_node_ports(f->fabric, switch_) + out;
  return f->next_level[f->lane_first[switch_ - f->fabric->ends] + row * RIPSTOP_LEVELS + level];
}
static inline unsigned ripstop_forwarding_end_lane(const ripstop_forwarding *f, uint32_t end, unsigned level) {
  return f->end_lane ? f->end_lane[(size_t)end * RIPSTOP_LEVELS + level] : level % f->lanes;
}

/* ------------------------------------------------------------------ files
 * GUIDs, LIDs and port numbers are those of the dump that the fabric was made of; where there is none, those of the net
 * file that `ripstop fabric --net` prints. -1: there are more addresses than LIDs, or a switch has too many ports. */

/* Linear forwarding tables as OpenSM dumps and loads them (`opensm -R file -U`). Addresses that a switch has no entry
 * for are left out of its table. */
int ripstop_forwarding_print(const ripstop_forwarding *forwarding, FILE *file, ripstop_error *err);
/* The service level of each pair, and the virtual lane of each service level between each two ports of a switch and at
 * each end node: as ibdmchk reads them. */
int ripstop_forwarding_print_levels(const ripstop_forwarding *forwarding, FILE *file, ripstop_error *err);
int ripstop_forwarding_print_lanes(const ripstop_forwarding *forwarding, FILE *file, ripstop_error *err);

RIPSTOP_END

#endif
