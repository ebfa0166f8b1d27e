/* alike.h - compares the switches and cables of two fabrics as graphs. */
#ifndef RIPSTOP_RECOGNISE_ALIKE_H
#define RIPSTOP_RECOGNISE_ALIKE_H

#include "recognise/recognised_graph.h"

/* Cycles of three and four switches; parallel cables count once. */
typedef struct ripstop_cycles {
  uint64_t triangles, squares;
} ripstop_cycles;

/* Takes a cost from what may be spent. False: it was not enough, and nothing is left. */
static inline bool ripstop_work_spend(uint64_t *work, uint64_t cost) {
  const bool enough = *work > cost;
  *work = enough ? *work - cost : 0;
  return enough;
}

/* Counts the cycles of a whole net, and those through each switch into each[switches]. Cost, taken from *work: twice
 * the sum of the squares of degrees. With too little work left it counts nothing, and *work is 0. */
ripstop_cycles recognised_cycles(const recognised_graph *net, ripstop_cycles *each, uint64_t *work);

/* The number of cycles that a net has beyond others. */
void recognised_cycles_beyond(const recognised_graph *net, ripstop_cycles others, int64_t *triangles, int64_t *squares,
                              uint64_t *work);

/* True if both nets are the same graph, parallel cables included. If `hosted`, switches with hosts correspond to
 * switches with hosts. If `symmetric`, an automorphism of b exchanges any two of its switches that refinement leaves in
 * one colour. *work is what may be spent, in cables looked at; at 0 the answer is false. */
bool recognised_alike(const recognised_graph *a, const recognised_graph *b, bool hosted, bool symmetric,
                      uint64_t *work);

#endif
