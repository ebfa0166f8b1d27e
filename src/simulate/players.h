/* players.h - end nodes that answer (ripstop_player): letters that wait in network interfaces, tags, alarms and calls.
 *
 * To the rest of the engine a stream is as it is with random sources: part.source[stream] is the packet after the one
 * in the interface, born when it was sent. Here is where the memory for letters grows: never in the work on packets,
 * only in what the players' calls ask for. */
#ifndef SIMULATE_PLAYERS_H
#define SIMULATE_PLAYERS_H

#include "simulate/state.h"

/* Copies the players and finds whose end nodes are whose. -1: impossible sizes, or an end node that is not there or is
 * played twice. */
int players_read(run *r, ripstop_error *err);
/* Some end node is left to random sources. */
bool players_leave_some(const run *r);
/* Classes and sizes of letters, on top of those that are there. */
void players_widen(const run *r, shape *s);
/* When the streams are laid out: takes the hooks. */
void players_open(run *r);
bool is_played(const run *r, uint32_t end);
/* A player has an account: it plays all end nodes. */
bool players_count(const run *r);
/* The packets that it has generated, and where they are, once r->goods is there. */
ripstop_account players_account(const run *r);

/* The stream's end node falls silent: its letters are lost with the switch. False: nobody plays it. */
bool players_silence(part *t, uint32_t stream, uint32_t cause);

/* Reports what the static reaction does, in this cycle's turn. STOPPED takes the letters that wait in the interfaces of
 * the players that react. */
void players_react(run *r, ripstop_reaction_event event);

#endif
