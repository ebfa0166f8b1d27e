/* pairs.h - finds packets that meet no fault but share links with packets that do: docs/model.md, "Kinds of packet". */
#ifndef SIMULATE_PAIRS_H
#define SIMULATE_PAIRS_H

#include "ripstop/plugin/base.h"

struct ripstop_simulation;

enum { PAIRS_ENDS = 4096 }; /* largest number of end nodes */

/* The bit of a class that routes depend on and an ordered pair of end nodes. */
static inline uint64_t pair_bit(uint32_t ends, uint32_t class_, uint32_t source, uint32_t destination) {
  return ((uint64_t)class_ * ends + destination) * ends + source;
}

/* Allocates the pairs if measure.affected is on. -1: the fabric is too large. */
int pairs_open(struct ripstop_simulation *r, ripstop_error *err);
/* Decides all pairs for the present plan, if measure.affected is on. -1: the plan breaks a rule of method.h, or the run
 * is to stop. */
int pairs_decide(struct ripstop_simulation *r, ripstop_error *err);

#endif
