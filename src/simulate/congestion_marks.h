/* congestion_marks.h - switches mark packets whose output has long queues: docs/model.md, "Marks". */
#ifndef SIMULATE_CONGESTION_MARKS_H
#define SIMULATE_CONGESTION_MARKS_H

#include "simulate/state.h"

/* Takes the hook; call it when the packets' rows are laid out. -1: impossible lengths or probability. */
int marks_open(run *r, ripstop_error *err);
/* Clears the mark of a row that gets a new packet. */
void marks_clear(const run *r, uint32_t packet_index);
bool marks_has(const run *r, uint32_t packet_index);

#endif
