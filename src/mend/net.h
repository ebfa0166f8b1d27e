/* net.h - what is alive between the switches of a view, in arrays for the search: switches from 0, channels in pairs
 * (c and c ^ 1 are the two directions of a cable), turns from a channel to one that goes on from its end. All turns
 * into one channel stand together, as those who search backwards from a destination want them. */
#ifndef MEND_NET_H
#define MEND_NET_H

#include "fabric/ib/net.h"
#include "ripstop/faults.h"
#include "ripstop/forwarding.h"

/* The channel that a port sends into, and the switch where it leads; RIPSTOP_NONE: none. */
typedef struct mend_hop {
  uint32_t channel, to;
} mend_hop;

/* A channel that leaves a switch, where it leads, and the port by which the switch there sends back. */
typedef struct mend_side {
  uint32_t out, to;
  uint16_t back;
} mend_side;

typedef struct mend_net {
  const ripstop_view *view;
  uint32_t switches, channels, turns;
  uint32_t addresses;         /* of each end node; 1 where nobody says more */
  const uint32_t *from, *to;  /* [channels] */
  const uint32_t *port;       /* [channels]: of the fabric, that sends into it */
  const uint16_t *local;      /* [channels]: the same as an output port of its switch */
  const uint32_t *first_port; /* [switches + 1]: of the fabric's ports, the first of each switch */
  const mend_hop *hop;        /* [ports of the fabric] */
  const uint32_t *out_first;  /* [switches + 1] */
  const uint32_t *out;        /* channels that leave a switch; those that arrive are their reverses */
  const mend_side *side;      /* [channels]: of `out` */
  const uint32_t *slot;       /* [channels]: place in `out` of its own switch */
  const uint32_t *turn_first; /* [channels]: of those into it */
  uint32_t *hosts;            /* [switches]: live end nodes there */
  uint32_t *home;             /* [ends]: the switch; RIPSTOP_NONE: cut off */
  uint32_t *part;             /* [switches]: component, a switch of it; RIPSTOP_NONE: dead */
  uint32_t *queue;            /* [switches]: scratch */
} mend_net;

/* Of what is alive now; the view may change afterwards. */
void mend_net_make(mend_net *net, const ripstop_view *view, ripstop_arena *arena);
/* With channels of dead cables as well; `hosts`, `home` and `part` are of what is alive. */
void mend_net_make_whole(mend_net *net, const ripstop_view *view, ripstop_arena *arena);
/* Of a whole net, after its view has changed: `hosts`, `home` and `part` anew. */
void mend_net_follow(mend_net *net);
static inline bool mend_net_alive(const mend_net *net, uint32_t c) { return net->view->port_up[net->port[c]]; }

/* The fewest channels of one direction that all paths between two end nodes at different switches need; more than there
 * are cables when no such pair is. Cost: channels x switches. */
uint32_t mend_net_connected(const mend_net *net, ripstop_arena *scratch);

/* Breadth first from a switch over those whose distance is RIPSTOP_NONE: hops to `distance`, the switches in the order
 * in which they are reached to `queue`, both [switches]. Returns how many are. */
uint32_t mend_net_search(const mend_net *net, uint32_t from, uint32_t *distance, uint32_t *queue);

/* Where a switch sends by its port in a row of tables, which has one. */
static inline mend_hop mend_hop_of(const mend_net *net, const uint16_t *row, uint32_t s) {
  return net->hop[net->first_port[s] + row[s]];
}
/* The same as a channel; RIPSTOP_NONE: the row has none. */
static inline uint32_t mend_next(const mend_net *net, const uint16_t *row, uint32_t s) {
  return row[s] == RIPSTOP_NO_PORT ? RIPSTOP_NONE : mend_hop_of(net, row, s).channel;
}

static inline uint32_t mend_outs(const mend_net *net, uint32_t s) { return net->out_first[s + 1] - net->out_first[s]; }
/* From channel c on into channel d, which leaves the switch that c leads to. */
static inline uint32_t mend_turn(const mend_net *net, uint32_t c, uint32_t d) {
  return net->turn_first[d] + net->slot[c ^ 1];
}
/* The port of its own switch that an end node or a switch is sent to from. A switch is at port 0 of itself where ports
 * are those of InfiniBand; elsewhere that is a port like any other, and it has no entry for itself. */
static inline uint16_t mend_last_port(const ripstop_fabric *f, uint32_t node) {
  if (ripstop_is_end(f, node)) return (uint16_t)ripstop_end_switch_port(f, node);
  return ripstop_net_first_port(f) == 0 ? 0 : RIPSTOP_NO_PORT;
}
/* No packet goes back to the switch that it comes from, over whatever cable. */
static inline bool mend_goes_back(const mend_net *net, uint32_t c, uint32_t d) { return net->to[d] == net->from[c]; }

#endif
