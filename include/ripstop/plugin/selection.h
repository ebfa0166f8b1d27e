/* selection.h - which of its open candidates a head requests: the struct that every file in src/simulate/selection/
 * ends with.
 *
 * Methods propose candidates and look at no buffer; a selection function looks at the buffers and knows no method. It
 * is called only if two candidates or more of the lowest rank are open (docs/model.md, "Rounds"), in every round again.
 * Most heads have one, so the event loop does what it can before the call: see `roomiest`. */
#ifndef RIPSTOP_PLUGIN_SELECTION_H
#define RIPSTOP_PLUGIN_SELECTION_H

#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

typedef struct ripstop_choosing {
  const ripstop_candidate *candidate; /* candidates of the head */
  const uint8_t *open;  /* [count], at least 2: the open ones with the lowest rank, in the method's order */
  const int32_t *space; /* [count]: free units, at least 1, of the queue behind the candidate. XON/XOFF: all equal; an
                           end node: INT32_MAX, or with in-transit packets more than `capacity` */
  uint32_t count;
  int32_t capacity;   /* units of such a queue when it is empty */
  uint32_t ports;     /* the node's ports */
  uint32_t last_port; /* that this queue was granted last; RIPSTOP_NONE: none yet */
  /* For the random numbers of the tie rule. */
  uint64_t seed, serial;
  uint32_t hop;
} ripstop_choosing;

typedef struct ripstop_selection {
  uint32_t abi; /* RIPSTOP_SELECTION_ABI */
  const char *name, *summary;
  const ripstop_option *options;
  size_t config_size;
  bool roomiest; /* called only for the candidates with most free space, and not for a single one */
  /* The position in `open` of the candidate to request. Pure. NULL: any of them, by the tie rule. */
  uint32_t (*choose)(const void *config, const ripstop_choosing *choosing);
} ripstop_selection;
#define RIPSTOP_SELECTION_ABI 1
extern RIPSTOP_INTERNAL const ripstop_selection *const ripstop_selections[]; /* generated */

/* One of n, as each packet draws again at each of its hops: docs/model.md, "Tie rule". */
static inline uint32_t ripstop_choosing_tie(const ripstop_choosing *c, uint32_t n) {
  uint32_t word[4];
  ripstop_random_block(c->seed, RIPSTOP_RANDOM_SELECTION, c->serial, c->hop, word);
  return (uint32_t)((uint64_t)word[0] * n >> 32);
}

RIPSTOP_END

#endif
