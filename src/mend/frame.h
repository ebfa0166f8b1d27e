/* frame.h - the frames: for every lane an order of all channels. A turn is allowed in a lane when it goes up in the
 * lane's order; so the turns that packets of a lane can take never close a circle, whatever the tables are.
 *
 * Some turns of a lane are hard: the order changes, but they stay allowed. What the tables fall back to takes hard
 * turns alone. */
#ifndef MEND_FRAME_H
#define MEND_FRAME_H

#include "mend/net.h"

enum { MEND_LANES = 8 };

typedef struct mend_frames {
  const mend_net *net;
  uint32_t lanes;
  uint32_t *place[MEND_LANES]; /* [channels]: a permutation of 0 .. channels - 1 */
  uint8_t *allow, *hard;       /* [turns]: one bit for each lane */
  unsigned moved;              /* lanes whose order has changed since `allow` was marked */
  double *weight;              /* [turns]: how much a turn is wanted; less once a lane allows it */
  uint32_t *stack;             /* [channels], and flags: scratch */
  uint8_t *seen;
} mend_frames;

void mend_frames_make(mend_frames *f, const mend_net *net, uint32_t lanes, ripstop_arena *arena);
/* A lane begins with the order of some keys, equal ones in any order; with `keep` turns from a lower to a higher key
 * are hard. */
void mend_frame_begin(mend_frames *f, uint32_t lane, const uint32_t *key, bool keep);
/* A lane's order by the turns that are marked hard alone (Kahn, 1962). False: they close a circle. */
bool mend_frame_settle(mend_frames *f, uint32_t lane);
/* Makes the turn from c to d hard in a lane. False: it closes a circle with others, and nothing has changed. */
bool mend_frame_add(mend_frames *f, uint32_t lane, uint32_t c, uint32_t d);
/* `allow` by the orders as they are. */
void mend_frame_mark(mend_frames *f);
/* A better order: channels are moved, so many times each, to where most weight of turns is allowed. Then the weight of
 * what the lane allows falls to a part of it. */
void mend_frame_sweep(mend_frames *f, uint32_t lane, uint32_t sweeps, double left, ripstop_stream *random);

/* demand.c: how much flow takes each turn when pairs of end nodes share all their shortest ways evenly, to [turns];
 * with `share` [switches] only to the end nodes at switches whose share is this one. */
void mend_demand(const mend_net *net, const uint8_t *share, uint8_t this_one, double *flow, ripstop_arena *scratch);

#endif
