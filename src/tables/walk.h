/* walk.h - all states of the packets for one destination: every head that one can have on its path, and its
 * candidates. */
#ifndef TABLES_WALK_H
#define TABLES_WALK_H

#include "ripstop/kit/tables.h"

typedef struct walk_state {
  ripstop_head head;
  uint32_t first; /* the first of its candidates, in `way` */
  uint16_t candidates;
  uint8_t loss; /* without candidates */
} walk_state;

typedef struct walk {
  const ripstop_plan *plan;
  uint32_t limit;    /* most states */
  walk_state *state; /* in the order of discovery */
  uint32_t states, room;
  ripstop_candidate *candidate;
  uint32_t candidates, candidate_room;
  uint32_t *table, mask; /* open addressing over states; RIPSTOP_NONE: empty */
} walk;

/* Starts again. RIPSTOP_DOES_NOT_APPLY: there are too many states; RIPSTOP_ERROR: the plan breaks a rule of
 * method.h. */
ripstop_answer walk_destination(walk *w, uint32_t destination, ripstop_error *err);
void walk_free(walk *w);

#endif
