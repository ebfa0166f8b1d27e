/* frame.h - channel orders: for each VC, an order of all channels. A turn is allowed in a VC when it goes up in the
 * order of that VC. So the allowed turns of a VC never close a cycle, whatever the tables are.
 *
 * Some turns of a VC are required: they stay allowed when the order changes. The fallback trees use required turns
 * alone. */
#ifndef MEND_ORDER_H
#define MEND_ORDER_H

#include "tables/switch_graph.h"

enum { MEND_LANES = 8 };

typedef struct mend_orders {
  const switch_graph *net;
  uint32_t lanes;
  uint32_t *place[MEND_LANES]; /* [channels]: a permutation of 0 .. channels - 1 */
  uint8_t *allow, *required;   /* [turns]: one bit for each VC; hard: required */
  unsigned moved;              /* VCs whose order has changed since `allow` was marked */
  double *weight;              /* [turns]: how much flow wants a turn; it falls once a VC allows the turn */
  uint32_t *stack;             /* [channels], and flags: scratch */
  uint8_t *seen;
} mend_orders;

void mend_orders_make(mend_orders *f, const switch_graph *net, uint32_t lanes, ripstop_arena *arena);
/* Begins a VC with the order of the keys, equal keys in any order. With `keep`, turns from a lower to a higher key
 * become required. */
void mend_order_begin(mend_orders *f, uint32_t lane, const uint32_t *key, bool keep);
/* Orders a VC by its required turns alone (Kahn, 1962). False: they close a cycle. */
bool mend_order_settle(mend_orders *f, uint32_t lane);
/* Makes the turn from c to d required in a VC. False: it would close a cycle with others, and nothing has changed. */
bool mend_order_add(mend_orders *f, uint32_t lane, uint32_t c, uint32_t d);
/* Marks `allow` by the current orders. */
void mend_order_mark(mend_orders *f);
/* Improves the order of a VC: moves each channel `sweeps` times to where most weight of turns is allowed. Then the
 * weight of the turns that this VC allows is multiplied by `left`. */
void mend_order_sweep(mend_orders *f, uint32_t lane, uint32_t sweeps, double left, ripstop_stream *random);

/* demand.c: the flow over each turn, to [turns], when pairs of end nodes share all their shortest paths evenly. With
 * `share` [switches] only flow to the end nodes at switches with share[s] == this_one counts. */
void mend_demand(const switch_graph *net, const uint8_t *share, uint8_t this_one, double *flow, ripstop_arena *scratch);

#endif
