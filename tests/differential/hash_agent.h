/* hash_agent.h - an agent for the differential test: what it does depends on all calls so far and their order, and on
 * nothing else, so that the engine and the model that play with it diverge at the first difference. */
#ifndef DIFFERENTIAL_HASH_AGENT_H
#define DIFFERENTIAL_HASH_AGENT_H

#include "runner.h"

enum { PLAY_LINKS_MAX = 4 };

typedef struct hash_agent {
  uint32_t ends, classes, shortest, longest;
  uint64_t seed;
  uint32_t letters; /* it sends at most so many */
  uint32_t links;   /* that it breaks and repairs, which nothing else does */
  uint32_t link[PLAY_LINKS_MAX];
  bool finishes;
  /* the state; at first as play_begin leaves it */
  uint64_t told; /* hash of all calls */
  uint64_t calls, broken, tag;
  uint64_t changed; /* the cycle in which it requested a change last */
} hash_agent;

void play_begin(hash_agent *p);
model_agent play_agent(hash_agent *p);

#endif
