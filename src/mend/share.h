/* share.h - which lane's destinations a switch and its end nodes are, where each lane serves destinations of its own.
 */
#ifndef MEND_SHARE_H
#define MEND_SHARE_H

#include "fabric/recognise.h"
#include "mend/net.h"

/* A lane for each switch, to share[switches]; lanes have about as many end nodes. The shape has places. */
void mend_share(const mend_net *net, const ripstop_recognised *shape, uint32_t lanes, uint8_t *share,
                ripstop_arena *scratch);

#endif
