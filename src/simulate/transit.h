/* transit.h - in-transit packets: a NIC receives a packet for another end node and sends it on. docs/model.md.
 *
 * The free places that a switch knows of at an end node are in shape.space of all output VCs of the port to it, on top
 * of END_SPACE, which suffices for every packet whose destination is the end node itself. */
#ifndef SIMULATE_TRANSIT_PACKETS_H
#define SIMULATE_TRANSIT_PACKETS_H

#include "simulate/state.h"

enum { END_SPACE = 1 << 30 };           /* units behind an output VC to an end node, in place of INT32_MAX */
enum { TRANSIT_PACKETS_MAX = 1 << 20 }; /* places at an end node */

/* Checks that the plan's in-transit packets work with the switch, and takes the hooks. */
int transit_packets_open(run *r, ripstop_error *err);
uint32_t transit_packets_room(const part *t); /* places at each end node */
/* The candidate of a head through this local port leads to an end node that is not its packet's destination. */
bool is_transit_packet_candidate(const part *t, const queue *q, uint32_t local);
/* Loses the in-transit packets of a stream whose switch went down. */
void transit_packets_silence(part *t, uint32_t stream);

bool transit_packets_hold_back(const part *t, uint32_t stream); /* an own packet waits behind in-transit packets */
/* In-transit packets of a stream without a grant: the head of its queue, and the packets behind it. */
uint32_t transit_packets_resting(const part *t, uint32_t stream);
/* Every packet that waits behind the head of a queue. */
void transit_packets_each(const part *t, void (*act)(void *context, uint32_t packet_index), void *context);

#endif
