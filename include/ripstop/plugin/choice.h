/* choice.h - which of its open ways a head requests: the struct that every file in src/simulate/choices/ ends with.
 *
 * Methods propose ways and look at no buffer; a choice looks at the buffers and knows no method. It is asked only where
 * two ways or more of the lowest rank are open (docs/model.md, "Rounds"), in every round anew. Most heads have one, so
 * the event loop does what it can before it asks: see `roomiest`. */
#ifndef RIPSTOP_PLUGIN_CHOICE_H
#define RIPSTOP_PLUGIN_CHOICE_H

#include "ripstop/plan.h"

RIPSTOP_BEGIN

typedef struct ripstop_choosing {
  const ripstop_way *way; /* ways of the head */
  const uint8_t *open;    /* [count], at least 2: of them those that are open and have the lowest rank, in the method's
                             order */
  const int32_t *space; /* [count]: free units, at least 1, of the queue that the way leads to. XON/XOFF: all equal; an
                           end node: INT32_MAX, or with guests more than `capacity` */
  uint32_t count;
  int32_t capacity;   /* units of such a queue when it is empty */
  uint32_t ports;     /* of the node */
  uint32_t last_port; /* that this queue was granted last; RIPSTOP_NONE: none yet */
  /* What the tie rule draws from. */
  uint64_t seed, serial;
  uint32_t hop;
} ripstop_choosing;

typedef struct ripstop_choice {
  uint32_t abi; /* RIPSTOP_CHOICE_ABI */
  const char *name, *summary;
  const ripstop_option *options;
  size_t config_size;
  bool roomiest; /* asked only about the ways with most free space, and not where there is one such */
  /* The position in `open` of the way to request. Pure. NULL: any of them, by the tie rule. */
  uint32_t (*choose)(const void *config, const ripstop_choosing *choosing);
} ripstop_choice;
#define RIPSTOP_CHOICE_ABI 1
extern RIPSTOP_INTERNAL const ripstop_choice *const ripstop_choices[]; /* generated */

/* One of n, as each packet draws anew at each of its hops: docs/model.md, "Tie rule". */
static inline uint32_t ripstop_choosing_tie(const ripstop_choosing *c, uint32_t n) {
  uint32_t word[4];
  ripstop_random_block(c->seed, RIPSTOP_RANDOM_CHOICE, c->serial, c->hop, word);
  return (uint32_t)((uint64_t)word[0] * n >> 32);
}

RIPSTOP_END

#endif
