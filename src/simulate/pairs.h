/* pairs.h - which packets meet no fault and still share links with packets that do: docs/model.md, "Kinds of packet".
 */
#ifndef SIMULATE_PAIRS_H
#define SIMULATE_PAIRS_H

#include "ripstop/base.h"

struct ripstop_simulation;

enum { PAIRS_ENDS = 4096 }; /* end nodes at most */

/* One bit for every class that routes depend on and ordered pair of end nodes. */
static inline uint64_t pair_bit(uint32_t ends, uint32_t class_, uint32_t source, uint32_t destination) {
  return ((uint64_t)class_ * ends + destination) * ends + source;
}

/* Makes room for the pairs if measure.affected asks for them. -1: the fabric is too large. */
int pairs_open(struct ripstop_simulation *r, ripstop_error *err);
/* Decides all pairs for the present plan; nothing if they are not asked for. -1: the plan breaks a rule of method.h, or
 * the run is to stop. */
int pairs_decide(struct ripstop_simulation *r, ripstop_error *err);

#endif
