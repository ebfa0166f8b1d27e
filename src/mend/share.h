/* share.h - the VC that serves the destinations at each switch, where each VC serves destinations of its own. */
#ifndef MEND_SHARE_H
#define MEND_SHARE_H

#include "recognise/recognise.h"
#include "tables/switch_graph.h"

typedef enum mend_sharing {
  MEND_SHARE_NONE,
  MEND_SHARE_BOXES, /* each VC has a box of places */
  MEND_SHARE_SPREAD /* each VC has some on every line of places, VC 0 none */
} mend_sharing;

/* Writes a VC for each switch to share[switches]; VCs have about equally many end nodes. The shape must have places,
 * and there must be two VCs or more. */
void mend_share(const switch_graph *net, const ripstop_recognised *shape, mend_sharing sharing, uint32_t lanes,
                uint8_t *share, ripstop_arena *scratch);

#endif
