/* players.h - end nodes that answer (ripstop_players): letters that wait in network interfaces, tags, alarms and calls.
 *
 * To the rest of the engine a stream is as it is with random sources: part.source[stream] is the packet after the one
 * in the interface, born when it was sent. Here is where the memory for letters grows: never in the work on packets,
 * only in what the players' calls ask for. */
#ifndef SIMULATE_PLAYERS_H
#define SIMULATE_PLAYERS_H

#include "simulate/state.h"

/* Reads the sizes of config->players into the shape. */
int players_check(const run *r, shape *s, ripstop_error *err);
void players_open(run *r);
void players_close(run *r);

/* The stream's end node falls silent: its letters are lost with the switch. False: nobody plays it. */
bool players_silence(part *t, uint32_t stream);

#endif
