/* matching.h - which crossbar inputs and outputs of a switch are matched (switch.match): the struct that every file in
 * src/simulate/matchings/ ends with. */
#ifndef RIPSTOP_PLUGIN_MATCHING_H
#define RIPSTOP_PLUGIN_MATCHING_H

#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

/* A round of a switch: the inputs that request each output. Inputs and outputs that have been matched in the cycle, or
 * are busy, request nothing and are not requested. A crossbar input has the number of its first queue. */
typedef struct ripstop_matching_round {
  uint32_t inputs, outputs;
  uint32_t words;           /* 64-bit words of a set of inputs */
  const uint64_t *requests; /* [outputs * words] */
  uint32_t node, cycle;
  uint32_t round; /* number in the cycle, from 0 on */
  uint64_t seed;
} ripstop_matching_round;

typedef struct ripstop_matching {
  uint32_t abi; /* RIPSTOP_MATCHING_ABI */
  const char *name, *summary;
  const ripstop_option *options; /* as in "name:option=value" */
  size_t config_size;
  /* Rounds of a cycle at most. NULL: rounds until nothing is added, in which each output's arbiter decides. */
  uint32_t (*rounds)(const void *config);
  size_t (*state_size)(uint32_t inputs, uint32_t outputs); /* bytes of a switch, 0 at first */
  /* Sets the output that each input gets, at most one input for each; RIPSTOP_NONE before the call. */
  void (*match)(void *state, const ripstop_matching_round *round, uint32_t *output_of);
} ripstop_matching;
#define RIPSTOP_MATCHING_ABI   1
#define RIPSTOP_MATCHING_USUAL "maximal"                                   /* the default, which no run's name has */
extern RIPSTOP_INTERNAL const ripstop_matching *const ripstop_matchings[]; /* generated */

RIPSTOP_END

#endif
