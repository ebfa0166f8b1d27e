/* selection.h - which of its open candidates a head requests: the struct that every file in src/simulate/selection/
 * ends with.
 *
 * Methods propose candidates and look at no buffer; a selection function looks at the buffers and knows no method. It
 * is called only if a head has two candidates or more of the lowest rank. There are two kinds (docs/model.md, "Rounds"
 * and "Binding"):
 *
 *   requesting   called in every round, for the candidates that are open; the head stays free to take another one
 *   binding      (RIPSTOP_SELECTION_BINDS) called once for each packet and node, for all candidates of the lowest rank,
 * open or not; the packet keeps the chosen one and its candidates of higher ranks, until a fault takes them
 *
 * Most heads have one candidate, so the event loop does what it can before the call: see `roomiest`. */
#ifndef RIPSTOP_PLUGIN_SELECTION_H
#define RIPSTOP_PLUGIN_SELECTION_H

#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

typedef struct ripstop_choosing {
  const ripstop_candidate *candidate; /* candidates of the head */
  const uint8_t *open;                /* [count], at least 2: those of them to choose from, in the method's order */
  const int32_t
      *space;          /* [count]: free units of the queue behind the candidate, at least 1 unless the function binds.
                          XON/XOFF: all equal; an end node: INT32_MAX, or with in-transit packets more than `capacity` */
  const int64_t *load; /* [count]: units on their candidate through the candidate's output port, on all of its channels
                          (docs/model.md, "Load of a port"); NULL unless the function reads it */
  uint32_t count;
  int32_t capacity;   /* units of such a queue when it is empty */
  uint32_t ports;     /* the node's ports */
  uint32_t last_port; /* that this queue was granted last; RIPSTOP_NONE: none yet */
  /* For the random numbers of the tie rule. */
  uint64_t seed, serial;
  uint32_t hop;
  uint32_t node, in_port; /* in_port: local; at an end node the packet's class */
  uint32_t cycle;
  uint32_t source, destination; /* end nodes */
  uint64_t message; /* number of the packet's message at its source; of random traffic each packet is one. 0 unless the
                       function reads it */
  void *state;      /* the node's, zero at first; NULL at end nodes and without `state_size` */
} ripstop_choosing;

/* Traits of a selection function with its options: it reads ripstop_choosing.load or .message, or it binds. */
enum { RIPSTOP_SELECTION_LOAD = 1, RIPSTOP_SELECTION_MESSAGE = 2, RIPSTOP_SELECTION_BINDS = 4 };

typedef struct ripstop_selection {
  uint32_t abi; /* RIPSTOP_SELECTION_ABI */
  const char *name, *summary;
  const ripstop_option *options;
  size_t config_size;
  bool roomiest; /* without RIPSTOP_SELECTION_LOAD: the candidates with most free space, of these one by the tie rule;
                    `choose` is not called */
  unsigned (*traits)(const void *config); /* a set of RIPSTOP_SELECTION_*; NULL: none */
  /* Bytes of state that a switch with this number of ports has; NULL: none. A node's calls of one cycle come in the
   * order of its queues. */
  size_t (*state_size)(const void *config, uint32_t ports);
  /* The position in `open` of the candidate to request. A function without state is pure. One with state must bind,
   * and changes nothing but `state`. NULL: any of them, by the tie rule. */
  uint32_t (*choose)(const void *config, const ripstop_choosing *choosing);
} ripstop_selection;
#define RIPSTOP_SELECTION_ABI 2
extern RIPSTOP_INTERNAL const ripstop_selection *const ripstop_selections[]; /* generated */
/* The selection function with this name, of a spec "name" or "name:option=value"; its options go to *config, from the
 * arena. NULL with an error that names the nearest. */
const ripstop_selection *ripstop_selection_open(ripstop_arena *arena, const char *spec, void **config,
                                                ripstop_error *err);

/* Two random words of a packet at one of its hops. The first is the tie rule's: docs/model.md, "Tie rule". */
static inline void ripstop_choosing_random(const ripstop_choosing *c, uint32_t word[4]) {
  ripstop_random_block(c->seed, RIPSTOP_RANDOM_SELECTION, c->serial, c->hop, word);
}

/* One of n, as each packet draws again at each of its hops. */
static inline uint32_t ripstop_choosing_tie(const ripstop_choosing *c, uint32_t n) {
  uint32_t word[4];
  ripstop_choosing_random(c, word);
  return (uint32_t)((uint64_t)word[0] * n >> 32);
}

/* ------------------------------------------------------------------ flows by hash
 * The hash of `ecmp` and `flowlet`, for every program that must know the path of a flow. A flow takes the candidate
 * with the highest score, so a candidate that fails moves its own flows alone, and one that returns takes back the same
 * ones. */

/* SplitMix64's finaliser (Steele, Lea and Flood 2014): a bijection in which each bit depends on all. */
static inline uint64_t ripstop_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}
#define RIPSTOP_MIX_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio, odd */

/* The flow of a message (0: of all packets) from end node to end node. `seed`: the run's, or ripstop_ecmp_seed. */
static inline uint64_t ripstop_ecmp_flow(uint64_t seed, uint32_t source, uint32_t destination, uint64_t message) {
  const uint64_t pair = ripstop_mix(seed + RIPSTOP_MIX_STEP) ^ ((uint64_t)source << 32 | destination);
  return ripstop_mix(ripstop_mix(pair + RIPSTOP_MIX_STEP) ^ message);
}
/* A seed for each node. */
static inline uint64_t ripstop_ecmp_seed(uint64_t seed, uint32_t node) {
  return ripstop_mix(seed + RIPSTOP_MIX_STEP * ((uint64_t)node + 1));
}
/* The number of a candidate through a port and channel of a node. Ports count from the last one: trees number their up
 * ports last, so that the first candidate up has one number in all switches. */
static inline uint32_t ripstop_ecmp_number(uint32_t ports, uint32_t port, uint32_t channel) {
  return (ports - 1 - port) * RIPSTOP_CHANNELS_MAX + channel;
}
static inline uint64_t ripstop_ecmp_score(uint64_t flow, uint32_t number) {
  return ripstop_mix(flow + RIPSTOP_MIX_STEP * ((uint64_t)number + 1));
}

RIPSTOP_END

#endif
