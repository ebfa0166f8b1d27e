/* chakra_trace.h - reads execution traces of Chakra (mlcommons/chakra, schema/protobuf/et_def.proto): what one rank of
 * a training job computes, sends and receives, with dependencies. Three forms: protobuf messages behind their lengths
 * (.et), and JSON of the feeder (`workload_graph`) and of the jsonizer (objects behind each other). */
#ifndef RIPSTOP_FORMATS_TRACES_CHAKRA_TRACE_H
#define RIPSTOP_FORMATS_TRACES_CHAKRA_TRACE_H

#include "base/piece.h"
#include "ripstop/plugin/base.h"

typedef enum chakra_type {
  CHAKRA_INVALID,
  CHAKRA_METADATA,
  CHAKRA_LOAD,
  CHAKRA_STORE,
  CHAKRA_COMPUTE,
  CHAKRA_SEND,
  CHAKRA_RECEIVE,
  CHAKRA_COLLECTIVE,
  CHAKRA_TYPES
} chakra_type;

typedef enum chakra_collective {
  CHAKRA_ALL_REDUCE = 0,
  CHAKRA_ALL_GATHER = 2,
  CHAKRA_BROADCAST = 5,
  CHAKRA_ALL_TO_ALL = 6,
  CHAKRA_REDUCE_SCATTER = 7
} chakra_collective;

/* A list of numbers in chakra_trace.number. */
typedef struct chakra_list {
  uint32_t first, count;
} chakra_list;

typedef struct chakra_node {
  uint64_t id;
  uint64_t micros; /* duration */
  uint64_t bytes, source, destination, tag, collective, tensor;
  bool has_bytes, has_source, has_destination;
  bool is_host;              /* is_cpu_op: on the host's processor */
  uint8_t type;              /* chakra_type */
  piece group;               /* pg_name; empty: none */
  chakra_list control, data; /* ids of nodes; after reading: indices of nodes */
} chakra_node;

/* A process group that the trace's metadata describes. */
typedef struct chakra_group {
  piece name;
  chakra_list ranks; /* empty: all */
} chakra_group;

typedef struct chakra_trace {
  chakra_node *node; /* by id, each id once */
  uint64_t *number;
  chakra_group *group;
  uint32_t nodes, numbers, groups, node_room, number_room, group_room;
} chakra_trace;

/* The kit uses it. */
RIPSTOP_BEGIN

/* Reads the file of one rank. `text` must stay; memory from the arena. -1: the error has the format, `name`, and byte,
 * line or node. */
int ripstop_chakra_read(chakra_trace *out, ripstop_arena *arena, const char *name, const char *text, size_t length,
                        ripstop_error *err);
/* Reads the groups of a file {"1": [0, 1, 2], ...}; only groups and numbers of `out` are filled. */
int ripstop_chakra_groups(chakra_trace *out, ripstop_arena *arena, const char *name, const char *text, size_t length,
                          ripstop_error *err);
/* The name of a kind of collective in the schema; NULL: there is no such number. */
const char *ripstop_chakra_collective(uint64_t number);

RIPSTOP_END

#endif
