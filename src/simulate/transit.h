/* in-transit packets.h - packets that a network interface takes in for others, to send them out again: docs/model.md,
 * "Guests".
 *
 * The room that a switch knows of at an end node stands in shape.space of all output VCs of the port to it, on top of
 * END_SPACE, which every packet for the end node itself fits into. */
#ifndef SIMULATE_TRANSIT_PACKETS_H
#define SIMULATE_TRANSIT_PACKETS_H

#include "simulate/state.h"

enum { END_SPACE = 1 << 30 };           /* of an output VC to an end node, in place of INT32_MAX */
enum { TRANSIT_PACKETS_MAX = 1 << 20 }; /* of an end node */

/* For plans that have in-transit packets: checks that they fit the switch, and takes the hooks. */
int transit_packets_open(run *r, ripstop_error *err);
uint32_t transit_packets_room(const part *t); /* for each end node */
/* True if the candidate of a head through this local port leads to an end node that its packet is not for. */
bool is_transit_packet_candidate(const part *t, const queue *q, uint32_t local);
/* The stream's end node falls silent. */
void transit_packets_silence(part *t, uint32_t stream);

bool transit_packets_hold_back(const part *t, uint32_t stream); /* an own packet waits for an in-transit packet */
/* Guests that rest in a stream: at the head of its queue, without a grant, and behind it. */
uint32_t transit_packets_resting(const part *t, uint32_t stream);
/* Every packet that waits behind the head of a queue. */
void transit_packets_each(const part *t, void (*act)(void *context, uint32_t packet_index), void *context);

#endif
