/* per_channel.h - shared by arbiters that serve virtual channels unequally: a number for each channel, and the requests
 * by channel. */
#ifndef SIMULATE_ARBITERS_PER_CHANNEL_H
#define SIMULATE_ARBITERS_PER_CHANNEL_H

#include <string.h>

#include "simulate/arbiters/requests.h"

enum { RIPSTOP_BY_CHANNEL_MAX = 1000000 };

/* Reads "1/35/54/10" for the option `what`s of an arbiter: an integer for each virtual channel, not all 0. */
static inline int ripstop_parse_by_channel(const char *arbiter, const char *what, const char *text, uint32_t channels,
                                           uint64_t *number, ripstop_error *err) {
  uint32_t count = 0;
  uint64_t any = 0;
  for (const char *at = text;; at++, count++) {
    size_t length = strcspn(at, "/");
    char word[32];
    if (count == channels)
      return ripstop_fail(err, "arbiter %s: %ss=%s has more %ss than the %u virtual channels", arbiter, what, text,
                          what, channels);
    if (length >= sizeof word)
      return ripstop_fail(err, "arbiter %s: %ss=%s: %s of channel %u is too long", arbiter, what, text, what, count);
    memcpy(word, at, length);
    word[length] = '\0';
    if (ripstop_parse_u64(word, RIPSTOP_BY_CHANNEL_MAX, &number[count], err) != 0)
      return ripstop_fail_at(err, "arbiter %s: %ss=%s: %s of channel %u", arbiter, what, text, what, count);
    any |= number[count];
    at += length;
    if (*at == '\0') break;
  }
  if (count + 1 < channels)
    return ripstop_fail(err, "arbiter %s: %ss=%s has %u %ss, there are %u virtual channels", arbiter, what, text,
                        count + 1, what, channels);
  if (any == 0)
    return ripstop_fail(err, "arbiter %s: %ss=%s: at least one %s must be positive", arbiter, what, text, what);
  return 0;
}

/* Bits: the virtual channels with requests. */
static inline uint32_t ripstop_requested_channels(const ripstop_requests *requests) {
  uint32_t requested = 0;
  for (uint32_t word = 0; word < requests->words; word++)
    for (uint64_t bits = requests->bits[word]; bits != 0; bits &= bits - 1)
      requested |= 1u << requests->channel[word * 64 + ripstop_ctz64(bits)];
  return requested;
}

/* The next queue, cyclically, that requests one of `channels`; at least one does. *next: the queue after the one served
 * last; updated. */
static inline uint32_t ripstop_request_in_turn(const ripstop_requests *requests, uint32_t channels, uint32_t *next) {
  uint32_t queue = ripstop_request_at_or_after(requests, *next);
  while ((channels >> requests->channel[queue] & 1) == 0) queue = ripstop_request_at_or_after(requests, queue + 1);
  *next = queue + 1;
  return queue;
}

#endif
