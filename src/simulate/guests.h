/* guests.h - packets that a network interface takes in for others, to send them out again: docs/model.md, "Guests".
 *
 * A way to an end node that is not the packet's destination has GUEST as its space in e->way. The room that a switch
 * knows of at an end node stands in e->space of all lanes of the port to it, on top of END_SPACE, which every packet
 * for the end node itself fits into. */
#ifndef SIMULATE_GUESTS_H
#define SIMULATE_GUESTS_H

#include "simulate/state.h"

/* Whether the plan's guests fit the switch; -1: they do not. */
int guests_check(const engine *e, ripstop_error *err);
/* When the engine is laid out: sets e->guests where the plan has guests. */
void guests_open(engine *e);
uint32_t guests_room(const engine *e); /* for each end node */

/* Finds those of a head's ways that lead to an end node which the packet is not for. */
void guests_mark(const engine *e, const queue *q, ripstop_way *way, uint32_t ways);
/* A guest takes the link of this port: its place is taken. */
void guests_expect(engine *e, uint32_t port);
/* A packet for others has come to an end node. */
void guests_arrive(engine *e, uint32_t end, uint32_t packet_index);
/* The switch learns of the room that a guest has left, at the end node of this port. */
void guests_make_room(engine *e, uint32_t port);

/* The packet that goes before those in the stream's source: a guest, or an own packet that had to wait for one;
 * RIPSTOP_NONE: there is none. */
uint32_t guests_next(engine *e, uint32_t stream);
/* The packet at the head of the stream's queue has left it. */
void guests_left(engine *e, uint32_t stream);
/* The end node falls silent. */
void guests_silence(engine *e, uint32_t stream);

bool guests_hold_back(const engine *e, uint32_t stream); /* an own packet waits for a guest */
/* Guests that rest in a stream: at the head of its queue, without a grant, and behind it. */
uint32_t guests_resting(const engine *e, uint32_t stream);
/* Every packet that waits behind the head of a queue. */
void guests_each(const engine *e, void (*act)(void *context, uint32_t packet_index), void *context);

#endif
