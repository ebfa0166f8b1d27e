/* transit_first.c - packets in transit win against packets that a NIC injects; among each kind round robin.
 *
 * Common in routers of direct networks: packets in the network leave it before more enter, so throughput beyond
 * saturation does not fall. A source can wait forever beside a stream of packets in transit; nothing here is fair to
 * it.
 *
 * Cost: round robin's, and a mask for each word. */
#include "ripstop/plugin/arbiter.h"
#include "simulate/arbiters/requests.h"

typedef struct transit_first {
  uint32_t transit, entering; /* for each kind: the queue after the one served last */
} transit_first;

static size_t state_size(const void *config, uint32_t channels) {
  (void)config, (void)channels;
  return sizeof(transit_first);
}

static void init(const void *config, uint32_t channels, void *state) {
  (void)config, (void)channels;
  *(transit_first *)state = (transit_first){0};
}

/* The first queue with a packet in transit in the words from `word` on; in `word` only the bits of `part`. */
static uint32_t next_transit(const ripstop_requests *r, uint32_t word, uint64_t part) {
  for (; word < r->words; word++, part = UINT64_MAX) {
    uint64_t set = r->bits[word] & ~r->enters[word] & part;
    if (set) return 64 * word + ripstop_ctz64(set);
  }
  return RIPSTOP_NONE;
}

static uint32_t pick(const void *config, void *state, const ripstop_requests *requests) {
  (void)config;
  transit_first *turn = state;
  uint32_t winner = next_transit(requests, turn->transit / 64, UINT64_MAX << turn->transit % 64);
  if (winner == RIPSTOP_NONE) winner = next_transit(requests, 0, UINT64_MAX);
  if (winner != RIPSTOP_NONE) {
    turn->transit = winner + 1;
    return winner;
  }
  winner = ripstop_request_at_or_after(requests, turn->entering);
  turn->entering = winner + 1;
  return winner;
}

static const ripstop_option options[] = {{0}};

const ripstop_arbiter ripstop_arbiter_transit_first = {
    .abi = RIPSTOP_ARBITER_ABI,
    .name = "transit-first",
    .summary = "packets in transit before those that enter the network, each in turns",
    .options = options,
    .state_size = state_size,
    .init = init,
    .pick = pick,
};
