/* targets.h - the regular fabrics that have as many switches as a graph, and about as many cables. */
#ifndef RIPSTOP_RECOGNISE_TARGETS_H
#define RIPSTOP_RECOGNISE_TARGETS_H

#include "recognise/recognised_graph.h"

typedef struct ripstop_target {
  recognised_graph net;
  const char *spec; /* NULL: it is no family of the program */
  bool hosted;      /* switches with hosts and without them are two kinds */
  bool symmetric;   /* an automorphism exchanges any two switches of one refined colour (alike.h) */
} ripstop_target;

/* False: no more targets are wanted. */
typedef bool ripstop_target_visit(void *context, const ripstop_target *target);

/* Shows each target whose number of cables differs by at most one to `visit`, in a fixed order. A target lives during
 * the call. Two targets may be the same graph. The cost of listing and building targets is taken from *work, in cables
 * looked at. At 0 the listing ends and may lack targets. */
void ripstop_targets_visit(const recognised_graph *net, ripstop_target_visit *visit, void *context, uint64_t *work);

#endif
