/* odd_rows.h - brings what is odd about a fabric into the order in which people read it: kinds by importance, and one
 * row for many of a kind at one switch. */
#ifndef RIPSTOP_RECOGNISE_ODD_ROWS_H
#define RIPSTOP_RECOGNISE_ODD_ROWS_H

#include "formats/odd.h"
#include "ripstop/fabric.h"

RIPSTOP_BEGIN

/* The switches that a place of an oddity names: the two of a cable, or one. An end node stands for its switch. Returns
 * how many. */
unsigned ripstop_odd_switches(const ripstop_names *names, const char *place, uint32_t node[2]);

/* All rows of two lists, the more important kinds first; `told` may be NULL. A cable between switches comes before one
 * of a host with the same oddity. The rows share their texts with the lists. */
void ripstop_odd_rank(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_odds *told,
                      const ripstop_odds *odd, ripstop_odds *out);

/* The same rows, where more than three of a kind at one switch are one row with the first places. */
void ripstop_odd_gather(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_odds *rows,
                        ripstop_odds *out);

RIPSTOP_END

#endif
