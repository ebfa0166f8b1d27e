/* slurm_topology.h - a fabric as Slurm's topology.conf has it: which nodes share a leaf, and which leaves a pod.
 *
 * A switch of topology.conf stands under one other only, so it has no spines: all switches above a pod are one name.
 * Leaves are named as their switches; a node is the first word of an adapter's description. Leaves that share nodes,
 * as the rails of hosts with several adapters do, are one. The answer depends on names alone, not on their order. */
#ifndef RIPSTOP_RECOGNISE_SLURM_TOPOLOGY_H
#define RIPSTOP_RECOGNISE_SLURM_TOPOLOGY_H

#include "recognise/recognise.h"

RIPSTOP_BEGIN

typedef struct slurm_entry {
  const char *name;
  bool is_leaf;      /* its parts are nodes; else other entries */
  const char **part; /* [parts], ascending */
  uint32_t parts;
} slurm_entry;

typedef struct slurm_topology {
  slurm_entry *list; /* leaves by name, then each level of pods, then the top of each separate fabric */
  uint32_t count, leaves;
  uint32_t smallest; /* nodes of the smallest leaf */
  const char **note; /* [notes]: for comments in the file */
  uint32_t notes;
} slurm_topology;

/* Only adapters count whose description's second word matches an extended regular expression (NULL: all). -1: the
 * fabric is no dump, the expression is none, no adapter matches, or a node is in two separate fabrics. */
int ripstop_slurm_topology(slurm_topology *out, ripstop_arena *arena, const ripstop_fabric *fabric,
                           const ripstop_recognised *recognised, const char *adapters, ripstop_error *err);
/* Names as Slurm writes them: n[001-018,020],login1. Names with one prefix and one width of their last number share
 * brackets. Sorts them. */
void ripstop_slurm_add_names(ripstop_text *out, const char **name, uint32_t count);
/* The whole file: "SwitchName=leaf-01 Nodes=n[01-18]", or with `block` "BlockName=leaf-01 ..." and "BlockSizes=18". */
void ripstop_slurm_add_file(ripstop_text *out, const slurm_topology *topology, bool block);

RIPSTOP_END

#endif
