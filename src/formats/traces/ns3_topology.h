/* ns3_topology.h - reads topology files of the ns-3 simulators for RDMA: HPCC's `topology.txt`
 * (alibaba-edu/High-Precision-Congestion-Control, simulation/scratch/third.cc) and SimAI's, which has lists of
 * NVSwitches and switches (aliyun/SimAI, astra-sim-alibabacloud/inputs/topo/gen_Topo_Template.py). */
#ifndef RIPSTOP_FORMATS_TRACES_NS3_TOPOLOGY_H
#define RIPSTOP_FORMATS_TRACES_NS3_TOPOLOGY_H

#include "formats/graph/named_graph.h"

typedef enum ns3_kind { NS3_HOST, NS3_SWITCH, NS3_NVSWITCH } ns3_kind;

typedef struct ns3_link {
  uint32_t line, node[2];
  uint64_t bits;     /* a second */
  uint64_t delay_ps; /* picoseconds */
} ns3_link;

typedef struct ns3_topology {
  uint32_t nodes, switches, nvswitches, links;
  uint8_t *kind;    /* [nodes]: ns3_kind */
  uint32_t *cables; /* [nodes] */
  ns3_link *link;
} ns3_topology;

/* Memory from the arena. No link joins two hosts, and every host has one. -1: the error has file and line. */
int ns3_hpcc_read(ns3_topology *out, ripstop_arena *arena, const char *file, const char *text, size_t length,
                  ripstop_error *err);
int ns3_simai_read(ns3_topology *out, ripstop_arena *arena, const char *file, const char *text, size_t length,
                   ripstop_error *err);
/* Hosts are h0 ... by their ids, of SimAI GPUs g0 ...; switches s, NVSwitches n. A host with several cables becomes a
 * router of its name, with an end node at full rate. */
int ns3_hpcc_graph(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);
int ns3_simai_graph(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);

#endif
