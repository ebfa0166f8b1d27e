/* htsim_topology.h - reads topology files of htsim (.topo; csg-htsim's sim/datacenter/fat_tree_topology.cpp): a fat
 * tree of two or three tiers by its radices (docs/fabrics.md, "Files of other simulators"). */
#ifndef RIPSTOP_FORMATS_TRACES_HTSIM_TOPOLOGY_H
#define RIPSTOP_FORMATS_TRACES_HTSIM_TOPOLOGY_H

#include "formats/graph/named_graph.h"

enum { HTSIM_TIERS = 3 };

typedef enum htsim_key {
  HTSIM_SPEED, /* Gb/s of the cables down from this tier */
  HTSIM_DOWN,  /* radices: cables of a switch */
  HTSIM_UP,
  HTSIM_LATENCY, /* ns, of the cables down */
  HTSIM_OVER,
  HTSIM_BUNDLE, /* cables between two switches, down from this tier */
  HTSIM_SWITCH_LATENCY,
  HTSIM_QUEUE_UP,
  HTSIM_QUEUE_DOWN,
  HTSIM_KEYS
} htsim_key;

typedef struct htsim_tier {
  bool is_there;
  uint64_t value[HTSIM_KEYS];
  uint32_t line[HTSIM_KEYS]; /* 0: not in the file, and the value is the default */
} htsim_tier;

typedef struct htsim_topology {
  uint64_t nodes, tiers, podsize; /* 0: not in the file */
  htsim_tier tier[HTSIM_TIERS];   /* 0: leaves */
  uint32_t line;                  /* the last one that was read */
} htsim_topology;

/* A fabric that is read belongs together: after wiring, every switch has as many cables as its radices say. Values are
 * at most 10^9. -1: the error has the file, and the line where there is one. */
int htsim_topology_read(htsim_topology *out, const char *file, const char *text, size_t length, ripstop_error *err);
/* Hosts h0 ..., leaves t0 ..., aggs a0 ..., cores c0 ... */
int htsim_topology_graph(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);

#endif
