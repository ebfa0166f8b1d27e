/* round_robin.c - the plain round-robin arbiter, which ignores packet lengths and virtual channels.
 *
 * The winner is the first requesting queue after the one served last, cyclically; initially the first from queue 0 on.
 * So a queue that requests at every pick waits for at most one packet of every other queue. A head without space behind
 * its candidates does not request. Where credits of two channels come in turn, a queue can wait as long as another one
 * has packets (docs/traffic.md).
 *
 * Cost: reads one or two words for a node of up to 64 queues. */
#include "ripstop/plugin/arbiter.h"
#include "simulate/arbiters/requests.h"

typedef struct round_robin {
  uint32_t next; /* the queue after the one served last */
} round_robin;

static size_t state_size(const void *config, uint32_t channels) {
  (void)config, (void)channels;
  return sizeof(round_robin);
}

static void init(const void *config, uint32_t channels, void *state) {
  (void)config, (void)channels;
  *(round_robin *)state = (round_robin){.next = 0};
}

static uint32_t pick(const void *config, void *state, const ripstop_requests *requests) {
  (void)config;
  round_robin *turn = state;
  uint32_t winner = ripstop_request_at_or_after(requests, turn->next);
  turn->next = winner + 1;
  return winner;
}

static const ripstop_option options[] = {{0}};

const ripstop_arbiter ripstop_arbiter_round_robin = {
    .abi = RIPSTOP_ARBITER_ABI,
    .name = "round-robin",
    .summary = "the first requesting queue after the one served last",
    .options = options,
    .turns = true,
    .state_size = state_size,
    .init = init,
    .pick = pick,
};
