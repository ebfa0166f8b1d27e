/* islip.c - iSLIP (McKeown, IEEE/ACM Transactions on Networking 7(2), 1999). Each output has a pointer to an input, and
 * each input to an output, 0 at first. In a round
 *
 *   grant   each requested output grants the first requesting input at or after its pointer, cyclically;
 *   accept  each input accepts the first of its grants at or after its pointer.
 *
 * Both pointers move one beyond the partner if the first round of a cycle matched the two, and else stay. So an output
 * that was not accepted grants the same input again, and pointers of busy switches move apart.
 *
 * Inputs that never request their own output settle on matchings of N - 1 of N pairs: 4 ports carry 0.75 then. */
#include "base/bits.h"
#include "ripstop/plugin/matching.h"

#include "base/no_heap.h"

typedef struct islip_config {
  int64_t rounds;
} islip_config;

static uint32_t rounds(const void *config) { return (uint32_t)((const islip_config *)config)->rounds; }

/* uint16_t [outputs], then [inputs]: numbers of queues and ports of a switch have 16 bits. */
static size_t state_size(uint32_t inputs, uint32_t outputs) { return (inputs + outputs) * sizeof(uint16_t); }

/* The first member at or after `from`, cyclically; the number of members that the set can have: none. */
static uint32_t next_of(const uint64_t *set, uint32_t words, uint32_t from) {
  const size_t at = ripstop_bits_next(set, words, from);
  return (uint32_t)(at < (size_t)words * 64 ? at : ripstop_bits_next(set, words, 0));
}

static uint32_t steps(uint32_t from, uint32_t to, uint32_t count) { return to >= from ? to - from : to + count - from; }

static void match(void *state, const ripstop_matching_round *r, uint32_t *output_of) {
  uint16_t *granting = state, *accepting = granting + r->outputs;
  for (uint32_t o = 0; o < r->outputs; o++) {
    const uint32_t i = next_of(&r->requests[(size_t)o * r->words], r->words, granting[o]);
    if (i >= r->words * 64) continue;
    const uint32_t other = output_of[i];
    if (other == RIPSTOP_NONE || steps(accepting[i], o, r->outputs) < steps(accepting[i], other, r->outputs))
      output_of[i] = o;
  }
  for (uint32_t i = 0; i < r->inputs && r->round == 0; i++) {
    if (output_of[i] == RIPSTOP_NONE) continue;
    granting[output_of[i]] = (uint16_t)(i + 1 < r->inputs ? i + 1 : 0);
    accepting[i] = (uint16_t)(output_of[i] + 1 < r->outputs ? output_of[i] + 1 : 0);
  }
}

static const ripstop_option options[] = {{.name = "rounds",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(islip_config, rounds),
                                          .min = 1,
                                          .max = 64,
                                          .fallback = "1",
                                          .help = "rounds of a cycle"},
                                         {0}};

const ripstop_matching ripstop_matching_islip = {.abi = RIPSTOP_MATCHING_ABI,
                                                 .name = "islip",
                                                 .summary = "iSLIP: pointers that turn with the first round's matches",
                                                 .options = options,
                                                 .config_size = sizeof(islip_config),
                                                 .rounds = rounds,
                                                 .state_size = state_size,
                                                 .match = match};
