/* switch_graph.h - what is alive between the switches of a view, in arrays for searches: switches from 0; channels in
 * pairs (c and c ^ 1 are the two directions of a cable); turns, from a channel to one that continues from its end. All
 * turns into one channel are adjacent, for searches backwards from a destination. */
#ifndef TABLES_SWITCH_GRAPH_H
#define TABLES_SWITCH_GRAPH_H

#include "fabric/ib_subnet.h"
#include "ripstop/faults.h"
#include "ripstop/forwarding.h"

/* The channel that a port sends into, and the switch to which it leads; RIPSTOP_NONE: none. */
typedef struct switch_graph_hop {
  uint32_t channel, to;
} switch_graph_hop;

/* A channel that leaves a switch, the switch to which it leads, and the port by which that one sends back. */
typedef struct switch_graph_side {
  uint32_t out, to;
  uint16_t back;
} switch_graph_side;

typedef struct switch_graph {
  const ripstop_view *view;
  uint32_t switches, channels, turns;
  uint32_t addresses;            /* for each end node; 1 by default */
  const uint32_t *from, *to;     /* [channels] */
  const uint32_t *port;          /* [channels]: the fabric's port that sends into it */
  const uint16_t *local;         /* [channels]: the same as an output port of its switch */
  const uint32_t *first_port;    /* [switches + 1]: the first of each switch's ports in the fabric */
  const switch_graph_hop *hop;   /* [ports of the fabric] */
  const uint32_t *out_first;     /* [switches + 1] */
  const uint32_t *out;           /* channels that leave each switch; those that arrive are their reverses */
  const switch_graph_side *side; /* [channels]: in the order of `out` */
  const uint32_t *slot;          /* [channels]: position in `out` of its own switch */
  const uint32_t *turn_first;    /* [channels + 1]: the first turn into each */
  uint32_t *hosts;               /* [switches]: live end nodes there */
  uint32_t *home;                /* [ends]: the switch; RIPSTOP_NONE: cut off */
  uint32_t *part;                /* [switches]: component, named by one of its switches; RIPSTOP_NONE: failed */
  uint32_t *queue;               /* [switches]: scratch */
} switch_graph;

/* Describes what is alive now; the view may change afterwards. */
void switch_graph_make(switch_graph *net, const ripstop_view *view, ripstop_arena *arena);
/* The same with channels of failed cables, too; `hosts`, `home` and `part` describe what is alive. */
void switch_graph_make_whole(switch_graph *net, const ripstop_view *view, ripstop_arena *arena);
/* Recomputes `hosts`, `home` and `part` of a whole net after its view has changed. */
void switch_graph_follow(switch_graph *net);
static inline bool switch_graph_up(const switch_graph *net, uint32_t c) { return net->view->port_up[net->port[c]]; }

/* The fewest channels of one direction that disconnect two end nodes at different switches when they fail; more than
 * there are cables if no such pair exists. Cost: channels x switches. */
uint32_t switch_graph_connectivity(const switch_graph *net, ripstop_arena *scratch);

/* Breadth-first search from a switch over those whose distance is RIPSTOP_NONE: hops to `distance`, the switches in
 * the order of their discovery to `queue`, both [switches]. Returns how many were found. */
uint32_t switch_graph_search(const switch_graph *net, uint32_t from, uint32_t *distance, uint32_t *queue);

/* The next hop of a switch by its port in a row of tables; the row must have one. */
static inline switch_graph_hop switch_graph_hop_of(const switch_graph *net, const uint16_t *row, uint32_t s) {
  return net->hop[net->first_port[s] + row[s]];
}
/* The same as a channel; RIPSTOP_NONE: the row has none. */
static inline uint32_t switch_graph_next(const switch_graph *net, const uint16_t *row, uint32_t s) {
  return row[s] == RIPSTOP_NO_PORT ? RIPSTOP_NONE : switch_graph_hop_of(net, row, s).channel;
}

static inline uint32_t switch_graph_outs(const switch_graph *net, uint32_t s) {
  return net->out_first[s + 1] - net->out_first[s];
}
/* The turn from channel c into channel d, which leaves the switch that c leads to. */
static inline uint32_t switch_graph_turn(const switch_graph *net, uint32_t c, uint32_t d) {
  return net->turn_first[d] + net->slot[c ^ 1];
}
/* The port by which a node's own switch reaches it. With InfiniBand port numbers a switch is at its own port 0.
 * Elsewhere port 0 is an ordinary port, and a switch has no entry for itself. */
static inline uint16_t switch_graph_last_port(const ripstop_fabric *f, uint32_t node) {
  if (ripstop_is_end(f, node)) return (uint16_t)ripstop_end_switch_port(f, node);
  return ib_subnet_first_port(f) == 0 ? 0 : RIPSTOP_NO_PORT;
}
/* True if d leads back to the switch that c comes from, over any cable; no packet does that. */
static inline bool switch_graph_goes_back(const switch_graph *net, uint32_t c, uint32_t d) {
  return net->to[d] == net->from[c];
}

#endif
