/* stream_paths.h - the channels of a stream, its share of each, and the length of its paths, by the plan of a method.
 */
#ifndef FLOW_STREAM_PATHS_H
#define FLOW_STREAM_PATHS_H

#include "flow/candidate_graph.h"
#include "ripstop/kit/fluid.h"
#include "ripstop/simulate.h"

typedef struct stream_paths {
  const ripstop_fluid_config *config;
  uint64_t link; /* cycles on a link without a delay of its own */
  const ripstop_view *view;
  const ripstop_plan *plan;
  ripstop_forwarding *tables; /* one: the plan's; NULL otherwise */
  const uint32_t *address;    /* one: [ends]: of each end node in the tables */
  candidate_graph graph;
  uint32_t graph_switch; /* switch of the graph's sources; RIPSTOP_NONE: there is no graph yet */
  double *amount;        /* [nodes of the graph] */
  double *behind;        /* adaptive, [nodes of the graph]: flits a cycle from here to the destination */
  uint64_t *longest;     /* [nodes of the graph]: cycles of flits on the links from here to the destination, at most */
  /* The path of one stream: */
  uint32_t *channel; /* [count]: ports of the fabric that send into them */
  double *share;
  uint32_t count, room; /* 0: the plan has no path */
  uint32_t links;       /* each path has so many, end nodes' links included */
  uint64_t delays;      /* cycles of a flit on the links of its path, at most */
  ripstop_arena *arena;
} stream_paths;

/* All pointers must outlive it. */
void paths_open(stream_paths *p, const ripstop_fluid_config *config, uint64_t link, const ripstop_view *view,
                ripstop_arena *arena);
/* Uses this plan from now on, which has its tables. -1: it has no tables of one port for each destination, and needs
 * them. */
int paths_plan(stream_paths *p, const ripstop_plan *plan, ripstop_error *err);
/* The path of a stream. It is cheaper if calls for one destination, and for sources of one switch, follow each other.
 * -1: the plan's candidates have no form that the rule can use. */
int paths_find(stream_paths *p, uint32_t source, uint32_t destination, ripstop_error *err);
void paths_close(stream_paths *p);

#endif
