/* agents.h - endpoint agents (ripstop_agent): packets that wait in NICs, tags, alarms and calls.
 *
 * The rest of the engine sees a stream as with random sources: part.source[stream] is the packet behind the one in the
 * NIC, generated when the agent sent it. Memory for packets grows only inside the agents' calls, never while the engine
 * moves packets. */
#ifndef SIMULATE_AGENTS_H
#define SIMULATE_AGENTS_H

#include "simulate/state.h"

/* Copies the agents and assigns end nodes to them. -1: impossible sizes, or an end node that does not exist or has two
 * agents. */
int agents_read(run *r, ripstop_error *err);
/* Some end nodes have random sources. */
bool agents_leave_some(const run *r);
/* Extends the shape's classes and packet sizes to those of the agents. */
void agents_widen(const run *r, shape *s);
/* Takes the hooks; call it when the streams are laid out. */
void agents_open(run *r);
bool has_agent(const run *r, uint32_t end);
/* The first agent keeps an account of its packets; it then has all end nodes. */
bool agents_count(const run *r);
/* The packets that this agent has generated, and where they are; needs r->goods. */
ripstop_account agents_account(const run *r);

/* The number of a packet's message (ripstop_choosing.message). Only if shape.needs_message. */
uint64_t agents_message(const part *t, const packet *p);

/* Loses the stream's waiting packets, because its switch went down. False: the end node has no agent. */
bool agents_silence(part *t, uint32_t stream, uint32_t cause);

/* Schedules the report of a static reconfiguration's event for this cycle's turn. STOPPED withdraws the packets that
 * wait in the NICs of agents that react. */
void agents_react(run *r, ripstop_reconfiguration_event event);

/* The run has more rows of packets than so many before (bound_packets.c). */
void agents_grow(run *r, uint32_t before);

#endif
