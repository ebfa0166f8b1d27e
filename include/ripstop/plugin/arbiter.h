/* arbiter.h - who wins an output: the struct that every file in src/simulate/arbiters/ ends with. */
#ifndef RIPSTOP_PLUGIN_ARBITER_H
#define RIPSTOP_PLUGIN_ARBITER_H

#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

/* Requests are bits over the node's input queues (queue = local in port * channels + channel). */
typedef struct ripstop_requests {
  const uint64_t *bits; /* at least one bit is set */
  uint32_t words;
  const uint8_t *channel; /* [queue]: the requested output channel; for arbiters that weigh */
  const uint16_t *flits;  /* [queue]: length of the requesting packet; likewise */
  const uint64_t *enters; /* bits: queues into which a network interface sends; the others have packets in transit. All
                             bits 0 at a network interface, and for requests of output queues */
} ripstop_requests;

typedef struct ripstop_arbiter {
  uint32_t abi; /* RIPSTOP_ARBITER_ABI */
  const char *name, *summary;
  const ripstop_option *options;
  size_t config_size;
  bool weighs; /* `pick` looks at `channel` and `flits`; else there need be nothing in them */
  bool turns; /* its state is a uint32_t, the queue after the one served last, and `pick` answers the first request from
                 there on, cyclically: which the engine may do without a call */
  int (*check)(const void *config, uint32_t channels, ripstop_error *err); /* may be NULL */
  size_t (*state_size)(const void *config, uint32_t channels);             /* bytes per output port */
  void (*init)(const void *config, uint32_t channels, void *state);
  /* The winner; the pick is final. */
  uint32_t (*pick)(const void *config, void *state, const ripstop_requests *requests);
} ripstop_arbiter;
#define RIPSTOP_ARBITER_ABI 4
extern RIPSTOP_INTERNAL const ripstop_arbiter *const ripstop_arbiters[]; /* generated */

RIPSTOP_END

#endif
