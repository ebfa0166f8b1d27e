/* switch_graph.h - what is alive between the switches of a view, in arrays for searches: switches from 0; channels in
 * pairs (c and c ^ 1 are the two directions of a cable); turns, from a channel to one that continues from its end. All
 * turns into one channel are adjacent, for searches backwards from a destination. */
#ifndef TABLES_SWITCH_GRAPH_H
#define TABLES_SWITCH_GRAPH_H

#include "fabric/ib/net.h"
#include "ripstop/faults.h"
#include "ripstop/forwarding.h"

/* The channel that a port sends into, and the switch to which it leads; RIPSTOP_NONE: none. */
typedef struct mend_hop {
  uint32_t channel, to;
} mend_hop;

/* A channel that leaves a switch, the switch to which it leads, and the port by which that one sends back. */
typedef struct mend_side {
  uint32_t out, to;
  uint16_t back;
} mend_side;

typedef struct mend_net {
  const ripstop_view *view;
  uint32_t switches, channels, turns;
  uint32_t addresses;         /* for each end node; 1 by default */
  const uint32_t *from, *to;  /* [channels] */
  const uint32_t *port;       /* [channels]: the fabric's port that sends into it */
  const uint16_t *local;      /* [channels]: the same as an output port of its switch */
  const uint32_t *first_port; /* [switches + 1]: the first of each switch's ports in the fabric */
  const mend_hop *hop;        /* [ports of the fabric] */
  const uint32_t *out_first;  /* [switches + 1] */
  const uint32_t *out;        /* channels that leave each switch; those that arrive are their reverses */
  const mend_side *side;      /* [channels]: in the order of `out` */
  const uint32_t *slot;       /* [channels]: position in `out` of its own switch */
  const uint32_t *turn_first; /* [channels + 1]: the first turn into each */
  uint32_t *hosts;            /* [switches]: live end nodes there */
  uint32_t *home;             /* [ends]: the switch; RIPSTOP_NONE: cut off */
  uint32_t *part;             /* [switches]: component, named by one of its switches; RIPSTOP_NONE: failed */
  uint32_t *queue;            /* [switches]: scratch */
} mend_net;

/* Describes what is alive now; the view may change afterwards. */
void mend_net_make(mend_net *net, const ripstop_view *view, ripstop_arena *arena);
/* The same with channels of failed cables, too; `hosts`, `home` and `part` describe what is alive. */
void mend_net_make_whole(mend_net *net, const ripstop_view *view, ripstop_arena *arena);
/* Recomputes `hosts`, `home` and `part` of a whole net after its view has changed. */
void mend_net_follow(mend_net *net);
static inline bool mend_net_alive(const mend_net *net, uint32_t c) { return net->view->port_up[net->port[c]]; }

/* The fewest channels of one direction that disconnect two end nodes at different switches when they fail; more than
 * there are cables if no such pair exists. Cost: channels x switches. */
uint32_t mend_net_connected(const mend_net *net, ripstop_arena *scratch);

/* Breadth-first search from a switch over those whose distance is RIPSTOP_NONE: hops to `distance`, the switches in
 * the order of their discovery to `queue`, both [switches]. Returns how many were found. */
uint32_t mend_net_search(const mend_net *net, uint32_t from, uint32_t *distance, uint32_t *queue);

/* The next hop of a switch by its port in a row of tables; the row must have one. */
static inline mend_hop mend_hop_of(const mend_net *net, const uint16_t *row, uint32_t s) {
  return net->hop[net->first_port[s] + row[s]];
}
/* The same as a channel; RIPSTOP_NONE: the row has none. */
static inline uint32_t mend_next(const mend_net *net, const uint16_t *row, uint32_t s) {
  return row[s] == RIPSTOP_NO_PORT ? RIPSTOP_NONE : mend_hop_of(net, row, s).channel;
}

static inline uint32_t mend_outs(const mend_net *net, uint32_t s) { return net->out_first[s + 1] - net->out_first[s]; }
/* The turn from channel c into channel d, which leaves the switch that c leads to. */
static inline uint32_t mend_turn(const mend_net *net, uint32_t c, uint32_t d) {
  return net->turn_first[d] + net->slot[c ^ 1];
}
/* The port by which a node's own switch reaches it. With InfiniBand port numbers a switch is at its own port 0.
 * Elsewhere port 0 is an ordinary port, and a switch has no entry for itself. */
static inline uint16_t mend_last_port(const ripstop_fabric *f, uint32_t node) {
  if (ripstop_is_end(f, node)) return (uint16_t)ripstop_end_switch_port(f, node);
  return ripstop_net_first_port(f) == 0 ? 0 : RIPSTOP_NO_PORT;
}
/* True if d leads back to the switch that c comes from, over any cable; no packet does that. */
static inline bool mend_goes_back(const mend_net *net, uint32_t c, uint32_t d) { return net->to[d] == net->from[c]; }

#endif
