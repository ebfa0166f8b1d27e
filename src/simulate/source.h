/* source.h - streams of packets: when they are generated, their lengths and their destinations.
 *
 * A stream belongs to one end node and one traffic class (stream = end node x classes + class). Packet n of a stream
 * depends on (seed, stream, n) alone, never on the network. So a source needs no memory for waiting packets: the next
 * packet is computed when the NIC can take it. */
#ifndef SIMULATE_SOURCE_H
#define SIMULATE_SOURCE_H

#include "ripstop/kit/simulation.h"

#define RIPSTOP_NEVER UINT64_MAX

/* The kit uses it too. */
RIPSTOP_BEGIN

/* The traffic of a whole fabric, compiled and checked. */
typedef struct ripstop_sources ripstop_sources;

/* A stream's position: its next packet. */
typedef struct ripstop_source {
  uint64_t generated_at; /* cycle; RIPSTOP_NEVER: the stream is silent from here on */
  uint32_t destination;  /* end node */
  uint32_t number;       /* the packet's number in its stream, from 0 */
  uint16_t flits;
  uint32_t burst;   /* on-off: number of the present burst */
  double clock;     /* present time of the process (on-off: its on-time) */
  double shift;     /* on-off: off-time so far */
  double burst_end; /* on-off: on-time at which the present burst ends */
} ripstop_source;

/* Checks every traffic option; NULL on error. Memory from the arena; the fabric must outlive it. */
ripstop_sources *ripstop_sources_open(ripstop_arena *arena, const ripstop_fabric *fabric,
                                      const ripstop_traffic_config *config, uint64_t seed, ripstop_error *err);
uint32_t ripstop_sources_classes(const ripstop_sources *sources);
bool ripstop_sources_to_self(const ripstop_sources *sources);      /* ripstop_pattern.to_self */
uint32_t ripstop_sources_shortest(const ripstop_sources *sources); /* flits */
uint32_t ripstop_sources_longest(const ripstop_sources *sources);  /* flits */

/* Sets the end of the run: an on-off source whose next packet is generated later stops searching there. */
void ripstop_sources_end(ripstop_sources *sources, uint64_t end);

/* Moves to the first packet of a stream. */
void ripstop_source_open(const ripstop_sources *sources, uint32_t stream, ripstop_source *source);
/* Moves to the next packet. */
void ripstop_source_next(const ripstop_sources *sources, uint32_t stream, ripstop_source *source);

RIPSTOP_END

#endif
