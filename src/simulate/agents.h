/* agents.h - end nodes that answer (ripstop_agent): packets that wait in network interfaces, tags, alarms and calls.
 *
 * To the rest of the engine a stream is as it is with random sources: part.source[stream] is the packet after the one
 * in the interface, generated when it was sent. Here is where the memory for packets grows: never in the work on
 * packets, only in what the agents' calls ask for. */
#ifndef SIMULATE_AGENTS_H
#define SIMULATE_AGENTS_H

#include "simulate/state.h"

/* Copies the agents and finds whose end nodes are whose. -1: impossible sizes, or an end node that is not there or is
 * played twice. */
int agents_read(run *r, ripstop_error *err);
/* Some end node is left to random sources. */
bool agents_leave_some(const run *r);
/* Classes and sizes of packets, on top of those that are there. */
void agents_widen(const run *r, shape *s);
/* When the streams are laid out: takes the hooks. */
void agents_open(run *r);
bool is_played(const run *r, uint32_t end);
/* An agent has an account: it plays all end nodes. */
bool agents_count(const run *r);
/* The packets that it has generated, and where they are, once r->goods is there. */
ripstop_account agents_account(const run *r);

/* The stream's end node falls silent: its packets are lost with the switch. False: it has no agent. */
bool agents_silence(part *t, uint32_t stream, uint32_t cause);

/* Reports what the static reaction does, in this cycle's turn. STOPPED takes the packets that wait in the interfaces of
 * the agents that react. */
void agents_react(run *r, ripstop_reconfiguration_event event);

#endif
