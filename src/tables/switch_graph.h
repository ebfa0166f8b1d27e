/* switch_graph.h - the switches of a view and the channels between them, in arrays for searches: switches from 0;
 * channels; turns, from a channel to one that continues from its end. All turns into one channel are adjacent, for
 * searches backwards from a destination.
 *
 * Channels are numbered in one of two ways, since ties are decided by numbers:
 *   by cable: c and c ^ 1 are the two directions of a cable, cables as the fabric numbers them (mend);
 *   by port: channels that leave one switch are adjacent, in the order of its ports, so out[i] is i: those of switch s
 *     are out_first[s] to out_first[s + 1] (judging, repairs, OpenSM's engines). */
#ifndef TABLES_SWITCH_GRAPH_H
#define TABLES_SWITCH_GRAPH_H

#include "fabric/ib_subnet.h"
#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/forwarding.h"

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
  const ripstop_fabric *fabric;
  uint32_t switches, channels, turns;
  uint32_t addresses;            /* for each end node; 1 by default */
  const uint32_t *node;          /* [switches]: of the fabric */
  const uint32_t *index;         /* [switches of the fabric]: the number here; RIPSTOP_NONE: it is left out */
  const uint32_t *from, *to;     /* [channels] */
  const uint32_t *back;          /* [channels]: the other direction of the same cable */
  const uint32_t *port;          /* [channels]: the fabric's port that sends into it */
  const uint16_t *local;         /* [channels]: the same as an output port of its switch */
  const uint32_t *first_port;    /* [switches + 1]: its first port, if the switches are those of the fabric */
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
  uint32_t *seen, searches;      /* [switches]: the last search that found it */
  const uint32_t *end_first;     /* [switches + 1], see switch_graph_list_ends */
  const uint32_t *end;           /* [ends] */
} switch_graph;

typedef struct switch_graph_kind {
  bool whole;           /* with channels of failed cables; `hosts`, `home` and `part` still describe what is alive */
  bool by_port;         /* channels are numbered by port, else by cable */
  const uint32_t *node; /* [switches]: its switches in this order; NULL: those of the fabric, failed or not */
  uint32_t switches;
} switch_graph_kind;
/* Describes what is alive now, or all; the view may change afterwards. */
void switch_graph_make(switch_graph *net, const ripstop_view *view, switch_graph_kind kind, ripstop_arena *arena);
/* Lists the end nodes of each switch, ascending, whether alive or not. */
void switch_graph_list_ends(switch_graph *net, ripstop_arena *arena);
/* Recomputes `hosts`, `home` and `part` of a whole net after its view has changed. */
void switch_graph_follow(switch_graph *net);
static inline bool switch_graph_up(const switch_graph *net, uint32_t c) { return net->view->port_up[net->port[c]]; }

/* The fewest channels of one direction that disconnect two end nodes at different switches when they fail; more than
 * there are cables if no such pair exists. Cost: channels x switches. */
uint32_t switch_graph_connectivity(const switch_graph *net, ripstop_arena *scratch);

/* Breadth-first search from a switch over those whose distance is RIPSTOP_NONE: hops to `distance`, the switches in
 * the order of their discovery to `queue`, both [switches]. Returns how many were found. */
uint32_t switch_graph_search(const switch_graph *net, uint32_t from, uint32_t *distance, uint32_t *queue);

/* True if live channels lead from one switch to another. */
bool switch_graph_joined(switch_graph *net, uint32_t from, uint32_t to);

/* The next hop of a switch by its port in a row of tables; the row must have one. */
static inline switch_graph_hop switch_graph_hop_of(const switch_graph *net, const uint16_t *row, uint32_t s) {
  return net->hop[net->first_port[s] + row[s]];
}
/* The same as a channel; RIPSTOP_NONE: the row has none. */
static inline uint32_t switch_graph_next(const switch_graph *net, const uint16_t *row, uint32_t s) {
  return row[s] == RIPSTOP_NO_PORT ? RIPSTOP_NONE : switch_graph_hop_of(net, row, s).channel;
}

/* The channel that the entry for an address at a switch leads into, if that is alive in a view; RIPSTOP_NONE: none. */
static inline uint32_t switch_graph_onward(const switch_graph *net, const ripstop_view *view,
                                           const ripstop_forwarding *tables, uint32_t address, uint32_t s) {
  uint32_t port = net->first_port[s] + tables->port[(size_t)address * net->switches + s];
  return port < net->first_port[s + 1] && view->port_up[port] ? net->hop[port].channel : RIPSTOP_NONE;
}

/* True if the entry of a row at the switch that a channel leads to leads back over its cable. */
static inline bool switch_graph_leads_back(const switch_graph *net, const uint16_t *row, uint32_t c) {
  return row[net->to[c]] == net->local[net->back[c]];
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
