/* collective.h - collectives of a list of ranks, as traces of training jobs name them: rings and direct exchanges,
 * without the words by which collectives of their own kind (course.h) check themselves.
 *
 * A rank begins its first send after its task of `start`. It is done when it has received all and begun all its sends.
 */
#ifndef WORKLOAD_COLLECTIVE_H
#define WORKLOAD_COLLECTIVE_H

#include "ripstop/plugin/workload.h"

typedef struct collective {
  ripstop_tasks *tasks;
  const uint32_t *rank; /* [ranks]: in the order of the ring */
  uint32_t ranks;
  const ripstop_task *start; /* [ranks] */
  const ripstop_task *done;  /* [ranks]: tasks that come after the collective */
  uint32_t line;             /* in messages; 0: none */
} collective;

/* Each rank has `bytes`, and ends with the sum of all, or with its part of it. */
void collective_all_reduce(const collective *c, uint64_t bytes);
void collective_reduce_scatter(const collective *c, uint64_t bytes);
/* Each rank ends with the parts of all, `bytes` together. */
void collective_all_gather(const collective *c, uint64_t bytes);
/* Each rank has `bytes`, a part for each. All sends are ready at once, the next rank's first. */
void collective_all_to_all(const collective *c, uint64_t bytes);

#endif
