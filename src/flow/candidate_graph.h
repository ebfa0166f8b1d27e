/* candidate_graph.h - the candidates that a plan has for one destination, as a graph of switches.
 *
 * A node of the graph is a switch that packets from the sources can reach, its edges are the output ports that the plan
 * allows there, in the order of ports; virtual channels do not count. Such a graph exists if the output ports depend on
 * the switch and the destination alone. All paths must have the same number of links, so there are no cycles, and nodes
 * in the order of their discovery are in the order of all paths. */
#ifndef FLOW_CANDIDATE_GRAPH_H
#define FLOW_CANDIDATE_GRAPH_H

#include "ripstop/plugin/method.h"

typedef struct graph_node {
  uint32_t node;         /* number in the fabric */
  uint32_t level;        /* links from the sources */
  uint32_t first, edges; /* in candidate_graph.edge */
} graph_node;

typedef struct candidate_graph {
  const ripstop_plan *plan; /* `ample` */
  ripstop_plan ample;       /* the caller's plan, with so many virtual channels that no path lacks one */
  uint32_t destination;
  graph_node *node; /* [nodes]: the first is the sources' switch */
  uint32_t nodes;
  uint32_t *edge; /* [edges]: ports of the fabric */
  uint32_t edges;
  uint32_t links;  /* a path has so many, end nodes' links included; 0: none has been found */
  bool loses;      /* somewhere the plan has no candidate: the pair has no path */
  uint64_t graphs; /* how many have begun; never reset, for they are the numbers in `seen` */
  uint64_t before; /* how many had begun when the present plan came */
  uint32_t *seen;  /* [fabric->nodes]: number of the last graph that has a head there */
  uint32_t *at;    /* [fabric->nodes]: number of the node + 1; 0: it has none */
  /* Heads that packets can have, each once. */
  ripstop_head *head;
  uint32_t *level; /* [heads]: links from the source */
  size_t head_room, level_room;
  uint32_t heads, done;
  uint32_t *table, mask;        /* open addressing: number of the head + 1 */
  ripstop_candidate *candidate; /* [candidates_max] of the plan */
  uint32_t candidate_room, candidates;
  uint32_t *port; /* output ports for one head */
  ripstop_arena *arena;
} candidate_graph;

void graph_open(candidate_graph *g, const ripstop_fabric *fabric, ripstop_arena *arena);
/* Starts a graph for a destination, without sources. The plan must have its tables and outlive the graph. */
void graph_begin(candidate_graph *g, const ripstop_plan *plan, uint32_t destination);
/* Adds an end node of the first source's switch. The first graphs of a plan check all heads that packets can have,
 * later ones a head for each switch: whether a method has such graphs shows early. -1: there is no such graph; the
 * error says why. */
int graph_add(candidate_graph *g, uint32_t source, ripstop_error *err);
/* True if later graphs check no more than a head for each switch. */
bool graph_is_known(const candidate_graph *g);
/* For a known form: the ports of candidates for a packet's head, each once and in order, without a graph. Returns how
 * many there are, 0: none. graph_follow
 * returns the head behind one of them, of the call before. */
uint32_t graph_ports(candidate_graph *g, const ripstop_plan *plan, const ripstop_head *head, const uint32_t **port);
ripstop_head graph_follow(const candidate_graph *g, const ripstop_head *head, uint32_t port);

#endif
