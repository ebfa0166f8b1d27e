/* astra_network.h - reads network files of ASTRA-sim's analytical back end (astra-sim/astra-network-analytical,
 * common/network-parser/NetworkParser.cc): a product of rings, full meshes and switches. */
#ifndef RIPSTOP_FORMATS_TRACES_ASTRA_NETWORK_H
#define RIPSTOP_FORMATS_TRACES_ASTRA_NETWORK_H

#include "formats/graph/named_graph.h"

enum { ASTRA_DIMENSIONS = 16 };

typedef enum astra_shape { ASTRA_RING, ASTRA_FULL, ASTRA_SWITCH } astra_shape;

typedef struct astra_dimension {
  astra_shape shape;
  uint32_t npus;
  uint64_t bandwidth; /* each cable and direction has it, in millionths of 2^30 bytes a second */
  uint64_t delay_ps;  /* picoseconds */
} astra_dimension;

typedef struct astra_network {
  uint32_t dimensions, npus;
  astra_dimension dimension[ASTRA_DIMENSIONS]; /* ranks count fastest in the first */
} astra_network;

/* -1: the error has file and line. */
int astra_network_read(astra_network *out, const char *file, const char *text, size_t length, ripstop_error *err);
/* NPUs are n0 ..., switches s0 ... An NPU is an end node if its only dimension is a switch, else a router with one. */
int astra_network_graph(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);
/* True if a text has the keys `topology` and `npus_count`. */
bool astra_network_is(const char *text, size_t length);

#endif
