/* start.h - how channel orders begin: trees that connect any fabric, and orders that a regular fabric suggests. */
#ifndef MEND_START_H
#define MEND_START_H

#include "mend/channel_order.h"
#include "recognise/recognise.h"

/* The initial state of a VC. */
typedef enum mend_start {
  MEND_START_TREE, /* the turns of a spanning tree are required, all others are open */
  MEND_START_OPEN, /* no turn is required, the order is random */
  MEND_START_AXES, /* dimension by dimension, all VCs in the same order; nothing is required where VCs have shares */
  MEND_START_ROUND /* dimension by dimension, each VC begins with another one */
} mend_start;

typedef struct mend_starts {
  const switch_graph *net;
  const ripstop_recognised *shape;
  uint32_t *key, *distance; /* [channels], [switches] */
  uint32_t size[RIPSTOP_PLACE_DIMS];
  uint8_t *line_dim; /* [switches]: in a KNS, the dimension of a line; RIPSTOP_PLACE_DIMS: a router */
  uint8_t *share;    /* [switches]: the VC that serves it; NULL: all VCs serve all */
  ripstop_stream *random;
} mend_starts;

void mend_starts_make(mend_starts *s, const switch_graph *net, const ripstop_recognised *shape, ripstop_stream *random,
                      ripstop_arena *arena);
/* True if dimensions have a meaning in this fabric. */
bool mend_starts_axes(const mend_starts *s);
/* True if the switches of a line are joined by one without a place (KNS). */
bool mend_starts_lines(const mend_starts *s);
void mend_start_lane(mend_starts *s, mend_orders *orders, uint32_t lane, mend_start start);

#endif
