/* reorder.h - how far packets of a pair of end nodes overtake each other (measure.reorder). */
#ifndef SIMULATE_REORDER_H
#define SIMULATE_REORDER_H

#include "simulate/state.h"
#include "simulate/values.h"

/* Takes the hook and its memory if the run measures reordering. Call it when the packets' rows are laid out. */
void reorder_open(run *r);
/* A NIC has taken this packet from its source: packets of a pair and class are numbered in this order. */
void reorder_number(part *t, uint32_t packet_index);
/* Adds "reorder.max" and "reorder.mean". */
void reorder_values(const run *r, values *v);

#endif
