/* lash_lanes.h - the virtual lanes that OpenSM's engine `lash` gives to pairs of switches (Skeie, Lysne and Theiss
 * 2002).
 *
 * Each pair of switches, both directions together, goes to the first VL where its paths close no cycle of
 * dependencies. Then random pairs move from the VL with the most pairs to the one with the fewest, where that closes
 * no cycle, until the two are nearly equal. */
#ifndef METHODS_OPENSM_LASH_LASH_LANES_H
#define METHODS_OPENSM_LASH_LASH_LANES_H

#include "methods/shared/opensm.h"

/* Switches of one part, numbered in OpenSM's order, and their paths. */
typedef struct ripstop_lash_part {
  uint32_t switches, channels;
  const uint32_t *next;  /* [switches * switches]: the channel from each towards each other */
  const uint32_t *leads; /* [channels]: the switch at the end of each */
  uint8_t *lane;         /* [switches * switches]: the result */
} ripstop_lash_part;

/* Fills part->VL. -1: `lanes` are too few, or OpenSM would not come to an end. */
int ripstop_lash_assign(ripstop_lash_part *part, uint32_t lanes, ripstop_error *err);

#endif
