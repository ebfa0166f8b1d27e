/* congestion_marks.h - switches mark packets for whose output many wait: docs/model.md, "Marks". */
#ifndef SIMULATE_CONGESTION_MARKS_H
#define SIMULATE_CONGESTION_MARKS_H

#include "simulate/state.h"

/* When the packets' rows are laid out: takes the hook. -1: lengths or a probability that cannot be. */
int marks_open(run *r, ripstop_error *err);
/* A packet is new in this row, and not marked. */
void marks_clear(const run *r, uint32_t packet_index);
bool marks_has(const run *r, uint32_t packet_index);

#endif
