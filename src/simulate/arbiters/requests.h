/* requests.h - iteration over the requests that an arbiter gets.
 *
 * Queues are numbered through the 64-bit words of ripstop_requests; "cyclically" means over all of them, 0 after the
 * last. */
#ifndef SIMULATE_ARBITERS_REQUESTS_H
#define SIMULATE_ARBITERS_REQUESTS_H

#include "base/bits.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/arbiter.h"

/* The first requesting queue at or after queue `from`, cyclically; `from` may be one past the last queue. At least one
 * queue requests: the contract of ripstop_requests. */
static inline uint32_t ripstop_request_at_or_after(const ripstop_requests *requests, uint32_t from) {
  if (requests->words == 1) {
    uint64_t behind = from < 64 ? *requests->bits >> from << from : 0;
    return ripstop_ctz64(behind ? behind : *requests->bits);
  }
  size_t first = ripstop_bits_next(requests->bits, requests->words, from);
  if (first == (size_t)requests->words * 64) first = ripstop_bits_next(requests->bits, requests->words, 0);
  return (uint32_t)first;
}

#endif
