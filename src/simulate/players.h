/* players.h - end nodes that answer (ripstop_players): letters that wait in network interfaces, tags, alarms and calls.
 *
 * To the rest of the engine a stream is as it is with random sources: e->source[stream] is the packet after the one in
 * the interface, born when it was sent. Here is where the memory for letters grows: never in the work on packets, only
 * in what the players' calls ask for. */
#ifndef SIMULATE_PLAYERS_H
#define SIMULATE_PLAYERS_H

#include "simulate/state.h"

/* Reads the sizes of config->players into the engine. */
int players_check(engine *e, ripstop_error *err);
/* When the engine is laid out: sets e->play. */
void players_open(engine *e);
void players_close(engine *e);

void players_start(engine *e); /* before the first cycle */
void players_turn(engine *e);  /* at the end of a cycle's arrivals: all calls that are due */

/* As ripstop_source_next, for a copy of a stream's position: the letter after it. */
void players_next(const engine *e, uint32_t stream, ripstop_source *source);
/* The stream's next letter becomes this packet; the stream stands at the one after it. */
void players_take(engine *e, uint32_t stream, uint32_t packet_index);
/* The stream's end node falls silent: its letters are lost with the switch. */
void players_silence(engine *e, uint32_t stream);
void players_delivered(engine *e, const packet *p);
void players_lost(engine *e, const packet *p);

#endif
