/* share.h - which lane's destinations a switch and its end nodes are, where each lane serves destinations of its own.
 */
#ifndef MEND_SHARE_H
#define MEND_SHARE_H

#include "fabric/recognise.h"
#include "mend/net.h"

typedef enum mend_sharing {
  MEND_SHARE_NONE,
  MEND_SHARE_BOXES, /* each lane has a box of places */
  MEND_SHARE_SPREAD /* each lane has some on every line of places, lane 0 none */
} mend_sharing;

/* A lane for each switch, to share[switches]; lanes have about as many end nodes. The shape has places; there are two
 * lanes or more. */
void mend_share(const mend_net *net, const ripstop_recognised *shape, mend_sharing sharing, uint32_t lanes,
                uint8_t *share, ripstop_arena *scratch);

#endif
