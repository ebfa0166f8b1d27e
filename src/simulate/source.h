/* source.h - streams of packets: when they are born, how long they are, where they go.
 *
 * A stream belongs to one end node and one traffic class (stream = end node x classes + class). Packet n of a stream
 * depends on (seed, stream, n) alone, never on the network, so a source needs no memory for the packets that wait in
 * it: the next one is drawn when the network interface can take it. */
#ifndef SIMULATE_SOURCE_H
#define SIMULATE_SOURCE_H

#include "ripstop/simulate.h"

#define RS_NEVER UINT64_MAX

/* The traffic of a whole fabric, compiled and checked. */
typedef struct rs_sources rs_sources;

/* A stream's position: the packet that is next to be sent. */
typedef struct rs_source {
  uint64_t born;        /* cycle; RS_NEVER: the stream is silent from here on */
  uint32_t destination; /* end node */
  uint32_t number;      /* of this packet in its stream, 0 first */
  uint16_t flits;
  uint32_t burst;   /* on-off: number of the present burst */
  double clock;     /* where in time the birth process stands (on-off: in its on-time) */
  double shift;     /* on-off: off-time so far */
  double burst_end; /* on-off: on-time at which the present burst ends */
} rs_source;

/* Checks every traffic option; NULL on error. Memory from the arena; the fabric must outlive it. */
rs_sources *rs_sources_open(rs_arena *arena, const rs_fabric *fabric, const rs_traffic_config *config, uint64_t seed,
                            rs_error *err);
uint32_t rs_sources_classes(const rs_sources *sources);
uint32_t rs_sources_shortest(const rs_sources *sources); /* flits */
uint32_t rs_sources_longest(const rs_sources *sources);  /* flits */

/* The run ends before this cycle: an on-off source whose next packet is far away stops looking for it there. */
void rs_sources_end(rs_sources *sources, uint64_t end);

/* The first packet of a stream. */
void rs_source_open(const rs_sources *sources, uint32_t stream, rs_source *source);
/* The one after the present. */
void rs_source_next(const rs_sources *sources, uint32_t stream, rs_source *source);

#endif
