/* deal.c - spray: each input port deals its packets out to all ports that they may take, in an order that is new in
 * each round, so that each port gets one packet of every round. Packets of a flow take many paths and overtake each
 * other.
 *
 * State: for each input port the set of output ports that had their packet of the present round. A packet goes to a
 * random one of its ports outside the set. If none of them is left, its round is over and all of them leave the set.
 * For packets with the same ports this is a random order for each round, and packets with other ports have rounds of
 * their own. Rounds of all inputs are independent: if they shared one, inputs that send in step would stay in step. */
#include "ripstop/plugin/selection.h"

#include "base/bits.h"
#include "base/no_heap.h"

static uint32_t words_of(uint32_t ports) { return (ports + 63) / 64; }

static unsigned traits(const void *config) {
  (void)config;
  return RIPSTOP_SELECTION_BINDS;
}

static size_t state_size(const void *config, uint32_t ports) {
  (void)config;
  return (size_t)ports * words_of(ports) * sizeof(uint64_t);
}

static bool has(const uint64_t *set, uint32_t port) { return set[port / 64] >> port % 64 & 1; }

/* Positions of the candidates whose port is outside the set; the first of each port only. Returns how many. */
static uint32_t left_of(const ripstop_choosing *c, const uint64_t *dealt, uint8_t *left) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    const uint32_t port = c->candidate[c->open[i]].port;
    bool again = false;
    for (uint32_t k = 0; k < count; k++) again |= c->candidate[c->open[left[k]]].port == port;
    if (!again && !has(dealt, port)) left[count++] = (uint8_t)i;
  }
  return count;
}

/* One of the candidates through a port, the first of which is at this position. */
static uint32_t channel_of(const ripstop_choosing *c, uint32_t first, uint32_t word) {
  uint8_t alike[UINT8_MAX];
  alike[0] = (uint8_t)first;
  uint32_t count = 1;
  for (uint32_t i = first + 1; i < c->count; i++)
    if (c->candidate[c->open[i]].port == c->candidate[c->open[first]].port) alike[count++] = (uint8_t)i;
  return alike[(uint64_t)word * count >> 32];
}

static uint32_t choose(const void *config, const ripstop_choosing *c) {
  uint8_t left[UINT8_MAX];
  uint32_t word[4];
  left[0] = 0; /* there is a candidate */
  (void)config;
  if (!c->state) return ripstop_choosing_tie(c, c->count);
  uint64_t *dealt = (uint64_t *)c->state + (size_t)c->in_port * words_of(c->ports);
  uint32_t count = left_of(c, dealt, left);
  if (!count) {
    for (uint32_t i = 0; i < c->count; i++) {
      const uint32_t port = c->candidate[c->open[i]].port;
      dealt[port / 64] &= ~(UINT64_C(1) << port % 64);
    }
    count = left_of(c, dealt, left);
  }
  ripstop_choosing_random(c, word);
  const uint32_t first = left[(uint64_t)word[0] * count >> 32], port = c->candidate[c->open[first]].port;
  dealt[port / 64] |= UINT64_C(1) << port % 64;
  return channel_of(c, first, word[1]);
}

static const ripstop_option options[] = {{0}};
const ripstop_selection ripstop_selection_deal = {
    .abi = RIPSTOP_SELECTION_ABI,
    .name = "deal",
    .summary = "each input port deals its packets out to all ports in turn, in a "
               "new random order each time",
    .options = options,
    .traits = traits,
    .state_size = state_size,
    .choose = choose};
