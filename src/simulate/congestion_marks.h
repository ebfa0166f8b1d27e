/* congestion_marks.h - switches mark packets whose output has long queues: docs/model.md, "Marks". */
#ifndef SIMULATE_CONGESTION_MARKS_H
#define SIMULATE_CONGESTION_MARKS_H

#include "simulate/state.h"

/* Takes the hook; call it when the packets' rows are laid out. -1: impossible lengths or probability. */
int marks_open(run *r, ripstop_error *err);
/* A packet leaves by an output for which so many units wait, with its own. */
void marks_note(part *t, uint32_t packet_index, int32_t length);
/* Clears the mark of a row that gets a new packet. */
void marks_clear(const run *r, uint32_t packet_index);
/* The run has more rows of packets than so many before (bound_packets.c). */
void marks_grow(run *r, uint32_t before);
bool marks_has(const run *r, uint32_t packet_index);

#endif
