/* source.h - streams of packets: when they are generated, how long they are, where they go.
 *
 * A stream belongs to one end node and one traffic class (stream = end node x classes + class). Packet n of a stream
 * depends on (seed, stream, n) alone, never on the network, so a source needs no memory for the packets that wait in
 * it: the next one is drawn when the network interface can take it. */
#ifndef SIMULATE_SOURCE_H
#define SIMULATE_SOURCE_H

#include "ripstop/simulate.h"

#define RIPSTOP_NEVER UINT64_MAX

/* The kit uses it too. */
RIPSTOP_BEGIN

/* The traffic of a whole fabric, compiled and checked. */
typedef struct ripstop_sources ripstop_sources;

/* A stream's position: the packet that is next to be sent. */
typedef struct ripstop_source {
  uint64_t generated_at; /* cycle; RIPSTOP_NEVER: the stream is silent from here on */
  uint32_t destination;  /* end node */
  uint32_t number;       /* of this packet in its stream, 0 first */
  uint16_t flits;
  uint32_t burst;   /* on-off: number of the present burst */
  double clock;     /* where in time the generation process stands (on-off: in its on-time) */
  double shift;     /* on-off: off-time so far */
  double burst_end; /* on-off: on-time at which the present burst ends */
} ripstop_source;

/* Checks every traffic option; NULL on error. Memory from the arena; the fabric must outlive it. */
ripstop_sources *ripstop_sources_open(ripstop_arena *arena, const ripstop_fabric *fabric,
                                      const ripstop_traffic_config *config, uint64_t seed, ripstop_error *err);
uint32_t ripstop_sources_classes(const ripstop_sources *sources);
uint32_t ripstop_sources_shortest(const ripstop_sources *sources); /* flits */
uint32_t ripstop_sources_longest(const ripstop_sources *sources);  /* flits */

/* The run ends before this cycle: an on-off source whose next packet is far away stops looking for it there. */
void ripstop_sources_end(ripstop_sources *sources, uint64_t end);

/* The first packet of a stream. */
void ripstop_source_open(const ripstop_sources *sources, uint32_t stream, ripstop_source *source);
/* The one after the present. */
void ripstop_source_next(const ripstop_sources *sources, uint32_t stream, ripstop_source *source);

RIPSTOP_END

#endif
